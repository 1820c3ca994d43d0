// make_zoo FOLDER: writes models that are odd but valid, one property each, for run_zoo_test.py.
#include <onnx-ml.pb.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>

#include "core/file.h"
#include "graph/builder.h"

namespace takt {
namespace {

std::filesystem::path folder;

void save(const std::string& name, const ModelBuilder& model, int opset = 17, int ir = 8) {
  write_file_atomically(folder / (name + ".onnx"), model.serialize(opset, ir));
}

/// The model as text after `change` had its way with what ModelBuilder cannot say.
void save_changed(const std::string& name, const ModelBuilder& model,
                  const std::function<void(onnx::ModelProto&)>& change, int opset = 17, int ir = 8) {
  onnx::ModelProto proto;
  proto.ParseFromString(model.serialize(opset, ir));
  change(proto);
  write_file_atomically(folder / (name + ".onnx"), serialize_onnx(proto));
}

template <typename Value>
std::string bytes(const std::vector<Value>& values) {
  std::string text(values.size() * sizeof(Value), '\0');
  std::memcpy(text.data(), values.data(), text.size());
  return text;
}

void sequence_type(onnx::ValueInfoProto& value, ElementType element) {
  value.mutable_type()->mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(
      static_cast<int>(element));
}

// ---- dimensions -----------------------------------------------------------------------------------------------------

void image_with_open_dims(const std::string& name, const std::string& dims) {
  ModelBuilder b;
  auto x = b.symbolic_input("image", ElementType::f32, dims);
  auto conv = b.node("Conv", {x, b.weight({8, 3, 3, 3})}, {{"strides", {2, 2}}});
  b.output(b.node("GlobalAveragePool", {b.node("Relu", {conv})}));
  save(name, b);
}

// Embeddings with a table of positions: only sequences of its length, or of 1, fit.
void transformer(const std::string& name, std::int64_t positions) {
  ModelBuilder b;
  auto ids = b.symbolic_input("input_ids", ElementType::i64, "batch,sequence");
  auto mask = b.symbolic_input("attention_mask", ElementType::i64, "batch,sequence");
  auto types = b.symbolic_input("token_type_ids", ElementType::i64, "batch,sequence");
  auto words = b.node("Add", {b.node("Gather", {b.weight({50, 8}), ids}), b.node("Gather", {b.weight({2, 8}), types})});
  auto x = b.node("Add", {words, b.weight({1, positions, 8})});
  auto q = b.node("MatMul", {x, b.weight({8, 8})});
  auto k = b.node("Transpose", {b.node("MatMul", {x, b.weight({8, 8})})}, {{"perm", {0, 2, 1}}});
  auto keep = b.node("Unsqueeze", {b.node("Cast", {mask}, {{"to", std::int64_t{1}}}), b.integers({1})});
  auto weights = b.node("Softmax", {b.node("Add", {b.node("MatMul", {q, k}), keep})});
  b.output(b.node("MatMul", {weights, x}));
  save(name, b);
}

void shared_symbols() {
  ModelBuilder b;
  auto x = b.symbolic_input("x", ElementType::f32, "m,k");
  auto y = b.symbolic_input("y", ElementType::f32, "k,n");
  b.output(b.node("MatMul", {x, y}));
  save("dims_shared_symbols", b);
}

void unnamed_dims() {
  ModelBuilder b;
  auto x = b.symbolic_input("x", ElementType::f32, "?,?");
  auto y = b.symbolic_input("y", ElementType::f32, "?,?");
  b.output(b.node("MatMul", {x, b.node("Transpose", {b.node("Relu", {y})})}));
  save("dims_unnamed", b);
}

void flattened(const std::string& name, std::int64_t features) {
  ModelBuilder b;
  auto x = b.symbolic_input("x", ElementType::f32, "?,?");
  b.output(b.node("Gemm", {x, b.weight({features, 4})}));
  save(name, b);
}

void unknown_rank() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {});
  b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  b.output(b.node("MatMul", {x, b.weight({16, 4})}));
  save("dims_unknown_rank", b);
}

