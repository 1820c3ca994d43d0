#include "base/files/strict_json.h"

#include <gmock/gmock.h>

#include <ctime>
#include <string>

#include "base/basics/error.h"
#include "base/basics/nesting.h"
#include "base/files/json_object.h"
#include "refused.h"

namespace takt {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view json) {
  try {
    parse_strictly(json, "f.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(StrictJson, gives_what_the_text_says) {
  const auto json =
      parse_strictly(R"({"a": [1, -2, 2.5, "x", null, true, {"b": {}}, []], "c": 18446744073709551615})", "");
  EXPECT_EQ(json.dump(), R"({"a":[1,-2,2.5,"x",null,true,{"b":{}},[]],"c":18446744073709551615})");
  EXPECT_EQ(parse_strictly(" 7 ", ""), 7);
  EXPECT_EQ(strict_json_in("[1, 2]"), nlohmann::json({1, 2}));
  EXPECT_EQ(strict_json_in("[1, 2"), std::nullopt);
}

TEST(StrictJson, refuses_what_would_be_lost_and_says_where) {
  EXPECT_EQ(refusal(""), "f.json: is empty");
  EXPECT_EQ(refusal(R"({"a": 1, "a": 2})"), "f.json: 'a' is listed twice; keep one");
  EXPECT_EQ(refusal(R"({"row": [{"b": 1}, {"b": 1, "b": 2}]})"), "f.json: 'row': 'b' is listed twice; keep one");
  EXPECT_EQ(refusal(R"({"row": 1e999})"), "f.json: 'row': has a number that is too large");
  for (const char* text : {"NaN", "Infinity", "-Infinity", "[1,]", "{\"a\"}", "[1] 2", "\"\xff\"", "01"})
    EXPECT_THAT(refusal(text), HasSubstr("is not JSON")) << text;
}

TEST(StrictJson, a_thousand_lists_within_each_other_are_refused_in_a_sentence) {
  EXPECT_EQ(refusal(nested(most_nested)), "not refused");
  for (const std::size_t depth : {most_nested + 1, std::size_t{1000}, std::size_t{1'000'000}})
    EXPECT_EQ(refusal(nested(depth)), "f.json: nests more than 100 lists and objects");
}

TEST(StrictJson, a_sentence_is_short_whatever_the_file_holds) {
  const std::string key(1'000'000, 'k');
  for (const std::string& text : {"{\"" + key + "\": NaN}", "{\"" + key + "\": 1, \"" + key + "\": 2}"}) {
    EXPECT_LT(refusal(text).size(), 200u);
    EXPECT_THAT(refusal(text), HasSubstr("kkk...kkk"));
  }
}

/// Seconds of processor time for a list of so many rows, which other programs lengthen little.
double seconds_for(int rows) {
  std::string text = "{\"rows\": [";
  for (int i = 0; i < rows; ++i) text += (i == 0 ? "" : ",") + std::string(R"({"nodes": 1000, "edges": 2000})");
  const std::clock_t begin = std::clock();
  EXPECT_EQ(parse_strictly(text + "]}", "")["rows"].size(), static_cast<std::size_t>(rows));
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(StrictJson, twenty_times_as_many_rows_take_some_twenty_times_as_long) {
  // Where each row looks at those before it, this is 400.
  EXPECT_LT(std::min(seconds_for(200'000), seconds_for(200'000)) /
                std::min({seconds_for(10'000), seconds_for(10'000), seconds_for(10'000)}),
            100);
}

TEST(Nesting, counts_lists_and_objects_but_not_what_stands_in_texts) {
  EXPECT_FALSE(nests_deeper("[[1], {\"a\": []}]", 3));
  EXPECT_TRUE(nests_deeper("[[1], {\"a\": [[]]}]", 3));
  EXPECT_FALSE(nests_deeper("[\"[[[[\", \"\\\"[[[\"]", 1));
  EXPECT_TRUE(nests_deeper(std::string(1'000'000, '[')));
  EXPECT_FALSE(nests_deeper(std::string(1'000'000, ']') + "\""));
}

TEST(JsonObject, shows_a_value_in_few_characters_however_large_or_deep_it_is) {
  EXPECT_EQ(JsonObject::shown({1, 2}), "[1,2]");
  EXPECT_EQ(JsonObject::shown({{"a", "b"}}), R"({"a":"b"})");
  EXPECT_EQ(JsonObject::shown(nlohmann::json(std::string(1'000'000, 'x'))), "\"" + std::string(36, 'x') + "...");
  nlohmann::json deep;
  for (int i = 0; i < 100'000; ++i) deep = nlohmann::json::array({std::move(deep)});
  EXPECT_EQ(JsonObject::shown(deep).size(), 40u);
}

TEST(JsonObject, numbers_are_checked_against_both_ends) {
  const auto json = parse_strictly(R"({"n": 9223372036854775808, "x": 1e300, "y": -1, "z": "1"})", "");
  const JsonObject object(json, "f", {"n", "x", "y", "z"});
  const auto whole = [&](std::int64_t least, std::int64_t most) {
    return refused_with([&] { object.integer("n", least, most); });
  };
  const auto any = [&](const char* key) { return refused_with([&] { object.number(key, 0, 1e9); }); };
  EXPECT_EQ(whole(0, 10), "f: 'n' is 9223372036854775808; give a whole number from 0 to 10");
  EXPECT_EQ(whole(-10, -1), "f: 'n' is 9223372036854775808; give a whole number from -10 to -1");
  EXPECT_EQ(any("x"), "f: 'x' is 1e+300; give a number from 0 to 1000000000");
  EXPECT_EQ(object.number("x", 0), 1e300);
  EXPECT_EQ(any("y"), "f: 'y' is -1; give a number from 0 to 1000000000");
  EXPECT_EQ(any("z"), "f: 'z' is \"1\"; give a number from 0 to 1000000000");
}

TEST(JsonObject, counts_and_objects_are_asked_for_by_name) {
  const auto json = parse_strictly(R"({"n": 3, "m": -1, "o": {"in": 1}, "l": []})", "");
  const JsonObject object(json, "f", {"n", "m", "o", "l"});
  EXPECT_EQ(object.count("n"), 3u);
  EXPECT_EQ(object.object("o").dump(), R"({"in":1})");
  const auto said = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(said([&] { object.count("m"); }), "f: 'm' is -1; give a whole number from 0");
  EXPECT_EQ(said([&] { object.object("l"); }), "f: 'l' is []; write an object");
}

}  // namespace
}  // namespace takt
