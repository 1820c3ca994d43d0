#include "predict/fit/kernel_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/basics/text.h"
#include "model/graph/attributes.h"
#include "predict/fit/shape_features.h"

namespace takt {
namespace {

constexpr std::array<std::string_view, kernel_group_count> group_names{"conv", "depthwise", "product", "pool", "other"};

constexpr std::array<FeatureText, feature_count> all_features{{
    {"flops", "FLOP", "floating-point operations; a multiply-add counts as two"},
    {"sfu_ops", "1", "evaluations of transcendental functions"},
    {"input_bytes", "bytes", "activations that the kernel reads"},
    {"output_bytes", "bytes", "outputs of the kernel"},
    {"weight_bytes", "bytes", "constants that the kernel reads"},
    {"element_bits", "bit", "size of an element of the first output, or of a narrower operand of a product"},
    {"batch", "1", "first dimension of the first input, of four-dimensional tensors"},
    {"channels_in", "1", "channels of the first input"},
    {"height_in", "1", "height of the first input"},
    {"width_in", "1", "width of the first input"},
    {"channels_out", "1", "channels of the first output"},
    {"height_out", "1", "height of the first output"},
    {"width_out", "1", "width of the first output"},
    {"window_height", "1", "of a convolution or pooling"},
    {"window_width", "1", "of a convolution or pooling"},
    {"stride", "1", "product of the strides"},
    {"dilation", "1", "product of the dilations"},
    {"groups", "1", "of a convolution"},
    {"padding", "1", "sum of the padding at all sides"},
    {"matrices", "1", "matrix products that the kernel computes together"},
    {"rows", "1", "rows of the left matrix of a product; for a convolution, positions of its output"},
    {"inner", "1", "columns of the left matrix; for a convolution, terms that one output element sums"},
    {"columns", "1", "columns of the right matrix; for a convolution, output channels of a group"},
    {"axis_size", "elements", "length of the axis that is reduced, normalized, concatenated or gathered from"},
    {"run_length", "elements",
     "adjacent elements that stay adjacent: inside the axis, or inside the dimensions that Transpose moves"},
    {"inputs", "1", "number of input tensors"},
    {"broadcast", "1", "elements of the largest input divided by those of the smallest"},
    {"model_weight_bytes", "bytes", "constants of the whole model"},
    {"model_activation_bytes", "bytes", "largest sum of input and output activations of any kernel of the model"},
    {"reuse_bytes", "bytes", "bytes that other kernels accessed since the largest input activation was produced"},
    {"threads", "1", "threads of the session"},
}};

std::int64_t bytes_of(const KernelTensor& tensor) {
  const auto count = element_count(tensor.shape);
  return count ? byte_count(tensor.type, *count).value_or(0) : 0;
}

std::int64_t bytes_of(const std::vector<KernelTensor>& tensors, KernelInput kind) {
  std::int64_t sum = 0;
  for (const KernelTensor& tensor : tensors)
    if (tensor.kind == kind) sum += bytes_of(tensor);
  return sum;
}

/// Of the record's own cost where that is known, else of its tensors.
double bytes_or(const std::optional<std::int64_t>& cost, std::int64_t tensors) {
  return static_cast<double>(cost ? *cost : tensors);
}

KernelGroup group_of(const KernelRecord& record, const std::string& base) {
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), base) != names.end();
  };
  if (is({"Conv", "ConvTranspose"})) {
    return integer_attribute(record, "group") > 1 ? KernelGroup::depthwise : KernelGroup::conv;
  }
  if (is({"Gemm", "MatMul", "Attention"})) return KernelGroup::product;
  if (is({"MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "LpPool"})) return KernelGroup::pool;
  return KernelGroup::other;
}

bool multiplies(KernelGroup group) {
  return group == KernelGroup::conv || group == KernelGroup::depthwise || group == KernelGroup::product;
}

/// What multiplies weights of 8 or 4 bits is another kernel than one of floats, also where its result is one of floats.
void note_narrow_operands(const KernelRecord& record, KernelFacts& facts) {
  constexpr std::size_t operands = 2;
  double& bits = facts[Feature::element_bits];
  for (std::size_t i = 0; i < std::min(operands, record.inputs.size()); ++i)
    if (const auto own = type_bits(record.inputs[i].type); own && record.inputs[i].kind != KernelInput::left_out)
      bits = std::isnan(bits) ? *own : std::min<double>(bits, *own);
}

KernelFacts facts_of(const std::string& id, const KernelRecord& record) {
  KernelFacts facts;
  facts.id = id;
  facts.op_type = record.name;
  facts.layout = record.layout;
  facts.input_shape = shape_text(record.inputs);
  facts.features.assign(feature_count, std::numeric_limits<double>::quiet_NaN());
  const auto words = words_of(record.name);
  facts.group = group_of(record, words.empty() ? std::string() : words.front());
  if (record.cost.flops) facts[Feature::flops] = *record.cost.flops;
  if (record.cost.sfu_ops) facts[Feature::sfu_ops] = *record.cost.sfu_ops;
  facts[Feature::input_bytes] = bytes_or(record.cost.input_bytes, bytes_of(record.inputs, KernelInput::activation));
  facts[Feature::weight_bytes] = bytes_or(record.cost.weight_bytes, bytes_of(record.inputs, KernelInput::weight));
  facts[Feature::output_bytes] = bytes_or(record.cost.output_bytes, bytes_of(record.outputs, KernelInput::activation));
  for (const KernelTensor& tensor : record.outputs) {
    if (tensor.kind == KernelInput::left_out) continue;
    facts.number_type = type_name(tensor.type);
    if (const auto bits = type_bits(tensor.type)) facts[Feature::element_bits] = *bits;
    break;
  }
  if (multiplies(facts.group)) note_narrow_operands(record, facts);
  add_shape_features(record, facts);
  return facts;
}

double activations_of(const KernelFacts& facts) { return facts[Feature::input_bytes] + facts[Feature::output_bytes]; }

void add_context(const KernelGraph& graph, const std::map<std::string, KernelRecord>& records,
                 std::vector<KernelFacts>& all) {
  double weights = 0, activations = 0;
  std::vector<double> touched{0};  // by the kernels before each
  for (const KernelFacts& facts : all) {
    weights += facts[Feature::weight_bytes];
    activations = std::max(activations, activations_of(facts));
    touched.push_back(touched.back() + activations_of(facts) + facts[Feature::weight_bytes]);
  }
  std::map<std::string_view, int> makers;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const std::string& name : graph.kernels[i].outputs) makers.emplace(name, static_cast<int>(i));
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i][Feature::model_weight_bytes] = weights;
    all[i][Feature::model_activation_bytes] = activations;
    const KernelRecord& record = records.at(graph.kernels[i].record);
    std::int64_t largest = -1;
    for (std::size_t place = 0; place < record.inputs.size() && place < graph.kernels[i].inputs.size(); ++place) {
      if (record.inputs[place].kind != KernelInput::activation || bytes_of(record.inputs[place]) <= largest) continue;
      largest = bytes_of(record.inputs[place]);
      const auto maker = makers.find(graph.kernels[i].inputs[place]);
      const std::size_t made = maker == makers.end() ? 0 : index(maker->second) + 1;
      all[i][Feature::reuse_bytes] = touched[i] - touched[std::min(made, i)];
    }
  }
}

}  // namespace

