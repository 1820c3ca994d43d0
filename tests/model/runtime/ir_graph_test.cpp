// An ONNX model and the IR that OpenVINO makes of it are the same operators, so they cost the same.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/basics/error.h"
#include "model/cost/cost.h"
#include "model/runtime/models.h"
#include "refused.h"

namespace takt {
namespace {

class IrGraph : public testing::Test {
 protected:
  void SetUp() override {
    const auto names = runtime_names();
    if (std::find(names.begin(), names.end(), "openvino") == names.end()) GTEST_SKIP() << "no OpenVINO in this binary";
    runtime_ = make_runtime("openvino");
  }

  std::filesystem::path convert(const ModelBuilder& model) {
    const auto onnx = folder_.write("m.onnx", model.serialize());
    SessionSettings settings;
    settings.optimised_model = onnx.parent_path() / "m.xml";
    runtime_->open(onnx, nullptr, settings);
    return settings.optimised_model;
  }

  Graph read(const std::filesystem::path& model, const std::map<std::string, Shape>& shapes = {}) {
    return runtime_->read_graph(model, shapes).value();
  }

  TestFolder folder_;
  std::unique_ptr<Runtime> runtime_;
};

const Op& only(const Graph& graph, const std::string& type) {
  const auto is_type = [&](const Op& op) { return op.type == type; };
  EXPECT_EQ(std::count_if(graph.ops.begin(), graph.ops.end(), is_type), 1) << type;
  return *std::find_if(graph.ops.begin(), graph.ops.end(), is_type);
}

TEST_F(IrGraph, convolutions_and_products_take_their_biases_in) {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {1, 4, 8, 8});
  const auto conv = b.node("Conv", {x, b.weight({6, 4, 3, 3}), b.weight({6})}, {}, {"conv", "", {"c"}, {}});
  const auto grouped =
      b.node("Conv", {conv, b.weight({6, 3, 3, 3})}, {{"group", std::int64_t{2}}}, {"pair", "", {}, {}});
  const auto pooled =
      b.node("MaxPool", {grouped}, {{"kernel_shape", {2, 2}}, {"strides", {2, 2}}}, {"pool", "", {}, {}});
  const auto flat = b.node("Flatten", {pooled}, {}, {"flat", "", {}, {}});
  b.output(b.node("Add", {b.node("MatMul", {flat, b.weight({24, 5})}, {}, {"product", "", {}, {}}), b.weight({5})}, {},
                  {"add", "", {"z"}, {}}),
           ElementType::f32, {1, 5});
  const Graph graph = read(convert(b));
  // 2 · outputs · weights per output: 6·36·(4·9), 6·16·(3·9), 5·24; the bias is in the convention.
  EXPECT_EQ(cost(graph, only(graph, "Gemm")).flops, 2.0 * 5 * 24);
  EXPECT_EQ(cost(graph, only(graph, "MaxPool")).flops, 6.0 * 4 * 3);
  std::map<std::string, double> flops;
  for (const Op& op : graph.ops)
    if (op.type == "Conv") flops[op.name] = cost(graph, op).flops.value();
  EXPECT_EQ(flops, (std::map<std::string, double>{{"conv", 2.0 * 6 * 36 * 36}, {"pair", 2.0 * 6 * 16 * 27}}));
  // x, weights, bias and the output, as in ONNX.
  const auto is_conv = [](const Op& op) { return op.name == "conv"; };
  const auto first = std::find_if(graph.ops.begin(), graph.ops.end(), is_conv);
  EXPECT_EQ(cost(graph, *first).bytes, 4 * (256 + 6 * 36 + 6 + 6 * 36));
}

TEST_F(IrGraph, shapes_follow_the_inputs) {
  const auto ir = convert(open_batch());
  EXPECT_FALSE(cost(read(ir), read(ir).ops.at(0)).flops);
  const Graph graph = read(ir, {{"x", {7, 3}}});
  EXPECT_EQ(cost(graph, only(graph, "Relu")).flops, 21.0);
  EXPECT_EQ(cost(graph, only(graph, "Relu")).bytes, 2 * 21 * 4);
}

TEST_F(IrGraph, half_precision_weights_are_constants) {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {2, 4});
  const auto w = b.node("Cast", {b.raw(ElementType::f16, {4, 3}, std::string(24, '\0'))}, {{"to", std::int64_t{1}}});
  b.output(b.node("MatMul", {x, w}, {}, {"product", "", {"z"}, {}}), ElementType::f32, {2, 3});
  const Graph graph = read(convert(b));
  ASSERT_EQ(graph.ops.size(), 1u);
  EXPECT_EQ(graph.ops[0].type, "MatMul");
  EXPECT_EQ(cost(graph, graph.ops[0]).flops, 2.0 * 2 * 3 * 4);
}

TEST_F(IrGraph, what_has_no_meaning_in_onnx_is_not_known) {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {1, 1, 4, 4});
  const auto grid = b.input("grid", ElementType::f32, {1, 2, 2, 2});
  b.output(b.node("GridSample", {x, grid}, {}, {"sample", "", {"z"}, {}}), ElementType::f32, {1, 1, 2, 2});
  const Graph graph = read(convert(b));
  const Op& op = only(graph, "GridSample");
  EXPECT_EQ(op.domain, "openvino");
  EXPECT_FALSE(cost(graph, op).flops);
}

TEST_F(IrGraph, damaged_files_are_refused) {
  const auto ir = convert(conv_matmul());
  std::ifstream file(ir);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::string old =
      "openvino: is not an OpenVINO IR of version 10 or 11; convert the model with OpenVINO 2020 "
      "or later";
  for (const auto& [bad, why] : {std::pair(std::string(), std::string("the file is empty; export the model again")),
                                 {text.substr(0, text.size() / 2), "openvino: cannot be read: "},
                                 {"<net/>", old},
                                 {"<net name=\"a\" version=\"9\">", old}})
    EXPECT_EQ(refused_with([&, text = bad] {
                read(folder_.write("bad.xml", text));
              }).rfind((folder_ / "bad.xml").string() + ": " + why, 0),
              0u)
        << bad;
  std::filesystem::remove(std::filesystem::path(ir).replace_extension(".bin"));
  EXPECT_TRUE(refused_with([&] { read(ir); }).starts_with(ir.string() + ": openvino: cannot be read: "));
  EXPECT_FALSE(runtime_->read_graph("m.onnx", {}));
}

}  // namespace
}  // namespace takt
