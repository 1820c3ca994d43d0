#include "model/cost/cost.h"

#include <algorithm>
#include <cmath>

#include "model/cost/rules.h"

namespace takt {
namespace {

std::optional<std::int64_t> add(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  std::int64_t sum = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &sum)) return std::nullopt;
  return sum;
}

std::vector<TensorId> each_once(const std::vector<TensorId>& ids) {
  std::vector<TensorId> unique;
  for (const TensorId id : ids) {
    if (id != no_tensor && std::find(unique.begin(), unique.end(), id) == unique.end()) unique.push_back(id);
  }
  return unique;
}

void set_traffic(const Graph& graph, const Op& op, Traffic traffic, Cost& cost) {
  if (traffic == Traffic::unknown) return;
  cost.weight_bytes = cost.input_bytes = cost.output_bytes = cost.bytes = 0;
  if (traffic == Traffic::renames) return;
  for (const TensorId id : each_once(op.outputs)) {
    cost.output_bytes = add(cost.output_bytes, graph.tensor(id).bytes);
  }
  for (const TensorId id : each_once(op.inputs)) {
    const Tensor& tensor = graph.tensor(id);
    auto& sum = tensor.is_constant ? cost.weight_bytes : cost.input_bytes;
    sum = add(sum, traffic == Traffic::picks && id == op.inputs[0] ? cost.output_bytes : tensor.bytes);
  }
  cost.bytes = add(add(cost.weight_bytes, cost.input_bytes), cost.output_bytes);
}

/// How often the body of a Scan runs: once per slice of what it scans.
std::optional<std::int64_t> slices_of(const Graph& graph, const Op& op) {
  const OpView view(graph, op);
  const std::int64_t scanned = view.integer("num_scan_inputs", 0);
  const auto inputs = static_cast<std::int64_t>(op.inputs.size());
  const auto opset = graph.opsets.find("");
  const bool batched = opset != graph.opsets.end() && opset->second < 9;  // the first Scan had another layout
  if (!op.subgraphs.contains("body") || scanned < 1 || scanned > inputs || batched) return std::nullopt;
  const auto shape = view.input_shape(static_cast<std::size_t>(inputs - scanned));
  const auto axes = view.integers("scan_input_axes");
  std::int64_t axis = axes && !axes->empty() ? axes->front() : 0;
  if (!shape) return std::nullopt;
  if (axis < 0) axis += static_cast<std::int64_t>(shape->size());
  if (axis < 0 || axis >= static_cast<std::int64_t>(shape->size())) return std::nullopt;
  return (*shape)[static_cast<std::size_t>(axis)];
}

std::optional<double> times(std::optional<double> value, double count) {
  return value ? std::optional(*value * count) : std::nullopt;
}

std::optional<double> plus(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional(*a + *b) : std::nullopt;
}

/// What the bodies of `op` do in one execution of it. `turns_of` says how often an operator of theirs executes then;
/// one that never does needs no known cost.
template <typename TurnsOf>
Cost bodies_cost(const Op& op, const TurnsOf& turns_of) {
  Cost total;
  total.flops = total.sfu_ops = 0;
  std::optional<double> bytes = 0;
  for (const auto& [name, body] : op.subgraphs)
    for (const Op& inner : body->ops) {
      const std::optional<double> turns = turns_of(*body, inner);
      if (!turns) return {};
      if (*turns == 0) continue;
      const Cost one = cost(*body, inner);
      total.flops = plus(total.flops, times(one.flops, *turns));
      total.sfu_ops = plus(total.sfu_ops, times(one.sfu_ops, *turns));
      bytes = plus(bytes, one.bytes ? std::optional(static_cast<double>(*one.bytes) * *turns) : std::nullopt);
    }
  if (!total.flops || !total.sfu_ops) return {};
  if (bytes && *bytes < 9e18) total.bytes = std::llround(*bytes);
  return total;
}

Cost cost_with_bodies(const Graph& graph, const Op& op) {
  if (op.type == "Scan" && op.domain.empty()) {
    const auto slices = slices_of(graph, op);
    if (!slices) return {};
    return bodies_cost(op, [&](const Graph&, const Op&) { return std::optional(static_cast<double>(*slices)); });
  }
  if (op.executions.value_or(0) < 1) return {};
  const auto outer = static_cast<double>(*op.executions);
  return bodies_cost(op, [&](const Graph& body, const Op& inner) -> std::optional<double> {
    if (is_folded(body, inner)) return 0.0;
    return inner.executions ? std::optional(static_cast<double>(*inner.executions) / outer) : std::nullopt;
  });
}

}  // namespace

Cost cost(const Graph& graph, const Op& op) {
  if (!op.subgraphs.empty()) return cost_with_bodies(graph, op);
  Cost result;
  if (is_folded(graph, op)) {
    result.flops = result.sfu_ops = 0;
    set_traffic(graph, op, Traffic::renames, result);
    return result;
  }
  const CostRule* rule = find_cost_rule(op);
  set_traffic(graph, op, rule == nullptr ? Traffic::all : rule->traffic, result);
  if (rule == nullptr) return result;
  if (const auto work = rule->work(OpView(graph, op), *rule)) {
    result.flops = work->flops;
    result.sfu_ops = work->sfu_ops;
  }
  return result;
}

}  // namespace takt
