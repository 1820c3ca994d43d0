// Every recorded case of the peer analyser: cases/NAME.cmd is the command, cases/NAME.out its exact output.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/basics/text.h"
#include "base/files/file.h"
#include "cli/measure/peer_options.h"
#include "measure/profiles/analyze.h"
#include "places.h"

namespace takt {
namespace {

const std::filesystem::path folder = source_dir() / "tests/data/analyze";

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "cases"))
    if (entry.path().extension() == ".cmd") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// The words behind "takt analyze" as a shell splits them; quotes group, nothing else is special in the cases.
std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words(1);
  char quote = 0;
  for (const char c : line) {
    if (quote ? c == quote : c == '\'' || c == '"')
      quote = quote ? '\0' : c;
    else if (!quote && (c == ' ' || c == '\n'))
      words.emplace_back();
    else
      words.back() += c;
  }
  std::erase(words, "");
  words.erase(words.begin(), words.begin() + 2);
  return words;
}

class RecordedCase : public testing::TestWithParam<std::string> {};

TEST_P(RecordedCase, prints_what_the_peer_prints) {
  const auto words = shell_words(read_file(folder / "cases" / (GetParam() + ".cmd")));
  AnalyzeOptions options = parse_analyze_options(words);
  const PeerProfile profile(folder / options.file, !options.input_type.empty());
  EXPECT_EQ(analyze_report(profile, options), read_file(folder / "cases" / (GetParam() + ".out")));
}

INSTANTIATE_TEST_SUITE_P(all, RecordedCase, testing::ValuesIn(case_names()), [](const auto& one) { return one.param; });

}  // namespace
}  // namespace takt
