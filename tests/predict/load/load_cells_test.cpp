// What stands in which cell of the tables of `takt load` and `takt stress`.
#include <gmock/gmock.h>

#include "predict/sources/exposition.h"
#include "predict/sources/sources.h"
#include "predict/sources/tables.h"
#include "predict/stress/stress.h"
#include "table_cells.h"

namespace takt {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

LoadSnapshot told_load() {
  LoadSnapshot all;
  all.readings = {{"cpu_busy_share", "host", "prometheus", "share", 0.125, 3ms, 40ms, "old"},
                  {"gpu_power_watts", "gpu1", "nvml", "", {}, {}, {}, ""}};
  all.troubles = {{"probe", "no core"}, {"nvml", "no driver"}};
  return all;
}

TEST(Cells, of_load_load) {
  expect_cells(table_named(load_tables(told_load()), "load"), {{"feature", {"cpu_busy_share", "gpu_power_watts"}},
                                                               {"load_of", {"host", "gpu1"}},
                                                               {"load_value", {"0.125", ""}},
                                                               {"load_unit", {"share", ""}},
                                                               {"age_us", {"3000", ""}},
                                                               {"averaged_us", {"40000", ""}},
                                                               {"told_by", {"prometheus", "nvml"}},
                                                               {"trouble", {"old", ""}}});
}

TEST(Cells, of_load_troubles) {
  expect_cells(table_named(load_tables(told_load()), "troubles"),
               {{"told_by", {"probe", "nvml"}}, {"trouble", {"no core", "no driver"}}});
}

TEST(Cells, of_load_features) {
  std::vector<std::string> names, units, meanings;
  for (const LoadFeature& feature : load_features()) {
    names.emplace_back(feature.name), units.emplace_back(feature.unit.empty() ? blank : std::string(feature.unit));
    meanings.emplace_back(feature.meaning);
  }
  expect_cells(features_table(), {{"feature", names}, {"load_unit", units}, {"meaning", meanings}});
  const auto share = std::find(names.begin(), names.end(), "cpu_busy_share") - names.begin();
  EXPECT_EQ(units.at(static_cast<std::size_t>(share)), "share");
}

TEST(Cells, of_devices_load_sources) {
  expect_cells(load_sources_table({{"host", "files of the system", {}}, {"nvml", "the driver", "no driver"}}),
               {{"told_by", {"host", "nvml"}},
                {"source_usable", {"yes", "no"}},
                {"source_note", {"files of the system", "no driver"}}});
}

TEST(Cells, of_stress_stress) {
  expect_cells(stress_table({{"memory", "CPU", 2, 0.5, 0.25, 30ms}, {"gpu", "", 0, 0.75, {}, 40ms}}),
               {{"loaded", {"memory", "gpu"}},
                {"device", {"CPU", ""}},
                {"load_threads", {"2", ""}},
                {"wanted_share", {"0.5", "0.75"}},
                {"reached_share", {"0.25", ""}},
                {"made_us", {"30000", "40000"}}});
}

std::string shown_as(double value, const char* unit) {
  LoadSnapshot one;
  one.readings = {{"figure", "host", "host", unit, value}};
  return shown_cells(shown_load_table(one)).at(0).at(2);
}

TEST(Sentences, of_figures_of_the_load_are_in_their_units) {
  EXPECT_EQ(shown_as(0.125, "share"), "12.5 %");
  EXPECT_EQ(shown_as(3072, "B"), "3.00 KiB");
  EXPECT_EQ(shown_as(0, "0 or 1"), "no");
  EXPECT_EQ(shown_as(1, "0 or 1"), "yes");
  EXPECT_EQ(shown_as(2.5e9, "Hz"), "2.50 GHz");
  EXPECT_EQ(shown_as(3.5e9, "FLOP/s"), "3.50 GFLOP/s");
  EXPECT_EQ(shown_as(4.5e9, "B/s"), "4.50 GB/s");
  EXPECT_EQ(shown_as(1.25, "ratio"), "1.25");
  EXPECT_EQ(shown_as(6.25, "W"), "6.25 W");
}

TEST(Sentences, of_a_load_tell_what_is_not_told) {
  LoadSnapshot all = told_load();
  all.readings[1].trouble = "no meter";
  LoadReading third = all.readings[1];
  third.name = "gpu_clock_hertz";
  all.readings.push_back(third);
  const std::string text = load_text(all, {.width = 100});
  EXPECT_THAT(text, HasSubstr("outdated  cpu_busy_share (prometheus: old)\n"));
  EXPECT_THAT(text, HasSubstr("no value  gpu_power_watts, gpu_clock_hertz (nvml: no meter)\n"));
  EXPECT_THAT(text, HasSubstr("problem   probe: no core\nproblem   nvml: no driver\n"));
}

TEST(Sentences, of_a_load_are_these_to_the_last_letter) {
  LoadSnapshot all = told_load();
  all.readings[1].trouble = "no meter";
  all.readings.push_back({"gpu_clock_hertz", "gpu1", "nvml", "", {}, {}, {}, "no meter"});
  all.readings.push_back({"gpu_power_watts", "gpu2", "nvml", "", {}, {}, {}, "no meter"});
  all.readings.push_back({"load_average", "host", "host", "threads", 1.5, 0ns, {}, ""});
  std::string line;
  for (int i = 0; i < 66; ++i) line += "─";
  EXPECT_EQ(load_text(all, {.width = 100}),
            "CPU 12.5 % busy, load average 1.50.\n\nFeature         Target  Value             Age   Window  Source\n" +
                line +
                "\ncpu_busy_share  host    12.5 %        3.00 ms  40.0 ms  prometheus\n"
                "load_average    host    1.50 threads     0 ms        –  host\n"
                "outdated  cpu_busy_share (prometheus: old)\n"
                "no value  gpu_power_watts, gpu_clock_hertz (nvml: no meter)\n"
                "problem   probe: no core\nproblem   nvml: no driver\n");
  EXPECT_EQ(load_text(all, {.width = 40}).substr(load_text(all, {.width = 40}).find("no value")),
            "no value  gpu_power_watts,\n          gpu_clock_hertz (nvml: no\n          meter)\n"
            "problem   probe: no core\nproblem   nvml: no driver\n");
  EXPECT_TRUE(
      features_text(60).starts_with("cpu_busy_share                share   Share of CPU time that\n"
                                    "                                      was busy: not idle,\n"));
}

TEST(Keys, of_the_exporter_s_answer_have_their_values) {
  LoadSnapshot all = told_load();
  all.readings[0].trouble.clear(), all.time = 2s;
  const std::string text = exposition(all, {"host", "prometheus"}, 3500ms);
  for (const char* line : {"takt_cpu_busy_share{device=\"host\",source=\"prometheus\"} 0.125",
                           "takt_load_missing{feature=\"gpu_power_watts\",device=\"gpu1\",source=\"nvml\"} 1",
                           "takt_load_source_up{source=\"host\"} 0", "takt_load_source_up{source=\"prometheus\"} 1",
                           "takt_load_age_seconds 1.5"})
    EXPECT_THAT(text, HasSubstr("\n" + std::string(line) + "\n"));
}

}  // namespace
}  // namespace takt
