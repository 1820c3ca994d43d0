// The quick way of reading profiles against the thorough one: on generated profiles, odd ones and broken ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "measure/profiles/json_cursor.h"
#include "measure/profiles/json_text.h"
#include "measure/profiles/peer_parts.h"
#include "places.h"
#include "test_folder.h"

namespace takt {
namespace {

std::string number_text(const std::optional<PeerNumber>& number) {
  return number ? std::to_string(number->value) + (number->integral ? "i" : "f") : "none";
}

std::string shapes_text(std::string_view json) {
  const auto shapes = parse_shapes(json);
  if (!shapes) return json.empty() ? "missing" : "null";
  std::string text;
  for (const auto& shape : *shapes) {
    text += shape ? "[" : "null";
    if (shape)
      for (const auto& extent : *shape) text += extent + ",";
  }
  return text;
}

std::string times_text(const TimesEntry& entry) {
  const PeerTimes& t = entry.times;
  return std::string(entry.key) + " " + std::to_string(t.entries) + " " + std::to_string(t.end) + " " +
         std::to_string(t.kern) + " " + std::to_string(t.integral_end) + std::to_string(t.integral_kern) + " " +
         std::string(t.bad_end) + " " + std::string(t.bad_kern) + "\n";
}

/// Everything that was read, as text.
std::string text_of(const PeerContents& contents) {
  std::string operators, device, host, footprints, types;
  for (const PeerParts& parts : contents.parts) {
    for (const auto& op : parts.operators) {
      operators += std::string(op.key) + "|" + std::string(op.name) + "|" + std::string(op.type) + "|" +
                   std::string(op.id) + "|";
      for (const auto input : json_strings(op.inputs)) operators += std::string(input) + ",";
      operators += "\n";
    }
    for (const auto& entry : parts.device) device += times_text(entry);
    for (const auto& entry : parts.host) host += times_text(entry);
    for (const auto& f : parts.footprints)
      footprints += std::string(f.key) + " " + number_text(f.computation) + " " + number_text(f.memory) + " " +
                    shapes_text(f.in_shapes) + " " + shapes_text(f.in_layouts) + " " + shapes_text(f.out_shapes) + "\n";
    for (const auto& type : parts.types) types += std::string(type.variable) + "=" + std::string(type.type) + "\n";
  }
  return operators + "device\n" + device + "host\n" + host + "footprints\n" + footprints + "types\n" + types +
         (contents.has_operators ? "O" : "") + (contents.has_profiler ? "P" : "") + "takt " +
         std::string(contents.takt_value);
}

/// A file that goes when the test does.
class Written {
 public:
  explicit Written(std::string_view text) : path_(folder_.write("profile.json", std::string(text))) {}
  const std::filesystem::path& path() const { return path_; }

 private:
  TestFolder folder_;
  std::filesystem::path path_;
};

std::string quickly(const PaddedText& file, QuickReading how, const PeerWanted& wanted = {.types = true}) {
  try {
    return text_of(read_peer_quickly(file, wanted, how));
  } catch (const OddJson&) {
    return "odd";
  }
}

std::string thoroughly(const PaddedText& file, const PeerWanted& wanted = {.types = true}) {
  try {
    return text_of(read_peer_thoroughly(file, "file", wanted));
  } catch (const Error& error) {
    return std::string("refused: ") + error.what();
  }
}

/// Every way of reading quickly: threads, small pieces, the kernel without vectors.
std::vector<QuickReading> ways() { return {{}, {1, 1, scan_portable}, {3, 1}, {2, 100}}; }

/// Random profiles: keys in any order, members missing, doubled or of the wrong kind, blanks, escapes, odd numbers.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::string profile() {
    for (int i = below(12); i >= 0; --i) ids_.push_back(id());
    return object({{"graph_exec", object({{"operator", entries(&Generator::op)},
                                          {"var", entries(&Generator::variable)},
                                          {"comp_seq", "[ \"1\", [], {\"}\": \"]\"}]"},
                                          {"mem_chunk", "{}"}})},
                   {"profiler", object({{"device", entries(&Generator::times)},
                                        {"host", entries(&Generator::times)},
                                        {"opr_footprint", entries(&Generator::footprint)},
                                        {"opr_internal_pf", any()}})},
                   {"takt", any()}});
  }

 private:
  using Members = std::vector<std::pair<std::string, std::string>>;
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  bool rarely() { return below(25) == 0; }
  std::string pick(const std::vector<std::string>& of) {
    return of[static_cast<std::size_t>(below(static_cast<int>(of.size())))];
  }
  std::string blank() { return pick({"", " ", "", "\n", "\t\r\n "}); }

  std::string id() {
    return rarely() ? pick({"9999999999999", "4294967296", "007", "-1", "a\\\"b", "\\u0041", "", "naïve", "卷积"})
                    : std::to_string(below(1 << (1 + below(20))));
  }

  std::string object(Members members) {
    std::shuffle(members.begin(), members.end(), random_);
    if (rarely() && !members.empty()) members.push_back(members.front());
    if (rarely() && !members.empty()) members.pop_back();
    std::string text = "{" + blank();
    for (std::size_t i = 0; i < members.size(); ++i)
      text += (i ? "," + blank() : "") + "\"" + members[i].first + "\"" + blank() + ":" + blank() + members[i].second +
              blank();
    return text + "}";
  }

