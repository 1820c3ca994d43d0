// make_numbers FOLDER: writes models for the test of what is called right: in all precisions, and such that two
// runtimes do not agree on.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>

#include "base/basics/half.h"
#include "base/files/file.h"
#include "base/statistics/random.h"
#include "model/onnx/builder.h"

namespace takt {
namespace {

constexpr int newer = 22;  ///< the first operator set with convolutions of bfloat16, and 4-bit integers

/// A network whose floats all have one type.
class Typed {
 public:
  explicit Typed(ElementType type) : type_(type) {}

  ModelBuilder& builder() { return b_; }
  std::string input(const Shape& shape) { return b_.input("x", type_, shape); }
  std::string constant(const std::vector<float>& values, const Shape& shape) {
    if (type_ == ElementType::f32) return b_.floats(values, shape);
    std::string bytes;
    for (const float value : values) {
      const std::uint16_t bits = type_ == ElementType::f16 ? to_half(value) : to_bfloat(value);
      bytes.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    }
    return b_.raw(type_, shape, bytes);
  }
  /// Normal, such that sums of `fan_in` products keep their size.
  std::string weight(const Shape& shape, std::int64_t fan_in) { return constant(drawn(shape, fan_in), shape); }
  std::vector<float> drawn(const Shape& shape, std::int64_t fan_in) {
    std::vector<float> values(static_cast<std::size_t>(*element_count(shape)));
    for (float& value : values)
      value = static_cast<float>(standard_normal(random_) * std::sqrt(1.4 / static_cast<double>(fan_in)));
    return values;
  }