std::string_view name_of(KernelGroup group) { return group_names[static_cast<std::size_t>(group)]; }

KernelGroup kernel_group_named(std::string_view name, std::string_view where) {
  for (std::size_t i = 0; i < group_names.size(); ++i)
    if (group_names[i] == name) return static_cast<KernelGroup>(i);
  refuse_input(fmt::format("{}: '{}' is not a group of kernels; known groups are {}", where, printable(name),
                           fmt::join(group_names, ", ")));
}

std::span<const FeatureText> feature_texts() { return all_features; }

std::vector<std::string> words_of(std::string_view op_type) {
  auto words = split(op_type, '_');
  std::replace(words.begin(), words.end(), std::string("Sum"), std::string("Add"));
  return words;
}

double io_bytes_of(const KernelGraph& graph, const std::map<std::string, KernelRecord>& records) {
  std::map<std::string_view, std::int64_t> bytes;  // of the model's own tensors, by name
  for (const std::string& name : graph.inputs) bytes.emplace(name, 0);
  for (const std::string& name : graph.outputs) bytes.emplace(name, 0);
  const auto note = [&](const std::vector<std::string>& names, const std::vector<KernelTensor>& tensors) {
    for (std::size_t i = 0; i < std::min(names.size(), tensors.size()); ++i)
      if (const auto found = bytes.find(names[i]); found != bytes.end()) found->second = bytes_of(tensors[i]);
  };
  for (const KernelInstance& kernel : graph.kernels) {
    const KernelRecord& record = records.at(kernel.record);
    note(kernel.inputs, record.inputs), note(kernel.outputs, record.outputs);
  }
  double sum = 0;
  for (const auto& entry : bytes) sum += static_cast<double>(entry.second);
  return sum;
}

std::vector<KernelFacts> facts_of(const KernelGraph& graph, const std::map<std::string, KernelRecord>& records,
                                  int threads) {
  std::vector<KernelFacts> all;
  all.reserve(graph.kernels.size());
  for (const KernelInstance& kernel : graph.kernels) {
    all.push_back(facts_of(kernel.record, records.at(kernel.record)));
    all.back()[Feature::threads] = threads;
  }
  add_context(graph, records, all);
  return all;
}

}  // namespace takt