  std::string entries(std::string (Generator::*entry)()) {
    Members members;
    for (const auto& one : ids_) members.emplace_back(one, (this->*entry)());
    return object(members);
  }

  std::string any() {
    return pick({"{}", "[]", "{ \"a\": [ { }, \"}]\\\"{\\\\\" ]}", "null", "\"text\"", "-0.5e3", "[[[[]]]]", "\"\\\\\"",
                 "true"});
  }

  std::string number() {
    return rarely() ? pick({"1e+16", "1e400", "-1e-400", "123456789012345678901234567890", "0", "-0.0", "NaN", "true",
                            "\"inf\"", "null", "{}", "[1]", "Infinity"})
                    : std::to_string(below(1000000)) + pick({"", ".25", "e-3", ".5E+2"});
  }

  std::string shapes() { return rarely() ? any() : pick({"[ [ 1, 3, 224, 224], [ 64]]", "[]", "[ null, [ 2, 1]]"}); }
  std::string text() { return "\"" + pick({"conv(a[1])", "a\\/b", "x\\u00e9", "名", "", "\\\\", "}{\\\"]["}) + "\""; }

  std::string op() {
    return object({{"name", text()},
                   {"type", text()},
                   {"id", rarely() ? number() : "\"" + id() + "\""},
                   {rarely() ? "inpu\\u0074" : "input", rarely() ? any() : "[ \"" + id() + "\", \"" + id() + "\"]"},
                   {"output", "[ \"1\"]"},
                   {"extra", any()}});
  }

  std::string times() {
    Members nodes;
    for (int i = below(3); i >= 0; --i)
      nodes.emplace_back("CompNode(\\\"gpu" + std::to_string(i) + "\\\")",
                         object({{"start", number()}, {"kern", number()}, {"end", number()}}));
    return object(nodes);
  }

  std::string footprint() {
    return object({{"computation", number()},
                   {"memory", number()},
                   {"in_shapes", shapes()},
                   {"out_shapes", shapes()},
                   {"in_layouts", shapes()},
                   {"param", any()}});
  }

  std::string variable() {
    const std::string layout = object({{"dtype", text()}, {"shape", shapes()}});
    return rarely() ? any() : object({{"mem_plan", rarely() ? any() : object({{"layout", layout}})}, {"flag", any()}});
  }

  std::mt19937 random_;
  std::vector<std::string> ids_;
};

TEST(PeerReading, both_ways_read_the_same_from_random_profiles) {
  unsigned quick = 0;
  for (unsigned seed = 0; seed < random_cases(500); ++seed) {
    const std::string text = Generator(seed).profile();
    const PaddedText file(text);
    const std::string expected = thoroughly(file);
    for (const QuickReading& how : ways()) {
      const std::string read = quickly(file, how);
      if (read == "odd") continue;
      ASSERT_EQ(read, expected) << text;
      ++quick;
    }
  }
  EXPECT_GT(quick, random_cases(1000));  // else the quick way gives up on what it should read
}

TEST(PeerReading, what_the_quick_way_accepts_of_damaged_profiles_the_thorough_one_reads_the_same) {
  std::mt19937 random(7);
  unsigned refused = 0;
  for (unsigned seed = 0; seed < random_cases(500); ++seed) {
    std::string text = Generator(seed).profile();
    static constexpr std::string_view replacements("\"\\{}[],: 1\0\x1f\x80\xffx", 15);
    for (int i = 0; i < 2; ++i) text[random() % text.size()] = replacements[random() % replacements.size()];
    if (random() % 3 == 0) text.resize(random() % text.size());
    if (text.empty()) continue;
    const PaddedText file(text);
    const std::string expected = thoroughly(file);
    refused += expected.starts_with("refused");
    for (const QuickReading& how : ways()) {
      const std::string read = quickly(file, how);
      if (read != "odd") {
        ASSERT_EQ(read, expected) << text;
      }
    }
  }
  EXPECT_GT(refused, random_cases(200));
}

std::string minimal(const std::string& skipped) {
  return R"({"x": )" + skipped +
         R"(, "graph_exec": {"operator": {"1": {"name": "a", "type": "T", "id": "1"}}}, "profiler": {"device": {}}})";
}

