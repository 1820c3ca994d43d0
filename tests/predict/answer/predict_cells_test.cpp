// What stands in which cell of the tables of `takt collect`, `fit`, `predict` and `evaluate`, in which column of a
// dataset, and behind which key of predictors and journals.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/table/csv.h"
#include "predict/answer/loaded_prediction.h"
#include "predict/answer/predict_words.h"
#include "predict/answer/predicted_trace.h"
#include "predict/answer/predictor_file.h"
#include "predict/answer/tables.h"
#include "predict/collect/journal.h"
#include "table_cells.h"

namespace takt {
namespace {

using nlohmann::json;

TEST(Cells, of_collect_collected) {
  const CollectedRow full{"a.onnx", "memory 60% x 2", 3, 4, 5, 1.5, 0.125, 6, ""};
  const CollectedRow none{"b.onnx", "", 0, 1, 2, {}, {}, 0, "it crashed"};
  expect_cells(table_named(collect_tables({full, none}), "collected"), {{"model", {"a.onnx", "b.onnx"}},
                                                                        {"collect_load", {"memory 60% x 2", ""}},
                                                                        {"model_kernels", {"6", ""}},
                                                                        {"rounds_measured", {"3", "0"}},
                                                                        {"rounds_disturbed", {"4", "1"}},
                                                                        {"rounds_failed", {"5", "2"}},
                                                                        {"measured_ms", {"1.5", ""}},
                                                                        {"noise_percent", {"12.5", ""}},
                                                                        {"collect_problem", {"", "it crashed"}}});
}

/// All figures differ.
ErrorRow error_row() {
  return {"family", "kernel", "boosting", {7, 0.125, -0.25, 0.5, 0.625, 0.75, 0.875, 0.0625}, 0.03125};
}

/// Leaves are 10, 20 and 30.
std::string one_tree_json() {
  return R"({"learner": {"objective": {"name": "reg:squarederror"}, "learner_model_param": {"base_score": "5E-1"},
    "gradient_booster": {"name": "gbtree", "model": {"trees": [{"left_children": [1, -1, 3, -1, -1],
      "right_children": [2, -1, 4, -1, -1], "split_indices": [0, 0, 1, 0, 0], "split_conditions": [2, 10, 4, 20, 30],
      "default_left": [1, 0, 0, 0, 0]}]}}}})";
}

/// Of a group that is told three features.
Predictor small_predictor() {
  Predictor predictor;
  predictor.machine = "a machine", predictor.runtime = "onnxruntime", predictor.runtime_version = "1.31";
  predictor.device = "GPU", predictor.threads = 2, predictor.trees = RatioTrees({3e9, 4e9}, 0.5);
  RatioTrees::Group group;
  group.bases = {"Conv"}, group.rows = 11, group.trees_json = one_tree_json();
  group.features = {{"flops", "FLOP", "integer", 12.0f, 13.0f},
                    {"sfu_ops", "1", "real", {}, {}},
                    {"input_bytes", "bytes", "yes/no", 14.0f, 15.0f}};
  predictor.trees.add(KernelGroup::conv, group, "test");
  predictor.trees.correct(KernelGroup::conv, {0.25, 0.5, 0.75});
  predictor.kernel_width[KernelGroup::conv] = 0.375;
  predictor.known.add("id_1", {16, 17, 18});
  predictor.overhead.fixed_us = 19, predictor.overhead.per_kernel_us = 20;
  predictor.overhead.launching = Launching{21, 22, {23, 24, 25, 26, 27, 28}, 0.625};
  predictor.load_laws = {LoadLaw("probe", {{"cpu_busy_share", 0.1, 0.2, 0.3, 0.4, 0.5}}, {{1.5, 0.6}, {3, 0.7}})};
  predictor.measured_width = 0.8, predictor.model_width = 0.9;
  predictor.models = 31, predictor.architectures = 32, predictor.kernels = 33, predictor.is_width_certain = true;
  predictor.errors = {error_row()};
  return predictor;
}

