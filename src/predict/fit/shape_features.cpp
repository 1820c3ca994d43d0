#include "predict/fit/shape_features.h"

#include <algorithm>
#include <numeric>

#include "base/basics/index.h"
#include "model/graph/attributes.h"

namespace takt {
namespace {

std::vector<std::int64_t> integers_of(const KernelRecord& record, const char* name) {
  if (const auto* list = integers_attribute(record, name)) return *list;
  if (const auto* one = attribute_of<std::int64_t>(record, name)) return {*one};
  return {};
}

double product(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), 1.0,
                         [](double a, std::int64_t b) { return a * static_cast<double>(b); });
}

double elements(const Shape& shape, std::size_t from, std::size_t to) {
  return product({shape.begin() + static_cast<std::ptrdiff_t>(from), shape.begin() + static_cast<std::ptrdiff_t>(to)});
}

const Shape* shape_at(const std::vector<KernelTensor>& tensors, std::size_t place) {
  if (place >= tensors.size() || tensors[place].kind == KernelInput::left_out) return nullptr;
  return &tensors[place].shape;
}

void add_picture(const Shape& in, const Shape& out, KernelFacts& facts) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  if (in.size() == 4) {
    facts[Feature::batch] = number(in[0]), facts[Feature::channels_in] = number(in[1]);
    facts[Feature::height_in] = number(in[2]), facts[Feature::width_in] = number(in[3]);
  }
  if (out.size() == 4) {
    facts[Feature::channels_out] = number(out[1]);
    facts[Feature::height_out] = number(out[2]), facts[Feature::width_out] = number(out[3]);
  }
}

/// Of convolutions and pooling.
void add_window(const KernelRecord& record, const Shape* weights, KernelFacts& facts) {
  auto window = integers_of(record, "kernel_shape");
  if (window.empty() && weights && weights->size() > 2) window.assign(weights->begin() + 2, weights->end());
  if (window.empty()) return;
  facts[Feature::window_height] = static_cast<double>(window.front());
  facts[Feature::window_width] = static_cast<double>(window.back());
  facts[Feature::stride] = product(integers_of(record, "strides"));
  facts[Feature::dilation] = product(integers_of(record, "dilations"));
  const auto pads = integers_of(record, "pads");
  facts[Feature::padding] = static_cast<double>(std::accumulate(pads.begin(), pads.end(), std::int64_t{0}));
}

/// As the product of matrices that it is.
void add_convolution(const KernelRecord& record, const Shape& out, const Shape& weights, KernelFacts& facts) {
  const auto groups = integers_of(record, "group");
  const double count = groups.empty() ? 1.0 : static_cast<double>(std::max<std::int64_t>(1, groups.front()));
  facts[Feature::groups] = count;
  if (out.size() < 3 || weights.size() < 3) return;
  facts[Feature::matrices] = count;
  facts[Feature::rows] = static_cast<double>(out[0]) * elements(out, 2, out.size());
  facts[Feature::inner] = elements(weights, 1, weights.size());
  facts[Feature::columns] = static_cast<double>(out[1]) / count;
}

void add_product(const KernelRecord& record, const Shape& a, const Shape& out, KernelFacts& facts) {
  if (a.empty() || out.empty()) return;
  const auto turned = integers_of(record, "transA");
  const bool is_turned = !turned.empty() && turned.front() != 0 && a.size() > 1;
  const double inner = static_cast<double>(is_turned ? a[a.size() - 2] : a.back());
  const double columns = static_cast<double>(out.back());
  const double rows = out.size() > 1 ? static_cast<double>(out[out.size() - 2]) : 1;
  facts[Feature::inner] = inner, facts[Feature::columns] = columns, facts[Feature::rows] = rows;
  facts[Feature::matrices] = out.size() > 2 ? elements(out, 0, out.size() - 2) : 1;
}

