// What stands in which cell of the tables of `takt sweep`, and behind which key of its journals.
#include <nlohmann/json.hpp>

#include "plan/sweep/contention.h"
#include "plan/sweep/contention_journal.h"
#include "plan/sweep/contention_task.h"
#include "plan/sweep/export.h"
#include "plan/sweep/export_journal.h"
#include "plan/sweep/stage_task.h"
#include "plan/sweep/tables.h"
#include "table_cells.h"

namespace takt {
namespace {

using nlohmann::json;

Duration us(double count) { return Duration(count); }

StageRecord bare_record(Network network, StageKey key, StageStatus status = StageStatus::measured) {
  StageRecord record;
  record.network = network, record.row.key = std::move(key), record.row.status = status;
  return record;
}

StageRecord full_record(Network network, StageKey key, double base_us) {
  StageRecord record = bare_record(network, std::move(key));
  record.row.runtime = "openvino", record.row.device = "GPU.1", record.row.precision = "f16";
  record.row.times =
      StageTimes{us(base_us), us(base_us - 20), us(base_us + 30), us(7), us(base_us + 1), us(base_us + 9), {}};
  return record;
}

StageRecord unmeasured(Network network, StageKey key, StageStatus status, const char* reason) {
  StageRecord record = bare_record(network, std::move(key), status);
  record.row.reason = reason;
  return record;
}

/// On the GPU two sizes of stage 3, the second measured twice as slow by another runtime; on the NPU one refused, two
/// failed, and nothing measured.
SweepRecords small_sweep() {
  SweepRecords sweep;
  StageRecord full = full_record(Network::sage, {10, 20, "GPU", 3, 3}, 100);
  full.row.inputs_copy = StageCopy{1000, us(11)}, full.row.outputs_copy = StageCopy{2000, us(12)};
  StageRecord bare = bare_record(Network::sage, {30, 40, "GPU", 3, 3});
  bare.row.runtime = "onnxruntime", bare.row.device = "GPU";
  bare.row.times = StageTimes{us(200), us(180), us(230), {}, {}, {}, {}};
  sweep.records = {full,
                   bare,
                   full_record(Network::sage, {30, 40, "GPU", 1, 4}, 300),
                   unmeasured(Network::gat, {10, 20, "NPU", 4, 4}, StageStatus::failed, "no memory"),
                   unmeasured(Network::gat, {30, 40, "NPU", 4, 4}, StageStatus::failed, "no power"),
                   unmeasured(Network::gat, {30, 40, "NPU", 2, 2}, StageStatus::unsupported, "no scatter")};
  return sweep;
}

TEST(Cells, of_sweep_summary) {
  expect_cells(table_named(sweep_tables(small_sweep()), "summary"), {{"network", {"GraphSAGE", "GAT"}},
                                                                     {"unit", {"GPU", "NPU"}},
                                                                     {"ran_on", {"GPU+GPU.1", ""}},
                                                                     {"ran_by", {"onnxruntime+openvino", ""}},
                                                                     {"sweep_rows", {"3", "3"}},
                                                                     {"measured", {"3", "0"}},
                                                                     {"unsupported", {"0", "1"}},
                                                                     {"failed", {"0", "2"}}});
}

// The stage's median where the row has one, else its mean.
TEST(Cells, of_sweep_stages) {
  expect_cells(table_named(sweep_tables(small_sweep()), "stages"),
               {{"network", {"GraphSAGE", "GraphSAGE", "GAT", "GAT"}},
                {"stage_number", {"1-4", "3", "2", "4"}},
                {"stage_work", {"GATHER to REDUCE_COUNT", "REDUCE_SUM", "GATHER_BOTH", "ATTENTION_SOFTMAX"}},
                {"unit", {"GPU", "GPU", "NPU", "NPU"}},
                {"measured", {"1", "2", "0", "0"}},
                {"least_median_us", {"301", "101", "", ""}},
                {"most_median_us", {"301", "200", "", ""}},
                {"reason", {"", "", "no scatter", "no memory"}}});
}

TEST(Cells, of_sweep_measurements) {
  expect_cells(table_named(sweep_tables(small_sweep()), "measurements"),
               {{"network", {"GraphSAGE", "GraphSAGE", "GraphSAGE", "GAT", "GAT", "GAT"}},
                {"stage_number", {"1-4", "3", "3", "2", "4", "4"}},
                {"unit", {"GPU", "GPU", "GPU", "NPU", "NPU", "NPU"}},
                {"graph_nodes", {"30", "10", "30", "30", "10", "30"}},
                {"graph_edges", {"40", "20", "40", "40", "20", "40"}},
                {"row_status", {"measured", "measured", "measured", "unsupported", "failed", "failed"}},
                {"median_us", {"301", "101", "", "", "", ""}},
                {"mean_us", {"300", "100", "200", "", "", ""}},
                {"stddev_us", {"7", "7", "", "", "", ""}},
                {"min_us", {"280", "80", "180", "", "", ""}},
                {"p90_us", {"309", "109", "", "", "", ""}},
                {"max_us", {"330", "130", "230", "", "", ""}},
                {"inputs_copy_us", {"", "11", "", "", "", ""}},
                {"outputs_copy_us", {"", "12", "", "", "", ""}},
                {"runtime", {"openvino", "openvino", "onnxruntime", "", "", ""}},
                {"device", {"GPU.1", "GPU.1", "GPU", "", "", ""}},
                {"reason", {"", "", "", "no scatter", "no memory", "no power"}}});
}

ExportedModel exported(StageRange stage, const char* device, std::optional<GraphSize> size, bool is_new, bool has_ir) {
  ExportedModel model;
  model.what.stage = stage, model.what.device = device, model.what.settings.size = size;
  if (size) model.what.settings.precision = ElementType::f16;
  model.onnx = "onnx_models/" + to_string(stage) + ".onnx", model.is_new = is_new;
  if (has_ir) model.ir = "ir_models/" + to_string(stage) + ".xml";
  return model;
}

std::vector<ExportedModel> some_exports() {
  return {exported({Network::sage, 3, 3}, "NPU", GraphSize{10, 20}, true, false),
          exported({Network::sage, 1, 4}, "NPU", GraphSize{30, 40}, false, false),
          exported({Network::sage, 1, 2}, "NPU", GraphSize{30, 40}, true, true),
          exported({Network::gat, 4, 4}, "GPU", {}, false, true)};
}

TEST(Cells, of_sweep_exports) {
  expect_cells(table_named(export_tables(some_exports()), "exports"), {{"network", {"GraphSAGE", "GAT"}},
                                                                       {"made_for", {"NPU", "GPU"}},
                                                                       {"model_type", {"f16", "f32"}},
                                                                       {"exported", {"3", "1"}},
                                                                       {"written", {"2", "0"}},
                                                                       {"with_ir", {"1", "1"}}});
}

TEST(Cells, of_sweep_models) {
  expect_cells(table_named(export_tables(some_exports()), "models"),
               {{"network", {"GraphSAGE", "GraphSAGE", "GraphSAGE", "GAT"}},
                {"stage_number", {"3", "1-4", "1-2", "4"}},
                {"stage_work", {"REDUCE_SUM", "GATHER to REDUCE_COUNT", "GATHER to MESSAGE", "ATTENTION_SOFTMAX"}},
                {"made_for", {"NPU", "NPU", "NPU", "GPU"}},
                {"model_type", {"f16", "f16", "f16", "f32"}},
                {"nodes", {"10", "30", "30", ""}},
                {"edges", {"20", "40", "40", ""}},
                {"onnx_file",
                 {"onnx_models/sage_stage3.onnx", "onnx_models/sage_stages1-4.onnx", "onnx_models/sage_stages1-2.onnx",
                  "onnx_models/gat_stage4.onnx"}},
                {"ir_file", {"", "", "ir_models/sage_stages1-2.xml", "ir_models/gat_stage4.xml"}},
                {"is_new", {"yes", "no", "yes", "no"}}});
}

TEST(Keys, of_a_sweep_s_journal_have_their_values) {
  SweepConfiguration configuration;
  configuration.features = 11, configuration.warmup = 12, configuration.iterations = 13;
  configuration.graph = {"skewed", 14}, configuration.machine = "a machine", configuration.rounds = 15;
  configuration.timing = 16;
  EXPECT_EQ(json::parse(to_json(configuration)), json::parse(R"({
    "takt_sweep": 1, "features": 11, "warmup": 12, "iterations": 13, "graph": "skewed", "seed": 14,
    "machine": "a machine", "rounds": 15, "timing": 16})"));

  StageRecord record = full_record(Network::gcn, {21, 22, "GPU", 2, 4}, 100);
  record.asked = "GPU", record.round = 5, record.row.times = times_of({Nanoseconds(31), Nanoseconds(33)});
  record.row.inputs_copy = StageCopy{41, us(42)}, record.row.outputs_copy = StageCopy{43, us(44)};
  EXPECT_EQ(json::parse(to_json(record)), json::parse(R"({
    "network": "gcn", "key": "21,22,GPU,2-4", "asked": "GPU", "status": "measured", "reason": "", "runtime": "openvino",
    "device": "GPU.1", "precision": "f16", "samples_ns": [31, 33], "inputs_copy": {"bytes": 41, "median_us": 42.0},
    "outputs_copy": {"bytes": 43, "median_us": 44.0}, "round": 5})"));
  StageRecord none = unmeasured(Network::gat, {1, 2, "NPU", 4, 4}, StageStatus::unsupported, "no scatter");
  none.asked = "sim:NPU";
  EXPECT_EQ(json::parse(to_json(none)), json::parse(R"({
    "network": "gat", "key": "1,2,NPU,4", "asked": "sim:NPU", "status": "unsupported", "reason": "no scatter",
    "runtime": "", "device": "", "precision": "", "samples_ns": [], "inputs_copy": null, "outputs_copy": null})"));
}

TEST(Keys, of_a_task_of_a_sweep_have_their_values) {
  StageTask task;
  task.stage = {Network::gcn, 2, 4}, task.unit = "NPU", task.device = "sim:NPU", task.runtimes = {"sim", "openvino"};
  task.folder = "out", task.features = 11, task.warmup = 12, task.iterations = 13, task.graph = {"skewed", 14};
  task.sizes = {{21, 22}, {23, 24}}, task.parent = 31;
  EXPECT_EQ(json::parse(to_json(task)), json::parse(R"({
    "network": "gcn", "first": 2, "last": 4, "unit": "NPU", "device": "sim:NPU", "runtimes": ["sim", "openvino"],
    "folder": "out", "features": 11, "warmup": 12, "iterations": 13, "graph": "skewed", "seed": 14,
    "sizes": [{"nodes": 21, "edges": 22}, {"nodes": 23, "edges": 24}], "parent": 31})"));
}

TEST(Keys, of_a_task_of_contention_have_their_values) {
  ContentionTask task;
  task.unit = "NPU", task.device = "sim:NPU", task.runtime = "openvino", task.sharing = {"sim:CPU", "sim:NPU"};
  task.folder = "out", task.features = 11, task.size = {21, 22}, task.graph = {"power-law", 14};
  task.stages = {{{Network::gcn, 2, 4}, 32}}, task.levels = 7, task.rounds = 8, task.limit = Nanoseconds(9),
  task.parent = 31;
  EXPECT_EQ(json::parse(to_json(task)), json::parse(R"({
    "unit": "NPU", "device": "sim:NPU", "runtime": "openvino", "sharing": ["sim:CPU", "sim:NPU"], "folder": "out",
    "features": 11, "nodes": 21, "edges": 22, "graph": "power-law", "seed": 14,
    "stages": [{"network": "gcn", "first": 2, "last": 4, "batches": 32}], "levels": 7, "rounds": 8, "limit_ns": 9,
    "parent": 31})"));
}

TEST(Keys, of_a_journal_of_contention_have_their_values) {
  ContentionConfiguration configuration;
  configuration.network = Network::gcn, configuration.features = 11, configuration.graph = {"skewed", 14};
  configuration.machine = "a machine", configuration.resources = {"memory", "cache"}, configuration.levels = 7;
  configuration.rounds = 8, configuration.size = {21, 22};
  EXPECT_EQ(json::parse(to_json(configuration)), json::parse(R"({
    "takt_contention": 1, "network": "gcn", "features": 11, "graph": "skewed", "seed": 14, "machine": "a machine",
    "resources": ["memory", "cache"], "levels": 7, "rounds": 8, "nodes": 21, "edges": 22})"));
}

TEST(Keys, of_a_line_of_contention_have_their_values) {
  ContentionRecord record{"GPU[2-4]", "GPU.1", "", {}};
  record.rounds.push_back({{12.5}, {{{{{1.25, 1.5}, {1.75, 2}}, 2.25, {2.5, 2.75}}}, {{{{3, 4}}, 5, {}}}}});
  EXPECT_EQ(json::parse(to_json(record)), json::parse(R"({
    "block": "GPU[2-4]", "asked": "GPU.1", "reason": "",
    "rounds": [{"alone_ns": [12.5],
                "stages": [{"slow_downs": [[1.25, 1.5], [1.75, 2.0]], "mixed": 2.25, "load_lost": [2.5, 2.75]}],
                "loads": [{"slow_downs": [[3.0, 4.0]], "mixed": 5.0, "load_lost": []}]}]})"));
}

TEST(Keys, of_a_file_of_contention_have_their_values) {
  MeasuredContention measured;
  measured.size = {21, 22};
  measured.report.rounds = 4;
  measured.report.alone = {{"CPU[1]", 30, us(250), 0.125, {}}};
  measured.report.pressures = {{"CPU[1]", "memory", {1.125, 1, 1}, {0.5, 0.25, 0.75}, 0.375}};
  measured.report.pairs.resize(1);
  measured.report.pairs[0].stage = "CPU[1]", measured.report.pairs[0].beside = "GPU[2]";
  measured.report.pairs[0].factor = 1.5, measured.report.pairs[0].predicted = true;
  measured.report.loaded = {{"CPU[1]", "memory", 1, {2.5, 2.25, 2.75}}};
  const json file = json::parse(contention_json(measured, {}));
  EXPECT_EQ(file["takt"]["settings"],
            json::parse(R"({"nodes": "21", "edges": "22", "rounds": "4", "pairs": "predicted"})"));
  EXPECT_EQ(file["tables"]["pairs"][0]["stage"], "CPU[1]");
  EXPECT_EQ(file["tables"]["pairs"][0]["factor"], 1.5);
  EXPECT_EQ(file["tables"]["alone"][0]["mean_us"], 250);
  EXPECT_EQ(file["tables"]["loaded"][0]["loaded_factor"], 2.5);
  EXPECT_EQ(file["tables"]["pressures"][0]["pressure"], 0.5);
}

TEST(Keys, of_a_journal_of_exports_have_their_values) {
  EXPECT_EQ(json::parse(export_line("sage_stage3_cpu", {"2026.1", {{"a.onnx", "12"}, {"a.xml", "34"}}})),
            json::parse(R"({"model": "sage_stage3_cpu", "openvino": "2026.1",
                            "files": {"a.onnx": "12", "a.xml": "34"}})"));
}

}  // namespace
}  // namespace takt