TEST(Cells, of_fit_errors) {
  Predictor predictor = small_predictor();
  ErrorRow bare = error_row();
  bare.split = "zoo", bare.level = "model", bare.method = "takt";
  bare.figures.coverage.reset(), bare.figures.width.reset(), bare.noise.reset();
  predictor.errors.push_back(bare);
  expect_cells(table_named(fit_tables(predictor, {}), "errors"), {{"split", {"family", "zoo"}},
                                                                  {"error_level", {"kernel", "model"}},
                                                                  {"method", {"boosting", "takt"}},
                                                                  {"predictions", {"7", "7"}},
                                                                  {"mape", {"12.5", "12.5"}},
                                                                  {"bias_percent", {"-25", "-25"}},
                                                                  {"within_5", {"50", "50"}},
                                                                  {"within_10", {"62.5", "62.5"}},
                                                                  {"within_15", {"75", "75"}},
                                                                  {"coverage_percent", {"87.5", ""}},
                                                                  {"interval_percent", {"6.25", ""}},
                                                                  {"noise_floor_percent", {"3.125", ""}}});
}

// Only kernels of the group count, the first five of them; what does not apply to one is missing.
TEST(Cells, of_fit_features) {
  Dataset dataset;
  dataset.models = {model("a", "f"), model("b", "f")};
  const auto add = [](CollectedModel& to, KernelGroup group, double flops, double bytes) {
    to.kernels.push_back({kernel("Conv", group, flops, bytes), "n", 1, {}});
  };
  add(dataset.models[0], KernelGroup::conv, 100, 101), add(dataset.models[0], KernelGroup::other, 999, 998);
  add(dataset.models[0], KernelGroup::conv, 110, 111);
  for (int i = 2; i < 6; ++i) add(dataset.models[1], KernelGroup::conv, 100 + 10 * i, 101 + 10 * i);
  expect_cells(table_named(fit_tables(small_predictor(), dataset), "features"),
               {{"kernel_group", {"conv", "conv", "conv"}},
                {"kernel_feature", {"flops", "sfu_ops", "input_bytes"}},
                {"feature_type", {"integer", "real", "yes/no"}},
                {"feature_unit", {"FLOP", "1", "bytes"}},
                {"feature_low", {"12", "", "14"}},
                {"feature_high", {"13", "", "15"}},
                {"row_1", {"100", "", "101"}},
                {"row_2", {"110", "", "111"}},
                {"row_3", {"120", "", "121"}},
                {"row_4", {"130", "", "131"}},
                {"row_5", {"140", "", "141"}}});
}

PredictedModel predicted(const char* name) {
  PredictedModel model;
  model.model = std::string("dir/") + name, model.facts.model = name;
  const Tier tiers[] = {Tier::measured, Tier::trained, Tier::roofline};
  for (int i = 0; i < 3; ++i) {
    model.facts.names.push_back("node" + std::to_string(i));
    model.facts.kernels.push_back(kernel("Op" + std::to_string(i), KernelGroup::conv, 100 + i, 10));
    model.facts.kernels.back().id = "id_" + std::to_string(i);
  }
  for (int i = 0; i < 3; ++i)
    model.prediction.kernels.push_back({tiers[i], i == 2 ? 5.0 : 2.0 + i, 1.0 + i / 4.0, 6.0 + i, 90, i == 1});
  model.prediction.overhead_us = 3;
  model.prediction.us = 13, model.prediction.low_us = 11, model.prediction.high_us = 17, model.took = Duration(250);
  return model;
}