/// The axis that an operator works along, and what lies behind it.
void add_axis(const KernelRecord& record, const std::string& base, const Shape& in, const Shape& out,
              KernelFacts& facts) {
  if (in.empty()) return;
  auto axes = integers_of(record, "axis");
  if (axes.empty()) axes = integers_of(record, "axes");
  if (axes.empty() && record.inputs.size() > 1 && record.inputs[1].values &&
      record.inputs[1].type == ElementType::i64 && base.starts_with("Reduce")) {
    axes.resize(record.inputs[1].values->size() / sizeof(std::int64_t));
    std::memcpy(axes.data(), record.inputs[1].values->data(), axes.size() * sizeof(std::int64_t));
  }
  const bool from_the_end = base == "Softmax" || base == "LayerNormalization" || base == "LogSoftmax";
  if (axes.empty() && !from_the_end) return;
  const Shape& shape = base == "Concat" ? out : in;
  const auto rank = static_cast<std::int64_t>(shape.size());
  std::int64_t axis = axes.empty() ? rank - 1 : *std::max_element(axes.begin(), axes.end());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return;
  double size = static_cast<double>(shape[index(axis)]);
  if (axes.size() > 1) {
    size = 1;
    for (const std::int64_t one : axes)
      if (const std::int64_t place = one < 0 ? one + rank : one; place >= 0 && place < rank)
        size *= static_cast<double>(shape[index(place)]);
  }
  facts[Feature::axis_size] = size;
  facts[Feature::run_length] = elements(shape, index(axis) + 1, shape.size());
}

void add_broadcast(const KernelRecord& record, KernelFacts& facts) {
  double most = 0, least = 0;
  int count = 0;
  for (const KernelTensor& tensor : record.inputs) {
    if (tensor.kind == KernelInput::left_out) continue;
    ++count;
    const double size = product(tensor.shape);
    most = std::max(most, size);
    least = count == 1 ? size : std::min(least, size);
  }
  facts[Feature::inputs] = count;
  if (least > 0) facts[Feature::broadcast] = most / least;
}

}  // namespace

std::int64_t run_length_of_transpose(const Shape& shape, const std::vector<std::int64_t>& order) {
  std::vector<std::int64_t> axes;  // of the source, those that count, in the order of the result
  for (const std::int64_t axis : order)
    if (shape[index(axis)] != 1) axes.push_back(axis);
  std::vector<std::int64_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  std::int64_t run = 1;
  for (std::size_t i = axes.size(); i-- > 0 && axes[i] == sorted[i];) run *= shape[index(axes[i])];
  return run;
}

void add_shape_features(const KernelRecord& record, KernelFacts& facts) {
  add_broadcast(record, facts);
  const Shape* in = shape_at(record.inputs, 0);
  const Shape* out = shape_at(record.outputs, 0);
  if (!in || !out) return;
  add_picture(*in, *out, facts);
  const auto words = words_of(record.name);
  const std::string base = words.empty() ? std::string() : words.front();
  const Shape* weights = shape_at(record.inputs, 1);
  switch (facts.group) {
    case KernelGroup::conv:
    case KernelGroup::depthwise:
      add_window(record, weights, facts);
      if (weights) add_convolution(record, *out, *weights, facts);
      return;
    case KernelGroup::pool:
      add_window(record, nullptr, facts);
      return;
    case KernelGroup::product:
      add_product(record, *in, *out, facts);
      return;
    case KernelGroup::other:
      break;
  }
  if (base == "Transpose") {
    auto order = integers_of(record, "perm");
    if (order.empty())
      for (std::size_t i = in->size(); i-- > 0;) order.push_back(static_cast<std::int64_t>(i));
    std::vector<std::int64_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    bool is_permutation = sorted.size() == in->size();
    for (std::size_t i = 0; i < sorted.size(); ++i)
      is_permutation = is_permutation && sorted[i] == static_cast<std::int64_t>(i);
    if (is_permutation) facts[Feature::run_length] = static_cast<double>(run_length_of_transpose(*in, order));
    return;
  }
  add_axis(record, base, *in, *out, facts);
}

}  // namespace takt
