#include "report/results/roofs.h"

#include <gtest/gtest.h>

#include "report/made_tables.h"

namespace takt {
namespace {

using namespace std::string_literals;

MadeRow peak(const std::string& what, std::int64_t threads, Cell flops, Cell bytes) {
  return {{"peak", what}, {"threads", threads}, {"peak_gflops_per_s", flops}, {"peak_gbytes_per_s", bytes}};
}

ReportTable peaks() {
  return made_table(
      "peaks", {peak("float32 (AVX2)", 1, 50.0, {}), peak("float32 (AVX-512)", 1, 90.0, {}),
                peak("float32 (AVX-512)", 4, 300.0, {}), peak("L2 read (AVX-512)", 1, {}, 200.0),
                peak("L2 copy", 1, {}, 150.0), peak("DRAM read (AVX-512)", 4, {}, 60.0), peak("wake-up", 1, {}, {})});
}

ReportResult on(const std::string& machine, ReportTable table) {
  ReportResult result;
  result.origin.push_back({"machine", machine});
  result.tables.push_back(std::move(table));
  return result;
}

TEST(Roofs, are_the_best_of_a_type_and_what_levels_read) {
  const auto one = roofs_of(peaks().table, true);
  ASSERT_EQ(one.size(), 2u);
  EXPECT_EQ(one[0].label, "float32");
  EXPECT_EQ(one[0].giga_per_s, 90);
  EXPECT_EQ(one[1].label, "L2");
  EXPECT_TRUE(one[1].is_memory);
  const auto all = roofs_of(peaks().table, false);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].giga_per_s, 300);
  EXPECT_EQ(all[1].label, "DRAM");
}

TEST(Roofs, are_lent_between_results_of_one_machine_only) {
  const ReportTable operators = made_table("operators", {{{"name", "a"s}, {"intensity_flop_per_byte", 2.0}}});
  std::vector<ReportResult> results{on("cpu", operators), on("other", operators), on("cpu", peaks())};
  results[0].origin.push_back({"threads", "1"});
  results[0].missing = {"No roofs: measure them.", "No times."};
  lend_roofs(results);
  ASSERT_EQ(results[0].roofs.size(), 2u);
  EXPECT_EQ(results[0].roofs[0].giga_per_s, 90) << "of one thread";
  EXPECT_EQ(results[0].missing, std::vector<std::string>{"No times."});
  EXPECT_TRUE(results[1].roofs.empty());
  EXPECT_TRUE(results[2].roofs.empty()) << "it has no operators";
}

}  // namespace
}  // namespace takt
