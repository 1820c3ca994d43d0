// What stands in which cell of the tables of `takt kernels` and `takt zoo`, and behind which key of a file of kernels.
#include <nlohmann/json.hpp>

#include "predict/kernels/bench.h"
#include "predict/kernels/dag.h"
#include "predict/kernels/extract.h"
#include "predict/kernels/file.h"
#include "predict/kernels/records.h"
#include "predict/kernels/tables.h"
#include "predict/zoo/export.h"
#include "table_cells.h"

namespace takt {
namespace {

using nlohmann::json;

/// One with costs, in halves, and one without.
KernelRecord costly() {
  KernelRecord record;
  record.name = "Conv_Add", record.layout = "nhwc", record.type = "FusedConv", record.domain = "com.microsoft";
  record.inputs = {activation({1, 2, 3}, ElementType::f16), constant({4, 5}), left_out(), activation({6}),
                   constant({7})};
  record.outputs = {activation({8, 9}), activation({10})};
  record.cost.flops = 1000, record.cost.sfu_ops = 2000, record.cost.bytes = 3000;
  record.cost.weight_bytes = 400, record.cost.input_bytes = 500, record.cost.output_bytes = 600;
  record.opsets = {{"", 17}}, record.ir_version = 9, record.obstacle = "a sequence";
  return record;
}
KernelRecord bare() {
  KernelRecord record;
  record.name = "Size", record.type = "Size2", record.inputs = {left_out()};
  return record;
}

/// Twice the one and once the other: a feeds b and c.
KernelFile three_kernels() {
  KernelFile file;
  file.records = {{"id_1", costly()}, {"id_2", bare()}};
  KernelGraph graph;
  graph.model = "net.onnx", graph.runtime = "onnxruntime", graph.version = "1.31", graph.device = "CPU";
  graph.inputs = {"x"}, graph.outputs = {"z"};
  graph.kernels = {{"a", "id_1", {"x"}, {"ta"}, {}, {1, 2}, {"op_a"}},
                   {"", "id_2", {"ta"}, {"tb"}, {0}, {}, {}},
                   {"c", "id_1", {"ta"}, {"z"}, {0}, {}, {"op_c", "op_d"}}};
  file.models = {graph};
  return file;
}

TEST(Cells, of_kernels_list_kernels) {
  expect_cells(table_named(kernel_tables(three_kernels()), "kernels"),
               {{"kernel_number", {"1", "2", "3"}},
                {"kernel_name", {"Conv_Add", "Size", "Conv_Add"}},
                {"kernel_layout", {"nhwc", "", "nhwc"}},
                {"kernel_inputs", {"1x2x3, 6", "", "1x2x3, 6"}},
                {"kernel_weights", {"4x5, 7", "", "4x5, 7"}},
                {"kernel_outputs", {"8x9, 10", "", "8x9, 10"}},
                {"kernel_dtype", {"float16", "", "float16"}},
                {"flops", {"1000", "", "1000"}},
                {"kernel_bytes", {"3000", "", "3000"}},
                {"kernel_node", {"a", "", "c"}},
                {"kernel_type", {"com.microsoft.FusedConv", "Size2", "com.microsoft.FusedConv"}},
                {"kernel_record", {"id_1", "id_2", "id_1"}},
                {"kernel_obstacle", {"a sequence", "", "a sequence"}},
                {"kernel_model", {"net.onnx", "net.onnx", "net.onnx"}}});
}

TEST(Cells, of_kernels_list_kernel_names) {
  expect_cells(table_named(kernel_tables(three_kernels()), "kernel_names"), {{"kernel_name", {"Conv_Add", "Size"}},
                                                                             {"kernel_count", {"2", "1"}},
                                                                             {"record_count", {"1", "1"}},
                                                                             {"flops", {"2000", ""}},
                                                                             {"kernel_bytes", {"6000", ""}}});
}

ExtractedKernel extracted(const char* kernel, std::optional<bool> runs) {
  ExtractedKernel one;
  one.id = "id_1", one.name = "Conv_Add", one.kernel = kernel, one.runs = runs;
  return one;
}

TEST(Cells, of_kernels_extract_extracted) {
  std::vector<ExtractedKernel> rows{extracted("a", true), extracted("c", false), extracted("", {})};
  rows[0].file = "folder/id_1.onnx", rows[0].difference = 0.125, rows[1].problem = "it crashed";
  rows[2].id = "id_2", rows[2].name = "Size";
  expect_cells(table_named(extract_tables(rows), "extracted"), {{"kernel_record", {"id_1", "id_1", "id_2"}},
                                                                {"kernel_name", {"Conv_Add", "Conv_Add", "Size"}},
                                                                {"weights_of", {"a", "c", ""}},
                                                                {"kernel_runs", {"yes", "no", ""}},
                                                                {"kernel_difference", {"0.125", "", ""}},
                                                                {"kernel_file", {"id_1.onnx", "", ""}},
                                                                {"kernel_problem", {"", "it crashed", ""}}});
}

// 1, 2 and 6 us: the mean is 3, the deviation the root of (4 + 1 + 9) / 2.
TEST(Cells, of_kernels_bench_kernel_times) {
  KernelTimes full{"id_1",
                   "Conv_Add",
                   "a",
                   BenchPlace::chain,
                   {Nanoseconds(2000), Nanoseconds(6000), Nanoseconds(1000)},
                   Nanoseconds(50'001),
                   Nanoseconds(60'002),
                   {}};
  KernelTimes one{"id_2", "Size", "b", BenchPlace::model, {Nanoseconds(4000)}, Nanoseconds(70'003), Nanoseconds(80'004),
                  {}};
  KernelTimes none{"", "x.onnx", "", BenchPlace::alone, {}, Nanoseconds(1), Nanoseconds(2), "it crashed"};
  expect_cells(table_named(bench_tables({full, one, none}), "kernel_times"),
               {{"kernel_record", {"id_1", "id_2", ""}},
                {"kernel_name", {"Conv_Add", "Size", "x.onnx"}},
                {"kernel_node", {"a", "b", ""}},
                {"bench_place", {"chain", "model", "alone"}},
                {"kernel_mean_us", {"3", "4", ""}},
                {"kernel_median_us", {"2", "4", ""}},
                {"kernel_min_us", {"1", "4", ""}},
                {"kernel_stddev_us", {"2.6457513110645907", "", ""}},
                {"kernel_executions", {"3", "1", "0"}},
                {"bench_start_ns", {"50001", "70003", ""}},
                {"bench_end_ns", {"60002", "80004", ""}},
                {"bench_problem", {"", "", "it crashed"}}});
}

/// By time, the way through c, and by number of kernels.
std::vector<DagResult> two_dags(const KernelFile& file) {
  const KernelGraph& graph = file.models[0];
  const std::vector<std::optional<double>> times{1.5, std::nullopt, 2.5}, bytes{40.0, 100.0, 20.0};
  return {{&graph, &file, times, {DagWeight::time, {0, 2}, 4, 8, 1}},
          {&graph, &file, bytes, {DagWeight::bytes, {1}, 50, 200, 3}}};
}

TEST(Cells, of_kernels_dag_dag) {
  const KernelFile file = three_kernels();
  auto results = two_dags(file);
  results.push_back(results[1]);
  results[2].path = {DagWeight::flops, {0, 1, 2}, 0, 0, 2};
  results.push_back(results[2]);
  results[3].path.weight = DagWeight::kernels;
  KernelGraph chain = file.models[0];
  chain.model = "chain.onnx", chain.kernels[2].producers = {1};
  results[3].graph = &chain;
  expect_cells(table_named(dag_tables(results), "dag"),
               {{"kernel_model", {"net.onnx", "net.onnx", "net.onnx", "chain.onnx"}},
                {"dag_kernels", {"3", "3", "3", "3"}},
                {"dag_edges", {"2", "2", "2", "2"}},
                {"dag_widest", {"2", "2", "2", "1"}},
                {"dag_path_kernels", {"2", "1", "3", "3"}},
                {"dag_weight", {"time", "bytes", "flops", "kernels"}},
                {"dag_path_us", {"4", "", "", ""}},
                {"dag_total_us", {"8", "", "", ""}},
                {"dag_path_work", {"", "50", "0", "0"}},
                {"dag_path_share", {"0.5", "0.25", "", ""}},
                {"dag_unknown", {"1", "3", "2", "2"}}});
}

TEST(Cells, of_kernels_dag_critical_kernels) {
  const KernelFile file = three_kernels();
  expect_cells(table_named(dag_tables(two_dags(file)), "critical_kernels"),
               {{"kernel_model", {"net.onnx", "net.onnx", "net.onnx"}},
                {"kernel_number", {"1", "3", "2"}},
                {"kernel_name", {"Conv_Add", "Conv_Add", "Size"}},
                {"kernel_node", {"a", "c", blank}},
                {"path_kernel_us", {"1.5", "2.5", ""}},
                {"path_kernel_work", {"", "", "100"}},
                {"kernel_record", {"id_1", "id_1", "id_2"}}});
}

TEST(Cells, of_zoo_list_zoo) {
  ExportedZooModel full{{"resnet", 18, 0.5, 2, 96}, "resnet.onnx",         3000, true,
                        "optimised/r.cpu.onnx",     "onnxruntime 1 on CPU"};
  ExportedZooModel there{{"vgg", 11, 2, 3, 97}, "vgg.onnx", 4000, false, "", ""};
  ExportedZooModel listed{{"mlp", 4, 1, 5, 98}, "", 5000, false, "", ""};
  expect_cells(table_named(zoo_tables({full, there, listed}), "zoo"),
               {{"zoo_model", {"resnet18_w0.5_b2_96", "vgg11_w2_b3_97", "mlp4_w1_b5_98"}},
                {"zoo_family", {"resnet", "vgg", "mlp"}},
                {"zoo_depth", {"18", "11", "4"}},
                {"zoo_width", {"0.5", "2", "1"}},
                {"zoo_batch", {"2", "3", "5"}},
                {"zoo_input", {"96", "97", "98"}},
                {"zoo_parameters", {"3000", "4000", "5000"}},
                {"zoo_written", {"yes", "there", ""}},
                {"zoo_optimised", {"r.cpu.onnx", "", ""}},
                {"zoo_optimised_by", {"onnxruntime 1 on CPU", "", ""}}});
}

TEST(Keys, of_a_file_of_kernels_have_their_values) {
  KernelFile file = three_kernels();
  file.records.erase("id_2");
  KernelRecord& record = file.records.at("id_1");
  record.attributes = {{"a", std::int64_t{3}},           {"b", 0.5f},
                       {"c", std::string("word")},       {"d", std::vector<std::int64_t>{4, 5}},
                       {"e", std::vector<float>{0.25f}}, {"f", std::vector<std::string>{"x", "y"}}};
  record.inputs[3].same_as = 0, record.inputs[1].low = -6, record.inputs[1].high = 7;
  record.inputs[4] = constant({2}, ElementType::i64);
  record.inputs[4].values = to_bytes(std::vector<std::int64_t>{8, 9});
  record.opsets = {{"", 17}, {"com.microsoft", 1}};
  json text = json::parse(kernel_file_json(file, {}));
  text.erase("takt");
  EXPECT_EQ(text, json::parse(R"({
    "takt_kernels": 1,
    "records": {"id_1": {
      "name": "Conv_Add", "layout": "nhwc", "type": "FusedConv", "domain": "com.microsoft",
      "attributes": {"a": {"int": 3}, "b": {"float": 0.5}, "c": {"text": "word"}, "d": {"ints": [4, 5]},
                     "e": {"floats": [0.25]}, "f": {"texts": ["x", "y"]}},
      "inputs": [{"kind": "activation", "type": "float16", "shape": [1, 2, 3]},
                 {"kind": "weight", "type": "float32", "shape": [4, 5], "low": -6, "high": 7}, null,
                 {"kind": "activation", "type": "float32", "shape": [6], "same_as": 0},
                 {"kind": "weight", "type": "int64", "shape": [2], "values": [8, 9]}],
      "outputs": [{"kind": "activation", "type": "float32", "shape": [8, 9]},
                  {"kind": "activation", "type": "float32", "shape": [10]}],
      "flops": 1000.0, "sfu_ops": 2000.0, "bytes": 3000, "weight_bytes": 400, "input_bytes": 500, "output_bytes": 600,
      "opsets": {"": 17, "com.microsoft": 1}, "ir_version": 9, "obstacle": "a sequence"}},
    "models": [{"model": "net.onnx", "runtime": "onnxruntime", "runtime_version": "1.31", "device": "CPU",
      "inputs": ["x"], "outputs": ["z"], "kernels": [
        {"name": "a", "record": "id_1", "inputs": ["x"], "outputs": ["ta"], "producers": [], "consumers": [1, 2],
         "model_ops": ["op_a"]},
        {"name": "", "record": "id_2", "inputs": ["ta"], "outputs": ["tb"], "producers": [0], "consumers": [],
         "model_ops": []},
        {"name": "c", "record": "id_1", "inputs": ["ta"], "outputs": ["z"], "producers": [0], "consumers": [],
         "model_ops": ["op_c", "op_d"]}]}]})"));
}

TEST(Keys, of_a_file_of_a_dag_have_their_values) {
  const KernelFile file = three_kernels();
  const auto result = two_dags(file)[0];
  json text = json::parse(dag_json(file.models[0], result.weights, result.path, {}));
  text.erase("takt");
  EXPECT_EQ(text, json::parse(R"({
    "takt_dag": 1, "model": "net.onnx", "weight": "time", "edges": [[0, 1], [0, 2]], "critical_path": [0, 2],
    "kernels": [{"name": "a", "record": "id_1", "weight": 1.5}, {"name": "", "record": "id_2", "weight": null},
                {"name": "c", "record": "id_1", "weight": 2.5}]})"));
}

}  // namespace
}  // namespace takt
