#include "cli/line/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/line/command_help.h"
#include "base/basics/error.h"

namespace takt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

struct Everything {
  std::string text = "as it was";
  std::filesystem::path path;
  int whole = 3;
  std::optional<std::int64_t> maybe_whole;
  std::optional<std::uint64_t> natural;
  double share = 0.5;
  bool flag = false;
  std::optional<std::string> mode;
  std::string format = "table";
  std::vector<std::string> set;
  std::vector<std::filesystem::path> files;
  LogOptions log;
};

CommandLine declare(Everything& e) {
  CommandLine line("try it", "Tries.", "takt try it", e.log);
  line.add({.names = "FILE", .meaning = "Files"}, &e.files);
  line.add({.names = "--text", .value = "TEXT"}, &e.text);
  line.add({.names = "-o,--output", .value = "FILE"}, &e.path);
  line.add({.names = "--iter", .value = "N", .range = NumberRange{1, 100}}, &e.whole);
  line.add({.names = "--maybe", .value = "N"}, &e.maybe_whole);
  line.add({.names = "--seed", .value = "N"}, &e.natural);
  line.add({.names = "--share", .value = "R", .range = NumberRange{0.5, 1}}, &e.share);
  line.add({.names = "--all"}, &e.flag);
  line.add({.names = "--simulate", .value = "[MODE]", .may_stand_alone = true}, &e.mode);
  line.add({.names = "--format", .value = "FORMAT", .one_of = {"table", "csv"}}, &e.format);
  line.add({.names = "--set", .value = "K=V"}, &e.set);
  return line;
}

Everything parsed(const std::vector<std::string>& words) {
  Everything e;
  EXPECT_TRUE(declare(e).parse(words));
  return e;
}

