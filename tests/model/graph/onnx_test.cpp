// Reading and writing models: what comes in, under which names, in which order.
#include "model/onnx/onnx.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files/file.h"
#include "model/onnx/builder.h"
#include "onnx-ml.pb.h"
#include "places.h"
#include "test_folder.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

const Tensor& tensor(const Graph& graph, const std::string& name) {
  return graph.tensors.at(static_cast<std::size_t>(graph.find_tensor(name).value()));
}

TEST(Shapes, are_counted_and_spelled) {
  EXPECT_EQ(element_count({2, 3, 4}), 24);
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({0, std::int64_t{1} << 62, 4}), 0);
  EXPECT_EQ(element_count({std::int64_t{1} << 62, 4}), std::nullopt);
  EXPECT_EQ(element_count({-1, 4}), std::nullopt);
  EXPECT_EQ(to_string(Shape{1, 3, 224}), "{1,3,224}");
  EXPECT_EQ(to_string(PartialShape{{{}, "batch"}, {3, ""}, {{}, ""}}), "{batch,3,?}");
  EXPECT_EQ(byte_count(ElementType::i4, 5), 3);  // two to a byte, rounded up
  EXPECT_EQ(byte_count(ElementType::f64, std::int64_t{1} << 61), std::nullopt);
  EXPECT_EQ(byte_count(ElementType::string, 5), std::nullopt);
}

TEST(ReadOnnx, a_convolution_and_a_relu) {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {1, 3, 8, 8});
  const auto w = b.weight({16, 3, 3, 3}, "w");
  const auto y = b.node("Conv", {x, w}, {{"pads", {1, 1, 1, 1}}, {"group", 1}}, {.name = "conv"});
  b.output(b.node("Relu", {y}, {}, {.name = "relu", .outputs = {"out"}}), ElementType::f32, {1, 16, 8, 8});
  const Graph graph = b.build().graph;
  ASSERT_EQ(graph.ops.size(), 2u);
  EXPECT_EQ(graph.ops[0].type, "Conv");
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(graph.ops[0].attributes.at("pads")),
            (std::vector<std::int64_t>{1, 1, 1, 1}));
  ASSERT_EQ(graph.inputs.size(), 1u);
  EXPECT_EQ(tensor(graph, "w").bytes, 16 * 27 * 4);
  EXPECT_TRUE(tensor(graph, "w").is_constant);
  EXPECT_EQ(tensor(graph, "out").bytes, 16 * 64 * 4);
  EXPECT_FALSE(tensor(graph, y).shape);
  EXPECT_EQ(graph.opsets.at(""), 17);
}

TEST(ReadOnnx, dimensions_of_minus_one_are_open_and_no_symbol) {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {-1, 64});
  const auto y = b.symbolic_input("y", ElementType::f32, "-1,n");
  const auto z = b.input("z", ElementType::f32, {0, 64});
  b.graph().mutable_input(2)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param(
      "?");
  const auto sum = b.node("Sum", {x, y, z});
  b.value_info(sum, ElementType::f32, {-1, 64});
  b.output(b.node("Relu", {sum}, {}, {.outputs = {"r"}}), ElementType::f32, {-1, 64});
  const OnnxModel model = b.build();
  const auto shape = [&](const std::string& name) { return to_string(tensor(model.graph, name).shape.value()); };
  EXPECT_EQ(shape("x"), "{?,64}");
  EXPECT_EQ(shape("y"), "{?,n}");
  EXPECT_EQ(shape("z"), "{?,64}");
  EXPECT_EQ(shape(sum), "{?,64}");
  EXPECT_EQ(shape("r"), "{?,64}");
  EXPECT_FALSE(model.proto->graph().input(0).type().tensor_type().shape().dim(0).has_dim_value())
      << "whoever writes it again says the same";
}

