#include "trace/chrome/json_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "trace/read/reader.h"

namespace takt {
namespace {

/// Given in pieces of `piece` bytes.
std::optional<std::uint64_t> fault_of(std::string_view text, std::size_t piece = 1000) {
  JsonCheck check;
  for (std::size_t at = 0; at < text.size(); at += piece) check.take(text.substr(at, piece));
  check.end();
  return check.fault();
}

TEST(JsonCheck, names_the_byte_that_no_json_has_there) {
  const struct {
    std::string_view text;
    std::uint64_t byte;
  } cases[] = {{R"({"a":{"x":"a"; "y":2}})", 13},
               {"[1:2]", 2},
               {"[[1]x[2]]", 4},
               {R"({"a":1 "b":2})", 7},
               {"[1,]", 3},
               {R"({"a":1,})", 7},
               {"[,1]", 1},
               {"[01]", 2},
               {"[.5]", 1},
               {"[1.]", 3},
               {"[+1]", 1},
               {"[1e]", 3},
               {"[--1]", 2},
               {"[tru]", 4},
               {"[truE]", 4},
               {"[NaN]", 1},
               {R"(["\q"])", 3},
               {R"(["\u12g4"])", 6},
               {"[}", 1},
               {R"({"a":1])", 6},
               {"{'a':1}", 1},
               {"{a:1}", 1},
               {R"({"a" 1})", 5},
               {"[1]x", 3},
               {"[1] []", 4},
               {"[\"a\nb\"]", 3},
               {"", 0},
               {"[", 1},
               {R"({"a)", 3},
               {"[1.", 3},
               {R"({"a":1)", 6},
               {"-", 1},
               {"[1e+]", 4},
               {"[1.5.2]", 4},
               {"[1e5e5]", 4},
               {"[1e5.2]", 4}};
  for (const auto& [text, byte] : cases)
    for (const std::size_t piece : {1, 2, 1000}) EXPECT_EQ(fault_of(text, piece), byte) << text << " by " << piece;
}

TEST(JsonCheck, has_nothing_to_say_of_json) {
  for (const std::string_view text : {"[]", "{}", " [ 1 , -0.5e-3 , 0 , 10E5 , 1e+2 , true , false , null ]\n",
                                      R"({"a":{"b":[[],{}]},"c":"\u00e9\n\"\\"})", "12", "0", R"("x")", "null"})
    for (const std::size_t piece : {1, 3, 1000}) EXPECT_EQ(fault_of(text, piece), std::nullopt) << text;
  EXPECT_EQ(fault_of(std::string(200'000, '[') + std::string(200'000, ']')), std::nullopt);
}

// Every byte of a document that is changed, dropped or added: another reader says of the rest what it is.
TEST(JsonCheck, agrees_with_another_reader_on_damaged_documents) {
  std::mt19937 random(11);
  const std::string whole =
      R"({"traceEvents": [{"ph":"X","ts":1.25e2,"dur":-0,"name":"a\u0041\\","args":{"x":[1,[],{}],"y":null}},
 {"ph":"i","ok":true,"no":false}], "n": 10.5})";
  const std::string_view signs = "{}[],:\"\\.eE+-019tfn ";
  int broken = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = whole;
    for (int changes = 1 + static_cast<int>(random() % 2); changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      const char sign = signs[random() % signs.size()];
      if (random() % 3 == 0)
        text.erase(at, 1);
      else if (random() % 2 == 0)
        text[at] = sign;
      else
        text.insert(at, 1, sign);
    }
    const auto fault = fault_of(text, 1 + random() % 9);
    ASSERT_EQ(!fault, nlohmann::json::accept(text)) << text;
    broken += fault.has_value();
  }
  EXPECT_GT(broken, 5'000);
  EXPECT_LT(broken, 19'000);
}

std::vector<std::string> faults_in(const std::string& text) {
  TraceReadSettings settings;
  settings.checks_json = true;
  settings.window_bytes = 64;
  std::vector<std::string> found;
  for (const TraceFault& fault : parse_chrome_trace(text, "t", settings).faults)
    found.push_back(std::string(name_of(fault.rule)) + " " + fault.first);
  return found;
}

TEST(JsonCheck, a_trace_that_is_no_json_has_a_fault) {
  const std::string event = R"({"ph":"X","ts":1,"dur":2,"name":"a","pid":1,"tid":1,"args":)";
  const auto with = [&](const std::string& args) { return faults_in("{\"traceEvents\":[" + event + args + "}]}"); };
  const std::vector<std::string> none;
  EXPECT_EQ(with("{\"a\":1}"), none);
  EXPECT_EQ(with("{\"a\":01}"), std::vector<std::string>{"not_json byte 81"});
  EXPECT_EQ(with("{\"a\":1,}"), std::vector<std::string>{"not_json byte 82"});
  EXPECT_EQ(with("[,1]"), std::vector<std::string>{"not_json byte 76"});
  EXPECT_EQ(with("{\"a\":{\"b\";1}}").back(), "not_json byte 84");
  EXPECT_EQ(faults_in("{\"traceEvents\":[" + event + "1}],\"n\":[1 2]}"), std::vector<std::string>{"not_json byte 86"});
  EXPECT_EQ(faults_in("{\"metadata\":[[1]x[2]],\"traceEvents\":[" + event + "1}]}"),
            std::vector<std::string>{"not_json byte 16"});
  // What is only cut off, or is told of in other words, is told of once.
  EXPECT_EQ(faults_in("[" + event + "1},"), std::vector<std::string>{"unclosed_list byte 63"});
  EXPECT_EQ(with("{\"a\":NaN}").size(), 1u);
}

}  // namespace
}  // namespace takt
