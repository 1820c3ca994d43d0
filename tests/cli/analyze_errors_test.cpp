// Where the peer ends in a traceback: a sensible result, or one sentence.
#include <gmock/gmock.h>

#include <filesystem>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "cli/measure/peer_options.h"
#include "measure/profiles/analyze.h"
#include "measure/python_text/regex.h"
#include "places.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::HasSubstr;
const std::filesystem::path errors_folder = source_dir() / "tests/data/analyze/profiles";

std::string report(const std::string& file, std::vector<std::string> words = {}) {
  words.push_back((errors_folder / file).string());
  const AnalyzeOptions options = parse_analyze_options(words);
  return analyze_report(PeerProfile(options.file, !options.input_type.empty()), options);
}

std::string analyze_refusal(const std::string& file, std::vector<std::string> words = {}) {
  try {
    report(file, std::move(words));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(AnalyzeErrors, files_that_are_no_profile_are_named_with_the_cause) {
  EXPECT_THAT(analyze_refusal("empty.json"), HasSubstr("empty.json: is empty"));
  EXPECT_THAT(analyze_refusal("array.json"), HasSubstr("not an object"));
  EXPECT_THAT(analyze_refusal("noexec.json"), HasSubstr("graph_exec.operator"));
  EXPECT_THAT(analyze_refusal("noend.json"), HasSubstr("'end'"));
  EXPECT_THAT(analyze_refusal("zero_opencl.json"), HasSubstr("enable_opencl_profile"));
}

TEST(AnalyzeErrors, a_profile_cut_anywhere_is_refused) {
  const std::string whole = read_file(errors_folder / "tiny4.json");
  const TestFolder own;
  for (std::size_t size = 0; size < whole.size(); size += 211)
    EXPECT_THROW(PeerProfile(own.write("cut.json", whole.substr(0, size)), true), Error) << size << " bytes";
}

TEST(AnalyzeErrors, missing_values_sort_last) {
  const std::string text = report("edge.json", {"--order-by", "FLOPS", "-t", "0", "--dump-only-opr"});
  EXPECT_LT(text.find("MatrixMul"), text.find("Copy"));
  EXPECT_LT(text.find("concat("), text.find("loop("));
}

TEST(AnalyzeErrors, the_least_and_the_most_of_several_times_are_those) {
  EXPECT_THAT(report("tiny4.json", {"--aggregate", "min", "--print-only", "device"}), HasSubstr("│ 1e-06 "));
  EXPECT_THAT(report("tiny4.json", {"--aggregate", "max", "--print-only", "device"}), HasSubstr("│ 2.1e-05 "));
}

// Integers are summed exactly, numbers as NumPy sums them, and one number among integers makes the sum one.
TEST(AnalyzeErrors, a_sum_is_an_integer_where_all_its_parts_are) {
  std::vector<OperatorRecord> records(4);
  const std::vector<PeerNumber> parts{{0.1, false}, {0.2, false}, {1.1, false}, {1, true}};
  for (std::size_t i = 0; i < parts.size(); ++i) records[i].computation = parts[i], records[i].memory = {1, true};
  const auto sums = aggregate_records(records, AnalyzeOptions::Aggregate::sum, false);
  ASSERT_EQ(sums.size(), 1u);
  EXPECT_EQ(sums[0].computation->value, 2.4000000000000004);
  EXPECT_FALSE(sums[0].computation->integral);
  EXPECT_TRUE(sums[0].memory->integral);
}

TEST(AnalyzeErrors, combinations_the_peer_cannot_compute_work) {
  EXPECT_THAT(report("edge.json", {"--aggregate", "max"}), HasSubstr("all"));
  EXPECT_THAT(report("edge.json", {"--aggregate", "sum", "--dump-only-opr"}), HasSubstr("all 23 N/A"));
  EXPECT_THAT(report("tiny4.json", {"--copy-time"}), HasSubstr("copy wait time "));
  EXPECT_THAT(report("tiny4.json", {"--wiki", "--min-time", "9"}), HasSubstr("bandwidth bar"));
  EXPECT_THAT(report("overflow.json"), HasSubstr("EFLO"));
  EXPECT_THAT(report("zero.json"), HasSubstr("total device time  0"));
}

TEST(AnalyzeErrors, wrong_columns_and_patterns_are_explained) {
  EXPECT_THAT(analyze_refusal("tiny4.json", {"--order-by", "memry"}), HasSubstr("did you mean 'memory'"));
  EXPECT_THAT(analyze_refusal("tiny4.json", {"--opr-name", "("}), HasSubstr("pattern '('"));
  EXPECT_THAT(analyze_refusal("tiny4.json", {"--opr-name", "\\z"}), HasSubstr("bad escape"));
  EXPECT_THAT(analyze_refusal("tiny4.json", {"--aggregate-by", "type"}), HasSubstr("--aggregate"));
}

bool matches(const std::string& pattern, const std::string& text) {
  return Regex(translate_python_pattern(pattern)).find(text, 0, true).has_value();
}

TEST(PythonPattern, means_what_python_means) {
  EXPECT_FALSE(matches("conv*", "a conv"));
  EXPECT_TRUE(matches("(?P<a>x)(?P=a)\\Z", "xx"));
  EXPECT_FALSE(matches("x\\Z", "xx"));
  EXPECT_TRUE(matches("a{,2}b", "aab"));
  EXPECT_TRUE(matches("[[:]+x", "[:x"));
  EXPECT_TRUE(matches("\\w+-", "卷积-"));
}

}  // namespace
}  // namespace takt