TEST(ReadOnnx, sorts_stably_by_dependency) {
  ModelBuilder b;
  b.node("Relu", {"a"}, {}, {.name = "late", .outputs = {"b"}});
  b.input("x", ElementType::f32, {4});
  b.node("Relu", {"x"}, {}, {.name = "early", .outputs = {"a"}});
  b.node("Relu", {"x"}, {}, {.name = "other", .outputs = {"c"}});
  b.output("b");
  const Graph graph = b.build().graph;
  EXPECT_EQ(graph.ops[0].name, "early");
  EXPECT_EQ(graph.ops[1].name, "late");  // may go as soon as "early" has gone, and stands before "other" in the file
  EXPECT_EQ(graph.ops[2].name, "other");
  EXPECT_EQ(graph.ops[0].node_index, 1);
}

TEST(ReadOnnx, gives_unique_names) {
  ModelBuilder b;
  b.input("x", ElementType::f32, {4});
  for (const char* name : {"n", "n", "Relu_3", "n"}) b.node("Relu", {"x"}, {}, {.name = name, .outputs = {""}});
  b.graph().mutable_node(3)->clear_name();
  const Graph graph = b.build().graph;
  EXPECT_EQ(graph.ops[0].name, "n");
  EXPECT_EQ(graph.ops[1].name, "Relu_1");
  EXPECT_EQ(graph.ops[2].name, "Relu_3");
  EXPECT_EQ(graph.ops[3].name, "Relu_3_");  // the plain one is taken by the model
}

TEST(ReadOnnx, initializer_listed_as_input_is_no_input) {
  ModelBuilder b;
  b.input("x", ElementType::f32, {4});
  b.input("w", ElementType::f32, {4});
  b.weight({4}, "w");
  b.output(b.node("Add", {"x", "w"}));
  const Graph graph = b.build(9, 3).graph;
  ASSERT_EQ(graph.inputs.size(), 1u);
  EXPECT_EQ(graph.tensors[static_cast<std::size_t>(graph.inputs[0])].name, "x");
}

TEST(ReadOnnx, keeps_symbolic_dimensions) {
  ModelBuilder b;
  b.symbolic_input("x", ElementType::f16, "batch,3,?");
  b.output(b.node("Relu", {"x"}));
  const Tensor x = tensor(b.build().graph, "x");
  EXPECT_EQ(to_string(*x.shape), "{batch,3,?}");
  EXPECT_FALSE(x.bytes);
}

TEST(ReadOnnx, constants_have_their_integers) {
  ModelBuilder b;
  b.integers({2, -1}, {2}, "shape");
  b.input("x", ElementType::f32, {4});
  b.node("Constant", {}, {{"value_ints", {7, 8, 9}}}, {.outputs = {"made"}});
  b.node("ConstantOfShape", {b.integers({5, 6})}, {}, {.outputs = {"filled"}});
  b.output(b.node("Reshape", {"x", "shape"}));
  const Graph graph = b.build().graph;
  EXPECT_EQ(tensor(graph, "shape").integers, (std::vector<std::int64_t>{2, -1}));
  EXPECT_EQ(tensor(graph, "made").integers, (std::vector<std::int64_t>{7, 8, 9}));
  EXPECT_EQ(tensor(graph, "made").bytes, 24);
  EXPECT_TRUE(tensor(graph, "filled").is_constant);
  EXPECT_EQ(tensor(graph, "filled").bytes, 5 * 6 * 4);
}

TEST(ReadOnnx, subgraphs_see_the_graph_around) {
  ModelBuilder inner("inner"), middle("middle"), b;
  inner.output(inner.node("Neg", {"late"}));
  middle.output(middle.node("If", {"cond"}, {}, {.subgraphs = {{"then_branch", &inner}, {"else_branch", &inner}}}));
  b.input("cond", ElementType::boolean, {});
  b.input("x", ElementType::f32, {3});
  b.node("If", {"cond"}, {},
         {.name = "outer", .outputs = {"y"}, .subgraphs = {{"then_branch", &middle}, {"else_branch", &inner}}});
  b.node("Relu", {"x"}, {}, {.name = "producer", .outputs = {"late"}});
  b.value_info("late", ElementType::f32, {3});
  b.output("y");
  const Graph graph = b.build().graph;
  EXPECT_EQ(graph.ops[0].name, "producer");  // because the branch two levels down reads it
  const Graph& branch = *graph.ops[1].subgraphs.at("then_branch");
  EXPECT_TRUE(tensor(branch, "late").is_captured);
  const Graph& leaf = *branch.ops[0].subgraphs.at("then_branch");
  EXPECT_TRUE(tensor(leaf, "late").is_captured);
  EXPECT_EQ(tensor(leaf, "late").bytes, 12);
  EXPECT_TRUE(leaf.inputs.empty());
}

