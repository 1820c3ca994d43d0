#include "predict/zoo/writer.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <algorithm>
#include <cmath>

#include "base/basics/error.h"

namespace takt {

ZooWriter::ZooWriter(const ZooModel& model, std::uint64_t seed)
    : model_(model), builder_(model.name(), seed), random_(seed) {}

std::int64_t ZooWriter::scaled(double channels) const {
  return std::max<std::int64_t>(8, std::lround(channels * model_.width / 8) * 8);
}

ZooTensor ZooWriter::picture() {
  return {builder_.input("input", ElementType::f32, {model_.batch, 3, model_.input, model_.input}), 3};
}

ZooTensor ZooWriter::input(const Shape& shape) {
  return {builder_.input("input", ElementType::f32, shape), shape.back()};
}

std::string ZooWriter::node(const std::string& type, const std::vector<std::string>& inputs,
                            const std::vector<NamedAttribute>& attributes) {
  const std::string name = fmt::format("{}_{}", type, ++numbers_[type]);
  return builder_.node(type, inputs, attributes, {.name = name, .domain = {}, .outputs = {}, .subgraphs = {}});
}

std::string ZooWriter::weight(const Shape& shape, std::int64_t fan_in) {
  const auto count = element_count(shape);
  if (!count || *count > most_zoo_weight_bytes)
    throw Error(ErrorKind::unsupported,
                model_.name() + ": a layer is larger than the zoo's weights; take a smaller width");
  const std::int64_t bytes = *count * static_cast<std::int64_t>(sizeof(float));
  auto& tensor = *builder_.graph().add_initializer();
  tensor.set_name(fmt::format("weight_{}", ++weights_));
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t size : shape) tensor.add_dims(size);
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  const auto say = [&](const char* key, const std::string& value) {
    auto& entry = *tensor.add_external_data();
    entry.set_key(key), entry.set_value(value);
  };
  say("location", zoo_weights_file);
  say("offset", std::to_string(places_.place(fan_in, bytes)));
  say("length", std::to_string(bytes));
  parameters_ += *count;
  return tensor.name();
}

std::string ZooWriter::vector(std::int64_t count, float around, float spread) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = around + spread * (static_cast<float>(random_() >> 40) * 0x1p-23f - 1.0f);
  parameters_ += count;
  return builder_.floats(values, {count});
}

ZooTensor ZooWriter::conv(const ZooTensor& x, const ConvShape& s) {
  const std::int64_t fan_in = x.channels / s.groups * s.kernel * s.kernel;
  std::vector<std::string> inputs{x.name, weight({s.out, x.channels / s.groups, s.kernel, s.kernel}, fan_in)};
  if (s.bias) inputs.push_back(vector(s.out, 0, 0.1f));
  const std::int64_t pad = s.pad.value_or(s.kernel / 2);
  return {node("Conv", inputs,
               {{"kernel_shape", {s.kernel, s.kernel}},
                {"strides", {s.stride, s.stride}},
                {"pads", {pad, pad, pad, pad}},
                {"group", s.groups}}),
          s.out};
}

ZooTensor ZooWriter::conv_norm(const ZooTensor& x, ConvShape shape, float gain) {
  shape.bias = false;
  return norm(conv(x, shape), gain);
}

ZooTensor ZooWriter::norm(const ZooTensor& x, float gain) {
  const std::int64_t c = x.channels;
  const auto scale = vector(c, gain, 0.1f), shift = vector(c, 0, 0.1f), mean = vector(c, 0, 0.1f);
  return {node("BatchNormalization", {x.name, scale, shift, mean, vector(c, 1, 0.2f)}), c};
}

ZooTensor ZooWriter::local_norm(const ZooTensor& x, std::int64_t size) {
  return {node("LRN", {x.name}, {{"size", size}, {"alpha", 1e-4f}, {"beta", 0.75f}, {"bias", 1.0f}}), x.channels};
}

ZooTensor ZooWriter::act(const std::string& type, const ZooTensor& x) { return {node(type, {x.name}), x.channels}; }

ZooTensor ZooWriter::relu6(const ZooTensor& x) {
  return {node("Clip", {x.name, builder_.floats({0}, {}), builder_.floats({6}, {})}), x.channels};
}

ZooTensor ZooWriter::swish(const ZooTensor& x) { return binary("Mul", x, act("Sigmoid", x)); }

ZooTensor ZooWriter::gelu(const ZooTensor& x) {
  const auto inner = node("Div", {x.name, builder_.floats({std::sqrt(2.0f)}, {})});
  const auto sum = node("Add", {node("Erf", {inner}), builder_.floats({1}, {})});
  return {node("Mul", {node("Mul", {x.name, sum}), builder_.floats({0.5f}, {})}), x.channels};
}

ZooTensor ZooWriter::pool(const std::string& type, const ZooTensor& x, std::int64_t kernel, std::int64_t stride,
                          std::int64_t pad) {
  return {node(type, {x.name},
               {{"kernel_shape", {kernel, kernel}}, {"strides", {stride, stride}}, {"pads", {pad, pad, pad, pad}}}),
          x.channels};
}