TEST(Cells, of_predict_summary) {
  PredictedModel beside = predicted("a.onnx"), unknown = predicted("b.onnx"), quiet = predicted("c.onnx");
  beside.prediction.load = LoadShare{1.5, "probe", false}, unknown.prediction.load = LoadShare{2.5, "", false};
  beside.predictor = "cpu", beside.machine_factor = 2.25, unknown.predictor = "dir/predictor", quiet.predictor = "h100";
  quiet.busy_factor = 1.75;
  unknown.prediction.high_us = std::numeric_limits<double>::infinity();
  expect_cells(table_named(predict_tables({beside, unknown, quiet}), "summary"),
               {{"model", {"dir/a.onnx", "dir/b.onnx", "dir/c.onnx"}},
                {"predicted_ms", {"0.013", "0.013", "0.013"}},
                {"low_ms", {"0.011", "0.011", "0.011"}},
                {"high_ms", {"0.017", "", "0.017"}},
                {"model_kernels", {"3", "3", "3"}},
                {"measured_percent", {"20", "20", "20"}},
                {"trained_percent", {"30", "30", "30"}},
                {"roofline_percent", {"50", "50", "50"}},
                {"overhead_ms", {"0.003", "0.003", "0.003"}},
                {"load_factor", {"1.5", "", ""}},
                {"load_from", {"probe", "not known", ""}},
                {"predictor", {"cpu", "dir/predictor", "h100"}},
                {"machine_factor", {"2.25", "", ""}},
                {"busy_factor", {"", "", "1.75"}},
                {"prediction_us", {"250", "250", "250"}}});
}

TEST(Cells, of_predict_kernels) {
  expect_cells(table_named(predict_tables({predicted("a.onnx")}), "kernels"),
               {{"kernel_number", {"1", "2", "3"}},
                {"kernel_name", {"Op0", "Op1", "Op2"}},
                {"tier", {"measured", "trained", "roofline"}},
                {"predicted_us", {"2", "3", "5"}},
                {"predicted_low_us", {"1", "1.25", "1.5"}},
                {"predicted_high_us", {"6", "7", "8"}},
                {"beyond", {"", "yes", ""}},
                {"kernel_node", {"node0", "node1", "node2"}},
                {"kernel_record", {"id_0", "id_1", "id_2"}},
                {"model", {"dir/a.onnx", "dir/a.onnx", "dir/a.onnx"}}});
}

EvaluatedModel evaluated(const char* name, double measured_us, double us, double low_us, double high_us) {
  EvaluatedModel model;
  model.model = name, model.measured_us = measured_us;
  model.prediction.emplace();
  model.prediction->us = us, model.prediction->low_us = low_us, model.prediction->high_us = high_us;
  return model;
}

/// Off by 4, 9, -14 and 50 %; all inside of intervals whose halves are 15/104, 15/109, 25/86 and 55/150 wide.
std::vector<EvaluatedModel> four_evaluated() {
  std::vector<EvaluatedModel> models{evaluated("a", 100, 104, 90, 120), evaluated("b", 100, 109, 95, 125),
                                     evaluated("c", 100, 86, 60, 110), evaluated("d", 100, 150, 90, 200)};
  models[0].noise = 0.0625, models[0].round = 2, models[0].interval_runs = 30;
  models[0].prediction->load = LoadShare{1.5, "probe", false}, models[1].prediction->load = LoadShare{2.5, "", false};
  return models;
}

TEST(Cells, of_evaluate_summary) {
  expect_cells(table_named(evaluate_tables(four_evaluated()), "summary"), {{"evaluated_models", {"4"}},
                                                                           {"mape", {"19.25"}},
                                                                           {"bias_percent", {"12.25"}},
                                                                           {"within_5", {"25"}},
                                                                           {"within_10", {"50"}},
                                                                           {"within_15", {"75"}},
                                                                           {"coverage_percent", {"100"}},
                                                                           {"interval_percent", {"21.746422182468695"}},
                                                                           {"noise_floor_percent", {"6.25"}}});
}

