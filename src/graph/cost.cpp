#include "graph/cost.h"

#include <algorithm>

#include "graph/cost_rules.h"

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

// A Scan runs its body once per slice of its scanned inputs, so its cost is known; If and Loop depend on data.
Cost scan_cost(const Graph& graph, const Op& op) {
  const OpView view(graph, op);
  const auto body = op.subgraphs.find("body");
  const std::int64_t scanned = view.integer("num_scan_inputs", 0);
  const auto inputs = static_cast<std::int64_t>(op.inputs.size());
  const auto opset = graph.opsets.find("");
  const bool batched = opset != graph.opsets.end() && opset->second < 9;  // the first Scan had another layout
  if (body == op.subgraphs.end() || scanned < 1 || scanned > inputs || batched) return {};
  const auto shape = view.input_shape(static_cast<std::size_t>(inputs - scanned));
  const auto axes = view.integers("scan_input_axes");
  std::int64_t axis = axes && !axes->empty() ? axes->front() : 0;
  if (!shape) return {};
  if (axis < 0) axis += static_cast<std::int64_t>(shape->size());
  if (axis < 0 || axis >= static_cast<std::int64_t>(shape->size())) return {};
  const std::int64_t trips = (*shape)[static_cast<std::size_t>(axis)];
  Work once;
  Cost total;
  total.bytes = 0;
  for (const Op& inner : body->second->ops) {
    const Cost cost_of_one = cost(*body->second, inner);
    if (!cost_of_one.flops || !cost_of_one.sfu_ops) return {};
    once.flops += *cost_of_one.flops;
    once.sfu_ops += *cost_of_one.sfu_ops;
    total.bytes = add(total.bytes, cost_of_one.bytes);
  }
  total.flops = once.flops * static_cast<double>(trips);
  total.sfu_ops = once.sfu_ops * static_cast<double>(trips);
  std::int64_t bytes = 0;
  if (total.bytes && __builtin_mul_overflow(*total.bytes, trips, &bytes)) total.bytes.reset();
  if (total.bytes) total.bytes = bytes;
  return total;
}

}  // namespace

Cost cost(const Graph& graph, const Op& op) {
  if (op.type == "Scan" && op.domain.empty()) return scan_cost(graph, op);
  if (!op.subgraphs.empty()) return {};
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
