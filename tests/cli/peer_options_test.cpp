#include "cli/measure/peer_options.h"

#include <gmock/gmock.h>

#include "base/basics/error.h"

namespace takt {
namespace {

AnalyzeOptions parse(std::vector<std::string> words) { return parse_analyze_options(words); }

std::string peer_refusal(std::vector<std::string> words) {
  try {
    parse(std::move(words));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(PeerOptions, values_come_glued_or_apart) {
  EXPECT_EQ(parse({"p", "-t3"}).top, 3);
  EXPECT_EQ(parse({"-t", "5", "p"}).top, 5);
  EXPECT_EQ(parse({"-t=7", "p"}).top, 7);
  EXPECT_EQ(parse({"--top=-1", "p"}).top, -1);
  EXPECT_EQ(parse({"p", "-t", "-2"}).top, -2);
}

TEST(PeerOptions, without_words_have_their_defaults) {
  const AnalyzeOptions o = parse({"p"});
  EXPECT_EQ(o.file, "p");
  EXPECT_EQ(o.top, 3);
  EXPECT_FALSE(o.top_given || o.until_kernel || o.aggregate_by_type || o.copy_time || o.show_host || o.names_only ||
               o.wiki || o.help || o.min_time || o.max_time);
  EXPECT_TRUE(o.types.empty() && o.columns.empty());
  EXPECT_EQ(o.name_pattern + o.input_type + o.output + o.log_file, "");
  EXPECT_EQ(o.order_by + " " + o.format + " " + o.log_level, "time table info");
  EXPECT_EQ(o.aggregate, AnalyzeOptions::Aggregate::none);
  EXPECT_EQ(o.part, AnalyzeOptions::Part::all);
}

TEST(PeerOptions, each_sets_what_it_is_for) {
  const AnalyzeOptions o =
      parse({"p", "--top=9", "--type=A", "--type=B", "--aggregate-by=type", "--opr-name=C", "--input-dtype=D",
             "--top-end-key=kern", "--order-by=+E", "--min-time=0.5", "--max-time=2", "--columns=name,type",
             "--format=json", "-o", "F", "--log-file=G", "--log-level=error"});
  EXPECT_EQ(o.top, 9);
  EXPECT_TRUE(o.top_given && o.aggregate_by_type && o.until_kernel);
  EXPECT_THAT(o.types, testing::ElementsAre("A", "B"));
  EXPECT_EQ(o.name_pattern + o.input_type + o.order_by + o.output + o.log_file, "CD+EFG");
  EXPECT_EQ(o.min_time, 0.5);
  EXPECT_EQ(o.max_time, 2);
  EXPECT_THAT(o.columns, testing::ElementsAre("name", "type"));
  EXPECT_EQ(o.format + " " + o.log_level, "json error");
  EXPECT_FALSE(parse({"p", "--top-end-key=end"}).until_kernel);
}

TEST(PeerOptions, each_flag_sets_its_own) {
  const auto set = [](const char* flag) {
    const AnalyzeOptions o = parse({"p", flag});
    return std::string() + (o.copy_time ? "copy " : "") + (o.show_host ? "host " : "") +
           (o.names_only ? "names " : "") + (o.wiki ? "wiki " : "") + (o.help ? "help " : "");
  };
  EXPECT_EQ(set("--copy-time"), "copy ");
  EXPECT_EQ(set("--show-host"), "host ");
  EXPECT_EQ(set("--dump-only-opr"), "names ");
  EXPECT_EQ(set("--confluence"), "wiki ");
  EXPECT_EQ(set("--wiki"), "wiki ");
  EXPECT_EQ(set("-h"), "help ");
  EXPECT_EQ(set("--help"), "help ");
}

TEST(PeerOptions, words_of_a_choice_are_its_values) {
  using Aggregate = AnalyzeOptions::Aggregate;
  using Part = AnalyzeOptions::Part;
  for (const auto& [word, value] :
       {std::pair("max", Aggregate::max), {"min", Aggregate::min}, {"sum", Aggregate::sum}, {"mean", Aggregate::mean}})
    EXPECT_EQ(parse({"p", "--aggregate", word}).aggregate, value) << word;
  for (const auto& [word, value] :
       {std::pair("summary", Part::summary), {"device", Part::device}, {"host", Part::host}})
    EXPECT_EQ(parse({"p", "--print-only", word}).part, value) << word;
  EXPECT_EQ(peer_refusal({"p", "--aggregate", "median"}),
            "--aggregate: 'median' is not one of max, min, sum, mean; did you mean 'mean'?");
}

TEST(PeerOptions, that_cannot_be_are_told_whole) {
  EXPECT_EQ(peer_refusal({"p", "--to", "end"}), "'--to' is short for several options: --top, --top-end-key");
  EXPECT_EQ(peer_refusal({"p", "--top"}), "--top needs a value; one that starts with '-' is given as --top=VALUE");
  EXPECT_EQ(peer_refusal({"p", "-t", "--wiki"}), "-t needs a value; one that starts with '-' is given as -t=VALUE");
  EXPECT_EQ(peer_refusal({"p", "-t", "--"}), "-t needs a value; one that starts with '-' is given as -t=VALUE");
  EXPECT_EQ(peer_refusal({"p", "--wiki=yes"}), "--wiki takes no value ('yes' given)");
  EXPECT_EQ(peer_refusal({"p", "--top", "1.5"}), "--top: '1.5' is not a whole number");
  EXPECT_EQ(peer_refusal({"p", "--min-time", "x"}), "--min-time: 'x' is not a number of seconds, such as 1e-5");
  EXPECT_EQ(peer_refusal({"p", "--zzzzzzz"}), "unknown option '--zzzzzzz'; see takt analyze --help");
  EXPECT_EQ(peer_refusal({"p", "q"}), "'q' is one argument too many; one profile is read at a time");
}

TEST(PeerOptions, negative_numbers_and_words_with_blanks_are_values) {
  EXPECT_EQ(parse({"p", "--opr-name", "-5"}).name_pattern, "-5");
  EXPECT_EQ(parse({"p", "--opr-name", "-5.25"}).name_pattern, "-5.25");
  EXPECT_EQ(parse({"p", "--opr-name", "-.5"}).name_pattern, "-.5");
  EXPECT_EQ(parse({"p", "--opr-name", "-"}).name_pattern, "-");
  EXPECT_EQ(parse({"p", "--opr-name", ""}).name_pattern, "");
  EXPECT_EQ(parse({"-5"}).file, "-5");
  EXPECT_NE(peer_refusal({"p", "--opr-name", "-5."}), "accepted");
  EXPECT_NE(peer_refusal({"p", "--opr-name", "-5a"}), "accepted");
}

TEST(PeerOptions, a_prefix_of_one_option_stands_for_it) {
  EXPECT_EQ(parse({"--min", "1e-5", "p"}).min_time, 1e-5);
  EXPECT_TRUE(parse({"--w", "p"}).wiki);
  EXPECT_EQ(parse({"--aggregate", "sum", "p"}).aggregate, AnalyzeOptions::Aggregate::sum);
  EXPECT_THAT(peer_refusal({"--to", "end", "p"}), testing::HasSubstr("--top, --top-end-key"));
}

TEST(PeerOptions, takts_own_options_need_their_full_spelling) {
  EXPECT_EQ(parse({"p", "--format", "csv"}).format, "csv");
  EXPECT_THAT(peer_refusal({"p", "--forma", "csv"}), testing::HasSubstr("did you mean '--format'"));
}

TEST(PeerOptions, a_negative_value_that_is_no_plain_number_must_be_glued) {
  EXPECT_NE(peer_refusal({"p", "--min-time", "-1e-5"}), "accepted");
  EXPECT_EQ(parse({"p", "--min-time=-1e-5"}).min_time, -1e-5);
  EXPECT_EQ(parse({"p", "--opr-name", "-a b"}).name_pattern, "-a b");
}

TEST(PeerOptions, words_behind_a_double_dash_are_files) {
  EXPECT_EQ(parse({"--", "--wiki"}).file, "--wiki");
  EXPECT_THAT(peer_refusal({"a", "b"}), testing::HasSubstr("one argument too many"));
  EXPECT_THAT(peer_refusal({}), testing::HasSubstr("no profile given; name its file"));
}

TEST(PeerOptions, wrong_words_are_answered_with_the_nearest) {
  EXPECT_THAT(peer_refusal({"p", "--agregate", "sum"}), testing::HasSubstr("did you mean '--aggregate'"));
  EXPECT_THAT(peer_refusal({"p", "--print-only", "devise"}), testing::HasSubstr("did you mean 'device'"));
  EXPECT_THAT(peer_refusal({"p", "--top", "x"}), testing::HasSubstr("not a whole number"));
}

TEST(PeerOptions, help_fits_80_columns) {
  std::size_t column = 0;
  for (const char c : analyze_help()) {
    column = c == '\n' ? 0 : column + 1;
    EXPECT_LE(column, 80u);
  }
}

}  // namespace
}  // namespace takt