TEST(Cells, of_evaluate_models) {
  auto models = four_evaluated();
  models.resize(2);
  models.push_back(evaluated("e", 400, 200, 100, 399));
  models.push_back({});
  models[3].model = "f", models[3].problem = "is no model";
  expect_cells(table_named(evaluate_tables(models), "models"), {{"model", {"a", "b", "e", "f"}},
                                                                {"measured_ms", {"0.1", "0.1", "0.4", ""}},
                                                                {"predicted_ms", {"0.104", "0.109", "0.2", ""}},
                                                                {"low_ms", {"0.09", "0.095", "0.1", ""}},
                                                                {"high_ms", {"0.12", "0.125", "0.399", ""}},
                                                                {"error_percent", {"4", "9", "-50", ""}},
                                                                {"inside", {"yes", "yes", "no", ""}},
                                                                {"noise_percent", {"6.25", "", "", ""}},
                                                                {"evaluate_round", {"2", "", "", ""}},
                                                                {"interval_runs", {"30", "", "", ""}},
                                                                {"load_factor", {"1.5", "", "", ""}},
                                                                {"load_from", {"probe", "not known", "", ""}},
                                                                {"evaluate_problem", {"", "", "", "is no model"}}});
}

TEST(Cells, of_evaluate_groups) {
  std::vector<EvaluatedModel> models(2);
  models[0].kernels = {{KernelGroup::pool, 10, 12}, {KernelGroup::conv, 50, 40}};
  models[1].kernels = {{KernelGroup::conv, 20, 21}, {KernelGroup::other, 0, 5}};
  expect_cells(table_named(evaluate_tables(models), "groups"), {{"kernel_group", {"conv", "pool"}},
                                                                {"group_kernels", {"2", "1"}},
                                                                {"group_measured_us", {"70", "10"}},
                                                                {"group_predicted_us", {"61", "12"}},
                                                                {"group_share_percent", {"87.5", "12.5"}},
                                                                {"mape", {"12.5", "20"}},
                                                                {"bias_percent", {"-7.5", "20"}},
                                                                {"within_15", {"50", "0"}}});
}

TEST(PredictTables, the_load_that_was_read_is_a_table_of_its_own) {
  LoadSnapshot load;
  load.readings.push_back(reading_of("cpu_busy_share", "host", "host"));
  EXPECT_EQ(predict_tables({predicted("a.onnx")}).size(), 2u);
  const Table read = table_named(predict_tables({predicted("a.onnx")}, &load), "load");
  ASSERT_EQ(read.rows.size(), 1u);
  EXPECT_EQ(read.rows[0][0], Cell(std::string("cpu_busy_share")));
}

TEST(Sentences, of_a_law_of_loads_have_its_figures) {
  const LoadLaw law("probe", {{"probe_wait_ratio", 1.25, 0.5, -0.75, 0, 1}, {"steal", 0.02, -0.25, 2, 0, 1}}, {{1, 1}});
  EXPECT_EQ(sentence_of(law),
            "probe: probe_wait_ratio 0.50-0.75·memory (1.25 when idle), steal -0.25+2.00·memory (0.02 when idle)");
}

TEST(Keys, of_a_predictor_have_their_values) {
  json file = json::parse(predictor_json(small_predictor(), {}));
  file.erase("takt");
  EXPECT_EQ(file["groups"][0]["boosting"].get<std::string>().size(), 16u);
  file["groups"][0].erase("boosting");
  EXPECT_EQ(file, json::parse(R"({
    "takt_predictor": 3, "machine": "a machine", "runtime": "onnxruntime", "runtime_version": "1.31", "device": "GPU",
    "threads": 2, "flops_per_s": 3e9, "bytes_per_s": 4e9, "least_kernel_us": 0.5, "overhead_us": 19.0,
    "overhead_per_kernel_us": 20.0,
    "launching": {"fixed_us": 21.0, "us_per_byte": 22.0, "share_of_work": 0.625,
                  "launch_us": {"renaming": 23.0, "conv": 24.0, "depthwise": 25.0, "product": 26.0, "pool": 27.0,
                                "other": 28.0}},
    "models": 31, "architectures": 32, "kernels": 33, "measured_width": 0.8, "model_width": 0.9,
    "is_width_certain": true,
    "groups": [{"group": "conv", "rows": 11, "width": 0.375, "words": [], "bases": ["Conv"],
                "features": [{"name": "flops", "unit": "FLOP", "type": "integer", "low": 12.0, "high": 13.0},
                             {"name": "sfu_ops", "unit": "1", "type": "real", "low": null, "high": null},
                             {"name": "input_bytes", "unit": "bytes", "type": "yes/no", "low": 14.0, "high": 15.0}],
                "correction": [0.25, 0.5, 0.75]}],
    "load_laws": [{"kind": "probe", "terms": [{"feature": "cpu_busy_share", "quiet": 0.1, "weight": 0.2,
                   "by_memory": 0.3, "low": 0.4, "high": 0.5}], "widths": [[1.5, 0.6], [3.0, 0.7]]}],
    "errors": [{"split": "family", "level": "kernel", "method": "boosting", "count": 7, "mape": 0.125, "bias": -0.25,
                "within_5": 0.5, "within_10": 0.625, "within_15": 0.75, "coverage": 0.875, "width": 0.0625,
                "noise": 0.03125}],
    "known": [["id_1", 16.0, 17.0, 18.0]]})"));
}

