#include "inputs/dimensions.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "core/text.h"

namespace takt {
namespace {

// Sizes that stand in for what is only usual when a runtime refuses it: the neutral one, then common ones.
constexpr std::array<std::int64_t, 11> others{1, 64, 224, 32, 8, 128, 256, 512, 3, 4096, 16000};

std::string symbol_of(const std::string& input, std::size_t index) { return input + "[" + std::to_string(index) + "]"; }

PartialShape named(const std::string& input, const PartialShape& shape) {
  PartialShape result = shape;
  for (std::size_t i = 0; i < result.size(); ++i)
    if (!result[i].value && result[i].symbol.empty()) result[i].symbol = symbol_of(input, i);
  return result;
}

bool mentions(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](auto word) { return name.find(word) != std::string_view::npos; });
}

/// A size for a dimension called `symbol`, or nullopt where the name says nothing.
std::optional<std::int64_t> by_name(const std::string& symbol) {
  const std::string name = lower_case(symbol);
  if (mentions(name, {"batch"}) || name == "n" || name == "b" || name == "bs") return 1;
  if (mentions(name, {"height", "width"}) || name == "h" || name == "w") return 224;
  if (mentions(name, {"channel"}) || name == "c") return 3;
  if (mentions(name, {"seq", "len", "token"}) || name == "s" || name == "t") return 16;
  if (mentions(name, {"time", "frame"})) return 100;
  return std::nullopt;
}

std::int64_t by_place(std::size_t index, std::size_t rank) {
  if (index == 0) return 1;
  if (rank == 4) return index == 1 ? 3 : 224;
  return 16;
}

std::int64_t integer(const Op& op, const std::string& name, std::int64_t otherwise) {
  const auto found = op.attributes.find(name);
  const auto* value = found == op.attributes.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
  return value ? *value : otherwise;
}

std::int64_t attribute_at(const Op& op, const std::string& name, std::size_t index, std::int64_t otherwise) {
  const auto found = op.attributes.find(name);
  const auto* list = found == op.attributes.end() ? nullptr : std::get_if<std::vector<std::int64_t>>(&found->second);
  return list && index < list->size() ? (*list)[index] : otherwise;
}

}  // namespace

DimensionGuess::DimensionGuess(const Graph* graph, const std::vector<Port>& inputs,
                               const std::map<std::string, PartialShape>& symbolic)
    : shapes_(symbolic) {
  for (const auto& input : inputs) {
    const auto& known = shapes_[input.name] = named(input.name, input.shape);
    for (std::size_t i = 0; i < known.size(); ++i)
      if (!known[i].value) unknowns_.try_emplace(known[i].symbol, Unknown{"", std::nullopt, 1, i, known.size()});
  }
  if (graph)
    for (const auto& op : graph->ops) read(*graph, op);
}

std::size_t DimensionGuess::attempts() { return others.size() + 1; }

std::string DimensionGuess::root(const Unknowns& unknowns, std::string name) {
  for (;;) {
    const auto& parent = unknowns.at(name).parent;
    if (parent.empty()) return name;
    name = parent;
  }
}

void DimensionGuess::fix(Unknowns& unknowns, const std::string& name, std::int64_t value) {
  auto& unknown = unknowns.at(root(unknowns, name));
  if (!unknown.value) unknown.value = value;
}

void DimensionGuess::equal(const Dim& a, const Dim& b) {
  const bool known_a = !a.value && unknowns_.contains(a.symbol), known_b = !b.value && unknowns_.contains(b.symbol);
  if (known_a && b.value) return fix(unknowns_, a.symbol, *b.value);
  if (known_b && a.value) return fix(unknowns_, b.symbol, *a.value);
  if (!known_a || !known_b) return;
  const auto first = root(unknowns_, a.symbol), second = root(unknowns_, b.symbol);
  if (first == second) return;
  auto& merged = unknowns_.at(first);
  auto& gone = unknowns_.at(second);
  if (!merged.value) merged.value = gone.value;
  merged.at_least = std::max(merged.at_least, gone.at_least);
  gone.parent = first;
}

void DimensionGuess::at_least(const Dim& dim, std::int64_t size) {
  if (dim.value || !unknowns_.contains(dim.symbol)) return;
  auto& least = unknowns_.at(root(unknowns_, dim.symbol)).at_least;
  least = std::max(least, size);
}

const PartialShape* DimensionGuess::shape(const Graph& graph, TensorId id) const {
  if (id == no_tensor) return nullptr;
  const auto& tensor = graph.tensor(id);
  if (!tensor.is_constant)
    if (const auto found = shapes_.find(tensor.name); found != shapes_.end()) return &found->second;
  return tensor.shape ? &*tensor.shape : nullptr;
}