std::string refusal(const std::vector<std::string>& words) {
  Everything e;
  try {
    declare(e).parse(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CommandLine, without_words_variables_keep_their_values) {
  const Everything e = parsed({});
  EXPECT_EQ(e.text, "as it was");
  EXPECT_EQ(e.whole, 3);
  EXPECT_FALSE(e.maybe_whole || e.natural || e.mode || e.flag);
}

TEST(CommandLine, each_kind_of_variable_is_filled) {
  const Everything e = parsed({"--text", "a b", "-o", "x.csv", "--iter=7", "--maybe", "-8", "--seed",
                               "18446744073709551615", "--share", "0.75", "--all"});
  EXPECT_EQ(e.text, "a b");
  EXPECT_EQ(e.path, "x.csv");
  EXPECT_EQ(e.whole, 7);
  EXPECT_THAT(e.maybe_whole, Optional(-8));
  EXPECT_THAT(e.natural, Optional(UINT64_MAX));
  EXPECT_EQ(e.share, 0.75);
  EXPECT_TRUE(e.flag);
}

TEST(CommandLine, lists_are_kept_as_typed) {
  const Everything e = parsed({"a", "--set", "[1,2]", "b,c", "--set=x=1,2"});
  EXPECT_THAT(e.set, ElementsAre("[1,2]", "x=1,2"));
  EXPECT_THAT(e.files, ElementsAre("a", "b,c"));
}

TEST(CommandLine, a_value_may_be_left_out_where_that_is_said) {
  EXPECT_THAT(parsed({"--simulate"}).mode, Optional(std::string()));
  EXPECT_THAT(parsed({"--simulate", "real"}).mode, Optional(std::string("real")));
  EXPECT_TRUE(parsed({"--simulate", "--all"}).flag);
}

TEST(CommandLine, an_empty_value_is_a_value) {
  const Everything e = parsed({"--text=", "--all"});
  EXPECT_EQ(e.text, "");
  EXPECT_TRUE(e.flag);
}

TEST(CommandLine, one_of_a_list_is_taken_in_any_case) { EXPECT_EQ(parsed({"--format", "CSV"}).format, "csv"); }

TEST(CommandLine, after_two_dashes_everything_is_an_argument) {
  EXPECT_THAT(parsed({"--", "--all"}).files, ElementsAre("--all"));
}

TEST(CommandLine, a_missing_value_is_told) {
  EXPECT_EQ(refusal({"--iter"}), "--iter needs a value: --iter N; see 'takt try it --help'");
  EXPECT_EQ(refusal({"-o"}), "--output needs a value: --output FILE; see 'takt try it --help'");
  EXPECT_EQ(refusal({"-o", "--all"}), "--output needs a value: --output FILE; see 'takt try it --help'");
}

TEST(CommandLine, wrong_numbers_are_told_with_their_limits) {
  EXPECT_EQ(refusal({"--iter", "101"}), "--iter '101': not a whole number from 1 to 100");
  EXPECT_EQ(refusal({"--iter", "1x"}), "--iter '1x': not a whole number from 1 to 100");
  EXPECT_EQ(refusal({"--iter", ""}), "--iter '': not a whole number from 1 to 100");
  EXPECT_EQ(refusal({"--maybe", "1.5"}), "--maybe '1.5': not a whole number");
  EXPECT_EQ(refusal({"--seed", "-1"}), "--seed '-1': not a whole number from 0 on");
  EXPECT_EQ(refusal({"--share", "nan"}), "--share 'nan': not a number from 0.5 to 1");
}

TEST(CommandLine, other_wrong_words_are_told) {
  EXPECT_EQ(refusal({"--format", "cvs"}), "--format 'cvs': not one of table, csv; did you mean 'csv'?");
  EXPECT_EQ(refusal({"--iter", "1", "--iter", "2"}), "--iter is given 2 times ('1', '2'); give it once");
  EXPECT_EQ(refusal({"--all=5"}), "--all takes no value ('5' given)");
}

TEST(CommandLine, an_unknown_option_is_told_before_anything_else) {
  EXPECT_EQ(refusal({"--iter", "0", "--sed", "1"}),
            "'--sed' is not an option of 'takt try it'; did you mean '--seed'?");
}

TEST(CommandLine, a_required_argument_is_asked_for) {
  LogOptions log;
  std::string file;
  CommandLine line("try", "Tries.", "takt try", log);
  line.add({.names = "FILE", .required = true}, &file);
  try {
    line.parse({});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "FILE is required; see 'takt try --help'");
  }
  EXPECT_THROW(line.parse(std::vector<std::string>{"a", "b"}), UsageError);
}

TEST(MeantOptions, beginnings_come_before_slips) {
  const std::vector<std::string> known{"-o", "--iter", "--iterate-over", "--io-dump", "--profile", "--profile-host"};
  EXPECT_THAT(meant_options("--prof", known), ElementsAre("--profile", "--profile-host"));
  EXPECT_THAT(meant_options("--iterations", known), ElementsAre("--iter"));
  EXPECT_THAT(meant_options("-io-dump", known), ElementsAre("--io-dump"));
  EXPECT_THAT(meant_options("--io-dmup", known), ElementsAre("--io-dump"));
  EXPECT_THAT(meant_options("--nothing-like-it", known), ElementsAre());
  EXPECT_THAT(meant_options("-n", known), ElementsAre());
}

TEST(Help, sentences_tell_values_limits_and_default) {
  EXPECT_EQ(sentence({.meaning = "With csv", .fallback = "a", .one_of = {"a", "b", "c"}}),
            "With csv: a, b or c. Default: a");
  EXPECT_EQ(sentence({.meaning = "Threads", .range = NumberRange{1, 4096}}), "Threads (1 to 4096)");
  EXPECT_EQ(sentence({.meaning = "Runs", .range = NumberRange{1, 10'000'000}}), "Runs");
}

TEST(Help, shows_groups_in_80_columns) {
  Everything e;
  CommandLine line = declare(e);
  line.heading("More");
  line.add({.names = "--wordy", .value = "WORD", .meaning = std::string(40, 'a') + " " + std::string(40, 'b')},
           &e.text);
  const std::string help = help_of(line.description());
  EXPECT_THAT(help,
              HasSubstr("Usage: takt try it [FILE...] [options]\n\nArguments:\n  FILE...                 Files\n"));
  EXPECT_THAT(help, HasSubstr("\nMore:\n  --wordy WORD            " + std::string(40, 'a') + "\n" +
                              std::string(26, ' ') + std::string(40, 'b') + "\n"));
  EXPECT_THAT(help, HasSubstr("\n  -h, --help              Show this text\n\nExample:\n  takt try it\n"));
}

}  // namespace
}  // namespace takt
