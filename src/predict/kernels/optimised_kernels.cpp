#include "predict/kernels/optimised_kernels.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <set>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "base/system/watched_work.h"
#include "measure/open/prepared_model.h"
#include "model/graph/shapes.h"
#include "model/onnx/weights.h"
#include "model/sim/simulated.h"
#include "predict/kernels/groups.h"
#include "predict/kernels/node_record.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

/// The graph that ONNX Runtime executes, its nodes called as takt calls them.
OnnxModel saved_graph(const PreparedModel& prepared, const Graph& graph, const fs::path& folder) {
  SessionSettings session = prepared.session_settings(false);
  session.optimised_model = folder / "optimised.onnx";
  prepared.open(session);
  OnnxModel model = read_saved_graph(session.optimised_model, graph);
  for (const Op& op : model.graph.ops) model.proto->mutable_graph()->mutable_node(op.node_index)->set_name(op.name);
  return model;
}

/// Every tensor's type and shape, as the runtime tells. Where it cannot tell a shape beforehand, one inference does.
std::map<std::string, Port> tensors_in(Runtime& runtime, const OptimisedKernels& kernels, const fs::path& file) {
  SessionSettings settings = as_written(kernels);
  settings.all_tensors = true;
  settings.properties["session.disable_prepacking"] = "1";  // few of these sessions run, and then once
  const auto session = runtime.open(file, &kernels.model.graph, settings);
  std::map<std::string, Port> ports;
  bool knows_all = true;
  for (const auto* list : {&session->inputs(), &session->outputs()})
    for (const Port& port : *list) {
      ports.insert_or_assign(port.name, port);
      knows_all = knows_all && (concrete(port.shape) || port.type == ElementType::undefined);
    }
  if (knows_all) return ports;
  session->set_inputs(kernels.input_values);
  begin_step("running the model once");
  session->run();
  for (const HostTensor& tensor : session->outputs_of_last_run()) {
    PartialShape shape;
    for (const std::int64_t size : tensor.shape) shape.push_back({size, {}});
    ports.insert_or_assign(tensor.name, Port{tensor.name, tensor.type, std::move(shape)});
  }
  return ports;
}

Graph with_ports(const Graph& graph, const std::map<std::string, Port>& ports) {
  Graph known = graph;
  for (Tensor& tensor : known.tensors) {
    const auto port = ports.find(tensor.name);
    if (tensor.is_constant || port == ports.end()) continue;
    tensor.type = port->second.type;
    if (tensor.type != ElementType::undefined) tensor.shape = port->second.shape;
    tensor.bytes = byte_count(tensor.type, tensor.shape);
  }
  return known;
}

std::vector<std::string> names_in(const Graph& graph, const std::vector<TensorId>& ids) {
  std::vector<std::string> names;
  for (const TensorId id : ids) names.push_back(id == no_tensor ? std::string() : graph.tensor(id).name);
  return names;
}

void add_kernels(OptimisedKernels& kernels, const Graph& known) {
  const NodeRecords records(kernels.model, known);
  for (const Op& op : known.ops) {
    KernelRecord record = records.of(op);
    std::string id = id_of(record);
    kernels.graph.kernels.push_back({op.name, id, names_in(known, op.inputs), names_in(known, op.outputs), {}, {}, {}});
    kernels.records.emplace(std::move(id), std::move(record));
  }
  connect(kernels.graph);
}

void describe(OptimisedKernels& kernels, const RunResult& result, const RunSettings& settings) {
  kernels.graph.model = result.model.filename().string();
  kernels.graph.runtime = result.runtime;
  kernels.graph.version = result.runtime_version;
  kernels.graph.device = settings.device;
}

OptimisedKernels saved_kernels(PreparedModel& prepared, const RunSettings& settings) {
  OptimisedKernels kernels;
  describe(kernels, prepared.result(), settings);
  const TemporaryFolder folder("takt");
  kernels.input_shapes = prepared.session_settings(false).input_shapes;
  kernels.model = saved_graph(prepared, *prepared.result().graph, folder.path());
  kernels.is_saved = true;
  const fs::path file = folder.path() / "named.onnx";
  write_onnx(kernels.model, file);
  const Graph& graph = kernels.model.graph;
  {
    const auto session = prepared.runtime().open(file, &graph, as_written(kernels));
    kernels.input_values = prepared.values(session->inputs());
  }
  kernels.graph.inputs = names_in(graph, graph.inputs);
  kernels.graph.outputs = names_in(graph, graph.outputs);
  add_kernels(kernels, with_ports(graph, tensors_in(prepared.runtime(), kernels, file)));
  kernels.notes = prepared.result().notes;
  return kernels;
}

}  // namespace

SessionSettings as_written(const OptimisedKernels& kernels) {
  SessionSettings settings;
  settings.device = kernels.graph.device;
  settings.input_shapes = kernels.input_shapes;
  settings.properties = make_runtime(kernels.graph.runtime)->traits().as_written;
  return settings;
}

OnnxModel read_saved_graph(const fs::path& saved, const Graph& model) {
  onnx::ModelProto proto;
  if (!proto.ParseFromString(read_file(saved)))
    throw Error(ErrorKind::runtime,
                fmt::format("{}: its optimized graph cannot be read back", printable(model.path.string())));
  // Before IR 4 constants are inputs, too; those that were replaced by others are left over.
  std::set<std::string> inputs;
  for (const TensorId id : model.inputs) inputs.insert(model.tensor(id).name);
  auto* declared = proto.mutable_graph()->mutable_input();
  for (int i = declared->size() - 1; i >= 0; --i)
    if (!inputs.contains(declared->Get(i).name())) declared->DeleteSubrange(i, 1);
  bring_weights_inside(proto, model.path);
  return parse_onnx(serialize_onnx(proto), {});
}

OptimisedKernels kernels_of(const fs::path& model, const RunSettings& settings) {
  const RuntimeChoice choice = choose_runtime(model, settings);
  if (choice.name == simulated_runtime)
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: a simulated device computes times from a model and has no kernels; use --device CPU",
                            printable(model.string())));
  if (choice.name == "openvino") return grouped_kernels(model, settings);
  PreparedModel prepared(model, settings);
  return saved_kernels(prepared, settings);
}

}  // namespace takt