TEST(ReadOnnx, unknown_operators_stay) {
  ModelBuilder b;
  b.input("x", ElementType::f32, {4});
  b.output(b.node("Frobnicate", {"x", ""}, {}, {.domain = "org.example"}));
  const Op op = b.build().graph.ops.at(0);
  EXPECT_EQ(op.type, "Frobnicate");
  EXPECT_EQ(op.domain, "org.example");
  EXPECT_EQ(op.inputs.at(1), no_tensor);
}

TEST(ReadOnnx, calls_of_functions_stay_operators) {
  ModelBuilder b;
  b.input("x", ElementType::f32, {4});
  b.output(b.node("Twice", {"x"}, {}, {.domain = "local"}));
  onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(b.serialize()));
  auto& function = *proto.add_functions();
  function.set_name("Twice");
  function.set_domain("local");
  function.add_input("a");
  function.add_output("b");
  auto& node = *function.add_node();
  node.set_op_type("Add");
  node.add_input("a");
  node.add_input("a");
  node.add_output("b");
  const OnnxModel model = parse_onnx(serialize_onnx(proto), {});
  ASSERT_EQ(model.graph.ops.size(), 1u);
  EXPECT_EQ(model.graph.ops[0].type, "Twice");
  EXPECT_EQ(model.graph.opsets.at("local"), 1);
  EXPECT_EQ(model.proto->functions_size(), 1);
}

TEST(ReadOnnx, counts_sparse_initializers_as_constants) {
  ModelBuilder b;
  auto& sparse = *b.graph().add_sparse_initializer();
  for (const std::int64_t dim : {10, 20}) sparse.add_dims(dim);
  sparse.mutable_values()->set_name("s");
  sparse.mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
  sparse.mutable_values()->add_dims(3);
  sparse.mutable_indices()->set_data_type(onnx::TensorProto::INT64);
  sparse.mutable_indices()->add_dims(3);
  for (const std::int64_t i : {1, 5, 7}) {
    sparse.mutable_values()->add_float_data(1);
    sparse.mutable_indices()->add_int64_data(i);
  }
  const Graph graph = b.build().graph;
  EXPECT_EQ(to_string(*tensor(graph, "s").shape), "{10,20}");
  EXPECT_EQ(tensor(graph, "s").bytes, 3 * 4 + 3 * 8);
  EXPECT_TRUE(tensor(graph, "s").is_constant);
}

TEST(WriteOnnx, round_trips_the_networks_of_the_onnx_wheel) {
  const fs::path folder = sdk_dir() / "onnx/onnx/backend/test/data/light";
  if (!fs::exists(folder)) GTEST_SKIP() << "the onnx wheel is not there";
  const TestFolder own;
  const fs::path copy = own / "copy.onnx";
  int models = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".onnx") continue;
    const OnnxModel model = read_onnx(entry.path());
    EXPECT_EQ(model.graph.inputs.size(), 1u) << entry.path();
    EXPECT_GT(model.graph.ops.size(), 20u) << entry.path();
    write_onnx(model, copy);
    EXPECT_EQ(read_file(copy), read_file(entry.path())) << entry.path();
    ++models;
  }
  EXPECT_EQ(models, 9);
}

TEST(ModelBuilder, equal_seeds_give_equal_bytes) {
  const auto bytes = [](std::uint64_t seed) {
    ModelBuilder b("m", seed);
    b.weight({3, 5});
    return b.serialize();
  };
  EXPECT_EQ(bytes(1), bytes(1));
  EXPECT_NE(bytes(1), bytes(2));
}

}  // namespace
}  // namespace takt
