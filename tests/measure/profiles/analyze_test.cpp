// Which operators a table of `takt analyze` has, at the very bounds of what was asked for.
#include "measure/profiles/analyze.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PeerOperator timed(std::string_view name, double device, double host = 0) {
  PeerOperator op;
  op.name = name, op.type = "T", op.id = name, op.inputs = "[]";
  op.device.entries = 1, op.device.end = device, op.device.kern = device / 4;
  op.host.entries = host > 0 ? 1 : 0, op.host.end = host;
  return op;
}

PeerProfile one_two_three() { return PeerProfile({timed("a", 1), timed("b", 2), timed("c", 3)}, {}); }

std::vector<std::string> names(const std::vector<OperatorRecord>& records) {
  std::vector<std::string> names;
  for (const OperatorRecord& record : records) names.emplace_back(record.name);
  return names;
}

AnalyzeOptions options(long long top, const std::string& order_by = "time") {
  AnalyzeOptions options;
  options.top = top, options.order_by = order_by;
  return options;
}

std::vector<std::string> between(std::optional<double> least, std::optional<double> most, bool until_kernel = false) {
  AnalyzeOptions bounds = options(0, "+time");
  bounds.min_time = least, bounds.max_time = most, bounds.until_kernel = until_kernel;
  return names(select_records(one_two_three(), Section::device, bounds));
}

TEST(Analyze, bounds_of_time_are_included) {
  constexpr auto open = std::nullopt;
  EXPECT_THAT(between(open, 2), ElementsAre("a", "b"));
  EXPECT_THAT(between(2, open), ElementsAre("b", "c"));
  EXPECT_THAT(between(2, 2), ElementsAre("b"));
  EXPECT_THAT(between(3.0001, open), IsEmpty());
  EXPECT_THAT(between(open, 0.9999), IsEmpty());
  EXPECT_THAT(between(open, 0.5, true), ElementsAre("a", "b")) << "a quarter each";
}

TEST(Analyze, an_operator_counts_in_the_sections_that_saw_it) {
  const PeerProfile profile({timed("a", 1, 5), timed("b", 2)}, {});
  EXPECT_EQ(total_time(profile, Section::device)->time, 3);
  EXPECT_EQ(total_time(profile, Section::host)->time, 5);
  EXPECT_THAT(names(select_records(profile, Section::host, {})), ElementsAre("a"));
  EXPECT_FALSE(total_time(PeerProfile({timed("a", 1)}, {}), Section::host));
}

TEST(Analyze, rows_are_cut_as_python_cuts_a_list) {
  struct Case {
    long long top;
    std::size_t left;
  };
  const PeerProfile profile = one_two_three();
  const std::vector<OperatorRecord> all = select_records(profile, Section::device, options(0));
  for (const auto& [top, left] : {Case{0, 3}, Case{1, 1}, Case{2, 2}, Case{3, 3}, Case{4, 3}, Case{-1, 2}, Case{-2, 1},
                                  Case{-3, 0}, Case{-4, 0}}) {
    auto records = all;
    cut_records(records, top);
    EXPECT_EQ(records.size(), left) << top;
    for (std::size_t i = 0; i < left; ++i) EXPECT_EQ(records[i].name, all[i].name);
  }
}

TEST(Analyze, equal_times_keep_the_order_of_the_file_both_ways) {
  const PeerProfile profile({timed("b", 1), timed("a", 2), timed("d", 1), timed("c", 2)}, {});
  EXPECT_THAT(names(select_records(profile, Section::device, options(0))), ElementsAre("a", "c", "b", "d"));
  EXPECT_THAT(names(select_records(profile, Section::device, options(0, "+time"))), ElementsAre("b", "d", "a", "c"));
}

TEST(Analyze, operators_are_combined_by_type_in_order_of_appearance) {
  std::vector<PeerOperator> operators{timed("a", 3), timed("b", 1), timed("c", 2), timed("d", 6)};
  operators[0].type = operators[2].type = "Y", operators[1].type = operators[3].type = "X";
  operators[0].computation = PeerNumber{10, true}, operators[2].computation = PeerNumber{30, true};
  operators[1].memory = PeerNumber{7, true};
  const PeerProfile profile(std::move(operators), {});
  const auto records = time_records(filter_operators(profile, {}), Section::device, false, {});
  using How = AnalyzeOptions::Aggregate;
  struct Case {
    How how;
    double y, x, y_computation;
  };
  for (const auto& [how, y, x, work] :
       {Case{How::max, 3, 6, 30}, Case{How::min, 2, 1, 10}, Case{How::sum, 5, 7, 40}, Case{How::mean, 2.5, 3.5, 20}}) {
    const auto combined = aggregate_records(records, how, true);
    ASSERT_EQ(combined.size(), 2u);
    EXPECT_EQ(combined[0].type, "Y");
    EXPECT_EQ(combined[0].count, 2u);
    EXPECT_EQ(combined[0].time, y);
    EXPECT_EQ(combined[1].time, x);
    EXPECT_EQ(combined[0].computation->value, work);
    EXPECT_EQ(combined[0].flops, work / y);
    EXPECT_FALSE(combined[0].memory);
    EXPECT_FALSE(combined[1].computation);
    // A mean divides by all, known or not.
    EXPECT_EQ(combined[1].memory->value, how == How::mean ? 3.5 : 7);
    const auto all = aggregate_records(records, how, false);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].type, "all");
    EXPECT_EQ(all[0].count, 4u);
  }
}

}  // namespace
}  // namespace takt