/// Features are 1000, 1001 and so on.
CollectedModel full_model() {
  CollectedModel made = model("a", "resnet");
  made.architecture = "resnet18", made.runtime_version = "1.31", made.takt_version = "0.9", made.measured_at = "today";
  made.constants = {3e9, 4e9}, made.rounds = 5, made.latency_ms = 6.5, made.noise = 0.07, made.io_bytes = 8;
  made.load.asked = {"memory", 0.6, 2}, made.load.others_busy = 0.11, made.load.run_delay = 0.12;
  made.load.steal = 0.13, made.load.canary = 0.14;
  double value = 0.2;
  for (const std::string_view name : seen_load_features()) made.load.seen.emplace(name, value += 0.01);
  CollectedKernel one{kernel("Conv_Relu", KernelGroup::depthwise, 1, 2), "node", 0.5, 0.03};
  one.facts.id = "id_1", one.facts.layout = "nchwc", one.facts.number_type = "float16", one.facts.input_shape = "1x2x3";
  for (std::size_t i = 0; i < feature_count; ++i) one.facts.features[i] = 1000 + static_cast<double>(i);
  made.kernels = {one};
  return made;
}

TEST(Keys, of_a_dataset_have_their_values) {
  Dataset dataset;
  dataset.models = {full_model()};
  const auto rows = parse_csv(dataset_csv(dataset), "dataset");
  ASSERT_EQ(rows.size(), 2u);
  std::string text;
  for (std::size_t i = 0; i < rows[0].cells.size(); ++i) text += rows[0].cells[i] + " " + rows[1].cells[i] + "\n";
  EXPECT_EQ(text,
            "Kernel_ID id_1\nOpType Conv_Relu\nInput_Shape 1x2x3\nstress 0.6\nstress_kind memory\nstress_threads 2\n"
            "others_busy 0.11\nrun_delay 0.12\nsteal 0.13\ncanary 0.14\nprobe_wait_ratio 0.21000000000000002\n"
            "probe_fair_wait_ratio 0.22000000000000003\nprobe_compute_flops 0.23000000000000004\n"
            "probe_memory_bytes_per_s 0.24000000000000005\ncpu_busy_share 0.25000000000000006\n"
            "cpu_pressure_share 0.26000000000000006\nrun_delay_share 0.2700000000000001\n"
            "gpu_sm_active_share 0.2800000000000001\ngpu_dram_active_share 0.2900000000000001\n"
            "gpu_sm_clock_hertz 0.3000000000000001\nLatency_ms 0.5\nlatency_noise 0.03\nmodel a.onnx\n"
            "architecture resnet18\nfamily resnet\nmodel_latency_ms 6.5\nmodel_noise 0.07\nmodel_io_bytes 8\nrounds 5\n"
            "kernel node\nlayout nchwc\nnumber_type float16\nkernel_group depthwise\nruntime onnxruntime\n"
            "runtime_version 1.31\ndevice CPU\nmachine a machine\ntakt_version 0.9\nmeasured_at today\n"
            "peak_flops_per_s 3000000000\npeak_bytes_per_s 4000000000\n"
            "flops 1000\nsfu_ops 1001\ninput_bytes 1002\noutput_bytes 1003\nweight_bytes 1004\nelement_bits 1005\n"
            "batch 1006\nchannels_in 1007\nheight_in 1008\nwidth_in 1009\nchannels_out 1010\nheight_out 1011\n"
            "width_out 1012\nwindow_height 1013\nwindow_width 1014\nstride 1015\ndilation 1016\ngroups 1017\n"
            "padding 1018\nmatrices 1019\nrows 1020\ninner 1021\ncolumns 1022\naxis_size 1023\nrun_length 1024\n"
            "inputs 1025\nbroadcast 1026\nmodel_weight_bytes 1027\nmodel_activation_bytes 1028\nreuse_bytes 1029\n"
            "threads 1030\n");
}

