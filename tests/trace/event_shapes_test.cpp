// Events of a form that was met before take a short way through the parser. What they become must not depend on it.
#include "trace/chrome/event_shapes.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "places.h"
#include "trace/chrome/reader.h"
#include "trace/events/decimal_time.h"
#include "trace/events/quick_number.h"
#include "trace/write/chrome_writer.h"

namespace takt {
namespace {

using chrome::EventShapes;
using chrome::Field;
using chrome::SeenStep;

/// A text that can be looked at beyond its end.
std::string padded(std::string text) { return text.append(EventShapes::readable, '\0'); }

TEST(EventShapes, finds_the_step_whose_text_stands_there_to_its_last_byte) {
  const std::string first = padded("{\"ph\":\"X\",\"ts\":"), second = padded("{\"ph\":\"X\",\"dur\":"),
                    close = padded("}");
  EventShapes shapes;
  const SeenStep end{.text = std::string_view(close).substr(0, 1), .field = Field::end};
  shapes.learn(std::vector<SeenStep>{{.text = std::string_view(first).substr(0, 15), .field = Field::start}, end});
  shapes.learn(std::vector<SeenStep>{{.text = std::string_view(second).substr(0, 16), .field = Field::duration}, end});
  const auto field_at = [&](const std::string& text) {
    const std::string long_text = padded(text);
    const std::uint32_t step = shapes.next(EventShapes::root, long_text.data(), long_text.data() + text.size());
    return step == 0 ? Field::end : shapes.step(step).field;
  };
  EXPECT_EQ(field_at("{\"ph\":\"X\",\"ts\":5"), Field::start);
  EXPECT_EQ(field_at("{\"ph\":\"X\",\"dur\":5"), Field::duration);
  EXPECT_EQ(field_at("{\"ph\":\"X\",\"ts\":"), Field::start);
  EXPECT_EQ(field_at("{\"ph\":\"X\",\"ts\""), Field::end) << "cut off one byte too early";
  EXPECT_EQ(field_at("{\"ph\":\"B\",\"ts\":5"), Field::end);
}

class RandomEvents {
 public:
  explicit RandomEvents(std::uint32_t seed) : random_(seed) {}

  /// Every event stands behind `blanks(i)` blanks inside its brace.
  template <typename Blanks>
  static std::string file(const std::vector<std::string>& members, Blanks blanks) {
    std::string list = "[";
    for (std::size_t i = 0; i < members.size(); ++i)
      list += (i == 0 ? "{" : ",{") + std::string(blanks(i), ' ') + members[i] + "}";
    return list + "]";
  }

  std::string members() {
    static const char* const forms[] = {
        "\"ph\":\"X\",\"pid\":P,\"tid\":P,\"ts\":T,\"dur\":T,\"name\":N,\"cat\":N",
        "\"ph\": \"X\", \"cat\": N, \"name\": N, \"pid\": P, \"tid\": P,\n  \"ts\": T, "
        "\"dur\": T,\n  \"args\": {\n    \"External id\": V, \"x\":V\n  }\n ",
        "\"name\":N,\"args\":{\"a\":V},\"ph\":\"X\",\"ts\":T,\"dur\":T,\"tid\":P",
        "\"args\":{},\"ph\":\"i\",\"ts\":T,\"tid\":P,\"s\":\"t\",\"name\":N",
        "\"ph\":\"C\",\"pid\":P,\"ts\":T,\"name\":N,\"args\":{\"value\":V}",
        "\"ph\":\"B\",\"pid\":P,\"tid\":P,\"ts\":T,\"name\":N",
        "\"ph\":\"E\",\"pid\":P,\"tid\":P,\"ts\":T,\"args\":{\"r\":V,\"r\":V}",
        "\"ph\":\"b\",\"pid\":P,\"id\":I,\"ts\":T,\"name\":N,\"cat\":\"c\"",
        "\"ph\":\"e\",\"pid\":P,\"id\":I,\"ts\":T,\"name\":N,\"cat\":\"c\"",
        "\"ph\":\"s\",\"pid\":P,\"tid\":P,\"id\":I,\"ts\":T,\"name\":N,\"bp\":\"e\"",
        "\"ph\":\"X\",\"tid\":P,\"ts\":T,\"dur\":T,\"bind_id\":I,\"flow_out\":true",
        "\"ph\":\"M\",\"pid\":P,\"tid\":P,\"name\":\"thread_name\",\"args\":{\"name\":N}",
        "\"args\":{\"a\":V},\"args\":{},\"ph\":\"X\",\"ts\":T,\"dur\":T",
        "\"ph\":\"X\",\"ts\":T,\"dur\":T,\"args\":\"__stripped__\",\"tid\":P,",
        "\"ph\":P,\"ts\":T",
        ""};
    std::string text;
    for (const char* c = pick(forms); *c != '\0'; ++c) text += value(*c);
    return text;
  }

