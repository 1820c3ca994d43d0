// Dimensions that a model leaves open.
#include "cli/odd_models.h"

namespace takt {
namespace {

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

}  // namespace

void write_dimensions() {
  image_with_open_dims("dims_batch", "batch,3,32,32");
  image_with_open_dims("dims_image", "N,C,H,W");
  image_with_open_dims("dims_image_unnamed", "?,?,?,?");
  transformer("dims_sequence", 1);
  transformer("dims_sequence_fixed", 12);
  shared_symbols();
  unnamed_dims();
  flattened("dims_features", 13);
  flattened("dims_features_784", 784);
  unknown_rank();
  recurrent("LSTM", 4);
  recurrent("GRU", 3);
  empty_batch();
  audio();
  large_minimum();
}

}  // namespace takt
