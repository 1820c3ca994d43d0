#include "cli/line/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "cli/line/command_help.h"

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
  std::optional<double> load;
  std::vector<std::string> set;
  std::vector<std::filesystem::path> files;
  LogOptions log;
};

CommandLine declare(Everything& e) {
  CommandLine line("try it", "Tries.", "takt try it", e.log);
  line.add({.names = "FILE", .meaning = "Files"}, &e.files);
  line.add({.names = "--text", .value = "TEXT"}, &e.text);
  line.add({.names = "-o,--output", .value = "FILE"}, &e.path);
  line.add({.names = "--iter", .older = "--runs,-r", .value = "N", .range = NumberRange{1, 100}}, &e.whole);
  line.add({.names = "--maybe", .value = "N"}, &e.maybe_whole);
  line.add({.names = "--seed", .value = "N"}, &e.natural);
  line.add({.names = "--share", .value = "R", .range = NumberRange{0.5, 1}}, &e.share);
  line.add({.names = "--full-load", .value = "PERCENT", .range = NumberRange{0, 0.9999}}, &e.load);
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

TEST(CommandLine, older_spellings_and_underscores_are_taken_and_not_listed) {
  EXPECT_EQ(parsed({"--runs", "7"}).whole, 7);
  EXPECT_EQ(parsed({"-r", "8"}).whole, 8);
  EXPECT_EQ(refusal({"--runs", "0"}), "--iter '0': not a whole number from 1 to 100");
  EXPECT_EQ(refusal({"--runs"}), "--iter needs a value: --iter N; see 'takt try it --help'");
  EXPECT_THAT(parsed({"--full_load=0.5"}).load, Optional(0.5));
  Everything e;
  const std::string help = help_of(declare(e).description());
  EXPECT_THAT(help, ::testing::AllOf(HasSubstr("--iter N"), ::testing::Not(HasSubstr("--runs"))));
}

TEST(CommandLine, a_share_is_written_as_a_percentage_or_a_number_up_to_one) {
  EXPECT_THAT(parsed({"--full-load", "99.99%"}).load, Optional(0.9999));
  EXPECT_THAT(parsed({"--full-load", "2%"}).load, Optional(0.02));
  EXPECT_THAT(parsed({"--full-load", "0.25"}).load, Optional(0.25));
  for (const char* wrong : {"100%", "2", "%", "x%", "-1%"})
    EXPECT_EQ(refusal({"--full-load", wrong}),
              "--full-load '" + std::string(wrong) + "': not a share from 0% to 99.99%");
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

TEST(CommandLine, numbers_on_their_limits_are_taken) {
  EXPECT_EQ(parsed({"--iter", "1"}).whole, 1);
  EXPECT_EQ(parsed({"--iter", "100"}).whole, 100);
  EXPECT_EQ(refusal({"--iter", "0"}), "--iter '0': not a whole number from 1 to 100");
  EXPECT_EQ(parsed({"--share", "0.5"}).share, 0.5);
  EXPECT_EQ(parsed({"--share", "1"}).share, 1);
  EXPECT_EQ(refusal({"--share", "0.4999"}), "--share '0.4999': not a number from 0.5 to 1");
  EXPECT_EQ(refusal({"--share", "1.0001"}), "--share '1.0001': not a number from 0.5 to 1");
  EXPECT_EQ(refusal({"--seed", "18446744073709551616"}), "--seed '18446744073709551616': not a whole number from 0 on");
}

TEST(CommandLine, the_last_words_are_told_where_something_is_wrong) {
  EXPECT_EQ(refusal({"--set=a", "--set"}), "--set needs a value: --set K=V; see 'takt try it --help'");
  EXPECT_EQ(refusal({"--all", "--all=true"}), "accepted");
  // A value that looks like an option is one only where it stands as a word.
  EXPECT_EQ(parsed({"--text=--all"}).text, "--all");
  EXPECT_EQ(refusal({"--format", "xml"}), "--format 'xml': not one of table, csv");
}

TEST(CommandLine, one_argument_too_many_is_named) {
  LogOptions log;
  std::string file;
  CommandLine line("try", "Tries.", "takt try", log);
  line.add({.names = "FILE"}, &file);
  try {
    line.parse(std::vector<std::string>{"a", "b", "c"});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "'b': one argument too many; see 'takt try --help'");
  }
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

TEST(MeantOptions, of_one_letter_is_none_and_the_longest_beginning_counts) {
  const std::vector<std::string> known{"-a", "--a", "--ab", "--abc", "--all"};
  EXPECT_THAT(meant_options("--a", known), ElementsAre());
  EXPECT_THAT(meant_options("-a", known), ElementsAre());
  EXPECT_THAT(meant_options("--ab", known), ElementsAre("--ab", "--abc"));
  EXPECT_THAT(meant_options("-ab", known), ElementsAre("--ab", "--abc"));
  EXPECT_THAT(meant_options("--abcd", known), ElementsAre("--abc"));
  EXPECT_THAT(meant_options("--ax", known), ElementsAre("--a"));
}

TEST(Help, lists_end_with_or) {
  EXPECT_EQ(one_of({}), "");
  EXPECT_EQ(one_of({"a"}), "a");
  EXPECT_EQ(one_of({"a", "b"}), "a or b");
  EXPECT_EQ(one_of({"a", "b", "c", "d"}), "a, b, c or d");
}

TEST(Help, limits_of_a_million_and_more_are_not_told) {
  const auto of = [](double low, double high) { return sentence({.meaning = "N", .range = NumberRange{low, high}}); };
  EXPECT_EQ(of(0, 999'999), "N (0 to 999999)");
  EXPECT_EQ(of(0.5, 1e6 - 0.5), "N (0.5 to 999999.5)");
  EXPECT_EQ(of(1, 1e6), "N");
  EXPECT_EQ(of(2, 1e6), "N (at least 2)");
  EXPECT_EQ(of(0, 1e6), "N");
}

TEST(Help, headings_show_all_spellings_and_what_may_follow) {
  EXPECT_EQ(heading_of({.names = "-o,--output", .value = "FILE"}), "-o, --output FILE");
  EXPECT_EQ(heading_of({.names = "--all", .takes = Takes::nothing}), "--all");
  EXPECT_EQ(heading_of({.names = "FILE", .takes = Takes::words}), "FILE...");
  EXPECT_EQ(heading_of({.names = "FILE", .takes = Takes::word}), "FILE");
}

TEST(Help, usage_names_what_must_be_given) {
  CommandDescription command{"try", "", "", {}};
  command.options = {{.names = "A", .required = true},
                     {.names = "B", .takes = Takes::words},
                     {.names = "-o,--output", .value = "FILE", .required = true},
                     {.names = "--all"}};
  EXPECT_EQ(usage_of(command), "takt try A [B...] -o FILE [options]");
}

TEST(Help, an_option_of_24_columns_has_its_meaning_in_the_next_line) {
  const auto lines = [](const std::string& value) {
    CommandDescription command{"try", "Tries.", "takt try", {{.names = "--wide", .value = value, .meaning = "M"}}};
    return help_of(command);
  };
  const std::string head = "Tries.\n\nUsage: takt try [options]\n\nOptions:\n", end = "\nExample:\n  takt try\n";
  // "  --wide " and the value: 24 columns leave two in between, 25 would leave one.
  EXPECT_EQ(lines(std::string(15, 'V')), head + "  --wide " + std::string(15, 'V') + "  M\n" + end);
  EXPECT_EQ(lines(std::string(16, 'V')),
            head + "  --wide " + std::string(16, 'V') + "\n" + std::string(26, ' ') + "M\n" + end);
}

TEST(Help, is_whole) {
  LogOptions log;
  std::string text;
  CommandLine line("try", "Tries.", "takt try", log);
  line.add({.names = "FILE", .meaning = "A file", .required = true}, &text);
  line.add({.names = "--text", .value = "TEXT", .meaning = "A text"}, &text);
  const std::string messages =
      "  --log-file FILE         Also write messages to this file\n"
      "  --log-level LEVEL       debug, info, warning or error. Default: info\n"
      "  -h, --help              Show this text\n\nExample:\n  takt try\n";
  const std::string begin =
      "Tries.\n\nUsage: takt try FILE [options]\n\nArguments:\n  FILE                    A file\n\n"
      "Options:\n  --text TEXT             A text\n";
  EXPECT_EQ(help_of(line.description()), begin + messages);
  line.heading("More");
  EXPECT_EQ(help_of(line.description()), begin + "\nHelp and messages:\n" + messages);
}

TEST(Help, is_printed_where_it_is_asked_for) {
  Everything e;
  CommandLine line = declare(e);
  for (const char* word : {"-h", "--help"}) {
    testing::internal::CaptureStdout();
    EXPECT_FALSE(line.parse(std::vector<std::string>{"--iter", "7", word}));
    EXPECT_EQ(testing::internal::GetCapturedStdout(), help_of(line.description()));
  }
  EXPECT_EQ(e.whole, 3);
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
