// What stands in which cell of the table of `takt run --vary`, and in its sentences.
#include <gmock/gmock.h>

#include "measure/run/vary.h"
#include "table_cells.h"

namespace takt {
namespace {

using testing::HasSubstr;

VaryResult four_variants() {
  VaryResult result;
  result.rows = {{{{"threads", "1"}},
                  "openvino",
                  "GPU",
                  {},
                  {},
                  std::chrono::milliseconds(5),
                  20,
                  Duration(100),
                  Duration(150),
                  9000,
                  {},
                  {},
                  Standing::slower},
                 {{{"threads", "2"}},
                  "sim",
                  "CPU",
                  {},
                  {},
                  std::chrono::milliseconds(6),
                  30,
                  Duration(50),
                  Duration(60),
                  19'000,
                  0.5,
                  Interval{0.25, 0.75, 0.95},
                  Standing::fastest},
                 {{{"threads", "3"}}, "", "", "no device", {}, {}, 0, {}, {}, {}, {}, {}, {}},
                 {{{"threads", "4"}},
                  "sim",
                  "CPU",
                  {},
                  {},
                  std::chrono::milliseconds(7),
                  40,
                  Duration(51),
                  Duration(61),
                  18'000,
                  0.625,
                  Interval{0.375, 0.875, 0.95},
                  Standing::within_noise}};
  result.first = 0, result.fastest = 1;
  return result;
}

TEST(Cells, of_run_variants) {
  expect_cells(variants_table(four_variants()), {{"variation", {"threads=1", "threads=2", "threads=3", "threads=4"}},
                                                 {"runtime", {"openvino", "sim", "", "sim"}},
                                                 {"device", {"GPU", "CPU", "", "CPU"}},
                                                 {"variant_runs", {"20", "30", "", "40"}},
                                                 {"variant_load_us", {"5000", "6000", "", "7000"}},
                                                 {"variant_median_us", {"100", "50", "", "51"}},
                                                 {"variant_p99_us", {"150", "60", "", "61"}},
                                                 {"variant_per_s", {"9000", "19000", "", "18000"}},
                                                 {"time_ratio", {"", "0.5", "", "0.625"}},
                                                 {"time_ratio_low", {"", "0.25", "", "0.375"}},
                                                 {"time_ratio_high", {"", "0.75", "", "0.875"}},
                                                 {"standing", {"slower", "fastest", "", "within noise"}},
                                                 {"failure", {"", "", "no device", ""}}});
}

TEST(Sentences, of_variants_name_the_fastest) {
  const std::string text = to_text(four_variants());
  EXPECT_THAT(text,
              testing::StartsWith("Fastest: threads=2.\nEqually fast within noise: threads=4.\n\nthreads  Median "));
  EXPECT_THAT(text, testing::EndsWith("  within noise\nthreads=3: no device\n"));
  EXPECT_THAT(text, HasSubstr("\n1        100 µs        9000      –       –        –  slower\n"));
}

}  // namespace
}  // namespace takt