void DimensionGuess::read(const Graph& graph, const Op& op) {
  static const std::set<std::string> broadcasts{"Add", "Sub", "Mul",   "Div",  "Pow",     "Max", "Min",   "Sum",
                                                "Mod", "And", "Equal", "Less", "Greater", "Or",  "PRelu", "Where"};
  static const std::set<std::string> channel_wise{"BatchNormalization", "InstanceNormalization"};
  const auto input = [&](std::size_t i) { return i < op.inputs.size() ? shape(graph, op.inputs[i]) : nullptr; };
  const auto *first = input(0), *second = input(1);
  if (!first || !second || first->empty() || second->empty()) return;
  if (broadcasts.contains(op.type)) return read_broadcast(graph, op);
  if (op.type == "Conv" || op.type == "ConvTranspose") return read_convolution(graph, op);
  if (op.type == "MatMul" || op.type == "Gemm" || op.type == "MatMulInteger") return read_product(graph, op);
  if (channel_wise.contains(op.type) && first->size() > 1) equal((*first)[1], second->front());
  if (op.type == "LayerNormalization") equal(first->back(), second->back());
  const bool recurrent = op.type == "LSTM" || op.type == "GRU" || op.type == "RNN";
  if (recurrent && first->size() == 3 && second->size() == 3) equal(first->back(), second->back());
}

void DimensionGuess::read_broadcast(const Graph& graph, const Op& op) {
  const PartialShape* before = nullptr;
  for (const auto id : op.inputs) {
    const auto* now = shape(graph, id);
    if (!now) continue;
    for (std::size_t i = 1; before && i <= std::min(before->size(), now->size()); ++i) {
      const Dim &a = (*before)[before->size() - i], &b = (*now)[now->size() - i];
      if (a.value != 1 && b.value != 1) equal(a, b);
    }
    before = now;
  }
}

void DimensionGuess::read_convolution(const Graph& graph, const Op& op) {
  const auto &x = *shape(graph, op.inputs[0]), &w = *shape(graph, op.inputs[1]);
  if (x.size() < 3 || w.size() != x.size()) return;
  const Dim& weights = op.type == "Conv" ? w[1] : w[0];
  if (weights.value) equal(x[1], {*weights.value * (op.type == "Conv" ? integer(op, "group", 1) : 1), {}});
  const std::size_t spatial = x.size() - 2;
  for (std::size_t i = 0; op.type == "Conv" && i < spatial; ++i)
    if (const auto kernel = w[i + 2].value)
      at_least(x[i + 2], (*kernel - 1) * attribute_at(op, "dilations", i, 1) + 1 - attribute_at(op, "pads", i, 0) -
                             attribute_at(op, "pads", i + spatial, 0));
}

void DimensionGuess::read_product(const Graph& graph, const Op& op) {
  const auto &a = *shape(graph, op.inputs[0]), &b = *shape(graph, op.inputs[1]);
  const bool gemm = op.type == "Gemm";
  if (gemm && (a.size() != 2 || b.size() != 2)) return;
  const Dim& inner_a = gemm && integer(op, "transA", 0) ? a.front() : a.back();
  const Dim& inner_b = b.size() == 1 || (gemm && integer(op, "transB", 0)) ? b.back() : b[b.size() - 2];
  equal(inner_a, inner_b);
}

std::int64_t DimensionGuess::value_of(const Unknowns& unknowns, const std::string& name, std::size_t attempt) const {
  const auto& unknown = unknowns.at(root(unknowns, name));
  if (unknown.value) return *unknown.value;
  // "past_sequence_length + sequence_length", as exporters of decoders write it.
  if (const auto plus = name.find(" + "); plus != std::string::npos) {
    std::int64_t sum = 0;
    for (const auto& part : {name.substr(0, plus), name.substr(plus + 3)})
      sum += unknowns.contains(part) ? value_of(unknowns, part, attempt) : 1;
    return sum;
  }
  const std::int64_t usual = by_name(name).value_or(by_place(unknown.index, unknown.rank));
  const bool is_batch = usual == 1;
  const std::int64_t wanted = attempt == 0 || is_batch ? usual : others.at(attempt - 1);
  return std::max(wanted, unknown.at_least);
}

Shape DimensionGuess::shape_of(const Port& input, const std::map<std::string, Shape>& given,
                               std::size_t attempt) const {
  Unknowns unknowns = unknowns_;
  for (const auto& [name, sizes] : given) {
    const auto known = shapes_.find(name);
    for (std::size_t i = 0; known != shapes_.end() && i < std::min(sizes.size(), known->second.size()); ++i)
      if (const auto& dim = known->second[i]; !dim.value && unknowns.contains(dim.symbol))
        unknowns.at(root(unknowns, dim.symbol)).value = sizes[i];
  }
  Shape shape;
  for (const auto& dim : named(input.name, input.shape))
    shape.push_back(dim.value ? *dim.value : value_of(unknowns, dim.symbol, attempt));
  return shape;
}

PartialShape guess_rank(const Graph& graph, TensorId input) {
  for (const auto& op : graph.ops) {
    if (op.inputs.size() < 2 || op.inputs[0] != input || op.inputs[1] == no_tensor) continue;
    const auto& weights = graph.tensor(op.inputs[1]).shape;
    const bool same_rank = op.type == "Conv" || op.type == "ConvTranspose" || op.type == "Gemm" || op.type == "MatMul";
    if (weights && !weights->empty() && same_rank) return PartialShape(weights->size());
  }
  return PartialShape(2);
}

}  // namespace takt
