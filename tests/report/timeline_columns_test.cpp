#include "report/page/timeline_columns.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "report/page/page.h"

namespace takt {
namespace {

/// The numbers of a column, as the page's script reads them.
std::vector<std::uint64_t> numbers(const std::string& bytes, std::size_t at, std::size_t count) {
  std::vector<std::uint64_t> list;
  while (list.size() < count) {
    std::uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes.at(at++));
      number |= std::uint64_t{byte & 127u} << shift;
      if (byte < 128) break;
    }
    list.push_back(number);
  }
  return list;
}

ReportTimeline timeline_with(ReportLevel level) {
  ReportTimeline timeline;
  timeline.kinds = {{"k1", "convolution"}};
  timeline.names = {{"conv", 0}};
  timeline.length_ns = level.empty() ? 0 : level.back().start_ns + level.back().duration_ns;
  timeline.rows = {{"python", "main", false, {std::move(level)}}};
  return timeline;
}

TEST(TimelineColumns, spans_are_steps_from_the_end_before_and_lengths_in_the_largest_common_unit) {
  std::string bytes = "before";
  const auto made = timeline_json(timeline_with({{2000, 3000, 0}, {5000, 0, 0}, {1'000'000, 400'000, 0}}), bytes);
  EXPECT_EQ(made["unit_ns"], 1000);
  EXPECT_EQ(made["rows"][0]["levels"], nlohmann::json({3}));
  EXPECT_EQ(numbers(bytes, made["columns"]["steps"], 3), (std::vector<std::uint64_t>{2, 0, 995}));
  EXPECT_EQ(numbers(bytes, made["columns"]["durations"], 3), (std::vector<std::uint64_t>{3, 0, 400}));
  EXPECT_EQ(made["columns"]["steps"], 6);
  EXPECT_EQ(bytes.size(), 6 + 4 + 4 + 3);  // 995 and 400 take two bytes each
}

TEST(TimelineColumns, random_spans_come_back) {
  std::mt19937_64 random(3);
  ReportLevel level;
  std::uint64_t end = 0;
  for (int at = 0; at < 500; ++at) {
    const ReportSpan span{end + (random() >> (random() % 30 + 34)), random() >> (random() % 30 + 34), 0};
    end = span.start_ns + span.duration_ns;
    level.push_back(span);
  }
  std::string bytes;
  const auto made = timeline_json(timeline_with(level), bytes);
  const std::uint64_t unit = made["unit_ns"];
  const auto steps = numbers(bytes, made["columns"]["steps"], level.size());
  const auto durations = numbers(bytes, made["columns"]["durations"], level.size());
  std::uint64_t time = 0;
  for (std::size_t at = 0; at < level.size(); ++at) {
    EXPECT_EQ(time += steps[at] * unit, level[at].start_ns);
    EXPECT_EQ(durations[at] * unit, level[at].duration_ns);
    time += durations[at] * unit;
  }
}

TEST(TimelineColumns, arrows_are_places_of_the_spans_that_are_there) {
  ReportTimeline timeline = timeline_with({{0, 1, 0, 9}, {10, 1, 0, 4}, {20, 1, 0, 6}});
  timeline.flows = {{6, 9}, {9, 4}, {9, 5}, {9, 6}, {100, 4}};  // 5 and 100 are not
  std::string bytes;
  const auto made = timeline_json(timeline, bytes);
  EXPECT_EQ(made["flows"], 3);  // 0 → 1, 0 → 2, 2 → 0: steps of the first, differences of the second with the sign last
  EXPECT_EQ(numbers(bytes, made["columns"]["flows"], 6), (std::vector<std::uint64_t>{0, 2, 0, 2, 2, 3}));
}

TEST(TimelineColumns, whole_counters_are_differences_and_others_eight_bytes) {
  ReportTimeline timeline = timeline_with({{0, 1000, 0}});
  timeline.counters = {{"p", "whole", {{0, 5}, {2000, -1}}}, {"p", "part", {{3000, 0.5}}}};
  std::string bytes;
  const auto made = timeline_json(timeline, bytes);
  EXPECT_EQ(made["counters"][0]["is_whole"], true);
  EXPECT_EQ(numbers(bytes, made["counters"][0]["column"], 4), (std::vector<std::uint64_t>{0, 10, 2, 11}));
  EXPECT_EQ(made["counters"][1]["is_whole"], false);
  EXPECT_EQ(made["counters"][1]["samples"], 1);
  const std::size_t at = made["counters"][1]["column"];
  EXPECT_EQ(bytes.substr(at), std::string("\x03\0\0\0\0\0\0\xe0\x3f", 9));
}

TEST(TimelineColumns, stand_behind_a_nul_that_the_json_does_not_have) {
  ReportResult result;
  result.headline = std::string("a\0b", 3);
  result.timeline = timeline_with({{0, 7, 0}});
  const std::string data = page_data({result, result}, "takt report");
  const auto end = data.find('\0');
  ASSERT_NE(end, data.npos);
  const auto page = nlohmann::json::parse(data.substr(0, end));
  EXPECT_EQ(page["results"][0]["timeline"]["columns"]["steps"], 0);
  EXPECT_EQ(page["results"][1]["timeline"]["columns"]["steps"], 3);
  EXPECT_EQ(data.size() - end - 1, 6u);
  ReportResult without;
  EXPECT_EQ(page_data({without}, "takt report").find('\0'), std::string::npos);
}

}  // namespace
}  // namespace takt
