#include "model/inputs/dimensions.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>

#include "model/graph/attributes.h"
#include "model/graph/limits.h"
#include "model/inputs/usual_sizes.h"

namespace takt {
namespace {

constexpr std::size_t most_tries = 150;

std::string symbol_of(const std::string& input, std::size_t index) { return input + "[" + std::to_string(index) + "]"; }

PartialShape named(const std::string& input, const PartialShape& shape) {
  PartialShape result = shape;
  for (std::size_t i = 0; i < result.size(); ++i)
    if (!result[i].value && !is_named(result[i])) result[i].symbol = symbol_of(input, i);
  return result;
}

std::size_t length_of(const Op& op, const std::string& name) {
  if (const auto* floats = attribute_of<std::vector<float>>(op, name)) return floats->size();
  const auto* integers = integers_attribute(op, name);
  return integers ? integers->size() : 0;
}

/// How many support vectors an SVM has: for a classifier, of all classes.
std::int64_t support_vectors(const Op& op) {
  const auto* by_class = integers_attribute(op, "vectors_per_class");
  if (!by_class) return integer_attribute(op, "n_supports");
  std::int64_t sum = 0;
  for (const auto count : *by_class) sum += std::max<std::int64_t>(count, 0);
  return sum;
}

/// Columns of the table that a classical model reads; nullopt where its attributes do not tell.
std::optional<std::int64_t> feature_count(const Op& op) {
  if (op.type.starts_with("TreeEnsemble")) {
    const auto* features = integers_attribute(op, "nodes_featureids");
    if (!features || features->empty()) return std::nullopt;
    return *std::max_element(features->begin(), features->end()) + 1;
  }
  const auto per = [](std::size_t all, std::size_t parts) {
    return all > 1 && parts > 0 && all % parts == 0 ? std::optional<std::int64_t>(all / parts) : std::nullopt;
  };
  if (op.type.starts_with("Linear"))
    return per(length_of(op, "coefficients"), std::max<std::size_t>(length_of(op, "intercepts"), 1));
  if (op.type.starts_with("SVM"))
    return per(length_of(op, "support_vectors"), static_cast<std::size_t>(support_vectors(op)));
  if (op.type == "Scaler") return per(std::max(length_of(op, "offset"), length_of(op, "scale")), 1);
  if (op.type == "Imputer") return per(length_of(op, "imputed_value_floats"), 1);
  return std::nullopt;
}

/// Of rank 4, as pictures and what a model carries from one to the next are, and no dimension is fixed.
bool is_open_picture(const PartialShape& shape) {
  return shape.size() == 4 && std::none_of(shape.begin(), shape.end(), [](auto& dim) { return dim.value.has_value(); });
}

/// "past_sequence_length + sequence_length", as exporters of decoders write it, or "total_sequence_length" where there
/// are dimensions of the two other names.
template <typename Known>
std::vector<std::string> parts_of_sum(const Known& known, const std::string& name) {
  if (const auto plus = name.find(" + "); plus != std::string::npos)
    return {name.substr(0, plus), name.substr(plus + 3)};
  constexpr std::string_view total = "total_";
  const auto at = name.find(total);
  if (at == std::string::npos) return {};
  std::string before = name, fresh = name;
  before.replace(at, total.size(), "past_");
  fresh.erase(at, total.size());
  return known.contains(before) && known.contains(fresh) ? std::vector{before, fresh} : std::vector<std::string>();
}

std::int64_t attribute_at(const Op& op, const std::string& name, std::size_t index, std::int64_t otherwise) {
  const auto* list = integers_attribute(op, name);
  return list && index < list->size() ? (*list)[index] : otherwise;
}

}  // namespace

DimensionGuess::DimensionGuess(const Graph* graph, const std::vector<Port>& inputs,
                               const std::map<std::string, PartialShape>& symbolic)
    : shapes_(symbolic) {
  for (const auto& input : inputs) {
    const auto& known = shapes_[input.name] = named(input.name, input.shape);
    const bool channels_last = has_channels_last(graph, input);
    const bool is_open = is_open_picture(known);
    for (std::size_t i = 0; i < known.size(); ++i)
      if (!known[i].value) {
        auto& unknown = unknowns_
                            .try_emplace(known[i].symbol, Unknown{.usual = usual_size(input, i, channels_last),
                                                                  .is_of_open_input = is_open})
                            .first->second;
        unknown.is_of_open_input = unknown.is_of_open_input && is_open;
        if (const auto limits = limits_of(input.shape[i])) {
          unknown.at_least = std::max(unknown.at_least, limits->least);
          unknown.at_most = limits->most.value_or(unknown.at_most);
        }
      }
    has_states_ = has_states_ || is_open;
    has_picture_ = has_picture_ || (known.size() == 4 && !is_open);
  }
  if (graph)
    for (const auto& op : graph->ops) read(*graph, op);
  plan_tries();
}

/// The neutral order: a size is given to all dimensions together before the next size is, because most models have one
/// dimension that matters or several that are the same.
void DimensionGuess::plan_tries() {
  tries_.push_back({});
  if (has_states_ && has_picture_) tries_.push_back({1, "", false, true});
  for (const auto size : other_sizes()) tries_.push_back({size, ""});
  for (const auto size : other_sizes())
    for (const auto& [name, unknown] : unknowns_)
      if (unknown.parent.empty() && !unknown.value && unknown.usual != size && tries_.size() + 2 <= most_tries)
        for (const bool others_are_one : {false, true}) tries_.push_back({size, name, others_are_one});
}

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
  // A name says more than a place does.
  if (first.ends_with(']') && !second.ends_with(']')) merged.usual = gone.usual;
  merged.at_least = std::max(merged.at_least, gone.at_least);
  merged.parts = std::lcm(merged.parts, gone.parts);
  merged.at_most = std::min(merged.at_most, gone.at_most);
  merged.is_of_open_input = merged.is_of_open_input && gone.is_of_open_input;
  gone.parent = first;
}

