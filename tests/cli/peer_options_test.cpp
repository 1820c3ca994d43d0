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
  EXPECT_THAT(peer_refusal({}), testing::HasSubstr("which profile?"));
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