 private:
  template <std::size_t count>
  const char* pick(const char* const (&list)[count]) {
    return list[random_() % count];
  }
  std::string value(char kind) {
    static const char* const times[] = {"1.5",
                                        "0",
                                        "1705312345678901.234",
                                        "12345678.9",
                                        "123456789012.001",
                                        "-3.25",
                                        "1e3",
                                        "\"7.5\"",
                                        "null",
                                        "NaN",
                                        "8796093022208.5",
                                        "7.0005",
                                        "9.",
                                        "99999999",
                                        "12345678901234567",
                                        "[1]",
                                        "0012",
                                        "1.2345"};
    static const char* const names[] = {"\"a\"",
                                        "\"conv/layer_17:0\"",
                                        "\"quo\\\"te\"",
                                        "\"\\u20ac\"",
                                        "\"tab\there\"",
                                        "null",
                                        "17",
                                        "\"\"",
                                        "{\"x\":1}",
                                        "\"long name with }],{ in it\""};
    static const char* const rows[] = {"1",         "2",   "0",  "\"Trace\"", "\"\"",
                                       "123456789", "1.0", "-5", "\"7\"",     "4294967296"};
    static const char* const ids[] = {
        "1", "\"0x1f\"", "\"17\"", "\"text\"", "\"-4\"", "\"a\\u0062\"", "99999999999999999999"};
    static const char* const values[] = {
        "1",     "-7",     "12345678901", "1.5",           "\"text\"",  "true",
        "null",  "NaN",    "[1, 2]",      "{\"k\":[NaN]}", "\"c\x01\"", "18446744073709551616",
        "1e400", "\"\\n\""};
    switch (kind) {
      case 'T':
        return pick(times);
      case 'N':
        return pick(names);
      case 'P':
        return pick(rows);
      case 'I':
        return pick(ids);
      case 'V':
        return pick(values);
      default:
        return {kind};
    }
  }
  std::mt19937 random_;
};

std::vector<std::string> faults_of(const TraceRead& read) {
  std::vector<std::string> list;
  for (const TraceFault& fault : read.faults)
    list.push_back(std::string(name_of(fault.rule)) + " " + std::to_string(fault.count));
  return list;
}

// With another number of blanks in each event no form occurs twice, and every event takes the general way.
TEST(EventShapes, known_events_are_read_like_unknown_ones) {
  for (std::uint32_t seed = 0; seed < random_cases(300); ++seed) {
    RandomEvents random(seed);
    std::vector<std::string> members;
    for (int i = 0; i < 70; ++i) members.push_back(random.members());
    const std::string known = RandomEvents::file(members, [](std::size_t) { return 0; });
    const std::string unknown = RandomEvents::file(members, [](std::size_t i) { return 70 + i; });
    const TraceRead a = parse_chrome_trace(known, "a", {.threads = 1, .find_overlaps = true});
    const TraceRead b = parse_chrome_trace(unknown, "b", {.threads = 1, .find_overlaps = true});
    const TraceRead cut = parse_chrome_trace(known, "c", {.threads = 2, .find_overlaps = true, .window_bytes = 300});
    ASSERT_EQ(to_chrome_json(a.trace), to_chrome_json(b.trace)) << known;
    ASSERT_EQ(faults_of(a), faults_of(b)) << known;
    ASSERT_EQ(a.file_events, members.size());
    ASSERT_EQ(to_chrome_json(a.trace), to_chrome_json(cut.trace)) << known;
  }
}

TEST(QuickNumber, agrees_with_the_general_parser_or_leaves_the_number_to_it) {
  const std::vector<std::string> plain = {"0",
                                          "7",
                                          "1.5",
                                          "12345678",
                                          "123456789",
                                          "1.25",
                                          "1.001",
                                          "99999999.999",
                                          "1234567890123.5",
                                          "00012.5",
                                          "8796093022207.999"};
  const std::vector<std::string> others = {
      "",      "-1",  "1.",    "1.0005",          ".5",   "1e3", "12345678901234567",
      "\"1\"", "NaN", "1.5e1", "8796093022208.0", "1.5]", "1:"};
  for (const char* const end : {",", "}", " ", "\n"}) {
    for (const std::string& text : plain) {
      const std::string whole = padded(text + end);
      std::int64_t value = 0;
      const char* const after = quick_number::read_microseconds(whole.data(), whole.data() + text.size() + 1, value);
      ASSERT_EQ(after, whole.data() + text.size()) << text;
      EXPECT_EQ(value, parse_microseconds(text).nanoseconds) << text;
      EXPECT_TRUE(parse_microseconds(text).exact) << text;
    }
    for (const std::string& text : others) {
      const std::string whole = padded(text + end);
      std::int64_t value = 0;
      EXPECT_EQ(quick_number::read_microseconds(whole.data(), whole.data() + text.size() + 1, value), nullptr) << text;
    }
  }
  const std::string cut = padded("12345");
  std::int64_t value = 0;
  EXPECT_EQ(quick_number::read_integer(cut.data(), cut.data() + 5, value), nullptr) << "may go on in the next window";
  const std::string sixteen = padded("1234567890123456}");
  EXPECT_EQ(quick_number::read_integer(sixteen.data(), sixteen.data() + 17, value), sixteen.data() + 16);
  EXPECT_EQ(value, 1234567890123456);
}

}  // namespace
}  // namespace takt
