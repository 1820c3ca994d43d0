// What an object of a file may hold, and the whole sentences that refuse the rest.
#include "base/files/json_object.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "base/basics/error.h"

namespace takt {
namespace {

using AnyJson = nlohmann::json;

/// "accepted", or what is wrong.
template <typename Read>
std::string json_refusal(const Read& read) {
  try {
    read();
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
}

/// Of the value of the only key "k", read in this way.
template <typename Read>
std::string refusal_of_value(const std::string& value, const Read& read) {
  const AnyJson json = AnyJson::parse("{\"k\": " + value + "}");
  const JsonObject object(json, "p", {"k"});
  return json_refusal([&] { read(object); });
}

TEST(JsonObject, has_all_of_its_keys_and_nothing_else) {
  const auto refusal = [](const std::string& text) {
    const AnyJson json = AnyJson::parse(text);
    return json_refusal([&] { JsonObject(json, "p", {"a", "b"}, {"c"}); });
  };
  EXPECT_EQ(refusal(R"({"a": 1, "b": null})"), "accepted");
  EXPECT_EQ(refusal(R"({"a": 1, "b": 2, "c": 3})"), "accepted");
  EXPECT_EQ(refusal(R"({"a": 1})"), "p: has no 'b'");
  EXPECT_EQ(refusal(R"({"a": 1, "b": 2, "d": 3})"), "p: 'd' is not a known key; the keys are a, b");
  EXPECT_EQ(refusal("[1]"), "p: is [1]; write an object");
  EXPECT_EQ(refusal("null"), "p: is null; write an object");
  const AnyJson json = AnyJson::parse(R"({"a": 1, "b": null})");
  const JsonObject object(json, "p", {"a", "b"}, {"c"});
  EXPECT_TRUE(object.has("a"));
  EXPECT_FALSE(object.has("c"));
  EXPECT_TRUE(object.is_null("b"));
  EXPECT_FALSE(object.is_null("a"));
  EXPECT_EQ(object["a"], 1);
  EXPECT_EQ(object.place(), "p");
  EXPECT_EQ(object.place_of("x"), "p: 'x'");
  EXPECT_EQ(json_refusal([&] { object.refuse("is wrong"); }), "p: is wrong");
}

TEST(JsonObject, whole_numbers_are_taken_up_to_their_borders) {
  const auto refusal = [](const std::string& value) {
    return refusal_of_value(value, [](const JsonObject& object) { object.integer("k", -3, 5); });
  };
  for (const char* good : {"-3", "0", "5"}) EXPECT_EQ(refusal(good), "accepted") << good;
  for (const char* bad : {"-4", "6", "1.0", "\"1\"", "null", "true", "18446744073709551615", "9223372036854775808"})
    EXPECT_EQ(refusal(bad), "p: 'k' is " + std::string(bad) + "; give a whole number from -3 to 5");
  const AnyJson ends = AnyJson::parse("[-9223372036854775808, 9223372036854775807, 9223372036854775808]");
  constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(JsonObject::integer_in(ends[0], "p", least, most), least);
  EXPECT_EQ(JsonObject::integer_in(ends[1], "p", least, most), most);
  EXPECT_NE(json_refusal([&] { JsonObject::integer_in(ends[2], "p", least, most); }), "accepted");
  EXPECT_NE(json_refusal([&] { JsonObject::integer_in(AnyJson(1u), "p", -5, -1); }), "accepted") << "below nothing";
  EXPECT_EQ(JsonObject::integer_in(AnyJson(-1), "p", -5, -1), -1);
}

TEST(JsonObject, counts_begin_at_nothing) {
  const auto refusal = [](const std::string& value) {
    return refusal_of_value(value, [](const JsonObject& object) { object.count("k"); });
  };
  EXPECT_EQ(refusal("0"), "accepted");
  EXPECT_EQ(refusal("7"), "accepted");
  for (const char* bad : {"-1", "1.5", "\"1\""})
    EXPECT_EQ(refusal(bad), "p: 'k' is " + std::string(bad) + "; give a whole number from 0");
}

TEST(JsonObject, numbers_are_taken_up_to_their_borders) {
  const auto refusal = [](const std::string& value) {
    return refusal_of_value(value, [](const JsonObject& object) { object.number("k", -0.5, 2); });
  };
  for (const char* good : {"-0.5", "2", "2.0", "0"}) EXPECT_EQ(refusal(good), "accepted") << good;
  for (const char* bad : {"-0.6", "2.1", "\"1\"", "null", "[1]"})
    EXPECT_EQ(refusal(bad), "p: 'k' is " + std::string(bad) + "; give a number from -0.5 to 2");
  EXPECT_EQ(refusal_of_value("-1", [](const JsonObject& object) { object.number("k", 0); }),
            "p: 'k' is -1; give a number from 0");
  EXPECT_EQ(refusal_of_value("1e308", [](const JsonObject& object) { object.number("k", 0); }), "accepted");
  const AnyJson json = AnyJson::parse(R"({"k": null, "n": 1.5})");
  const JsonObject object(json, "p", {"k", "n"});
  EXPECT_EQ(object.number_or_null("k", 0, 1), std::nullopt);
  EXPECT_EQ(object.number_or_null("n", 0, 2), 1.5);
  EXPECT_EQ(json_refusal([&] { object.number_or_null("n", 0, 1); }), "p: 'n' is 1.5; give a number from 0 to 1");
}

TEST(JsonObject, other_values_are_of_their_kind) {
  const auto of = [](const std::string& value, auto member) {
    return refusal_of_value(value, [&](const JsonObject& object) { (object.*member)("k"); });
  };
  EXPECT_EQ(of("true", &JsonObject::flag), "accepted");
  EXPECT_EQ(of("1", &JsonObject::flag), "p: 'k' is 1; give true or false");
  EXPECT_EQ(of("\"\"", &JsonObject::text), "accepted");
  EXPECT_EQ(of("1", &JsonObject::text), "p: 'k' is 1; give a string");
  EXPECT_EQ(of("[]", &JsonObject::list), "accepted");
  EXPECT_EQ(of("{}", &JsonObject::list), "p: 'k' is {}; give a list");
  EXPECT_EQ(of("{}", &JsonObject::object), "accepted");
  EXPECT_EQ(of("[]", &JsonObject::object), "p: 'k' is []; write an object");
  EXPECT_EQ(of("[\"a\", \"b\"]", &JsonObject::texts), "accepted");
  EXPECT_EQ(of("[\"a\", 2]", &JsonObject::texts), "p: 'k' is 2; give a string");
  EXPECT_EQ(of("\"a\"", &JsonObject::texts), "p: 'k' is \"a\"; give a list");
  const AnyJson json = AnyJson::parse(R"({"k": ["a", "b"], "f": false})");
  const JsonObject object(json, "p", {"k", "f"});
  EXPECT_EQ(object.texts("k"), (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(object.flag("f"));
}

TEST(JsonObject, values_are_shown_short_and_printable) {
  EXPECT_EQ(JsonObject::shown(AnyJson::parse(R"({"a": [1, "x", null], "b": {}})")), R"({"a":[1,"x",null],"b":{}})");
  const std::string forty(38, 'x');  // and two quotes
  EXPECT_EQ(JsonObject::shown(AnyJson(forty)), '"' + forty + '"');
  EXPECT_EQ(JsonObject::shown(AnyJson(forty + "y")), '"' + std::string(36, 'x') + "...");
  AnyJson numbers = AnyJson::array();
  for (int i = 0; i < 1000; ++i) numbers.push_back(1);
  EXPECT_EQ(JsonObject::shown(numbers), "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,...");
}

}  // namespace
}  // namespace takt