TEST(Keys, of_a_journal_of_a_collection_have_their_values) {
  EXPECT_EQ(json::parse(to_json(CollectConfiguration{"a machine", "onnxruntime", "GPU", 2, 3, 4, {5, 6}})),
            json::parse(R"({"takt_collect": 1, "machine": "a machine", "runtime": "onnxruntime", "device": "GPU",
              "threads": 2, "time_us": 3.0, "loaded_time_us": 4.0, "flops_per_s": 5.0, "bytes_per_s": 6.0})"));
  const CollectedModel model = full_model();
  CollectRecord record{"a.onnx", 7, CollectStatus::disturbed, "why",      "resnet18", "resnet", "1.31", "0.9", "today",
                       8,        9, CanaryTimes{10, 11},      model.load, {}};
  record.kernels = {{model.kernels[0].facts, "node", 12}};
  record.kernels[0].facts.features = {13, std::numeric_limits<double>::quiet_NaN(), 14};
  record.load.seen = {{"cpu_busy_share", 0.25}};
  EXPECT_EQ(json::parse(to_json(record)), json::parse(R"({
    "model": "a.onnx", "round": 7, "status": "disturbed", "reason": "why", "architecture": "resnet18",
    "family": "resnet", "runtime_version": "1.31", "takt_version": "0.9", "measured_at": "today", "latency_us": 8.0,
    "io_bytes": 9.0, "canary_us": [10.0, 11.0], "others_busy": 0.11, "run_delay": 0.12, "steal": 0.13,
    "stress": {"kind": "memory", "level": 0.6, "threads": 2}, "seen": {"cpu_busy_share": 0.25},
    "kernels": [["node", 12.0, "id_1", "Conv_Relu", "nchwc", "float16", "1x2x3", "depthwise", [13.0, null, 14.0]]]})"));
}

TEST(Keys, of_a_task_of_a_collection_have_their_values) {
  EXPECT_EQ(json::parse(to_json(CollectTask{"dir/a.onnx", "openvino", "GPU", 2, Duration(3), false, 4, 5, 6, true})),
            json::parse(R"({"model": "dir/a.onnx", "runtime": "openvino", "device": "GPU", "threads": 2, "time_us": 3.0,
              "with_kernels": false, "seed": 4, "round": 5, "parent": 6, "waits": true})"));
}

TEST(Keys, of_a_predicted_trace_have_their_values) {
  const Trace trace = predicted_trace({predicted("a.onnx")});
  ASSERT_EQ(trace.events().size(), 4u);
  std::string told;
  for (const TraceArg arg : trace.args(trace.events()[1])) {
    const auto* text = std::get_if<StringId>(&arg.value);
    told += fmt::format("{} {} ", trace.text(arg.key),
                        text ? trace.text(*text) : fmt::format("{}", std::get<double>(arg.value)));
  }
  EXPECT_EQ(told, "kernel node1 record id_1 source trained low_us 1.25 high_us 7 ");
}

}  // namespace
}  // namespace takt
