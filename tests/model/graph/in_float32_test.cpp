#include "model/onnx/in_float32.h"

#include <gtest/gtest.h>
#include <onnx-ml.pb.h>

#include "base/basics/half.h"
#include "model/onnx/builder.h"

namespace takt {
namespace {

std::string halves_of(const std::vector<float>& values, bool is_brain = false) {
  std::string bytes;
  for (const float value : values) {
    const std::uint16_t bits = is_brain ? to_bfloat(value) : to_half(value);
    bytes.append(reinterpret_cast<const char*>(&bits), sizeof bits);
  }
  return bytes;
}

const Tensor& named(const Graph& graph, const std::string& name) {
  return graph.tensor(graph.find_tensor(name).value());
}

TEST(InFloat32, a_model_without_halves_is_left_alone) {
  ModelBuilder b;
  b.output(b.node("Relu", {b.input("x", ElementType::f32, {2})}, {}, {.outputs = {"y"}}));
  EXPECT_FALSE(in_float32(b.build()));
}

TEST(InFloat32, ports_and_what_operators_are_told_to_make_are_float32) {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f16, {2});
  const auto wide = b.node("Cast", {x}, {{"to", std::int64_t{1}}}, {.outputs = {"wide"}});
  const auto back = b.node("Cast", {wide}, {{"to", std::int64_t{10}}}, {.outputs = {"back"}});
  b.value_info(back, ElementType::f16, {2});
  const auto count = b.node("Cast", {back}, {{"to", std::int64_t{7}}}, {.outputs = {"count"}});
  b.output(back, ElementType::f16, {2});
  b.output(count, ElementType::i64, {2});
  const auto model = in_float32(b.build());
  ASSERT_TRUE(model);
  EXPECT_EQ(named(model->graph, "x").type, ElementType::f32);
  EXPECT_EQ(named(model->graph, "back").type, ElementType::f32);
  EXPECT_EQ(named(model->graph, "count").type, ElementType::i64);
  EXPECT_EQ(std::get<std::int64_t>(model->graph.ops[1].attributes.at("to")), 1);
  EXPECT_EQ(std::get<std::int64_t>(model->graph.ops[2].attributes.at("to")), 7);
}

TEST(InFloat32, weights_keep_their_halves_and_are_cast_where_they_are_read) {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::bf16, {2});
  b.output(b.node("Add", {x, b.raw(ElementType::bf16, {2}, halves_of({1.5f, -2}, true), "w")}, {}, {.outputs = {"y"}}));
  const auto model = in_float32(b.build());
  ASSERT_TRUE(model);
  ASSERT_EQ(model->graph.ops.size(), 2u);
  EXPECT_EQ(model->graph.ops[0].type, "Cast");
  EXPECT_EQ(model->graph.tensor(model->graph.ops[0].outputs[0]).name, "w");
  const Tensor& weight = model->graph.tensor(model->graph.ops[0].inputs[0]);
  EXPECT_EQ(weight.type, ElementType::bf16);
  EXPECT_TRUE(weight.is_constant);
  EXPECT_EQ(model->graph.tensor(model->graph.ops[1].inputs[1]).name, "w");
}

TEST(InFloat32, constants_in_operators_have_the_same_numbers) {
  ModelBuilder b;
  b.input("x", ElementType::f16, {2});
  auto& node = *b.graph().add_node();
  node.set_op_type("Constant"), node.set_name("c"), node.add_output("c");
  auto& value = *node.add_attribute();
  value.set_name("value"), value.set_type(onnx::AttributeProto::TENSOR);
  value.mutable_t()->set_data_type(onnx::TensorProto::FLOAT16);
  value.mutable_t()->add_dims(2);
  value.mutable_t()->set_raw_data(halves_of({0.5f, 3}));
  b.output(b.node("Add", {"x", "c"}, {}, {.outputs = {"y"}}));
  const auto model = in_float32(b.build());
  ASSERT_TRUE(model);
  const auto& constant = model->proto->graph().node(0).attribute(0).t();
  EXPECT_EQ(constant.data_type(), onnx::TensorProto::FLOAT);
  ASSERT_EQ(constant.float_data_size(), 2);
  EXPECT_EQ(constant.float_data(0), 0.5f);
  EXPECT_EQ(constant.float_data(1), 3);
}

TEST(InFloat32, bodies_are_float32_too) {
  ModelBuilder body("then"), other("else"), b;
  body.output(body.node("Identity", {body.raw(ElementType::f16, {1}, halves_of({1}), "one")}, {}, {.outputs = {"a"}}),
              ElementType::f16, {1});
  other.output(other.node("Cast", {other.floats({2}, {1}, "two")}, {{"to", std::int64_t{10}}}, {.outputs = {"b"}}),
               ElementType::f16, {1});
  const auto condition = b.input("condition", ElementType::boolean, {});
  b.output(
      b.node("If", {condition}, {}, {.outputs = {"y"}, .subgraphs = {{"then_branch", &body}, {"else_branch", &other}}}),
      ElementType::f16, {1});
  const auto model = in_float32(b.build());
  ASSERT_TRUE(model);
  const Op& op = model->graph.ops.front();
  const Graph& then = *op.subgraphs.at("then_branch");
  EXPECT_EQ(then.ops.front().type, "Cast");
  EXPECT_EQ(then.tensor(then.outputs.front()).type, ElementType::f32);
  EXPECT_EQ(std::get<std::int64_t>(op.subgraphs.at("else_branch")->ops.front().attributes.at("to")), 1);
}

}  // namespace
}  // namespace takt
