// The bars that add up: which parts they have, in which colours, and what the whole is.
#include "report/results/bars.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "report/made_tables.h"

namespace takt {
namespace {

/// "devices: GPU = 10 µs, the whole time: busy busy 4, copy copy 1"
std::string text_of(const ReportBar& bar) {
  std::string text = fmt::format("{}: {} {} {}:", bar.view, bar.title, bar.whole.count(), bar.whole_label);
  for (const ReportPart& part : bar.parts) text += fmt::format(" {} {} {},", part.label, part.kind, part.time.count());
  return text;
}

std::vector<std::string> bars_in(const std::vector<ReportTable>& tables) {
  std::vector<std::string> texts;
  for (const ReportBar& bar : bars_of(tables)) texts.push_back(text_of(bar));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(ReportBars, of_types_are_those_with_a_time_in_the_colours_of_their_families) {
  const ReportTable types = made_table("types", {{{"type", "Conv"}, {"plain_mean_us", 30.5}},
                                                 {{"type", "Relu"}, {"plain_mean_us", Cell()}},
                                                 {{"type", "[unattributed]"}, {"plain_mean_us", std::int64_t{2}}}});
  EXPECT_EQ(bars_in({types}), (Texts{": A mean plain run, by type of operator 32.5 = 32.5 µs, the mean plain run: "
                                     "Conv k1 30.5, [unattributed] other 2,"}));
  EXPECT_EQ(bars_in({made_table("types", {})}), Texts());
}

TEST(ReportBars, of_a_prediction_are_its_kernels_by_name_and_what_the_load_adds) {
  const auto kernel = [](const char* model, const char* name, double us) {
    return MadeRow{{"model", model}, {"kernel_name", name}, {"predicted_us", us}};
  };
  const ReportTable kernels = made_table("kernels", {kernel("d/a.onnx", "Relu", 10), kernel("d/a.onnx", "Conv", 20),
                                                     kernel("d/a.onnx", "Conv", 30), kernel("b.onnx", "Gemm", 7)});
  const auto summary = [](const char* model, double overhead_ms, const Cell& factor) {
    return MadeRow{{"model", model}, {"overhead_ms", overhead_ms}, {"load_factor", factor}};
  };
  const ReportTable models = made_table("summary", {summary("d/a.onnx", 0.06, 1.5), summary("b.onnx", -0.001, Cell())});
  EXPECT_EQ(
      bars_in({models, kernels}),
      (Texts{": a.onnx, predicted, by kernel 120 = 120 µs, an inference: Conv k1 50, Relu k4 10, [outside kernels] "
             "other 60,",
             ": a.onnx beside the load of that moment 120 = 120 µs, 1.50 times as long: on an idle machine busy "
             "80, [load] other 40,",
             ": b.onnx, predicted, by kernel 7 = 7.00 µs, all kernels: Gemm k2 7,"}));
}

TEST(ReportBars, of_devices_have_every_cause_that_is_told) {
  const auto device = [](const char* name, const Cell& wall, bool is_told) {
    MadeRow row{{"device", name}, {"wall_us", wall}};
    double time = 0;
    for (const char* cause :
         {"busy_us", "copy_us", "sync_us", "starved_us", "blocked_us", "dispatch_us", "fill_us", "drain_us"})
      row.emplace_back(cause, is_told ? Cell(++time) : Cell());
    return row;
  };
  const std::vector<MadeRow> rows{device("CPU", 200.0, true), device("GPU", 200.0, false), device("NPU", Cell(), true)};
  EXPECT_EQ(bars_in({made_table("devices", rows)}),
            (Texts{"devices: CPU 200 = 200 µs, the whole time: busy busy 1, copy copy 2, sync wait-sync 3, starved "
                   "wait-starved 4, blocked wait-blocked 5, dispatch wait-dispatch 6, fill fill 7, drain fill 8,"}))
      << "one without a cause or without a whole is no bar";
}

TEST(ReportBars, of_steps_are_one_for_each_trace) {
  std::vector<MadeRow> rows;
  double time = 1;
  for (const char* activity : {"kernel", "memory_copy", "communication", "launch", "synchronisation", "data_wait",
                               "host_compute", "compile", "else"})
    rows.push_back({{"file", "a"}, {"spent_on", activity}, {"mean_per_step_us", time++}});
  rows.push_back({{"file", "b"}, {"spent_on", "kernel"}, {"mean_per_step_us", 12.0}});
  rows.push_back({{"file", "b"}, {"spent_on", "launch"}, {"mean_per_step_us", Cell()}});
  EXPECT_EQ(
      bars_in({made_table("breakdown", rows)}),
      (Texts{"ranks: a 45 = 45.0 µs, a mean step: kernel busy 1, memory_copy copy 2, communication comm "
             "3, launch wait-dispatch 4, synchronisation wait-sync 5, data_wait wait-starved 6, host_compute host "
             "7, compile host 8, else other 9,",
             "ranks: b 12 = 12.0 µs, a mean step: kernel busy 12,"}));
}

TEST(ReportBars, of_steps_of_one_trace_are_a_figure_of_their_own) {
  const MadeRow row{{"file", "d/a.json"}, {"spent_on", "kernel"}, {"mean_per_step_us", 12.0}};
  EXPECT_EQ(bars_in({made_table("breakdown", {row})}),
            (Texts{": A mean step of a.json 12 = 12.0 µs, a mean step: kernel busy 12,"}));
}

TEST(ReportBars, of_operators_are_added_up_by_type_and_filled_up_to_the_run) {
  const Table operators = made_table("operators", {{{"type", "Relu"}, {"time_us", 4.0}},
                                                   {{"type", "Conv"}, {"time_us", 3.0}},
                                                   {{"type", "Relu"}, {"time_us", 1.0}},
                                                   {{"type", "Conv"}, {"time_us", 4.5}},
                                                   {{"type", "Add"}, {"time_us", Cell()}}})
                              .table;
  const std::string begin = ": A mean run, by type of operator ", parts = " Conv k1 7.5, Relu k4 5,";
  EXPECT_EQ(text_of(bar_of_operators(operators, std::nullopt)), begin + "12.5 = 12.5 µs, all operators:" + parts);
  EXPECT_EQ(text_of(bar_of_operators(operators, Duration(12.25))), begin + "12.5 = 12.5 µs, all operators:" + parts);
  EXPECT_EQ(text_of(bar_of_operators(operators, Duration(12.5))),
            begin + "12.5 = 12.5 µs, the mean plain run:" + parts + " [unattributed] other 0,");
  EXPECT_EQ(text_of(bar_of_operators(operators, Duration(20.0))),
            begin + "20 = 20.0 µs, the mean plain run:" + parts + " [unattributed] other 7.5,");
}

}  // namespace
}  // namespace takt
