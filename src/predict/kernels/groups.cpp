#include "predict/kernels/groups.h"

#include <algorithm>
#include <unordered_map>

#include "base/basics/index.h"
#include "measure/operators/op_profile.h"
#include "measure/run/run.h"
#include "pipeline/stages/model_pieces.h"
#include "predict/kernels/name.h"

namespace takt {
namespace {

using OpPlaces = std::unordered_map<std::string_view, std::size_t>;

/// The operators of a group, in the model's order; those in bodies are not among them.
std::vector<const Op*> ops_of(const OpRow& row, const Graph& graph, const OpPlaces& places) {
  std::vector<std::size_t> found;
  for (const std::string& name : row.model_ops)
    if (const auto place = places.find(name); place != places.end()) found.push_back(place->second);
  std::sort(found.begin(), found.end());
  std::vector<const Op*> ops;
  for (const std::size_t place : found) ops.push_back(&graph.ops[place]);
  return ops;
}

bool reads_constant(const Graph& graph, const Op& op) {
  return std::any_of(op.inputs.begin(), op.inputs.end(),
                     [&](TensorId id) { return id != no_tensor && graph.tensor(id).is_constant; });
}

KernelTensor tensor_of(const Graph& graph, const std::string& name) {
  KernelTensor tensor;
  tensor.type = ElementType::f32;
  if (const auto id = graph.find_tensor(name)) {
    const Tensor& known = graph.tensor(*id);
    if (known.type != ElementType::undefined) tensor.type = known.type;
    if (known.is_constant) tensor.kind = KernelInput::weight;
    if (known.shape) tensor.shape = concrete(*known.shape).value_or(Shape());
  }
  return tensor;
}

/// What the heaviest operator says; a group has no attributes of its own.
std::map<std::string, Attribute> attributes_of(const OpRow& row, const std::vector<const Op*>& ops) {
  for (const Op* op : ops)
    if (op->type == row.type) return op->attributes;
  return {};
}

KernelRecord record_of(const OpRow& row, const Graph& graph, const std::vector<const Op*>& ops) {
  KernelRecord record;
  std::vector<FusedStep> steps;
  for (const Op* op : ops) steps.push_back({op->type, reads_constant(graph, *op)});
  record.type = row.node_type.empty() ? row.type : row.node_type;
  record.name = steps.empty() ? record.type : group_name(steps);
  record.domain = "openvino";
  record.attributes = attributes_of(row, ops);
  if (!row.kernel.empty()) record.attributes.insert_or_assign("primitive", row.kernel);
  for (const std::string& name : row.inputs) record.inputs.push_back(tensor_of(graph, name));
  for (const std::string& name : row.outputs) record.outputs.push_back(tensor_of(graph, name));
  record.cost.flops = row.flops, record.cost.sfu_ops = row.sfu_ops;
  record.cost.bytes = row.bytes, record.cost.weight_bytes = row.constant_bytes;
  record.opsets = graph.opsets;
  record.ir_version = std::max<std::int64_t>(1, graph.ir_version);
  record.obstacle = "OpenVINO's kernels cannot be written as a model; extract it from the model itself";
  return record;
}

}  // namespace

OptimisedKernels grouped_kernels(const std::filesystem::path& model, const RunSettings& settings) {
  RunSettings once = settings;
  once.iterations = 1;
  once.warmup_iterations = 1;
  const RunResult result = run_model(model, once, RunPasses::profiled);
  OptimisedKernels kernels;
  kernels.graph.model = model.filename().string();
  kernels.graph.runtime = result.runtime, kernels.graph.version = result.runtime_version;
  kernels.graph.device = settings.device;
  kernels.input_values = result.input_values;
  for (const HostTensor& tensor : result.input_values) kernels.input_shapes[tensor.name] = tensor.shape;
  kernels.notes = result.notes;
  const Graph nothing;
  const Graph& graph = result.graph ? *result.graph : nothing;
  if (is_onnx_file(model)) {
    kernels.model = read_onnx(model);
    kernels.model.graph = with_known_tensors(kernels.model, kernels.input_shapes);  // models of groups declare them
  }
  OpPlaces places;
  for (std::size_t i = 0; i < graph.ops.size(); ++i) places.emplace(graph.ops[i].name, i);
  for (const TensorId id : graph.inputs) kernels.graph.inputs.push_back(graph.tensor(id).name);
  for (const TensorId id : graph.outputs) kernels.graph.outputs.push_back(graph.tensor(id).name);
  std::unordered_map<std::string, int> seen;
  for (const OpRow& row : profile_ops(result).ops) {
    KernelRecord record = record_of(row, graph, ops_of(row, graph, places));
    std::string id = id_of(record);
    std::string name = row.node.empty() ? row.name : row.node;
    if (const int times = ++seen[name]; times > 1) name += "#" + std::to_string(times);
    kernels.graph.kernels.push_back({std::move(name), id, row.inputs, row.outputs, {}, {}, row.model_ops});
    kernels.records.emplace(std::move(id), std::move(record));
  }
  connect(kernels.graph);
  return kernels;
}

}  // namespace takt
