// What stands in which cell of the tables of `takt pipeline interference` and `takt pipeline whatif`.
#include "pipeline/contention/interference.h"
#include "pipeline/contention/single_contention.h"
#include "pipeline/whatif/what_if.h"
#include "table_cells.h"

namespace takt {
namespace {

Nanoseconds us(std::int64_t count) { return std::chrono::microseconds(count); }

/// A pair with everything, and one with nothing but its names.
std::vector<PairRow> two_pairs() {
  std::vector<PairRow> rows(2);
  rows[0].stage = "read", rows[0].beside = "infer", rows[0].stage_number = 0, rows[0].beside_number = 1;
  rows[0].executions = 30, rows[0].overlap = 0.25, rows[0].factor = 1.5, rows[0].low = 1.25, rows[0].high = 1.75;
  rows[0].p_value = 0.125, rows[0].significant = true, rows[0].cause = SlowdownCause::memory;
  rows[1].stage = "infer", rows[1].beside = "read", rows[1].stage_number = 1, rows[1].beside_number = 0;
  rows[1].executions = 40;
  rows[1].predicted = true, rows[1].p_value = 0.5;
  return rows;
}

TEST(Cells, of_pipeline_interference_pairs) {
  std::vector<PairRow> rows = two_pairs();
  for (const auto cause : {SlowdownCause::scheduling, SlowdownCause::device}) {
    rows.push_back(rows[0]);
    rows.back().cause = cause;
  }
  expect_cells(table_named(tables(InterferenceReport{{}, rows}), "pairs"),
               {{"stage", {"read", "infer", "read", "read"}},
                {"beside", {"infer", "read", "infer", "infer"}},
                {"executions", {"30", "", "30", "30"}},
                {"overlap", {"0.25", "", "0.25", "0.25"}},
                {"factor", {"1.5", "", "1.5", "1.5"}},
                {"factor_low", {"1.25", "", "1.25", "1.25"}},
                {"factor_high", {"1.75", "", "1.75", "1.75"}},
                {"p_value", {"0.125", "", "0.125", "0.125"}},
                {"significant", {"yes", "no", "yes", "yes"}},
                {"cause", {"memory", "", "scheduling", "device"}},
                {"source", {"measured", "predicted", "measured", "measured"}}});
}

InterferenceReport two_alone() {
  InterferenceReport report;
  report.alone = {{"read", 30, us(250), 0.125, 0.75}, {"infer", 40, {}, {}, {}}};
  return report;
}

TEST(Cells, of_pipeline_interference_alone) {
  expect_cells(table_named(tables(two_alone()), "alone"), {{"stage", {"read", "infer"}},
                                                           {"executions", {"30", "40"}},
                                                           {"mean_us", {"250", ""}},
                                                           {"drift", {"0.125", ""}},
                                                           {"bandwidth_share", {"0.75", ""}}});
}

SingleReport single_of_one_stage() {
  SingleReport report;
  report.stages = {"read"}, report.resources = {"memory"};
  report.alone = {{"read", 30, us(250), 0.125, {}}};
  report.loaded = {{"read", "memory", 0.5, {1.5, 1.25, 1.75}},
                   {"read", "memory", 1, {2.5, 2.25, 2.75}},
                   {"[load of memory]", "memory", 0.5, {3.5, 3.25, 3.75}},
                   {"[load of memory]", "memory", 1, {4.5, 4.25, 4.75}}};
  report.pressures = {{"read", "memory", {1.125, 1.0625, 1.25}, {0.5, 0.25, 0.75}, 0.375}};
  return report;
}

TEST(Cells, of_pipeline_interference_loaded) {
  expect_cells(table_named(single_tables(single_of_one_stage()), "loaded"),
               {{"stage", {"read", "read", "[load of memory]", "[load of memory]"}},
                {"resource", {"memory", "memory", "memory", "memory"}},
                {"level", {"0.5", "1", "0.5", "1"}},
                {"loaded_factor", {"1.5", "2.5", "3.5", "4.5"}},
                {"loaded_low", {"1.25", "2.25", "3.25", "4.25"}},
                {"loaded_high", {"1.75", "2.75", "3.75", "4.75"}}});
}

TEST(Cells, of_pipeline_interference_pressures) {
  expect_cells(table_named(single_tables(single_of_one_stage()), "pressures"), {{"stage", {"read"}},
                                                                                {"resource", {"memory"}},
                                                                                {"load_lost", {"1.125"}},
                                                                                {"pressure", {"0.5"}},
                                                                                {"pressure_low", {"0.25"}},
                                                                                {"pressure_high", {"0.75"}},
                                                                                {"weaker_share", {"0.375"}}});
}

PredictionCheck two_predictions() {
  return {{{"read", "infer", {1.5, 1.25, 1.75}, 1.2, 0.25}, {"infer", "read", {2.5, 2.25, 2.75}, {}, {}}}, 0.25, 0.25};
}

TEST(Cells, of_pipeline_interference_predictions) {
  expect_cells(predictions_table(two_predictions()), {{"stage", {"read", "infer"}},
                                                      {"beside", {"infer", "read"}},
                                                      {"measured_factor", {"1.2", ""}},
                                                      {"predicted_factor", {"1.5", "2.5"}},
                                                      {"predicted_low", {"1.25", "2.25"}},
                                                      {"predicted_high", {"1.75", "2.75"}},
                                                      {"prediction_error", {"0.25", ""}}});
}

WhatIfRow full_row(std::string variant) {
  WhatIfRow row{std::move(variant), "x0.5", us(900), us(45), us(120), 22.5, "infer", 0.03125, {}};
  row.ranges = {{us(800), us(1000)}, Range<Duration>{us(40), us(50)}, Range<Duration>{us(110), us(130)}};
  return row;
}

WhatIf two_stages() {
  WhatIf result;
  result.stages = {"read", "infer"};
  WhatIfRow bare;
  bare.variant = "before", bare.makespan = us(1100);
  result.summary = {bare, bare, full_row("after")};
  result.summary[1].variant = "replayed", result.summary[1].makespan = us(1200);
  return result;
}

TEST(Cells, of_pipeline_whatif_summary) {
  expect_cells(table_named(tables(two_stages()), "summary"), {{"variant", {"before", "replayed", "after"}},
                                                              {"makespan_us", {"1100", "1200", "900"}},
                                                              {"makespan_low_us", {"", "", "800"}},
                                                              {"makespan_high_us", {"", "", "1000"}},
                                                              {"cycle_us", {"", "", "45"}},
                                                              {"cycle_low_us", {"", "", "40"}},
                                                              {"cycle_high_us", {"", "", "50"}},
                                                              {"throughput_per_s", {"", "", "22.5"}},
                                                              {"latency_us", {"", "", "120"}},
                                                              {"latency_low_us", {"", "", "110"}},
                                                              {"latency_high_us", {"", "", "130"}},
                                                              {"bottleneck", {"", "", "infer"}},
                                                              {"replay_error", {"0", "0", "0.03125"}}});
}

TEST(Cells, of_pipeline_whatif_sweep) {
  WhatIf result = two_stages();
  result.sweep = {full_row("stage.infer.time=x0.5")};
  expect_cells(table_named(tables(result), "sweep"), {{"variant", {"stage.infer.time=x0.5"}},
                                                      {"value", {"x0.5"}},
                                                      {"makespan_us", {"900"}},
                                                      {"makespan_low_us", {"800"}},
                                                      {"makespan_high_us", {"1000"}},
                                                      {"cycle_us", {"45"}},
                                                      {"cycle_low_us", {"40"}},
                                                      {"cycle_high_us", {"50"}},
                                                      {"throughput_per_s", {"22.5"}},
                                                      {"latency_us", {"120"}},
                                                      {"latency_low_us", {"110"}},
                                                      {"latency_high_us", {"130"}},
                                                      {"bottleneck", {"infer"}},
                                                      {"replay_error", {"0.03125"}}});
}

TEST(Cells, of_pipeline_whatif_sensitivity) {
  WhatIf result = two_stages();
  result.sensitivity = {{"read", 22.5, 0.125, us(900)}, {"infer", {}, {}, us(800)}};
  expect_cells(table_named(tables(result), "sensitivity"), {{"stage", {"read", "infer"}},
                                                            {"throughput_per_s", {"22.5", ""}},
                                                            {"gain", {"0.125", ""}},
                                                            {"makespan_us", {"900", "800"}}});
}

TEST(Cells, of_pipeline_whatif_interference) {
  WhatIf result = two_stages();
  result.interference = {{0, 1, 1.5, 1.25, 1.75}};
  expect_cells(table_named(tables(result), "interference"), {{"stage", {"read"}},
                                                             {"beside", {"infer"}},
                                                             {"factor", {"1.5"}},
                                                             {"slowdown_low", {"1.25"}},
                                                             {"slowdown_high", {"1.75"}}});
}

/// Infer runs beside read much more than it did.
WhatIf extrapolated() {
  WhatIf result = two_stages();
  result.extrapolated = {{1, 0, 0.125, 0.75, {1.25, 1.5, 1.75}}};
  return result;
}

TEST(Cells, of_pipeline_whatif_extrapolated) {
  expect_cells(table_named(tables(extrapolated()), "extrapolated"), {{"stage", {"infer"}},
                                                                     {"beside", {"read"}},
                                                                     {"overlap_before", {"0.125"}},
                                                                     {"overlap_after", {"0.75"}},
                                                                     {"slowdown_low", {"1.25"}},
                                                                     {"slowdown_high", {"1.75"}}});
}

TEST(Cells, of_pipeline_whatif_cores) {
  WhatIf result = two_stages();
  result.cores = {4, 5, 6};
  expect_cells(table_named(tables(result), "cores"),
               {{"cores", {"4"}}, {"threads_recorded", {"5"}}, {"threads_predicted", {"6"}}});
}

TEST(Sentences, of_a_what_if_have_its_figures) {
  WhatIf result = extrapolated();
  result.summary[1].replay_error = 0.0625;
  result.summary[0].replay_error = 0.125;
  result.refused_error = 0.375;
  result.cores = {4, 5, 6};
  const std::string text = to_text(result);
  const auto says = [&](const char* words) {
    std::string flat = text;
    for (char& c : flat) c = c == '\n' ? ' ' : c;
    EXPECT_NE(flat.find(words), std::string::npos) << words << "\n" << text;
  };
  says("replaying the unchanged run is off by 12.5 %");
  says("Makespan -25.0 % (90 % prediction interval: -33.3 to -16.7 %).");
  says("This is relative to a replay of the unchanged run, which is off by 6.25 %.");
  says("ignored: with them the replay is off by 37.5 %");
  says("up to 6 on 4 after the change, 5 as recorded");
  says("In the recording infer and read ran concurrently for 12 % of the time; after the change for 75 % of the time:");
  says("slower infer is together is unknown, 1.25 to 1.75 times");
}

// For people a row per stage, a column per stage beside it.
TEST(Sentences, of_stages_beside_each_other_are_a_matrix) {
  InterferenceReport report = two_alone();
  const auto beside = [](double factor, bool significant) {
    PairRow row;
    row.stage = "a", row.beside = "b", row.factor = factor, row.significant = significant;
    return row;
  };
  report.pairs = {beside(1.125, false), beside(1.5, true), beside(2.25, true), beside(3.5, false)};
  report.pairs[3].factor.reset();
  const std::string text = to_text(report, {});
  for (const char* line : {"Stage   Alone  Drift %  read    infer   Bandwidth share",
                           "read   250 µs     12.5  1.12    1.50 *            0.750",
                           "infer       –        –  2.25 *  –                     –"})
    EXPECT_NE(text.find("\n" + std::string(line) + "\n"), std::string::npos) << line << "\nis no line of\n" << text;
}

TEST(Sentences, of_predictions_have_their_figures) {
  PredictionCheck check = two_predictions();
  check.rows[1].measured = 2, check.rows[1].error = 0.5;
  check.mean_error = 0.375, check.largest_error = 0.5;
  EXPECT_NE(to_text(check, {}).find("\nMean error 37.5 %, maximum 50.0 % (infer with read), over 2 pairs.\n"),
            std::string::npos)
      << to_text(check, {});
}

// Its pairs are as far as they are stated beside the figures of single stages.
TEST(Sentences, of_stages_beside_loads_have_the_load_at_full_level) {
  const std::string text = to_text(single_of_one_stage(), {});
  EXPECT_NE(text.find("read   250 µs     12.5  memory       0.500          2.50"), std::string::npos) << text;
}

}  // namespace
}  // namespace takt