void recurrent(const std::string& type, std::int64_t gates) {
  ModelBuilder b;
  auto x = b.symbolic_input("x", ElementType::f32, "seq,batch,10");
  auto h = b.symbolic_input("h", ElementType::f32, "1,batch,6");
  auto y = b.node(type, {x, b.weight({1, gates * 6, 10}), b.weight({1, gates * 6, 6}), "", "", h},
                  {{"hidden_size", std::int64_t{6}}}, {.outputs = {"y", "y_h"}});
  b.output(y);
  b.output("y_h");
  save("recurrent_" + type, b);
}

void empty_batch() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {0, 4});
  b.output(b.node("Relu", {b.node("MatMul", {x, b.weight({4, 8})})}));
  save("dims_zero", b);
}

void audio() {
  ModelBuilder b;
  auto x = b.symbolic_input("audio_signal", ElementType::f32, "batch,80,time");
  b.output(b.node("Conv", {x, b.weight({8, 80, 3})}));
  save("dims_audio", b);
}

void large_minimum() {
  ModelBuilder b;
  auto x = b.symbolic_input("x", ElementType::f32, "N,1,length");
  b.output(b.node("Conv", {x, b.weight({4, 1, 400})}, {{"strides", {160}}}));
  save("dims_wave", b);
}

// ---- types ----------------------------------------------------------------------------------------------------------

void integer_inputs() {
  for (auto [name, type] : {std::pair{"i32", ElementType::i32},
                            {"i64", ElementType::i64},
                            {"u8", ElementType::u8},
                            {"i8", ElementType::i8},
                            {"bool", ElementType::boolean},
                            {"f16", ElementType::f16},
                            {"f64", ElementType::f64},
                            {"bf16", ElementType::bf16},
                            {"u32", ElementType::u32},
                            {"i16", ElementType::i16},
                            {"u16", ElementType::u16},
                            {"u64", ElementType::u64}}) {
    ModelBuilder b;
    auto x = b.input("x", type, {2, 8});
    b.output(b.node("Relu", {b.node("Cast", {x}, {{"to", std::int64_t{1}}})}), ElementType::f32, {2, 8});
    save(std::string("type_") + name, b, 13);
  }
}

void half_model() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f16, {1, 3, 16, 16});
  auto w = b.raw(ElementType::f16, {8, 3, 3, 3}, bytes(std::vector<std::uint16_t>(216, 0x2c00)));
  b.output(b.node("Relu", {b.node("Conv", {x, w})}), ElementType::f16, {1, 8, 14, 14});
  save("type_f16_conv", b);
}

void half_weights() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {4, 16});
  auto w = b.raw(ElementType::f16, {16, 8}, bytes(std::vector<std::uint16_t>(128, 0x2c00)));
  b.output(b.node("MatMul", {x, b.node("Cast", {w}, {{"to", std::int64_t{1}}})}), ElementType::f32, {4, 8});
  save("type_f16_weights", b);
}

void double_model() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f64, {4, 16});
  b.output(b.node("MatMul", {x, b.raw(ElementType::f64, {16, 8}, bytes(std::vector<double>(128, 0.5)))}),
           ElementType::f64, {4, 8});
  save("type_f64_matmul", b);
}

void string_model() {
  ModelBuilder b;
  auto x = b.input("words", ElementType::string, {2, 3});
  auto y = b.node("LabelEncoder", {x},
                  {{"keys_strings", std::vector<std::string>{"a", "b"}},
                   {"values_int64s", {1, 2}},
                   {"default_int64", std::int64_t{7}}},
                  {.domain = "ai.onnx.ml"});
  b.output(y, ElementType::i64, {2, 3});
  save_changed("type_string", b, [](auto& m) { m.mutable_opset_import(1)->set_version(2); });
  ModelBuilder c;
  c.output(c.node("Identity", {c.symbolic_input("words", ElementType::string, "batch")}));
  save("type_string_identity", c);
}

