// What stands in which cell of the tables of `takt analyze` that have columns to choose from.
#include "measure/profiles/analyze_table.h"
#include "table_cells.h"

namespace takt {
namespace {

PeerTimes seen(double seconds) {
  PeerTimes times;
  times.entries = 1, times.end = seconds, times.kern = seconds / 4;
  return times;
}

/// One operator of which all is known, on device and host; one with a time on the device and bytes that are too many.
PeerProfile two_operators() {
  std::vector<PeerOperator> operators(2);
  operators[0].name = "conv", operators[0].type = "Conv", operators[0].id = "7";
  operators[0].device = seen(1e-3), operators[0].host = seen(2e-3);
  operators[0].computation = PeerNumber{2e6, true}, operators[0].memory = PeerNumber{4000, true};
  operators[0].in_shapes = "[[1,3],null]", operators[0].out_shapes = "[[5]]";
  operators[1].name = "add", operators[1].type = "Add", operators[1].id = "9";
  operators[1].device = seen(2.5e-4), operators[1].memory = PeerNumber{1e6, true};
  return {std::move(operators), {}};
}

/// Of the one operator: five runs on the device, one on the host.
ProfileSamples samples_of_conv() {
  return ProfileSamples({{"7",
                          {{Duration(100), Duration(90), Duration(400), Duration(110), Duration(100)},
                           {Duration(200)},
                           "brgconv",
                           1000.0}}});
}

/// 40 GFLOP/s, 1 GB/s.
Peaks slow_machine() {
  Peaks peaks;
  peaks.compute = {{NumberType::f32, "AVX", {{1e9, 1e9}, {40e9, 40e9}}}};
  peaks.levels = {{"DRAM", {}, {}, {{5e8, 5e8}, {1e9, 1e9}}, {{5e8, 5e8}, {1e9, 1e9}}}};
  return peaks;
}

// The median of its runs is 100 us, of which computing takes 50 at least.
TEST(Cells, of_analyze_operators) {
  const Peaks peaks = slow_machine();
  expect_cells(analyze_table(two_operators(), Section::device, {}, samples_of_conv(), &peaks),
               {{"name", {"conv", "add"}},
                {"type", {"Conv", "Add"}},
                {"id", {"7", "9"}},
                {"count", {"1", "1"}},
                {"time_us", {"1000", "250"}},
                {"time_share_percent", {"80", "20"}},
                {"computation_flo", {"2000000", ""}},
                {"memory_bytes", {"4000", "1000000"}},
                {"flops", {"2000000000", ""}},
                {"bandwidth_bytes_per_s", {"4000000", "4000000000"}},
                {"in_shapes", {"{1,3} ?", ""}},
                {"out_shapes", {"{5}", ""}},
                {"kernel", {"brgconv", ""}},
                {"impossible", {"", "GB/s"}},
                {"samples", {"5", ""}},
                {"mean_us", {"160", ""}},
                {"stddev_us", {"134.35028842544403", ""}},
                {"min_us", {"90", ""}},
                {"p50_us", {"100", ""}},
                {"p90_us", {"284", ""}},
                {"p99_us", {"", ""}},
                {"max_us", {"400", ""}},
                {"intensity_flop_per_byte", {"500", ""}},
                {"roofline", {"compute bound", ""}},
                {"memory_level", {"DRAM", ""}},
                {"peak_share_percent", {"50", ""}}});
}

TEST(Cells, of_analyze_host_operators) {
  const Peaks peaks = slow_machine();
  expect_cells(some_columns(analyze_table(two_operators(), Section::host, {}, samples_of_conv(), &peaks),
                            {"name", "time_us", "time_share_percent", "flops", "samples", "mean_us", "stddev_us"}),
               {{"name", {"conv"}},
                {"time_us", {"2000"}},
                {"time_share_percent", {"100"}},
                {"flops", {"1000000000"}},
                {"samples", {"1"}},
                {"mean_us", {"200"}},
                {"stddev_us", {""}}});
}

TEST(AnalyzeTable, has_several_operators_in_a_row) {
  AnalyzeOptions options;
  options.aggregate = AnalyzeOptions::Aggregate::sum;
  const Table table = analyze_table(two_operators(), Section::device, options, samples_of_conv(), nullptr);
  EXPECT_EQ(to_csv(some_columns(table, {"name", "id", "count", "time_us", "time_share_percent", "memory_bytes",
                                        "in_shapes", "kernel", "samples", "intensity_flop_per_byte", "roofline"})),
            "name,id,count,time_us,time_share_percent,memory_bytes,in_shapes,kernel,samples,intensity_flop_per_byte,"
            "roofline\n,,2,1250,100,1004000,,,,1.9920318725099602,\n");
}

TEST(Cells, of_analyze_summary) {
  expect_cells(analyze_summary_table(two_operators()),
               {{"operators", {"2"}}, {"device_total_us", {"1250"}}, {"host_total_us", {"2000"}}});
  const Table none = analyze_summary_table(PeerProfile(std::vector<PeerOperator>(), {}));
  EXPECT_EQ(to_csv(none), "operators,device_total_us,host_total_us\n0,,\n");
}

}  // namespace
}  // namespace takt
