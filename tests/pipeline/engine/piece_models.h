// Networks built here that cannot be cut everywhere across one tensor.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/onnx/builder.h"

namespace takt {

struct NamedModel {
  std::string name;
  std::function<ModelBuilder()> build;
};

/// Six convolutions; each second one is added to what came before it, so that half of the cuts cross a skip.
inline ModelBuilder skip_network() {
  ModelBuilder b("skips");
  std::string last = b.input("image", ElementType::f32, {1, 4, 16, 16});
  const auto conv = [&](const std::string& from) {
    return b.node("Relu", {b.node("Conv", {from, b.weight({4, 4, 3, 3}), b.weight({4})}, {{"pads", {1, 1, 1, 1}}})});
  };
  last = conv(last);
  for (int block = 0; block < 3; ++block) last = b.node("Relu", {b.node("Add", {conv(conv(last)), last})});
  b.output(b.node("GlobalAveragePool", {last}, {}, {.outputs = {"pooled"}}));
  return b;
}

/// The second input is read at the front and again near the end; one output is there in the middle.
inline ModelBuilder two_input_network() {
  ModelBuilder b("two_inputs");
  const auto x = b.symbolic_input("x", ElementType::f32, "batch,12");
  const auto gate = b.symbolic_input("gate", ElementType::f32, "batch,12");
  std::string last = b.node("Mul", {x, gate});
  for (int layer = 0; layer < 3; ++layer)
    last = b.node("Tanh", {b.node("Gemm", {last, b.weight({12, 12}), b.weight({12})})});
  b.output(b.node("Softmax", {last}, {}, {.outputs = {"middle"}}));
  for (int layer = 0; layer < 3; ++layer)
    last = b.node("Relu", {b.node("Gemm", {last, b.weight({12, 12}), b.weight({12})})});
  b.output(b.node("Add", {b.node("Mul", {last, gate}), gate}, {}, {.outputs = {"end"}}));
  return b;
}

/// An encoder layer: two heads over eight positions, a mask, skips around the attention and around the products.
inline ModelBuilder transformer_block() {
  constexpr std::int64_t width = 16, heads = 2;
  ModelBuilder b("transformer");
  const auto x = b.symbolic_input("x", ElementType::f32, "batch,8,16");
  const auto mask = b.symbolic_input("mask", ElementType::f32, "batch,1,1,8");
  const auto linear = [&](const std::string& from, std::int64_t in, std::int64_t out) {
    return b.node("Add", {b.node("MatMul", {from, b.weight({in, out})}), b.weight({out})});
  };
  const auto split_heads = [&](const std::string& from, const std::vector<std::int64_t>& order) {
    const auto apart = b.node("Reshape", {from, b.integers({0, 0, heads, width / heads})});
    return b.node("Transpose", {apart}, {{"perm", order}});
  };
  const auto normalised = [&](const std::string& from) {
    return b.node("LayerNormalization", {from, b.weight({width}), b.weight({width})}, {{"axis", std::int64_t{-1}}});
  };
  const auto query = split_heads(linear(x, width, width), {0, 2, 1, 3});
  const auto key = split_heads(linear(x, width, width), {0, 2, 3, 1});
  const auto value = split_heads(linear(x, width, width), {0, 2, 1, 3});
  const auto scores = b.node("Mul", {b.node("MatMul", {query, key}), b.floats({0.35f}, {})});
  const auto seen = b.node("Softmax", {b.node("Add", {scores, mask})}, {{"axis", std::int64_t{-1}}});
  const auto mixed = b.node("Transpose", {b.node("MatMul", {seen, value})}, {{"perm", {0, 2, 1, 3}}});
  const auto together = b.node("Reshape", {mixed, b.integers({0, 0, width})});
  const auto attended = normalised(b.node("Add", {linear(together, width, width), x}));
  const auto wide = b.node("Relu", {linear(attended, width, 4 * width)});
  b.output(b.node("Add", {linear(wide, 4 * width, width), attended}, {}, {.outputs = {"encoded"}}));
  return b;
}

inline std::vector<NamedModel> piece_models() {
  return {{"skips", skip_network}, {"two_inputs", two_input_network}, {"transformer", transformer_block}};
}

}  // namespace takt