ZooTensor ZooWriter::global_pool(const ZooTensor& x) { return act("GlobalAveragePool", x); }

ZooTensor ZooWriter::flat(const ZooTensor& x, std::int64_t numbers) {
  return {node("Flatten", {x.name}, {{"axis", std::int64_t{1}}}), numbers};
}

ZooTensor ZooWriter::linear(const ZooTensor& x, std::int64_t out) {
  const std::string w = weight({out, x.channels}, x.channels);
  return {node("Gemm", {x.name, w, vector(out, 0, 0.1f)}, {{"transB", std::int64_t{1}}}), out};
}

ZooTensor ZooWriter::dense(const ZooTensor& x, std::int64_t out) {
  const auto product = node("MatMul", {x.name, weight({x.channels, out}, x.channels)});
  return {node("Add", {product, vector(out, 0, 0.1f)}), out};
}

ZooTensor ZooWriter::layer_norm(const ZooTensor& x) {
  const auto scale = vector(x.channels, 1, 0.1f);
  return {node("LayerNormalization", {x.name, scale, vector(x.channels, 0, 0.1f)}, {{"axis", std::int64_t{-1}}}),
          x.channels};
}

ZooTensor ZooWriter::binary(const std::string& type, const ZooTensor& a, const ZooTensor& b) {
  return {node(type, {a.name, b.name}), a.channels};
}

ZooTensor ZooWriter::concat(const std::vector<ZooTensor>& tensors) {
  std::vector<std::string> names;
  std::int64_t channels = 0;
  for (const ZooTensor& tensor : tensors) names.push_back(tensor.name), channels += tensor.channels;
  return {node("Concat", names, {{"axis", std::int64_t{1}}}), channels};
}

ZooTensor ZooWriter::reshape(const ZooTensor& x, const Shape& shape, std::int64_t channels) {
  return {node("Reshape", {x.name, builder_.integers(shape)}), channels};
}

ZooTensor ZooWriter::transpose(const ZooTensor& x, const Shape& order, std::int64_t channels) {
  return {node("Transpose", {x.name}, {{"perm", order}}), channels};
}

ZooTensor ZooWriter::shuffled(const ZooTensor& x, std::int64_t groups, std::int64_t side) {
  const auto parted = reshape(x, {model_.batch, groups, x.channels / groups, side, side}, x.channels);
  return reshape(transpose(parted, {0, 2, 1, 3, 4}, x.channels), {model_.batch, x.channels, side, side}, x.channels);
}

ZooTensor ZooWriter::scaled_by(const ZooTensor& x, float factor) {
  return {node("Mul", {x.name, builder_.floats({factor}, {})}), x.channels};
}

ZooTensor ZooWriter::slice(const ZooTensor& x, std::int64_t axis, std::int64_t begin, std::int64_t end) {
  const auto from = builder_.integers({begin}), to = builder_.integers({end});
  return {node("Slice", {x.name, from, to, builder_.integers({axis})}), end - begin};
}

ZooTensor ZooWriter::mean(const ZooTensor& x, std::int64_t axis) {
  return {node("ReduceMean", {x.name}, {{"axes", {axis}}, {"keepdims", std::int64_t{0}}}), x.channels};
}

ZooTensor ZooWriter::resized(const ZooTensor& x, std::int64_t factor) {
  const auto scale = static_cast<float>(factor);
  return {node("Resize", {x.name, "", builder_.floats({1, 1, scale, scale}, {4})},
               {{"mode", std::string("nearest")},
                {"coordinate_transformation_mode", std::string("asymmetric")},
                {"nearest_mode", std::string("floor")}}),
          x.channels};
}

std::string ZooWriter::places(const std::string& name, std::int64_t count) {
  return builder_.input(name, ElementType::i64, {count});
}

ZooTensor ZooWriter::gathered(const ZooTensor& x, const std::string& places) {
  return {node("Gather", {x.name, places}, {{"axis", std::int64_t{0}}}), x.channels};
}

ZooTensor ZooWriter::scattered(const ZooTensor& x, const std::string& places, std::int64_t count, std::int64_t rows,
                               const std::string& reduction) {
  const std::string narrow = node("Cast", {places}, {{"to", static_cast<std::int64_t>(ElementType::i32)}});
  const std::string column = node("Unsqueeze", {narrow, builder_.integers({1})});
  const std::string indices = node("Expand", {column, builder_.integers({count, x.channels})});
  const std::string none = node("Expand", {builder_.floats({0}, {1, 1}), builder_.integers({rows, x.channels})});
  return {node("ScatterElements", {none, indices, x.name}, {{"axis", std::int64_t{0}}, {"reduction", reduction}}),
          x.channels};
}

void ZooWriter::finish(const ZooTensor& y) {
  builder_.output(
      builder_.node("Identity", {y.name}, {}, {.name = {}, .domain = {}, .outputs = {"output"}, .subgraphs = {}}));
}

std::string ZooWriter::bytes() const { return builder_.serialize(); }

}  // namespace takt
