#include "measure/open/model_shapes.h"

#include <algorithm>
#include <string_view>

#include "base/basics/error.h"
#include "base/system/watched_work.h"
#include "model/graph/placed_ops.h"
#include "model/graph/shapes.h"
#include "model/onnx/onnx.h"

namespace takt {
namespace {

/// An operator that executes, in the model or a body of it, and of whose outputs a shape is not known, or that has
/// bodies, of which nobody knows how often they run.
bool has_unknowns(const Graph& graph) {
  for (const PlacedOp& placed : placed_ops(graph)) {
    if (is_folded(*placed.graph, *placed.op)) continue;
    if (!placed.op->subgraphs.empty() && !placed.op->executions) return true;
    for (const TensorId id : placed.op->outputs) {
      if (id == no_tensor) continue;
      const auto& shape = placed.graph->tensor(id).shape;
      if (!shape || !concrete(*shape)) return true;
    }
  }
  return false;
}

/// Bodies are not looked into: no runtime infers shapes there.
bool knows_all(const TensorShapes& inferred, const Graph& graph) {
  for (const Op& op : graph.ops)
    for (const TensorId id : op.outputs) {
      if (id == no_tensor) continue;
      const Tensor& tensor = graph.tensor(id);
      const auto found = inferred.find(tensor.name);
      const PartialShape* shape = found != inferred.end() ? &found->second : tensor.shape ? &*tensor.shape : nullptr;
      if (!shape || !concrete(*shape)) return false;
    }
  return true;
}

/// Whether the shapes that the file has inside of the model are those of a run with these inputs.
bool declares(const Graph& graph, const std::map<std::string, Shape>& inputs) {
  return std::all_of(inputs.begin(), inputs.end(), [&](const auto& input) {
    const auto id = graph.find_tensor(input.first);
    return id && graph.tensor(*id).shape && concrete(*graph.tensor(*id).shape) == input.second;
  });
}

/// ONNX Runtime takes what GroupQueryAttention keeps to be as large as what it is given of earlier words: true of a
/// buffer for all that may come, and not where the new words are added. Only a run tells.
void forget_what_grows(const Graph& graph, TensorShapes& shapes) {
  for (const Op& op : graph.ops)
    if (op.type == "GroupQueryAttention")
      for (std::size_t i = 1; i < op.outputs.size(); ++i)
        if (op.outputs[i] != no_tensor) shapes.erase(graph.tensor(op.outputs[i]).name);
}

bool is_chosen(std::string_view name, const Runtime* chosen) { return chosen && chosen->name() == name; }

}  // namespace

TensorShapes inferred_shapes(Runtime& runtime, const std::filesystem::path& model,
                             const std::map<std::string, Shape>& inputs) {
  begin_step("inferring its shapes");
  try {
    return runtime.infer_shapes(model, inputs).value_or(TensorShapes());
  } catch (const Error&) {
    return {};
  }
}

void add_known(TensorShapes& shapes, const TensorShapes& others) {
  for (const auto& [name, shape] : others) {
    const auto [place, is_new] = shapes.emplace(name, shape);
    if (is_new || concrete(place->second)) continue;
    if (concrete(shape) || place->second.size() != shape.size()) {
      if (concrete(shape)) place->second = shape;
      continue;
    }
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (!place->second[i].value) place->second[i] = shape[i];
  }
}

TensorShapes symbolic_shapes(Runtime* chosen, const std::filesystem::path& model) {
  if (!is_onnx_file(model)) return chosen ? inferred_shapes(*chosen, model, {}) : TensorShapes();
  begin_step("inferring its shapes");
  for (const std::string& name : runtimes_that_tell()) {
    TensorShapes told =
        is_chosen(name, chosen) ? inferred_shapes(*chosen, model, {}) : shapes_told_apart(name, model, {});
    if (!told.empty()) return told;
  }
  return {};
}

Graph with_inferred_shapes(const Graph& graph, Runtime* chosen, const std::filesystem::path& model,
                           const std::map<std::string, Shape>& inputs) {
  TensorShapes inferred;
  if (chosen) inferred = inferred_shapes(*chosen, model, inputs);
  for (const std::string& name : runtimes_that_tell())
    if (!is_chosen(name, chosen) && !(knows_all(inferred, graph) && (!inferred.empty() || declares(graph, inputs))))
      add_known(inferred, shapes_told_apart(name, model, inputs));
  forget_what_grows(graph, inferred);
  for (const auto& [name, shape] : inputs) {
    PartialShape known;
    for (const std::int64_t dim : shape) known.push_back({dim, ""});
    inferred.insert_or_assign(name, std::move(known));
  }
  return with_shapes(graph, inferred);
}

std::optional<Graph> with_observed_shapes(const Graph& graph, Runtime& chosen, const std::filesystem::path& model,
                                          const SessionSettings& settings, const std::vector<HostTensor>& values) {
  if (!has_unknowns(graph)) return std::nullopt;
  for (const std::string& name : runtimes_that_tell()) try {
      auto told = is_chosen(name, &chosen) ? chosen.with_executed_shapes(model, graph, settings, values)
                                           : executed_shapes_told_apart(name, model, graph, settings, values);
      if (told) return told;
    } catch (const Error&) {
    }
  return std::nullopt;
}

}  // namespace takt