// ---- inputs and outputs ---------------------------------------------------------------------------------------------

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
  std::vector<NamedAttribute> a{{"n_targets", std::int64_t{1}},
                                {"nodes_falsenodeids", {2, 0, 0}},
                                {"nodes_featureids", {0, 0, 0}},
                                {"nodes_hitrates", std::vector<float>{1, 1, 1}},
                                {"nodes_missing_value_tracks_true", {0, 0, 0}},
                                {"nodes_modes", std::vector<std::string>{"BRANCH_LEQ", "LEAF", "LEAF"}},
                                {"nodes_nodeids", {0, 1, 2}},
                                {"nodes_treeids", {0, 0, 0}},
                                {"nodes_truenodeids", {1, 0, 0}},
                                {"nodes_values", std::vector<float>{0.5f, 0, 0}},
                                {"target_ids", {0, 0}},
                                {"target_nodeids", {1, 2}},
                                {"target_treeids", {0, 0}},
                                {"target_weights", std::vector<float>{1, 2}}};
  b.output(b.node("TreeEnsembleRegressor", {x}, a, {.domain = "ai.onnx.ml"}));
  save("ml_trees", b);
}

// ---- control flow ---------------------------------------------------------------------------------------------------

void branches() {
  ModelBuilder yes("yes"), no("no"), b;
  auto x = b.input("x", ElementType::f32, {2, 4});
  auto flag = b.input("flag", ElementType::boolean, {});
  yes.output(yes.node("MatMul", {x, yes.weight({4, 4}, "w_yes")}, {}, {.name = "m", .outputs = {"r_yes"}}),
             ElementType::f32, {2, 4});
  no.output(no.node("Relu", {x}, {}, {.name = "m", .outputs = {"r_no"}}), ElementType::f32, {2, 4});
  b.output(b.node("If", {flag}, {}, {.outputs = {"r"}, .subgraphs = {{"then_branch", &yes}, {"else_branch", &no}}}),
           ElementType::f32, {2, 4});
  save("flow_if", b);
}

void loop() {
  ModelBuilder body("body"), b;
  auto x = b.input("x", ElementType::f32, {4, 4});
  auto trips = b.input("trips", ElementType::i64, {});
  body.input("i", ElementType::i64, {});
  body.input("go", ElementType::boolean, {});
  body.input("state", ElementType::f32, {4, 4});
  body.output(body.node("Identity", {"go"}, {}, {.outputs = {"go_on"}}), ElementType::boolean, {});
  body.output(body.node("Relu", {body.node("MatMul", {"state", body.weight({4, 4}, "w_loop")})}), ElementType::f32,
              {4, 4});
  b.output(b.node("Loop", {trips, "", x}, {}, {.outputs = {"r"}, .subgraphs = {{"body", &body}}}), ElementType::f32,
           {4, 4});
  save("flow_loop", b);
}

void scan() {
  ModelBuilder body("body"), b;
  auto x = b.symbolic_input("x", ElementType::f32, "steps,4");
  auto start = b.input("start", ElementType::f32, {4});
  body.input("state", ElementType::f32, {4});
  body.input("slice", ElementType::f32, {4});
  auto sum = body.node("Add", {"state", "slice"}, {}, {.outputs = {"sum"}});
  body.output(sum, ElementType::f32, {4});
  body.output(body.node("Relu", {sum}, {}, {.outputs = {"row"}}), ElementType::f32, {4});
  b.output(b.node("Scan", {start, x}, {{"num_scan_inputs", std::int64_t{1}}},
                  {.outputs = {"last", "rows"}, .subgraphs = {{"body", &body}}}));
  b.output("rows");
  save("flow_scan", b);
}

void data_dependent() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {8, 8});
  b.output(b.node("NonZero", {b.node("Relu", {x})}));
  save("flow_nonzero", b);
  ModelBuilder c;
  auto boxes = c.input("boxes", ElementType::f32, {1, 20, 4});
  auto scores = c.input("scores", ElementType::f32, {1, 2, 20});
  c.output(c.node("NonMaxSuppression", {boxes, scores, c.integers({3}), c.floats({0.5f}, {1}), c.floats({0}, {1})}));
  save("flow_nms", c);
  ModelBuilder d;
  auto y = d.input("x", ElementType::f32, {2, 8});
  auto shape = d.input("shape", ElementType::i64, {2});
  d.output(d.node("Reshape", {y, shape}));
  save("flow_shape_input", d);
  ModelBuilder e;
  auto z = e.input("x", ElementType::f32, {2, 8});
  auto k = e.input("k", ElementType::i64, {1});
  e.output(e.node("TopK", {z, k}, {}, {.outputs = {"values", "indices"}}));
  e.output("indices");
  save("flow_topk", e);
}

