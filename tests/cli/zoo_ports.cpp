// Inputs and outputs of every kind and number.
#include "cli/odd_models.h"
#include "cli/tree_model.h"

namespace takt {
namespace {

void many_ports() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {2, 4});
  auto y = b.input("y", ElementType::f32, {2, 4});
  auto index = b.input("index", ElementType::i64, {1});
  b.output(b.node("Add", {x, y}), ElementType::f32, {2, 4});
  b.output(b.node("Gather", {x, index}, {{"axis", std::int64_t{1}}}));
  b.output(b.node("Split", {y}, {{"axis", std::int64_t{1}}}, {.outputs = {"first", "second"}}));
  b.output("second");
  save("ports_many", b, 11);
}

void output_is_input() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {2, 4});
  b.output(b.node("Relu", {x}), ElementType::f32, {2, 4});
  b.output(x, ElementType::f32, {2, 4});
  save("ports_output_is_input", b);
}

void unused_input() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {2, 4});
  b.input("unused", ElementType::f32, {3});
  b.output(b.node("Relu", {x}), ElementType::f32, {2, 4});
  save("ports_unused_input", b);
}

void constant_only() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {2});
  auto two = b.node("Add", {b.floats({1, 2}, {2}), b.floats({1, 2}, {2})});
  b.output(two, ElementType::f32, {2});
  b.output(b.node("Relu", {x}), ElementType::f32, {2});
  save("ports_constant_output", b);
  ModelBuilder c;
  c.output(c.node("Add", {c.floats({1, 2}, {2}), c.floats({1, 2}, {2})}), ElementType::f32, {2});
  save("ports_only_constants", c);
  ModelBuilder d;
  d.output(d.floats({1, 2}, {2}, "weight"), ElementType::f32, {2});
  d.output(d.node("Relu", {d.input("x", ElementType::f32, {2})}), ElementType::f32, {2});
  save("ports_initializer_is_output", d);
}

void no_inputs() {
  ModelBuilder b;
  auto noise = b.node("RandomNormal", {}, {{"shape", {4, 16}}, {"seed", 1.0f}});
  b.output(b.node("MatMul", {noise, b.weight({16, 8})}), ElementType::f32, {4, 8});
  save("ports_no_inputs", b);
}

void scalars() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {});
  auto steps = b.input("steps", ElementType::i64, {});
  b.output(b.node("Exp", {x}), ElementType::f32, {});
  b.output(b.node("Range", {b.integers({0}, {}), steps, b.integers({1}, {})}));
  save("ports_scalars", b);
}

void sequences() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {4, 2});
  auto parts = b.node("SplitToSequence", {x, b.integers({1}, {})});
  b.graph().add_output()->set_name(parts);
  sequence_type(*b.graph().mutable_output(0), ElementType::f32);
  b.output(b.node("Relu", {x}), ElementType::f32, {4, 2});
  save("sequence_output", b);
  ModelBuilder c;
  auto& input = *c.graph().add_input();
  input.set_name("parts");
  sequence_type(input, ElementType::f32);
  c.output(c.node("ConcatFromSequence", {"parts"}, {{"axis", std::int64_t{0}}}));
  save("sequence_input", c);
  ModelBuilder d;
  auto y = d.input("x", ElementType::f32, {4, 2});
  auto list = d.node("SplitToSequence", {y, d.integers({1}, {})});
  d.output(d.node("ConcatFromSequence", {list}, {{"axis", std::int64_t{0}}}));
  save("sequence_inside", d);
}

void optional_output() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {4, 2});
  auto wrapped = b.node("Optional", {x});
  auto& output = *b.graph().add_output();
  output.set_name(wrapped);
  auto& type = *output.mutable_type()->mutable_optional_type()->mutable_elem_type()->mutable_tensor_type();
  type.set_elem_type(1);
  type.mutable_shape()->add_dim()->set_dim_value(4);
  type.mutable_shape()->add_dim()->set_dim_value(2);
  save("optional_output", b);
}

void map_output() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {1, 3});
  auto y = b.node("ZipMap", {x}, {{"classlabels_strings", std::vector<std::string>{"a", "b", "c"}}},
                  {.domain = "ai.onnx.ml"});
  auto& output = *b.graph().add_output();
  output.set_name(y);
  auto& map = *output.mutable_type()->mutable_sequence_type()->mutable_elem_type()->mutable_map_type();
  map.set_key_type(8);
  map.mutable_value_type()->mutable_tensor_type()->set_elem_type(1);
  save("map_output", b);
}

void trees() {
  ModelBuilder b;
  auto x = b.symbolic_input("float_input", ElementType::f32, "?,2");
  b.output(b.node("TreeEnsembleRegressor", {x}, tree(0), {.domain = "ai.onnx.ml"}));
  save("ml_trees", b);
}

}  // namespace

void write_ports() {
  many_ports();
  output_is_input();
  unused_input();
  constant_only();
  no_inputs();
  scalars();
  sequences();
  optional_output();
  map_output();
  trees();
}

}  // namespace takt