std::string answer(const std::string& text) {
  const Written written(text);
  try {
    return std::to_string(PeerProfile(written.path(), true).operators().size()) + " operators";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(PeerReading, sections_that_are_not_needed_must_still_end_and_be_text) {
  using testing::HasSubstr;
  EXPECT_EQ(answer(minimal("[1, {\"a\": [\"]\"]}]")), "1 operators");
  EXPECT_EQ(answer(minimal(std::string(100'000, '[') + std::string(100'000, ']'))), "1 operators");
  EXPECT_THAT(answer(minimal("[1, [2]")), HasSubstr("not well-formed JSON"));
  EXPECT_THAT(answer(minimal("[\"a]")), HasSubstr("ends in the middle"));
  EXPECT_THAT(answer(minimal("[\"a\x01\"]")), HasSubstr("control character"));
  EXPECT_THAT(answer(minimal("[\"a\xC3(\"]")), HasSubstr("not UTF-8"));
  EXPECT_THAT(answer(minimal("[]") + "]"), HasSubstr("profile.json: "));
}

TEST(PeerReading, ids_may_be_sparse_huge_or_no_numbers) {
  const Written written(R"({"profiler": {"device": {"4294967297": {"n": {"start": 0.5, "kern": 0.75, "end": 2.5}},
    "01": {"n": {"start": 0.5, "kern": 1.0, "end": 1.0}}, "unknown": {"n": {"start": 0.5}}}},
    "graph_exec": {"operator": {"4294967297": {"name": "a", "type": "T", "id": "4294967297"},
    "1": {"name": "b", "type": "T", "id": "1"}, "01": {"name": "c", "type": "T", "id": "01"}}}})");
  const PeerProfile profile(written.path(), false);
  ASSERT_EQ(profile.operators().size(), 3U);
  EXPECT_EQ(profile.operators()[0].device.end, 2.0);
  EXPECT_EQ(profile.operators()[1].device.entries, 0U);
  EXPECT_EQ(profile.operators()[2].device.kern, 0.5);
}

TEST(PeerReading, the_last_of_doubled_keys_counts) {
  const Written written(R"({"graph_exec": {"operator": {"1": {"name": "a", "type": "T", "id": "1", "input": ["2"]},
    "1": {"name": "b", "type": "U", "id": "1"}}, "var": {"2": {"mem_plan": {"layout": {"dtype": "Int8"}}}}},
    "profiler": {"opr_footprint": {"1": {"memory": 1}, "1": {"memory": 2, "memory": 3}}}})");
  const PeerProfile profile(written.path(), true);
  ASSERT_EQ(profile.operators().size(), 1U);
  EXPECT_EQ(profile.operators()[0].name, "b");
  EXPECT_EQ(profile.operators()[0].memory->value, 3);
  EXPECT_FALSE(profile.has_input_type(profile.operators()[0], "Int8"));
}

TEST(PeerReading, the_value_of_takts_own_key_is_found_by_both_ways) {
  const std::string own = R"({"profile": {"}": ["]\\"]}})";
  for (const std::string& value : {own, std::string("[1, 2]"), std::string("\"x\""), std::string("17")}) {
    const PaddedText text("{\"takt\" : " + value + " ,\"graph_exec\": {\"operator\": {}}, \"profiler\": {}}");
    EXPECT_EQ(read_peer_quickly(text, {}, {}).takt_value, value);
    EXPECT_EQ(read_peer_thoroughly(text, "file", {}).takt_value, value);
  }
}

TEST(PeerReading, without_times_both_ways_read_the_operators_alone) {
  int quick = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    const PaddedText text(Generator(seed).profile());
    const std::string read = quickly(text, {}, {.times = false});
    if (read == "odd") continue;
    EXPECT_EQ(read, thoroughly(text, {.times = false}));
    EXPECT_THAT(read, testing::HasSubstr("device\nhost\nfootprints\ntypes\n"));
    ++quick;
  }
  EXPECT_GT(quick, 25);
}

TEST(JsonScanner, kernels_agree_on_random_bytes) {
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    char text[256];
    static constexpr std::string_view letters("\\\\\\\"\"{}[]a \n\x80", 13);
    for (char& c : text) c = letters[random() % letters.size()];
    ScanState state[2];
    ScanBlock blocks[2][4];
    best_scan_kernel()(text, 4, state[0], blocks[0]);
    scan_portable(text, 4, state[1], blocks[1]);
    for (int i = 0; i < 4; ++i) {
      ASSERT_EQ(blocks[0][i].open, blocks[1][i].open) << std::string_view(text, sizeof text);
      ASSERT_EQ(blocks[0][i].close, blocks[1][i].close) << std::string_view(text, sizeof text);
      ASSERT_EQ(blocks[0][i].closes, blocks[1][i].closes);
    }
    EXPECT_EQ(state[0].flaws != 0, state[1].flaws != 0);
    EXPECT_EQ(state[0].in_string != 0, state[1].in_string != 0);
    EXPECT_EQ(state[0].escaped, state[1].escaped);
  }
}

TEST(JsonScanner, pieces_are_the_whole_and_offsets_have_64_bits) {
  const std::string text = R"({ "a": {"x": [1]}, "b": 2, "c": {}} )" + std::string(64, '\0');
  std::string joined;
  int pieces = 0;
  JsonScanner scanner(std::string_view(text).substr(0, text.size() - 64));
  const auto end = scanner.end_of(0, 1, [&](std::size_t from, std::size_t to) {
    joined += text.substr(from, to - from);
    ++pieces;
  });
  ASSERT_TRUE(end);
  EXPECT_EQ("{" + joined + "}", text.substr(0, *end));
  EXPECT_EQ(pieces, 3);
  static_assert(sizeof(decltype(end)::value_type) == 8);
}

}  // namespace
}  // namespace takt
