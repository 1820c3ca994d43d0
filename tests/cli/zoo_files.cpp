// What a file can hold: versions, external data, names, functions, many operators.
#include "cli/odd_models.h"

namespace takt {
namespace {

void versions() {
  for (auto [opset, ir] : {std::pair{7, 3}, {9, 4}, {11, 6}, {13, 7}, {17, 8}, {21, 10}, {23, 11}, {25, 13}}) {
    ModelBuilder b;
    auto x = b.input("x", ElementType::f32, {1, 3, 8, 8});
    auto w = b.weight({4, 3, 3, 3}, "w");
    if (ir == 3) b.input("w", ElementType::f32, {4, 3, 3, 3});
    auto conv = b.node("Conv", {x, w}, {}, {.name = "conv"});
    auto pooled = b.node("MaxPool", {b.node("Relu", {conv})}, {{"kernel_shape", {2, 2}}, {"strides", {2, 2}}});
    b.output(b.node("Softmax", {b.node("Flatten", {pooled})}), ElementType::f32, {1, 36});
    save("opset_" + std::to_string(opset), b, opset, ir);
  }
}

void external_data() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {4, 64});
  auto w = b.weight({64, 32}, "w");
  b.output(b.node("MatMul", {x, w}), ElementType::f32, {4, 32});
  save_changed("external_data", b, [](onnx::ModelProto& m) {
    auto& tensor = *m.mutable_graph()->mutable_initializer(0);
    save_file("external_data.bin", tensor.raw_data());
    tensor.clear_raw_data();
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    for (auto [key, value] : {std::pair{"location", "external_data.bin"}, {"offset", "0"}, {"length", "8192"}}) {
      auto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
  });
}

void names() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {2, 4});
  b.output(b.node("Relu", {b.node("Add", {b.node("Exp", {x}), x})}), ElementType::f32, {2, 4});
  save_changed("names_none", b, [](onnx::ModelProto& m) {
    for (auto& node : *m.mutable_graph()->mutable_node()) node.clear_name();
  });
  save_changed("names_repeated", b, [](onnx::ModelProto& m) {
    for (auto& node : *m.mutable_graph()->mutable_node()) node.set_name("same");
  });
  save_changed("names_no_graph", b, [](onnx::ModelProto& m) { m.mutable_graph()->clear_name(); });
  ModelBuilder c;
  auto y = c.input("serving/x:0 \xc3\xa9;", ElementType::f32, {2, 4});
  c.output(c.node("Relu", {y}, {}, {.name = "block 1/relu:0", .outputs = {"out \"quoted\"\\,{}"}}), ElementType::f32,
           {2, 4});
  save("names_odd", c);
}

void local_function() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {4, 8});
  b.output(b.node("Twice", {b.node("MatMul", {x, b.weight({8, 8})})}, {}, {.name = "twice", .domain = "local"}));
  save_changed("function_local", b, [](onnx::ModelProto& m) {
    auto& function = *m.add_functions();
    function.set_name("Twice");
    function.set_domain("local");
    function.add_input("a");
    function.add_output("c");
    auto& import = *function.add_opset_import();
    import.set_domain("");
    import.set_version(17);
    auto& relu = *function.add_node();
    relu.set_op_type("Relu");
    relu.add_input("a");
    relu.add_output("t");
    auto& add = *function.add_node();
    add.set_op_type("Add");
    add.add_input("t");
    add.add_input("t");
    add.add_output("c");
  });
}

void standard_functions() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {4, 8});
  auto norm = b.node("LayerNormalization", {b.node("Gelu", {b.node("HardSwish", {x})}), b.weight({8}), b.weight({8})});
  b.output(b.node("Mish", {norm}), ElementType::f32, {4, 8});
  save("function_standard", b, 20, 9);
}

void large_graph() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {16});
  for (int i = 0; i < 1500; ++i) x = b.node(i % 2 ? "Sin" : "Neg", {x});
  b.output(x, ElementType::f32, {16});
  save("graph_deep", b);
}

}  // namespace

void write_files() {
  versions();
  external_data();
  names();
  local_function();
  standard_functions();
  large_graph();
}

}  // namespace takt