/// Of a dimension without a name, which would say more.
void DimensionGuess::usually(const Dim& dim, std::int64_t size) {
  if (dim.value || !dim.symbol.ends_with(']') || !unknowns_.contains(dim.symbol)) return;
  unknowns_.at(root(unknowns_, dim.symbol)).usual = size;
}

void DimensionGuess::at_least(const Dim& dim, std::int64_t size) {
  if (dim.value || !unknowns_.contains(dim.symbol)) return;
  auto& least = unknowns_.at(root(unknowns_, dim.symbol)).at_least;
  least = std::max(least, size);
}

void DimensionGuess::multiple_of(const Dim& dim, std::int64_t parts) {
  constexpr std::int64_t most = 4096;
  if (dim.value || !unknowns_.contains(dim.symbol) || parts < 2 || parts > most) return;
  auto& own = unknowns_.at(root(unknowns_, dim.symbol)).parts;
  own = std::min(std::lcm(own, parts), most * most);
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
  if (op.domain == "ai.onnx.ml") return read_features(graph, op);
  if (op.domain == "com.microsoft" && op.type == "Attention") return read_packed_attention(graph, op);
  if (op.type == "DepthToSpace" || op.type == "SpaceToDepth" || op.type == "Split") return read_blocks(graph, op);
  const auto *first = input(0), *second = input(1);
  if (!first || !second || first->empty() || second->empty()) return;
  if (broadcasts.contains(op.type)) return read_broadcast(graph, op);
  if (op.type == "Conv" || op.type == "ConvTranspose") return read_convolution(graph, op);
  if (op.type == "MatMul" || op.type == "Gemm" || op.type == "MatMulInteger") return read_product(graph, op);
  if (channel_wise.contains(op.type) && first->size() > 1) equal((*first)[1], second->front());
  if (op.type == "LayerNormalization") equal(first->back(), second->back());
  if (op.type == "LSTM" || op.type == "GRU" || op.type == "RNN") read_recurrent(graph, op);
}

/// X {steps, batch, features}, W {directions, …, features}, initial states {directions, batch, width}.
void DimensionGuess::read_recurrent(const Graph& graph, const Op& op) {
  const auto &x = *shape(graph, op.inputs[0]), &w = *shape(graph, op.inputs[1]);
  if (x.size() != 3 || w.size() != 3) return;
  equal(x.back(), w.back());
  const bool batch_first = integer_attribute(op, "layout") != 0;
  usually(x[batch_first ? 0 : 1], 1);
  usually(x[batch_first ? 1 : 0], 16);
  for (std::size_t i = 5; i < std::min<std::size_t>(op.inputs.size(), 7); ++i)
    if (const auto* state = shape(graph, op.inputs[i]); state && state->size() == 3)
      equal((*state)[batch_first ? 0 : 1], x[batch_first ? 0 : 1]);
}

/// X {batch, words, width}, a mask {batch, earlier words + words}, what is kept of earlier words {2, batch, heads,
/// earlier words, depth}.
void DimensionGuess::read_packed_attention(const Graph& graph, const Op& op) {
  const auto input = [&](std::size_t i) { return i < op.inputs.size() ? shape(graph, op.inputs[i]) : nullptr; };
  const auto *x = input(0), *mask = input(3), *kept = input(4);
  if (!x || x->size() != 3) return;
  if (kept && kept->size() == 5) equal((*kept)[1], (*x)[0]);
  if (!mask || mask->size() != 2) return;
  equal((*mask)[0], (*x)[0]);
  if (!kept) equal((*mask)[1], (*x)[1]);
  if (kept && kept->size() == 5) is_sum((*mask)[1], {(*kept)[3], (*x)[1]});
}

