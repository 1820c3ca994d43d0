// What a mapping of a file that a user writes may hold, and the whole sentences that refuse the rest.
#include "base/files/yaml_section.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/basics/error.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

/// "accepted", or what is wrong with the value of `key` in a file of one section, read in this way.
template <typename Read>
std::string yaml_refusal(const std::string& text, const Read& read) {
  try {
    read(YamlSection(load_yaml("# first line\n" + text + "\n", "f.yaml", "thing"), "f.yaml", "s.", {"k", "other"}));
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
}

TEST(YamlSection, has_known_keys_each_once) {
  const auto refusal = [](const std::string& text) { return yaml_refusal(text, [](const YamlSection&) {}); };
  EXPECT_EQ(refusal("k: 1\nother: 2"), "accepted");
  EXPECT_EQ(refusal("k: 1\nk: 2"), "f.yaml:3: s.k: is listed twice; keep one");
  EXPECT_EQ(refusal("othr: 1"), "f.yaml:2: s.othr: unknown key; did you mean 'other'?");
  EXPECT_EQ(refusal("zzzzzzzzz: 1"), "f.yaml:2: s.zzzzzzzzz: unknown key; the keys are k, other");
  EXPECT_EQ(refusal("[1]: 1"), "f.yaml:2: s.?: unknown key; did you mean 'k'?");
  EXPECT_EQ(refusal("- 1"), "f.yaml:2: s: is not a mapping; write KEY: VALUE lines");
  EXPECT_EQ(refusal("k: ["), "f.yaml:2: not YAML: the '[' has no ']'");
  EXPECT_EQ(refusal("k: {a: 1, b: [2, 3]\n# }"), "f.yaml:2: not YAML: the '{' has no '}'");
  EXPECT_EQ(refusal("k: 1\n\tother: 2"), "f.yaml:3: not YAML: the line is indented with a tab; use blanks");
  EXPECT_EQ(refusal("k: \xff"), "f.yaml:2: not YAML: byte 16 is not UTF-8; save the file as UTF-8 text");
  EXPECT_EQ(refusal("k: '{'\nother: ["), "f.yaml:3: not YAML: the '[' has no ']'");
  EXPECT_EQ(refusal("k: \"[\"\nother: {"), "f.yaml:3: not YAML: the '{' has no '}'");
  const auto other_mistake = refusal("#{\nk: [a#]\n- x # [");
  EXPECT_TRUE(other_mistake.starts_with("f.yaml:4: not YAML: ")) << other_mistake;
  EXPECT_EQ(other_mistake.find("has no"), std::string::npos)
      << "what stands in a comment is no brace, and all are closed";
  const YamlSection any(load_yaml("x: 1\n", "f.yaml", "thing"), "f.yaml", "", {});
  EXPECT_TRUE(any.has("x"));
  EXPECT_FALSE(any.has("y"));
  EXPECT_EQ(any.full_name("x"), "x");
  EXPECT_EQ(any.origin(), "f.yaml");
  EXPECT_EQ(YamlSection::line_of(any.at("x")), 1);
  EXPECT_EQ(YamlSection::line_of(any.at("y")), 1) << "what is not there is told of the first line";
}

TEST(YamlSection, texts_words_and_flags_are_read) {
  const auto section = [](const std::string& text) {
    return YamlSection(load_yaml(text, "f.yaml", "thing"), "f.yaml", "s.", {"k", "other"});
  };
  EXPECT_EQ(section("k: x").text("k", "otherwise"), "x");
  EXPECT_EQ(section("{}").text("k", "otherwise"), "otherwise");
  EXPECT_EQ(section("k: b").word("k", {"a", "b"}), "b");
  EXPECT_EQ(section("{}").word("k", {"a", "b"}), "a");
  EXPECT_TRUE(section("k: true").flag("k"));
  EXPECT_FALSE(section("k: false").flag("k", true));
  EXPECT_TRUE(section("{}").flag("k", true));
  EXPECT_FALSE(section("{}").flag("k"));
  EXPECT_EQ(yaml_refusal("k: [x]", [](const YamlSection& s) { s.text("k", ""); }),
            "f.yaml:2: s.k: is not a string; write one, in quotes if needed");
  EXPECT_EQ(yaml_refusal("k: firts",
                         [](const YamlSection& s) {
                           s.word("k", {"first", "second"});
                         }),
            "f.yaml:2: s.k: 'firts' is not known; did you mean 'first'?");
  EXPECT_EQ(yaml_refusal("k: zzzzzzzz",
                         [](const YamlSection& s) {
                           s.word("k", {"first", "second"});
                         }),
            "f.yaml:2: s.k: 'zzzzzzzz' is not known; use first, second");
}

TEST(YamlSection, numbers_are_taken_up_to_their_borders) {
  const auto refusal = [](const std::string& value) {
    return yaml_refusal("k: " + value, [](const YamlSection& s) { s.number("k", -0.5, 2); });
  };
  for (const char* good : {"-0.5", "2", "2.0", "0"}) EXPECT_EQ(refusal(good), "accepted") << good;
  EXPECT_EQ(refusal("-0.6"), "f.yaml:2: s.k: -0.6 is out of range; use -0.5 to 2");
  EXPECT_EQ(refusal("2.1"), "f.yaml:2: s.k: 2.1 is out of range; use -0.5 to 2");
  for (const char* bad : {"x", ".nan", ".inf", "[1]", "''"})
    EXPECT_EQ(refusal(bad), "f.yaml:2: s.k: is not a number; write one from -0.5 to 2") << bad;
  EXPECT_EQ(yaml_refusal("other: 1", [](const YamlSection& s) { s.number("k", 0, 1); }),
            "f.yaml:2: s.k: is missing; add it");
  const YamlSection one(load_yaml("k: 1.5", "f.yaml", "thing"), "f.yaml", "s.", {"k"});
  EXPECT_EQ(one.number("k", 0, 2), 1.5);
  EXPECT_EQ(one.number("k", 0, 2, 7), 1.5);
  EXPECT_EQ(one.number("other", 0, 2, 7), 7) << "what holds otherwise may be anything";
}

TEST(YamlSection, whole_numbers_are_taken_up_to_their_borders) {
  const auto refusal = [](const std::string& value) {
    return yaml_refusal("k: " + value, [](const YamlSection& s) { s.integer("k", -3, 5); });
  };
  for (const char* good : {"-3", "0", "5"}) EXPECT_EQ(refusal(good), "accepted") << good;
  EXPECT_EQ(refusal("-4"), "f.yaml:2: s.k: -4 is out of range; use -3 to 5");
  EXPECT_EQ(refusal("6"), "f.yaml:2: s.k: 6 is out of range; use -3 to 5");
  for (const char* bad : {"1.5", "x", "[1]", "99999999999999999999"})
    EXPECT_EQ(refusal(bad), "f.yaml:2: s.k: is not a whole number; write one from -3 to 5") << bad;
  const YamlSection none(load_yaml("{}", "f.yaml", "thing"), "f.yaml", "s.", {"k"});
  EXPECT_EQ(none.integer("k", 0, 1), std::nullopt);
}

TEST(YamlSection, times_are_taken_up_to_their_borders) {
  const auto refusal = [](const std::string& value) {
    return yaml_refusal("k: " + value, [](const YamlSection& s) { s.duration("k", 2us, 3ms); });
  };
  for (const char* good : {"2us", "3ms", "0.5ms"}) EXPECT_EQ(refusal(good), "accepted") << good;
  EXPECT_EQ(refusal("1999ns"), "f.yaml:2: s.k: 2.00 µs is out of range; use 2.00 µs to 3.00 ms");
  EXPECT_EQ(refusal("4ms"), "f.yaml:2: s.k: 4.00 ms is out of range; use 2.00 µs to 3.00 ms");
  EXPECT_EQ(refusal("[1]"), "f.yaml:2: s.k: is not a time; write one with its unit, e.g. 5ms");
  EXPECT_TRUE(refusal("5").starts_with("f.yaml:2: s.k: ")) << refusal("5");
  const YamlSection one(load_yaml("k: 2.5us", "f.yaml", "thing"), "f.yaml", "s.", {"k"});
  EXPECT_EQ(one.duration("k", 0ns, 1s), 2500ns);
  EXPECT_EQ(one.duration("other", 0ns, 1s), std::nullopt);
}

TEST(LoadYaml, takes_a_mebibyte_and_no_byte_more) {
  const std::string most = "k: " + std::string((1 << 20) - 3, 'x');
  EXPECT_TRUE(load_yaml(most, "f.yaml", "thing").IsMap());
  try {
    load_yaml(most + "x", "f.yaml", "thing");
    ADD_FAILURE() << "taken";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "f.yaml: larger than 1 MiB, so not a thing");
  }
}

}  // namespace
}  // namespace takt
