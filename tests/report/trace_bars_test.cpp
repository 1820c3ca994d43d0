#include "report/results/trace_bars.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "report/made_tables.h"

namespace takt {
namespace {

std::vector<std::string> texts_of(const std::vector<ReportBar>& bars) {
  std::vector<std::string> texts;
  for (const ReportBar& bar : bars) {
    texts.push_back(fmt::format("{}: {} {} {}:", bar.view, bar.title, bar.whole.count(), bar.whole_label));
    for (const ReportPart& part : bar.parts)
      texts.back() += fmt::format(" {} {} {},", part.label, part.kind, part.time.count());
  }
  return texts;
}

std::map<std::string, std::string> titles_in(const std::vector<ReportTable>& tables) {
  std::map<std::string, std::string> titles;
  for (const ReportTitle& title : titles_of_trace(bars_of_trace(tables))) titles[title.view] = title.sentence;
  return titles;
}

ReportTable steps_of(const std::vector<double>& kernels, const char* last_file = "d/a.json") {
  std::vector<MadeRow> rows;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    rows.push_back({{"file", i + 1 == kernels.size() ? last_file : "d/a.json"},
                    {"step_number", static_cast<std::int64_t>(i + 5)},
                    {"kernel_us", kernels[i]},
                    {"data_wait_us", i == 0 ? Cell() : Cell(2.0)},
                    {"other_us", 1.0}});
  return made_table("steps", rows);
}

using Texts = std::vector<std::string>;

TEST(TraceBars, a_step_is_what_it_did_and_what_is_not_known_is_no_part) {
  EXPECT_EQ(texts_of(bars_of_trace({steps_of({10, 20})})),
            (Texts{"steps: step 5 11 = 11.0 µs, the step: kernel busy 10, idle other 1,",
                   "steps: step 6 23 = 23.0 µs, the step: kernel busy 20, data_wait wait-starved 2, idle other 1,"}));
  EXPECT_EQ(bars_of_trace({steps_of(std::vector<double>(50, 1))}).size(), 40u);
  EXPECT_EQ(bars_of_trace({steps_of({10, 20}, "b.json")})[1].title, "b, step 6");
}

TEST(TraceBars, a_step_much_longer_than_the_median_is_named) {
  EXPECT_EQ(titles_in({steps_of({10, 7, 57})})["steps"], "step 7 takes 5.5 times as long as the median of 11.0 µs");
  EXPECT_EQ(titles_in({steps_of({9, 7, 8})})["steps"], "No step is an exception: the median takes 10.0 µs");
  EXPECT_EQ(titles_in({steps_of({9, 70})}).count("steps"), 0u);
}

TEST(TraceBars, devices_are_busy_or_idle_and_the_idlest_is_named) {
  const auto device = [](const char* name, double computes, double idle) {
    return MadeRow{{"device", name}, {"idle_us", idle}, {"compute_us", computes}, {"non_compute_us", 10.0}};
  };
  const ReportTable temporal = made_table("temporal", {device("0", 70, 20), device("1", 40, 50)});
  EXPECT_EQ(texts_of(bars_of_trace({temporal}))[0],
            "gpu: device 0 100 = 100 µs, its whole time: kernels busy 70, copies, communication copy 10, idle "
            "wait-dispatch 20,");
  EXPECT_EQ(titles_in({temporal})["gpu"], "device 1 is idle 50 % of the time");
}

TEST(TraceBars, work_is_summed_by_kind_largest_first) {
  const auto kernel = [](const char* name, const char* kind, double us) {
    return MadeRow{{"work", name}, {"work_kind", kind}, {"work_us", us}};
  };
  const ReportTable kernels = made_table(
      "kernels", {kernel("sgemm_a", "compute", 10), kernel("sgemm_b", "compute", 20), kernel("dgrad", "compute", 60),
                  kernel("ncclAllReduce", "communication", 7), kernel("Memcpy HtoD", "memory", 3)});
  EXPECT_EQ(texts_of(bars_of_trace({kernels}))[0],
            "work: Work of the devices, by kind 100 = 100 µs, all work: convolution k1 60, matrix product k2 30, "
            "communication comm 7, copy, fill copy 3,");
  EXPECT_EQ(titles_in({kernels})["work"], "convolution takes 60 % of the devices' work");
}

TEST(TraceBars, kernels_are_on_matrix_units_or_could_be_or_cannot) {
  const auto unit = [](const char* name, double us) { return MadeRow{{"matrix_unit", name}, {"kernel_time_us", us}}; };
  const ReportTable units =
      made_table("matrix_units", {unit("used", 20), unit("eligible", 5), unit("none", 65), unit("not_told", 10)});
  EXPECT_EQ(bars_of_trace({units})[0].whole, Duration(100));
  EXPECT_EQ(titles_in({units})["units"], "20 % of the kernels' time is on matrix units; 5 % could be");
  EXPECT_EQ(titles_in({made_table("matrix_units", {unit("none", 75)})})["units"],
            "0 % of the kernels' time is on matrix units; 0 % could be");
}

}  // namespace
}  // namespace takt
