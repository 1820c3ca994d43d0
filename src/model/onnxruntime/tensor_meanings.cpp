#include "model/onnxruntime/tensor_meanings.h"

#include <algorithm>

#include "base/basics/index.h"
#include "model/graph/same_values.h"

namespace takt::ort {
namespace {

/// ONNX Runtime computes half precision in single on processors without it, and names the tensors it makes for that.
std::string_view without_cast(std::string_view tensor) {
  for (const std::string_view prefix : {"InsertedPrecisionFreeCast_", "InsertedCast_"})
    if (tensor.starts_with(prefix)) return tensor.substr(prefix.size());
  return tensor;
}

/// A convolution reads its tensor first; what comes behind is weights or a sum. Others keep the order of their inputs.
std::size_t inputs_kept(const OptimisedNode& node, const Op& op) {
  if (computes(node.executed.type, "Conv")) return 1;
  return node.inputs.size() == op.inputs.size() ? op.inputs.size() : 1;
}

constexpr std::size_t sum_input = 3;  // of FusedConv and of the blocked Conv: a tensor to add to the result

}  // namespace

ModelTensors::ModelTensors(const Graph& g)
    : graph(g), same(same_values(g)), producers_(g.tensors.size()), consumers_(g.tensors.size()) {
  for (std::size_t i = 0; i < g.tensors.size(); ++i) by_name.emplace(g.tensors[i].name, static_cast<TensorId>(i));
  for (std::size_t i = 0; i < g.ops.size(); ++i) {
    ops_by_name.emplace(g.ops[i].name, i);
    for (const TensorId id : g.ops[i].outputs)
      if (id != no_tensor) producers_[index(id)] = i;
    for (const TensorId id : g.ops[i].inputs)
      if (id != no_tensor) consumers_[index(id)].push_back(i);
  }
}

std::optional<std::size_t> ModelTensors::producer(TensorId id) const { return producers_[index(id)]; }

const std::vector<std::size_t>& ModelTensors::consumers(TensorId id) const { return consumers_[index(id)]; }

bool ModelTensors::are_same(TensorId a, TensorId b) const { return same[index(a)] == same[index(b)]; }

TensorMeanings::TensorMeanings(const std::vector<OptimisedNode>& nodes, const ModelTensors& model)
    : nodes_(nodes), model_(model) {
  for (const OptimisedNode& node : nodes) {
    main_ops_.push_back(find_main_op(node));
    for (const auto* names : {&node.inputs, &node.executed.outputs})
      for (const std::string& name : *names)
        if (const auto found = model_.by_name.find(without_cast(name)); found != model_.by_name.end())
          learn(name, found->second);
  }
  settle();
  for (std::size_t i = 0; i < nodes_.size(); ++i) learn_output(i);
  settle();
}

std::optional<TensorId> TensorMeanings::of(const std::string& tensor) const {
  const auto found = meanings_.find(tensor);
  return found == meanings_.end() ? std::nullopt : std::optional(found->second);
}

/// The tensor that a blocked node was made for: "TENSOR_nchwc", with "_token_N" behind it where that name was taken; a
/// scale that became a convolution says so: "TENSOR_bn_nchwc".
std::optional<TensorId> TensorMeanings::named_tensor(const OptimisedNode& node) const {
  const std::string_view name = without_cast(node.executed.name);
  const auto suffix = name.rfind("_nchwc");
  if (suffix == std::string_view::npos) return std::nullopt;
  const std::string_view tensor = name.substr(0, suffix);
  for (const std::string_view origin : {"", "_bn", "_mul"})
    if (tensor.ends_with(origin))
      if (const auto found = model_.by_name.find(tensor.substr(0, tensor.size() - origin.size()));
          found != model_.by_name.end())
        return found->second;
  return std::nullopt;
}

/// Back from a tensor to the operator that the kernel is, through what may have been fused behind it.
std::optional<std::size_t> TensorMeanings::nearest(TensorId from, std::string_view kernel) const {
  constexpr int furthest = 8;  // an activation of several operators, a sum, a normalisation
  std::vector<TensorId> open{from};
  for (int step = 0; step < furthest && !open.empty(); ++step) {
    std::vector<TensorId> next;
    for (const TensorId id : open) {
      const auto producer = model_.producer(id);
      if (!producer) continue;
      const Op& op = model_.graph.ops[*producer];
      if (computes(kernel, op.type)) return producer;
      for (const TensorId input : op.inputs)
        if (input != no_tensor && !model_.graph.tensor(input).is_constant) next.push_back(input);
    }
    open = std::move(next);
  }
  return std::nullopt;
}

std::optional<std::size_t> TensorMeanings::find_main_op(const OptimisedNode& node) const {
  const auto is_computed = [&](std::optional<std::size_t> op) {
    return op && computes(node.executed.type, model_.graph.ops[*op].type);
  };
  for (const std::string& output : node.executed.outputs) {  // nodes without a name have their tensors'
    const auto made = model_.by_name.find(output);
    if (made != model_.by_name.end() && is_computed(model_.producer(made->second)))
      return model_.producer(made->second);
  }
  const auto found = model_.ops_by_name.find(node.executed.name);
  if (node.is_named && found != model_.ops_by_name.end() && is_computed(found->second)) return found->second;
  if (only_renames(node)) return std::nullopt;
  const auto tensor = named_tensor(node);
  if (!tensor) return std::nullopt;
  // A scale or a normalisation that became a convolution is not one in the model.
  if (const auto heavy = nearest(*tensor, node.executed.type)) return heavy;
  return model_.producer(*tensor);
}

/// Rule 2, of a node that only what its result holds makes known.
bool TensorMeanings::learn_main_op(std::size_t node) {
  const OptimisedNode& n = nodes_[node];
  if (main_ops_[node] || only_renames(n)) return false;
  for (const std::string& output : n.executed.outputs) {
    const auto made = of(output);
    const auto op = made ? model_.producer(*made) : std::nullopt;
    if (op && computes(n.executed.type, model_.graph.ops[*op].type)) main_ops_[node] = op;
  }
  return main_ops_[node].has_value();
}

bool TensorMeanings::learn(const std::string& tensor, std::optional<TensorId> meaning) {
  return meaning && !tensor.empty() && meanings_.emplace(tensor, *meaning).second;
}

/// Rule 2.
bool TensorMeanings::learn_inputs(std::size_t node) {
  if (!main_ops_[node]) return false;
  const Op& op = model_.graph.ops[*main_ops_[node]];
  if (!computes(nodes_[node].executed.type, op.type)) return false;
  bool learnt = false;
  const auto& inputs = nodes_[node].inputs;
  const std::size_t kept = std::min({inputs_kept(nodes_[node], op), inputs.size(), op.inputs.size()});
  for (std::size_t i = 0; i < kept; ++i)
    if (op.inputs[i] != no_tensor && !nodes_[node].constants.contains(inputs[i]))
      learnt |= learn(inputs[i], op.inputs[i]);
  return learnt;
}

/// Rule 3.
bool TensorMeanings::learn_across(std::size_t node) {
  const OptimisedNode& n = nodes_[node];
  if (main_ops_[node] || !only_renames(n) || n.inputs.empty() || n.executed.outputs.empty()) return false;
  return learn(n.inputs[0], of(n.executed.outputs[0])) || learn(n.executed.outputs[0], of(n.inputs[0]));
}

void TensorMeanings::settle() {
  for (bool learnt = true; learnt;) {
    learnt = false;
    for (std::size_t i = nodes_.size(); i-- > 0;) learnt |= learn_main_op(i) || learn_inputs(i) || learn_across(i);
    for (std::size_t i = 0; i < nodes_.size(); ++i) learnt |= learn_across(i);
  }
}

/// Rule 4.
void TensorMeanings::learn_output(std::size_t node) {
  const auto& outputs = nodes_[node].executed.outputs;
  if (outputs.size() == 1 && !of(outputs[0])) learn(outputs[0], last_tensor_of(node));
  learn_across(node);
}

/// "OPERATOR/QuickGeluFusion/" is a fusion that ends in OPERATOR.
std::optional<TensorId> TensorMeanings::fused_end(const OptimisedNode& node) const {
  constexpr std::string_view end = "Fusion/";
  const std::string_view name = node.executed.name;
  const auto slash = name.ends_with(end) ? name.rfind('/', name.size() - end.size()) : std::string_view::npos;
  if (slash == std::string_view::npos) return std::nullopt;
  const auto found = model_.ops_by_name.find(name.substr(0, slash));
  if (found == model_.ops_by_name.end()) return std::nullopt;
  return model_.graph.ops[found->second].outputs.front();
}

std::optional<TensorId> TensorMeanings::last_tensor_of(std::size_t node) const {
  const OptimisedNode& n = nodes_[node];
  std::optional<TensorId> last = named_tensor(n);
  if (!last && main_ops_[node] && model_.graph.ops[*main_ops_[node]].outputs.size() == 1)
    last = model_.graph.ops[*main_ops_[node]].outputs[0];
  if (!last) last = fused_end(n);
  if (!last || *last == no_tensor || !computes(n.executed.type, "Conv")) return last;
  if (n.inputs.size() > sum_input && !n.inputs[sum_input].empty())
    if (const auto sum = of(n.inputs[sum_input]))
      for (const std::string_view type : {"Add", "Sum"})
        if (const auto next = after(*last, type, sum)) last = next;
  const auto made_by = model_.producer(*last);
  const bool has_it = made_by && model_.graph.ops[*made_by].type == n.activation;
  if (!n.activation.empty() && !has_it)
    if (const auto next = after(*last, n.activation, std::nullopt)) last = next;
  return last;
}

/// What an operator of `type` makes of `tensor`, and of `other` where one is given.
std::optional<TensorId> TensorMeanings::after(TensorId tensor, std::string_view type,
                                              std::optional<TensorId> other) const {
  for (const std::size_t consumer : model_.consumers(tensor)) {
    const Op& op = model_.graph.ops[consumer];
    const bool reads_other = !other || std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) {
      return id != no_tensor && id != tensor && model_.are_same(id, *other);
    });
    if (op.type == type && reads_other && !op.outputs.empty()) return op.outputs[0];
  }
  return std::nullopt;
}

}  // namespace takt::ort
