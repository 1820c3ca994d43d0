// What stands in which cell of the tables of `takt devices`, and behind which key of the file of peaks.
#include <nlohmann/json.hpp>

#include "base/machine/check.h"
#include "base/machine/peaks_file.h"
#include "base/machine/peaks_table.h"
#include "table_cells.h"

namespace takt {
namespace {

/// Rates that are all different; medians are 3/4, 1/2 and so on of the best.
Peaks peaks() {
  Peaks all;
  all.reads_with = "AVX-512", all.threads = 8;
  all.compute = {{NumberType::f16, "AVX-512 FP16", {{4e9, 3e9}, {16e9, 8e9}}}};
  all.levels = {{"L2", 2048, 8192, {{20e9, 17.5e9}, {40e9, 37.5e9}}, {{10e9, 6e9}, {30e9, 27e9}}},
                {"DRAM", {}, {}, {{5e9, 4.5e9}, {6e9, 4.5e9}}, {{7e9, 7e9}, {0, 0}}}};
  all.wake_up = Duration(12.5), all.others_busy = 0.25;
  return all;
}

TEST(Cells, of_devices_peaks) {
  expect_cells(
      peaks_table(peaks()),
      {{"peak",
        {"float16 (AVX-512 FP16)", "float16 (AVX-512 FP16)", "L2 read (AVX-512)", "L2 read (AVX-512)", "L2 copy",
         "L2 copy", "DRAM read (AVX-512)", "DRAM read (AVX-512)", "DRAM copy", "DRAM copy", "thread wake-up"}},
       {"threads", {"1", "8", "1", "8", "1", "8", "1", "8", "1", "8", "1"}},
       {"room_kib", {"", "", "2", "8", "2", "8", "", "", "", "", ""}},
       {"peak_gflops_per_s", {"4", "16", "", "", "", "", "", "", "", "", ""}},
       {"peak_gbytes_per_s", {"", "", "20", "40", "10", "30", "5", "6", "7", "0", ""}},
       {"peak_time_us", {"", "", "", "", "", "", "", "", "", "", "12.5"}},
       {"spread_percent", {"25", "50", "12.5", "6.25", "40", "10", "10", "25", "0", "0", ""}}});
}

TEST(Sentences, of_a_busy_machine_have_its_figures) {
  EXPECT_EQ(
      busy_warning(peaks()),
      "the machine was busy while its peaks were measured (other programs used 25 % of its CPUs, and the rounds of one "
      "limit differ by 50 %): measure again when it is idle");
  Peaks untold = peaks();
  untold.others_busy.reset();
  EXPECT_NE(busy_warning(untold).find("(the rounds of one limit differ by 50 %)"), std::string::npos);
}

TEST(Cells, of_devices_conditions) {
  expect_cells(conditions_table({{"governor", Disturbs::yes, "powersave", "set it"},
                                 {"turbo", Disturbs::no, "is off", ""},
                                 {"timer", Disturbs::not_told, "", ""}}),
               {{"condition", {"governor", "turbo", "timer"}},
                {"disturbs", {"yes", "no", ""}},
                {"found", {"powersave", "is off", "not reported"}},
                {"remedy", {"set it", "", ""}}});
}

TEST(Sentences, of_conditions_count_them) {
  EXPECT_EQ(conditions_summary({{"a", Disturbs::yes},
                                {"b", Disturbs::yes},
                                {"c", Disturbs::yes},
                                {"d", Disturbs::no},
                                {"e", Disturbs::not_told},
                                {"f", Disturbs::not_told}}),
            "3 of 6 conditions disturb measurements here; the system does not report 2.");
}

TEST(Keys, of_the_file_of_peaks_have_their_values) {
  const MachineClass machine{"some CPU", 6, 7, {"avx2", "fma"}, "powersave"};
  auto file = nlohmann::json::parse(peaks_to_json(peaks(), machine, {}));
  file.erase("takt"), file.erase("takt_version");
  EXPECT_EQ(file, nlohmann::json::parse(R"({
    "schema_version": 2,
    "machine": {"cpu": "some CPU", "cores": 6, "memory_gib": 7, "instruction_sets": ["avx2", "fma"],
                "governor": "powersave"},
    "peaks": {
      "reads_with": "AVX-512", "threads": 8, "wake_up_us": 12.5, "others_busy_share": 0.25,
      "compute": [{"type": "float16", "instructions": "AVX-512 FP16",
                   "operations_per_s": {"one": {"best": 4e9, "median": 3e9}, "all": {"best": 16e9, "median": 8e9}}}],
      "levels": [
        {"name": "L2", "bytes_one": 2048, "bytes_all": 8192,
         "read_bytes_per_s": {"one": {"best": 20e9, "median": 17.5e9}, "all": {"best": 40e9, "median": 37.5e9}},
         "copy_bytes_per_s": {"one": {"best": 10e9, "median": 6e9}, "all": {"best": 30e9, "median": 27e9}}},
        {"name": "DRAM", "bytes_one": null, "bytes_all": null,
         "read_bytes_per_s": {"one": {"best": 5e9, "median": 4.5e9}, "all": {"best": 6e9, "median": 4.5e9}},
         "copy_bytes_per_s": {"one": {"best": 7e9, "median": 7e9}, "all": {"best": 0.0, "median": 0.0}}}]}})"));
}

}  // namespace
}  // namespace takt
