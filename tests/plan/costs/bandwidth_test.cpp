#include "plan/costs/bandwidth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace takt {
namespace {

using testing::HasSubstr;

constexpr double mb = 1024 * 1024;

/// 2 ms for every MB and 3 ms besides.
std::vector<BytesTime> line_rows() { return {{mb, 5}, {2 * mb, 7}, {4 * mb, 11}, {8 * mb, 19}}; }

TEST(Bandwidth, slope_and_intercept_are_those_of_the_line) {
  const BytesRegression line = regress_bytes(line_rows());
  EXPECT_EQ(line.rows, 4U);
  EXPECT_NEAR(*line.slope * mb, 2, 1e-12);
  EXPECT_NEAR(*line.intercept, 3, 1e-12);
  EXPECT_NEAR(*line.bandwidth(), 500, 1e-9);  // 2 ms per MB
  EXPECT_NEAR(*line.r_squared, 1, 1e-12);
  EXPECT_NEAR(*line.slope_error * mb, 0, 1e-6);
}

TEST(Bandwidth, standard_errors_are_those_of_least_squares) {
  // x = 1, 2, 3, y = 1, 2, 4: slope 1.5, intercept -2/3, residuals 1/6, -1/3, 1/6, variance 1/6 with one degree left;
  // errors sqrt(1/6 / 2) and sqrt(1/6 · (1/3 + 4/2)); R² = 1 - (1/6) / (14/3).
  const BytesRegression line = regress_bytes(std::vector<BytesTime>{{1, 1}, {2, 2}, {3, 4}});
  EXPECT_NEAR(*line.slope, 1.5, 1e-12);
  EXPECT_NEAR(*line.intercept, -2.0 / 3, 1e-12);
  EXPECT_NEAR(*line.slope_error, std::sqrt(1.0 / 12), 1e-12);
  EXPECT_NEAR(*line.intercept_error, std::sqrt(7.0 / 18), 1e-12);
  EXPECT_NEAR(*line.r_squared, 1 - 1.0 / 28, 1e-12);
}

TEST(Bandwidth, two_rows_or_one_size_have_no_line) {
  const auto rows = line_rows();
  EXPECT_FALSE(regress_bytes(std::span(rows).first(2)).slope.has_value());
  EXPECT_FALSE(regress_bytes(std::vector<BytesTime>{{mb, 5}, {mb, 7}, {mb, 11}}).slope.has_value());
  EXPECT_FALSE(regress_bytes({}).bandwidth().has_value());
}

TEST(Bandwidth, times_that_do_not_grow_have_no_bandwidth) {
  const BytesRegression falling = regress_bytes(std::vector<BytesTime>{{mb, 5}, {2 * mb, 4}, {4 * mb, 3}});
  EXPECT_LT(*falling.slope, 0);
  EXPECT_FALSE(falling.bandwidth().has_value());
  const BytesRegression flat = regress_bytes(std::vector<BytesTime>{{mb, 5}, {2 * mb, 5}, {4 * mb, 5}});
  EXPECT_EQ(*flat.slope, 0);
  EXPECT_FALSE(flat.bandwidth().has_value());
  EXPECT_FALSE(flat.r_squared.has_value());
}

TEST(Bandwidth, parts_of_a_time_add_up_and_are_never_negative) {
  const BytesRegression line = regress_bytes(line_rows());
  for (const double ms : {0.0001, 1.0, 3.9, 4.0, 4.1, 1234.567891}) {
    const SplitTime split = split_time(line, 2 * mb, Duration(ms * 1e3));
    EXPECT_EQ(*split.transfer_ns + *split.compute_ns(), split.total_ns);
    EXPECT_GE(*split.compute_ns(), 0);
    EXPECT_EQ(*split.transfer_ns, std::min<std::int64_t>(4'000'000, split.total_ns)) << ms;
  }
  const BytesRegression falling = regress_bytes(std::vector<BytesTime>{{mb, 5}, {2 * mb, 4}, {4 * mb, 3}});
  EXPECT_EQ(*split_time(falling, mb, Duration(5000)).transfer_ns, 0);
  EXPECT_EQ(*split_time(falling, mb, Duration(5000)).compute_ns(), 5'000'000);
}

TEST(Bandwidth, without_a_line_a_time_is_not_split) {
  const SplitTime split = split_time(regress_bytes({}), mb, Duration(5000));
  EXPECT_EQ(split.total_ns, 5'000'000);
  EXPECT_FALSE(split.transfer_ns.has_value());
  EXPECT_FALSE(split.compute_ns().has_value());
}

TEST(Bandwidth, the_split_is_identifiable_only_where_measured_copies_agree) {
  const std::vector<BytesTime> noisy{{mb, 5.1}, {2 * mb, 6.9}, {4 * mb, 11.2}, {8 * mb, 18.9}};
  const BytesRegression line = regress_bytes(noisy);
  const auto copies = [](double ms_per_mb) {
    std::vector<BytesTime> rows;
    for (const double mbs : {1, 2, 4, 8}) rows.push_back({mbs * mb, 0.2 + ms_per_mb * mbs});
    return rows;
  };
  EXPECT_TRUE(identifiability(line, copies(2.0)).identifiable);
  EXPECT_EQ(identifiability(line, copies(2.0)).reason, "");
  const Identifiability half = identifiability(line, copies(1.0));
  EXPECT_FALSE(half.identifiable);
  EXPECT_THAT(half.reason, HasSubstr("measured copies by 1"));
  EXPECT_NEAR(*half.copy_slope * mb, 1, 1e-9);
  EXPECT_FALSE(identifiability(line, {}).identifiable);
  EXPECT_THAT(identifiability(line, {}).reason, HasSubstr("no copies were measured"));
  EXPECT_THAT(identifiability(regress_bytes({}), copies(2.0)).reason, HasSubstr("fewer than 3 sizes"));
  const BytesRegression falling = regress_bytes(std::vector<BytesTime>{{mb, 5}, {2 * mb, 4}, {4 * mb, 3}});
  EXPECT_THAT(identifiability(falling, copies(2.0)).reason, HasSubstr("does not increase"));
}

TEST(Bandwidth, a_split_without_any_noise_is_identifiable) {
  std::vector<BytesTime> copies;
  for (const BytesTime& row : line_rows()) copies.push_back({row.bytes, row.ms - 3});
  EXPECT_TRUE(identifiability(regress_bytes(line_rows()), copies).identifiable);
}

TEST(Bandwidth, copies_have_a_latency_and_a_bandwidth) {
  std::vector<StageCopy> copies;
  for (const std::int64_t bytes : {8000, 400000, 4000000, 40000000})
    copies.push_back({bytes, Duration(20 + double(bytes) / 5000)});  // 20 µs and 5 GB/s
  copies.push_back({400000, Duration(1200)});                        // one that was disturbed
  const CopyLaw law = fit_copies(copies);
  EXPECT_EQ(law.rows, 5U);
  EXPECT_NEAR(*law.latency_ms, 0.020, 1e-4);
  EXPECT_NEAR(*law.bandwidth(), 5e9 / mb, 20);
}

TEST(Bandwidth, too_few_copies_or_copies_of_one_size_have_no_law) {
  EXPECT_FALSE(fit_copies({}).latency_ms.has_value());
  EXPECT_FALSE(fit_copies({{8, Duration(1)}, {80, Duration(2)}}).bandwidth().has_value());
  EXPECT_FALSE(fit_copies({{8, Duration(1)}, {8, Duration(2)}, {8, Duration(3)}}).latency_ms.has_value());
}

}  // namespace
}  // namespace takt
