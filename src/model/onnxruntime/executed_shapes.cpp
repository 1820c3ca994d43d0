#include "model/onnxruntime/executed_shapes.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <algorithm>
#include <unordered_map>

#include "base/basics/index.h"
#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "base/memory/free_memory.h"
#include "model/onnx/onnx.h"
#include "model/onnx/weights.h"
#include "model/onnxruntime/ort_events.h"
#include "model/onnxruntime/properties.h"
#include "model/onnxruntime/shapes.h"
#include "model/onnxruntime/tensors.h"

namespace takt::ort {
namespace {

struct Observed {
  std::vector<Shape> inputs, outputs;  ///< of tensors, in its first turn; weights that were packed are missing
  std::int64_t executions = 0;
};
using ObservedByKey = std::unordered_map<std::string, Observed>;

/// Unique over all graphs of a model; each is walked in the same order before and after the inference.
std::string key_of(std::size_t number) { return fmt::format("takt-op-{}", number); }

void name_nodes(onnx::GraphProto& proto, const Graph& graph, std::size_t& number) {
  for (const Op& op : graph.ops) {
    auto& node = *proto.mutable_node(op.node_index);
    node.set_name(key_of(number++));
    for (const auto& [name, body] : op.subgraphs)  // in the map's order, as fill_in does
      for (auto& attribute : *node.mutable_attribute())
        if (attribute.name() == name && attribute.has_g()) name_nodes(*attribute.mutable_g(), *body, number);
  }
}

void set_shape(Tensor& tensor, const Shape& shape) {
  if (tensor.is_constant) return;
  PartialShape known;
  for (const std::int64_t size : shape) known.push_back({size, ""});
  tensor.shape = std::move(known);
  tensor.bytes = byte_count(tensor.type, tensor.shape);
}

/// Does what is known of the tensor leave it this shape?
bool may_have(const Tensor& tensor, const Shape& shape) {
  if (!tensor.shape) return true;
  const PartialShape& known = *tensor.shape;
  return std::equal(known.begin(), known.end(), shape.begin(), shape.end(),
                    [](const Dim& dim, std::int64_t size) { return !dim.value || *dim.value == size; });
}

/// Those of which the profile tells shapes: all, but weights that were packed are missing, and sequences are, whose
/// type is no tensor's.
std::vector<TensorId> told_tensors(const Graph& graph, const std::vector<TensorId>& ids, bool with_constants,
                                   bool with_untyped) {
  std::vector<TensorId> told;
  for (const TensorId id : ids) {
    if (id == no_tensor || (!with_constants && graph.tensor(id).is_constant)) continue;
    if (with_untyped || graph.tensor(id).type != ElementType::undefined) told.push_back(id);
  }
  return told;
}

/// Pairs tensors with shapes where it is clear which is whose.
void set_shapes(Graph& graph, const std::vector<TensorId>& ids, const std::vector<Shape>& shapes) {
  for (const bool with_untyped : {true, false})
    for (const bool with_constants : {true, false}) {
      const auto told = told_tensors(graph, ids, with_constants, with_untyped);
      const bool fits = std::equal(told.begin(), told.end(), shapes.begin(), shapes.end(),
                                   [&](TensorId id, const Shape& shape) { return may_have(graph.tensor(id), shape); });
      if (!fits) continue;
      for (std::size_t i = 0; i < told.size(); ++i) set_shape(graph.tensor(told[i]), shapes[i]);
      return;
    }
}

/// Whether any operator of the graph, or of a body in it, executed.
bool fill_in(Graph& graph, const ObservedByKey& observed, std::size_t& number) {
  bool ran = false;
  for (Op& op : graph.ops) {
    op.executions.reset();
    if (const auto found = observed.find(key_of(number++)); found != observed.end()) {
      set_shapes(graph, op.inputs, found->second.inputs);
      set_shapes(graph, op.outputs, found->second.outputs);
      op.executions = found->second.executions;
      ran = true;
    }
    for (auto& [name, body] : op.subgraphs) {
      auto copy = std::make_shared<Graph>(*body);
      ran |= fill_in(*copy, observed, number);
      body = std::move(copy);
    }
  }
  // An operator that the runtime takes apart has no record of its own: that it did not execute is certain only where
  // nothing beside it did.
  if (!ran)
    for (Op& op : graph.ops) op.executions = 0;
  return ran;
}

ObservedByKey read_observed(const std::filesystem::path& profile) {
  const MappedFile file(profile);
  OrtEvents events;
  read_ort_events(file.text(), "its profile", events);
  ObservedByKey observed;
  for (const OrtNodeEvent& node : events.nodes) {
    if (node.is_wait) continue;
    const auto [place, is_first] = observed.try_emplace(std::string(node.name));
    ++place->second.executions;
    if (!is_first) continue;
    if (auto inputs = events.shapes_of(node, "input_type_shape")) place->second.inputs = std::move(inputs->shapes);
    if (auto outputs = events.shapes_of(node, "output_type_shape")) place->second.outputs = std::move(outputs->shapes);
  }
  return observed;
}

void run_once(Ort::Session& session, std::vector<HostTensor> inputs) {
  std::vector<const char*> input_names, output_names;
  std::vector<Ort::Value> values;
  for (HostTensor& tensor : inputs) {
    input_names.push_back(tensor.name.c_str());
    values.push_back(foreign_value(tensor));
  }
  std::vector<std::string> names;
  Ort::AllocatorWithDefaultOptions allocator;
  for (std::size_t i = 0; i < session.GetOutputCount(); ++i)
    names.emplace_back(session.GetOutputNameAllocated(i, allocator).get());
  for (const std::string& name : names) output_names.push_back(name.c_str());
  session.Run(Ort::RunOptions{nullptr}, input_names.data(), values.data(), values.size(), output_names.data(),
              output_names.size());
}

/// Its large weights stay in the model's file, where the session maps them.
std::string with_named_nodes(const std::filesystem::path& model, const Graph& graph) {
  const OnnxModel read = read_onnx_structure(model);
  std::size_t number = 0;
  name_nodes(*read.proto->mutable_graph(), graph, number);
  point_at_real_files(*read.proto, model);
  return serialize_onnx(*read.proto);
}

}  // namespace

Graph with_executed_shapes(const Ort::Env& env, const std::filesystem::path& model, const Graph& graph,
                           const SessionSettings& settings, const std::vector<HostTensor>& inputs) {
  give_back_free_memory();  // of sessions that were closed
  const TemporaryFolder folder("takt");
  Ort::SessionOptions options;
  options.SetGraphOptimizationLevel(ORT_DISABLE_ALL);
  if (settings.threads) options.SetIntraOpNumThreads(*settings.threads);
  options.EnableProfiling((folder.path() / "shapes").c_str());
  options.AddConfigEntry("session.disable_prepacking", "1");  // one inference is not worth a copy of the weights
  add_custom_ops(options, settings.custom_ops);
  find_external_data(options, model);
  std::string bytes = with_named_nodes(model, graph);
  Ort::Session session(env, bytes.data(), bytes.size(), options);
  bytes = {};
  run_once(session, inputs);
  Ort::AllocatorWithDefaultOptions allocator;
  const ObservedByKey observed = read_observed(session.EndProfilingAllocated(allocator).get());
  Graph result = graph;
  std::size_t number = 0;
  fill_in(result, observed, number);
  return result;
}

}  // namespace takt::ort