 private:
  ElementType type_;
  ModelBuilder b_;
  Random random_{11};
};

std::string convolutions(ElementType type) {
  Typed net(type);
  ModelBuilder& b = net.builder();
  std::string last = net.input({1, 3, 16, 16});
  std::int64_t channels = 3;
  for (const std::int64_t wide : {8, 12, 16}) {
    last = b.node("Conv", {last, net.weight({wide, channels, 3, 3}, 9 * channels), net.weight({wide}, 4)},
                  {{"pads", {1, 1, 1, 1}}});
    last = b.node("Relu", {last});
    channels = wide;
  }
  last = b.node("Flatten", {b.node("GlobalAveragePool", {last})});
  b.output(b.node("MatMul", {last, net.weight({16, 10}, 2)}, {}, {.outputs = {"y"}}));
  return b.serialize(newer, 10);
}

std::string perceptron(ElementType type) {
  Typed net(type);
  ModelBuilder& b = net.builder();
  std::string last = net.input({8, 32});
  for (int layer = 0; layer < 4; ++layer) {
    last = b.node("MatMul", {last, net.weight({32, 32}, 32)});
    last = b.node(layer % 2 ? "Tanh" : "Relu", {b.node("Add", {last, net.weight({32}, 8)})});
  }
  b.output(b.node("Softmax", {last}, {{"axis", std::int64_t{-1}}}, {.outputs = {"y"}}));
  return b.serialize(newer, 10);
}

std::string attention(ElementType type) {
  Typed net(type);
  ModelBuilder& b = net.builder();
  const auto x = net.input({1, 16, 32});
  const auto projected = [&] { return b.node("MatMul", {x, net.weight({32, 32}, 32)}); };
  const auto keys = b.node("Transpose", {projected()}, {{"perm", {0, 2, 1}}});
  const auto scores = b.node("Mul", {b.node("MatMul", {projected(), keys}), net.constant({0.18f}, {})});
  const auto seen = b.node("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
  const auto sum = b.node("Add", {b.node("MatMul", {seen, projected()}), x});
  const auto normal =
      b.node("LayerNormalization", {sum, net.weight({32}, 1), net.weight({32}, 8)}, {{"axis", std::int64_t{-1}}});
  b.output(b.node("MatMul", {normal, net.weight({32, 8}, 32)}, {}, {.outputs = {"y"}}));
  return b.serialize(newer, 10);
}

std::string bytes_of(const std::vector<float>& values, float scale) {
  std::string bytes;
  for (const float value : values)
    bytes += static_cast<char>(static_cast<std::int8_t>(std::lround(std::fmin(std::fmax(value / scale, -127), 127))));
  return bytes;
}

/// Every activation goes through 8 bits. Weights have 7 of their 8 bits: without VNNI runtimes add pairs of products in
/// 16 bits, and those of 8 bits overflow there (both runtimes then compute something else than the model says, and
/// plans say so).
class Quantised {
 public:
  explicit Quantised(Typed& net) : net_(net), b_(net.builder()) {}
  std::string through(const std::string& from, float scale) {
    const auto s = b_.floats({scale}, {}), zero = b_.raw(ElementType::i8, {}, std::string(1, '\0'));
    return b_.node("DequantizeLinear", {b_.node("QuantizeLinear", {from, s, zero}), s, zero});
  }
  std::string weight(const Shape& shape, std::int64_t fan_in) {
    const auto values = net_.drawn(shape, fan_in);
    float largest = 0;
    for (const float value : values) largest = std::fmax(largest, std::abs(value));
    const float scale = largest / 63;
    return b_.node("DequantizeLinear", {b_.raw(ElementType::i8, shape, bytes_of(values, scale)), b_.floats({scale}, {}),
                                        b_.raw(ElementType::i8, {}, std::string(1, '\0'))});
  }

 private:
  Typed& net_;
  ModelBuilder& b_;
};

std::string quantised_convolutions() {
  Typed net(ElementType::f32);
  Quantised q(net);
  ModelBuilder& b = net.builder();
  std::string last = q.through(net.input({1, 3, 16, 16}), 1.0f / 127);
  std::int64_t channels = 3;
  for (const std::int64_t wide : {8, 12, 16}) {
    last = b.node("Conv", {last, q.weight({wide, channels, 3, 3}, 9 * channels)}, {{"pads", {1, 1, 1, 1}}});
    last = q.through(b.node("Relu", {last}), 4.0f / 127);
    channels = wide;
  }
  last = q.through(b.node("GlobalAveragePool", {last}), 2.0f / 127);
  b.output(b.node("MatMul", {b.node("Flatten", {last}), q.weight({16, 10}, 2)}, {}, {.outputs = {"y"}}));
  return b.serialize(newer, 10);
}

std::string quantised_perceptron() {
  Typed net(ElementType::f32);
  Quantised q(net);
  ModelBuilder& b = net.builder();
  std::string last = q.through(net.input({8, 32}), 1.0f / 127);
  for (int layer = 0; layer < 4; ++layer)
    last = q.through(b.node("Tanh", {b.node("MatMul", {last, q.weight({32, 32}, 16)})}), 1.0f / 127);
  b.output(b.node("MatMul", {last, q.weight({32, 8}, 32)}, {}, {.outputs = {"y"}}));
  return b.serialize(newer, 10);
}

/// Weights of 8 or 4 bits, activations of float32, as language models have them.
std::string small_weights(ElementType type) {
  Typed net(ElementType::f32);
  ModelBuilder& b = net.builder();
  const bool is_tiny = type == ElementType::i4;
  std::string last = net.input({8, 64});
  for (int layer = 0; layer < 4; ++layer) {
    const auto values = net.drawn({64, 64}, 64);
    const float scale = is_tiny ? 0.06f : 0.005f;
    std::string bytes = bytes_of(values, scale);
    if (is_tiny) {  // two in a byte, the first one low
      std::string packed;
      for (std::size_t i = 0; i < bytes.size(); i += 2) {
        const auto small = [&](std::size_t at) { return std::clamp<int>(static_cast<std::int8_t>(bytes[at]), -8, 7); };
        packed += static_cast<char>((small(i) & 15) | (small(i + 1) & 15) << 4);
      }
      bytes = packed;
    }
    const auto weight = b.node("DequantizeLinear", {b.raw(type, {64, 64}, bytes), b.floats({scale}, {})});
    last = b.node("Relu", {b.node("MatMul", {last, weight})});
  }
  b.output(b.node("MatMul", {last, net.weight({64, 8}, 64)}, {}, {.outputs = {"y"}}));
  return b.serialize(newer, 10);
}

/// Scales are found as it runs.
std::string dynamically_quantised() {
  Typed net(ElementType::f32);
  ModelBuilder& b = net.builder();
  std::string last = net.input({8, 64});
  for (int layer = 0; layer < 3; ++layer) {
    const std::string name = "q" + std::to_string(layer);
    b.node("DynamicQuantizeLinear", {last}, {}, {.outputs = {name, name + "s", name + "z"}});
    const auto weight = b.raw(ElementType::i8, {64, 64}, bytes_of(net.drawn({64, 64}, 64), 0.005f));
    const auto sums = b.node("MatMulInteger", {name, weight, name + "z"});
    const auto reals = b.node("Cast", {sums}, {{"to", std::int64_t{1}}});
    last = b.node("Relu", {b.node("Mul", {reals, b.node("Mul", {name + "s", b.floats({0.005f}, {})})})});
  }
  b.output(b.node("MatMul", {last, net.weight({64, 8}, 64)}, {}, {.outputs = {"y"}}));
  return b.serialize(newer, 10);
}

/// OpenVINO's CPU resizes without the filter.
std::string antialias() {
  Typed net(ElementType::f32);
  ModelBuilder& b = net.builder();
  std::string last = net.input({1, 3, 40, 40});
  for (int layer = 0; layer < 2; ++layer)
    last = b.node("Relu", {b.node("Conv", {last, net.weight({3, 3, 3, 3}, 27)}, {{"pads", {1, 1, 1, 1}}})});
  last = b.node("Resize", {last, "", b.floats({1, 1, 0.4f, 0.4f}, {4})},
                {{"mode", std::string("linear")}, {"antialias", std::int64_t{1}}});
  b.output(b.node("Conv", {last, net.weight({2, 3, 3, 3}, 27)}, {}, {.outputs = {"y"}}));
  return b.serialize(18, 8);
}

/// Two outputs of one shape, of several rows.
std::string two_outputs() {
  Typed net(ElementType::f32);
  ModelBuilder& b = net.builder();
  const auto x = net.input({6, 16});
  const auto front = b.node("Tanh", {b.node("MatMul", {x, net.weight({16, 16}, 16)})});
  b.output(b.node("MatMul", {front, net.weight({16, 4}, 16)}, {}, {.outputs = {"left"}}));
  b.output(b.node("MatMul", {front, net.weight({16, 4}, 16)}, {}, {.outputs = {"right"}}));
  return b.serialize();
}

/// Roots of what is negative here and there.
std::string with_nan() {
  Typed net(ElementType::f32);
  ModelBuilder& b = net.builder();
  const auto front = b.node("MatMul", {net.input({6, 16}), net.weight({16, 16}, 16)});
  b.output(b.node("Sqrt", {front}, {}, {.outputs = {"y"}}));
  return b.serialize();
}

/// Nothing but: logarithms of what is below zero.
std::string only_nan() {
  Typed net(ElementType::f32);
  ModelBuilder& b = net.builder();
  const auto front = b.node("Sub", {b.node("Tanh", {net.input({6, 16})}), b.floats({2}, {})});
  b.output(b.node("Log", {front}, {}, {.outputs = {"y"}}));
  return b.serialize();
}

std::string class_of() {
  Typed net(ElementType::f32);
  ModelBuilder& b = net.builder();
  std::string last = b.node("MatMul", {net.input({6, 16}), net.weight({16, 16}, 16)});
  last = b.node("MatMul", {b.node("Tanh", {last}), net.weight({16, 10}, 16)});
  b.output(b.node("ArgMax", {last}, {{"axis", std::int64_t{1}}}, {.outputs = {"y"}}));
  return b.serialize();
}

/// Classes of rows that are all the same but for rounding.
std::string class_of_nothing() {
  Typed net(ElementType::f32);
  ModelBuilder& b = net.builder();
  const auto one = net.weight({64, 64}, 64), two = net.weight({64, 64}, 64);
  const auto x = net.input({6, 64});
  const auto there = b.node("MatMul", {b.node("MatMul", {x, one}), two});
  const auto back = b.node("MatMul", {x, b.node("MatMul", {one, two})});
  b.output(b.node("ArgMax", {b.node("Sub", {there, back})}, {{"axis", std::int64_t{1}}}, {.outputs = {"y"}}));
  return b.serialize();
}

std::string with_noise() {
  Typed net(ElementType::f32);
  ModelBuilder& b = net.builder();
  const auto front = b.node("MatMul", {net.input({6, 16}), net.weight({16, 16}, 16)});
  const auto noise = b.node("RandomNormalLike", {front}, {}, {.name = "noise"});
  b.output(b.node("Add", {b.node("Tanh", {front}), noise}, {}, {.outputs = {"y"}}));
  return b.serialize();
}

void write_all(const std::filesystem::path& folder) {
  const auto write = [&](const char* name, const std::string& bytes) { write_file_atomically(folder / name, bytes); };
  write("convolutions_f16.onnx", convolutions(ElementType::f16));
  write("perceptron_f16.onnx", perceptron(ElementType::f16));
  write("attention_f16.onnx", attention(ElementType::f16));
  write("convolutions_bf16.onnx", convolutions(ElementType::bf16));
  write("perceptron_bf16.onnx", perceptron(ElementType::bf16));
  write("convolutions_i8.onnx", quantised_convolutions());
  write("perceptron_i8.onnx", quantised_perceptron());
  write("weights_i8.onnx", small_weights(ElementType::i8));
  write("weights_i4.onnx", small_weights(ElementType::i4));
  write("dynamic_i8.onnx", dynamically_quantised());
  write("antialias.onnx", antialias());
  write("two_outputs.onnx", two_outputs());
  write("with_nan.onnx", with_nan());
  write("only_nan.onnx", only_nan());
  write("class_of.onnx", class_of());
  write("class_of_nothing.onnx", class_of_nothing());
  write("with_noise.onnx", with_noise());
}

}  // namespace
}  // namespace takt

int main(int count, char** arguments) {
  if (count != 2) return std::fputs("usage: make_numbers FOLDER\n", stderr), 2;
  try {
    std::filesystem::create_directories(arguments[1]);
    takt::write_all(arguments[1]);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "make_numbers: %s\n", error.what()), 1;
  }
}