// ---- quantised ------------------------------------------------------------------------------------------------------

void quantised() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {1, 3, 16, 16});
  auto scale = b.floats({0.1f}, {});
  auto zero = b.raw(ElementType::u8, {}, std::string(1, '\x80'));
  auto signed_zero = b.raw(ElementType::i8, {}, std::string(1, '\0'));
  auto w = b.raw(ElementType::i8, {8, 3, 3, 3}, std::string(216, '\x02'));
  auto qdq = [&](const std::string& t) {
    return b.node("DequantizeLinear", {b.node("QuantizeLinear", {t, scale, zero}), scale, zero});
  };
  auto conv = b.node("Conv", {qdq(x), b.node("DequantizeLinear", {w, scale, signed_zero})}, {{"pads", {1, 1, 1, 1}}});
  b.output(qdq(b.node("Relu", {conv})), ElementType::f32, {1, 8, 16, 16});
  save("quantised_qdq", b, 13);
  ModelBuilder c;
  auto q = c.input("x", ElementType::u8, {1, 3, 8, 8});
  auto s = c.floats({0.1f}, {});
  auto z = c.raw(ElementType::u8, {}, std::string(1, '\0'));
  auto v = c.raw(ElementType::u8, {4, 3, 3, 3}, std::string(108, '\x01'));
  c.output(c.node("QLinearConv", {q, s, z, v, s, z, s, z}), ElementType::u8, {1, 4, 6, 6});
  save("quantised_qlinear", c, 10, 5);
  ModelBuilder d;
  auto f = d.input("x", ElementType::f32, {4, 16});
  d.node("DynamicQuantizeLinear", {f}, {}, {.outputs = {"xq", "xs", "xz"}});
  auto m = d.node("MatMulInteger", {"xq", d.raw(ElementType::i8, {16, 8}, std::string(128, '\x01')), "xz"});
  d.output(d.node("Mul", {d.node("Cast", {m}, {{"to", std::int64_t{1}}}), "xs"}), ElementType::f32, {4, 8});
  save("quantised_dynamic", d, 11);
}

void four_bit() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {4, 32});
  auto w = b.raw(ElementType::i4, {32, 8}, std::string(128, '\x21'));
  b.output(b.node("MatMul", {x, b.node("DequantizeLinear", {w, b.floats({0.1f}, {})})}), ElementType::f32, {4, 8});
  save("quantised_int4", b, 21, 10);
}

// ---- files ----------------------------------------------------------------------------------------------------------

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
    write_file_atomically(folder / "external_data.bin", tensor.raw_data());
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

void write_all() {
  image_with_open_dims("dims_batch", "batch,3,32,32");
  image_with_open_dims("dims_image", "N,C,H,W");
  image_with_open_dims("dims_image_unnamed", "?,?,?,?");
  transformer("dims_sequence", 1);
  transformer("dims_sequence_fixed", 12);
  shared_symbols(), unnamed_dims(), flattened("dims_features", 13), flattened("dims_features_784", 784);
  unknown_rank(), recurrent("LSTM", 4), recurrent("GRU", 3), empty_batch(), audio(), large_minimum();
  integer_inputs(), half_model(), half_weights(), double_model(), string_model();
  many_ports(), output_is_input(), unused_input(), constant_only(), no_inputs(), scalars();
  sequences(), optional_output(), map_output(), trees();
  branches(), loop(), scan(), data_dependent();
  quantised(), four_bit();
  versions(), external_data(), names(), local_function(), standard_functions(), large_graph();
}

}  // namespace
}  // namespace takt

int main(int count, char** arguments) {
  if (count != 2) return std::fputs("usage: make_zoo FOLDER\n", stderr), 2;
  try {
    takt::folder = arguments[1];
    std::filesystem::create_directories(takt::folder);
    takt::write_all();
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "make_zoo: %s\n", error.what()), 1;
  }
}
