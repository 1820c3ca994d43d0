#include "model/sim/plan.h"

#include <fmt/format.h>

#include "base/basics/error.h"
#include "base/statistics/random.h"
#include "model/cost/cost.h"
#include "model/runtime/tensor_checks.h"

namespace takt {
namespace {

void substitute(PartialShape& shape, const std::map<std::string, std::int64_t>& symbols) {
  for (auto& dim : shape)
    if (const auto found = symbols.find(dim.symbol); !dim.value && found != symbols.end()) dim.value = found->second;
}

void add_tensors(const Graph& graph, const std::vector<TensorId>& ids, std::vector<std::string>& names,
                 std::vector<Shape>& shapes) {
  bool complete = true;
  for (const auto id : ids) {
    if (id == no_tensor) continue;
    const auto& tensor = graph.tensor(id);
    names.push_back(tensor.name);
    const auto shape = tensor.shape ? concrete(*tensor.shape) : std::nullopt;
    complete = complete && shape;
    if (shape) shapes.push_back(*shape);
  }
  if (!complete) shapes.clear();  // all or none: a reader zips them with the names
}

}  // namespace

Graph with_input_shapes(const Graph& graph, const std::map<std::string, Shape>& input_shapes, std::string_view where) {
  Graph result = graph;
  std::vector<std::string> names;
  for (const auto id : graph.inputs) names.push_back(graph.tensor(id).name);
  check_shape_names(names, input_shapes, where);
  std::map<std::string, std::int64_t> symbols;
  for (const auto id : graph.inputs) {
    auto& tensor = result.tensor(id);
    const auto wanted = input_shapes.find(tensor.name);
    if (wanted == input_shapes.end()) continue;
    const PartialShape declared = tensor.shape ? *tensor.shape : PartialShape(wanted->second.size());
    tensor.shape = fix_shape(declared, wanted->second, where, tensor.name);
    for (std::size_t i = 0; i < declared.size(); ++i)
      if (!declared[i].value && !declared[i].symbol.empty()) symbols.emplace(declared[i].symbol, wanted->second[i]);
  }
  for (auto& tensor : result.tensors) {
    if (!tensor.shape) continue;
    substitute(*tensor.shape, symbols);
    const auto shape = concrete(*tensor.shape);
    if (const auto size = shape ? byte_size(tensor.type, *shape) : std::nullopt)
      tensor.bytes = static_cast<std::int64_t>(*size);
  }
  return result;
}

std::vector<OpSample> plan_ops(const Graph& graph, const DeviceDescription& device, std::string_view where) {
  std::vector<OpSample> plan;
  Nanoseconds at{0};
  for (const auto& op : graph.ops) {
    if (is_folded(graph, op)) continue;
    if (device.unsupported_ops.count(op.type))
      throw Error(ErrorKind::unsupported, fmt::format("{}: sim:{} does not support operator '{}' of type {}; use "
                                                      "another device",
                                                      where, device.name, op.name, op.type));
    const Cost demand = cost(graph, op);
    ExecutedNode node;
    node.name = op.name;
    node.type = op.type;
    node.model_ops = {op.name};
    add_tensors(graph, op.inputs, node.inputs, node.input_shapes);
    add_tensors(graph, op.outputs, node.outputs, node.output_shapes);
    auto& sample = plan.emplace_back();
    sample.node = std::make_shared<const ExecutedNode>(std::move(node));
    sample.start = at;
    const auto bytes = demand.bytes ? std::optional(static_cast<double>(*demand.bytes)) : std::nullopt;
    sample.duration = law_time(device.law, {op.type, demand.flops, bytes});
    at += sample.duration;
  }
  return plan;
}

}  // namespace takt