/// Of dimensions that are no sums themselves, so that none is asked for its own size.
void DimensionGuess::is_sum(const Dim& dim, const std::vector<Dim>& parts) {
  const auto is_simple = [&](const Dim& part) {
    return part.value || (part.symbol != dim.symbol && unknowns_.contains(part.symbol) &&
                          !sums_.contains(part.symbol) && parts_of_sum(unknowns_, part.symbol).empty());
  };
  const auto has_it = [&](const auto& sum) {
    return std::any_of(sum.second.begin(), sum.second.end(),
                       [&](const Dim& part) { return part.symbol == dim.symbol; });
  };
  if (dim.value || !unknowns_.contains(dim.symbol) || std::any_of(sums_.begin(), sums_.end(), has_it)) return;
  if (std::all_of(parts.begin(), parts.end(), is_simple)) sums_.try_emplace(dim.symbol, parts);
}

/// What is cut into blocks, or into equal parts, has a whole number of them.
void DimensionGuess::read_blocks(const Graph& graph, const Op& op) {
  const auto* x = op.inputs.empty() ? nullptr : shape(graph, op.inputs[0]);
  if (!x || x->empty()) return;
  const std::int64_t block = integer_attribute(op, "blocksize", 1);
  if (op.type == "Split") {
    std::int64_t axis = integer_attribute(op, "axis");
    if (axis < 0) axis += static_cast<std::int64_t>(x->size());
    const bool is_even = op.inputs.size() < 2 && !op.attributes.contains("split");
    if (is_even && axis >= 0 && axis < static_cast<std::int64_t>(x->size()))
      multiple_of((*x)[static_cast<std::size_t>(axis)], static_cast<std::int64_t>(op.outputs.size()));
  } else if (x->size() == 4 && block > 0 && block <= 64) {
    if (op.type == "DepthToSpace") return multiple_of((*x)[1], block * block);
    for (const std::size_t side : {std::size_t{2}, std::size_t{3}}) multiple_of((*x)[side], block);
  }
}

/// Trees and linear models say in their attributes how many features they look at.
void DimensionGuess::read_features(const Graph& graph, const Op& op) {
  const auto* rows = op.inputs.empty() ? nullptr : shape(graph, op.inputs[0]);
  if (!rows || rows->size() != 2) return;
  if (const auto count = feature_count(op)) equal(rows->back(), {*count, {}});
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
  if (weights.value) equal(x[1], {*weights.value * (op.type == "Conv" ? integer_attribute(op, "group", 1) : 1), {}});
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
  const Dim& inner_a = gemm && integer_attribute(op, "transA") ? a.front() : a.back();
  const Dim& inner_b = b.size() == 1 || (gemm && integer_attribute(op, "transB")) ? b.back() : b[b.size() - 2];
  equal(inner_a, inner_b);
}

std::int64_t DimensionGuess::value_of(const Unknowns& unknowns, const std::string& name, const Try& choice) const {
  const auto top = root(unknowns, name);
  const auto& unknown = unknowns.at(top);
  if (unknown.value) return *unknown.value;
  if (const auto parts = parts_of_sum(unknowns, name); !parts.empty()) {
    std::int64_t sum = 0;
    for (const auto& part : parts) sum += unknowns.contains(part) ? value_of(unknowns, part, choice) : 1;
    return sum;
  }
  if (const auto parts = sums_.find(name); parts != sums_.end()) {
    std::int64_t sum = 0;
    for (const Dim& part : parts->second) sum += part.value ? *part.value : value_of(unknowns, part.symbol, choice);
    return sum;
  }
  const auto within = [&](std::int64_t size) {
    const std::int64_t whole = (std::max(size, unknown.at_least) + unknown.parts - 1) / unknown.parts * unknown.parts;
    return std::min(whole, unknown.at_most);
  };
  if (choice.open_inputs_are_one) return within(unknown.is_of_open_input ? 1 : unknown.usual);
  const bool is_batch = unknown.usual == 1;
  const bool is_moved = choice.size && (choice.of.empty() ? !is_batch : choice.of == top);
  const auto otherwise = choice.others_are_one ? 1 : unknown.usual;
  return within(is_moved ? *choice.size : otherwise);
}

Shape DimensionGuess::shape_of(const Port& input, const std::map<std::string, Shape>& given, std::size_t number) const {
  Unknowns unknowns = unknowns_;
  for (const auto& [name, sizes] : given) {
    const auto known = shapes_.find(name);
    for (std::size_t i = 0; known != shapes_.end() && i < std::min(sizes.size(), known->second.size()); ++i)
      if (const auto& dim = known->second[i]; !dim.value && unknowns.contains(dim.symbol))
        unknowns.at(root(unknowns, dim.symbol)).value = sizes[i];
  }
  Shape shape;
  for (const auto& dim : named(input.name, input.shape))
    shape.push_back(dim.value ? *dim.value : value_of(unknowns, dim.symbol, tries_.at(number)));
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
