// Pieces that takt cuts out of traces, opened by Perfetto: no complaint, and what Perfetto sees of the whole file
// inside of the piece's span it sees in the piece, to the nanosecond.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "../trace/cut_traces.h"
#include "base/files/file.h"
#include "places.h"
#include "test_folder.h"
#include "trace/chrome/reader.h"
#include "trace/cut/file_piece.h"
#include "trace/write/chrome_writer.h"
#include "trace/write/trace_file.h"

namespace takt {
namespace {

using nlohmann::json;

class PerfettoPieces : public testing::Test {
 protected:
  void SetUp() override {
    wasm_ = sdk_dir() / "perfetto" / "trace_processor.wasm";
    if (!std::filesystem::exists(wasm_)) GTEST_SKIP() << wasm_ << " is missing: run tools/bootstrap";
    if (std::system("node --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "node is missing: run tools/bootstrap";
  }

  /// What Perfetto sees in files, a report for each.
  std::vector<json> read(const std::vector<std::filesystem::path>& files) const {
    std::string command =
        "timeout 300 node '" + (source_dir() / "tests/perfetto/read_trace.mjs").string() + "' '" + wasm_.string() + "'";
    for (const auto& file : files) command += " '" + file.string() + "'";
    FILE* pipe = popen(command.c_str(), "r");
    std::string output;
    std::array<char, 65536> piece;
    while (const std::size_t size = fread(piece.data(), 1, piece.size(), pipe)) output.append(piece.data(), size);
    EXPECT_EQ(pclose(pipe), 0);
    std::vector<json> reports;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) reports.push_back(json::parse(line, nullptr, false));
    return reports;
  }

  std::filesystem::path wasm_;
  TestFolder folder_;
};

/// Slices, samples and arrows that lie in the span as a whole, in a fixed order. What has no end lies in none.
std::vector<std::string> seen_inside(const json& report, TimeInterval span) {
  std::vector<std::string> seen;
  for (const json& slice : report.at("slices")) {
    const auto start = slice.at("ts").get<std::int64_t>(), length = slice.at("dur").get<std::int64_t>();
    // A slice without length at the end belongs to what follows.
    const bool is_inside = start >= span.start && start + length <= span.end && start < span.end;
    if (length < 0 || !is_inside) continue;
    seen.push_back(slice.at("process").dump() + " " + slice.at("name").dump() + " " + std::to_string(start) + "+" +
                   std::to_string(length));
  }
  for (const json& sample : report.at("counters"))
    if (const auto time = sample.at("ts").get<std::int64_t>(); time >= span.start && time < span.end)
      seen.push_back(sample.at("name").dump() + " " + std::to_string(time) + "=" + sample.at("value").dump());
  std::sort(seen.begin(), seen.end());
  return seen;
}

std::vector<std::string> arrows_inside(const json& report, TimeInterval span) {
  std::vector<std::string> seen;
  for (const json& arrow : report.at("flows")) {
    const auto source = arrow.at("source_ts").get<std::int64_t>(), target = arrow.at("target_ts").get<std::int64_t>();
    if (source < span.start || target >= span.end) continue;
    seen.push_back(arrow.at("source").dump() + std::to_string(source) + " " + arrow.at("target").dump() +
                   std::to_string(target));
  }
  std::sort(seen.begin(), seen.end());
  return seen;
}

/// Whole files and a piece of each, as files; and the pieces' spans.
struct Pieces {
  std::vector<std::filesystem::path> files;  ///< whole, piece, whole, piece …
  std::vector<TimeInterval> spans;
};

TEST_F(PerfettoPieces, random_pieces_open_without_complaint_and_hold_what_lies_inside) {
  std::mt19937 random(11);
  Pieces pieces;
  const unsigned count = random_cases(50);
  for (unsigned i = 0; i < count; ++i) {
    const auto whole = folder_ / ("whole" + std::to_string(i) + ".json");
    const auto piece = folder_ / ("piece" + std::to_string(i) + ".json");
    // Rows of the random files end after some 10 µs, those of the others after their last step.
    const unsigned steps = 3 + i % 9, ends = i % 2 ? steps * 1000 : 8000;
    if (i % 2)
      write_trace(training_trace(static_cast<int>(steps)), whole);
    else
      write_file_atomically(whole, random_json(random));
    const auto from = static_cast<std::int64_t>(random() % ends),
               length = 1 + static_cast<std::int64_t>(random() % 6000);
    const FilePiece found = cut_file(whole, {.from = Nanoseconds(from), .to = Nanoseconds(from + length)}, {}, false,
                                     {.threads = 1, .window_bytes = 500 + random() % 3000});
    write_trace(found.piece.trace, piece);
    // The random files hold slices that overlap on a row, which Perfetto ends or drops: it is shown takt's writing of
    // the whole, where such slices have rows of their own.
    write_trace(read_chrome_trace(whole).trace, whole);
    pieces.files.insert(pieces.files.end(), {whole, piece});
    pieces.spans.push_back(found.choice.part.span);
  }
  const std::vector<json> reports = read(pieces.files);
  ASSERT_EQ(reports.size(), pieces.files.size());
  std::size_t slices = 0, arrows = 0;
  for (std::size_t i = 0; i < pieces.spans.size(); ++i) {
    const json &whole = reports[2 * i], &piece = reports[2 * i + 1];
    EXPECT_EQ(piece.at("problems"), json::array()) << pieces.files[2 * i + 1];
    const auto expected = seen_inside(whole, pieces.spans[i]), seen = seen_inside(piece, pieces.spans[i]);
    EXPECT_TRUE(std::includes(seen.begin(), seen.end(), expected.begin(), expected.end())) << i;
    const auto expected_arrows = arrows_inside(whole, pieces.spans[i]),
               seen_arrows = arrows_inside(piece, pieces.spans[i]);
    EXPECT_TRUE(std::includes(seen_arrows.begin(), seen_arrows.end(), expected_arrows.begin(), expected_arrows.end()))
        << i;
    slices += expected.size(), arrows += expected_arrows.size();
  }
  EXPECT_GT(slices, 5 * count) << "most of the pieces must hold something";
  EXPECT_GT(arrows, count / 2);
}

}  // namespace
}  // namespace takt
