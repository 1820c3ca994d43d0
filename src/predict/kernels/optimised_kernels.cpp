#include "predict/kernels/optimised_kernels.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <algorithm>
#include <cstring>
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
#include "model/runtime/ports.h"
#include "model/sim/simulated.h"
#include "predict/kernels/bodies.h"
#include "predict/kernels/groups.h"
#include "predict/kernels/node_record.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

/// A saved graph whose inputs are those of the model. Before IR 4 constants are inputs, too; those that were replaced by
/// others are left over.
onnx::ModelProto saved_proto(const fs::path& saved, const Graph& model) {
  onnx::ModelProto proto;
  if (!proto.ParseFromString(read_file(saved)))
    throw Error(ErrorKind::runtime,
                fmt::format("{}: its optimized graph cannot be read back", printable(model.path.string())));
  std::set<std::string> inputs;
  for (const TensorId id : model.inputs) inputs.insert(model.tensor(id).name);
  auto* declared = proto.mutable_graph()->mutable_input();
  for (int i = declared->size() - 1; i >= 0; --i)
    if (!inputs.contains(declared->Get(i).name())) declared->DeleteSubrange(i, 1);
  return proto;
}

OnnxModel named(OnnxModel model) {
  for (const Op& op : model.graph.ops) model.proto->mutable_graph()->mutable_node(op.node_index)->set_name(op.name);
  return model;
}

/// The graph that ONNX Runtime executes, its nodes called as takt calls them.
OnnxModel saved_graph(const PreparedModel& prepared, const Graph& graph, const fs::path& folder) {
  SessionSettings session = prepared.session_settings(false);
  session.optimised_model = folder / "optimised.onnx";
  prepared.open(session);
  return named(read_saved_graph(session.optimised_model, graph));
}

/// A session that makes every tensor of `file`.
std::unique_ptr<Session> open_for_tensors(Runtime& runtime, const OptimisedKernels& kernels, const fs::path& file) {
  SessionSettings settings = as_written(kernels);
  settings.all_tensors = true;
  settings.properties["session.disable_prepacking"] = "1";  // few of these sessions run, and then once
  return runtime.open(file, &kernels.model.graph, settings);
}

using Ports = std::map<std::string, Port>;

/// Every tensor's type and shape, as the session tells.
Ports told_by(const Session& session) {
  Ports ports;
  for (const auto* list : {&session.inputs(), &session.outputs()})
    for (const Port& port : *list) ports.insert_or_assign(port.name, port);
  return ports;
}

bool knows_shapes(const Ports& ports) {
  return std::all_of(ports.begin(), ports.end(), [](const auto& entry) {
    return concrete(entry.second.shape) || entry.second.type == ElementType::undefined;
  });
}

/// Where the runtime cannot tell a shape beforehand, one inference does.
Ports tensors_in(Runtime& runtime, const OptimisedKernels& kernels, const fs::path& file) {
  const auto session = open_for_tensors(runtime, kernels, file);
  Ports ports = told_by(*session);
  if (knows_shapes(ports)) return ports;
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

Graph with_ports(const Graph& graph, const Ports& ports) {
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

/// Counts of loops that are given as values of the model's inputs, by input.
std::map<std::string, double> given_counts(PreparedModel& prepared) {
  std::map<std::string, double> counts;
  const Graph& graph = *prepared.result().graph;
  const auto is_loop = [](const Op& op) { return op.type == "Loop"; };
  if (std::none_of(graph.ops.begin(), graph.ops.end(), is_loop)) return counts;
  const auto& values = prepared.values(ports_of(graph, graph.inputs));
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int64_t count = 0;
    const bool is_given = prepared.result().input_origins[i] != "generated values";
    if (!is_given || values[i].type != ElementType::i64 || values[i].bytes.size() != sizeof count) continue;
    std::memcpy(&count, values[i].bytes.data(), sizeof count);
    counts.emplace(values[i].name, static_cast<double>(count));
  }
  return counts;
}

/// `known` with the sizes of the inputs that were chosen for it.
Graph with_inputs(Graph known, const std::map<std::string, Shape>& shapes) {
  for (const auto& [name, shape] : shapes) {
    const auto id = known.find_tensor(name);
    if (!id) continue;
    PartialShape sizes;
    for (const std::int64_t size : shape) sizes.push_back({size, {}});
    known.tensor(*id).shape = std::move(sizes);
  }
  return known;
}

/// Adds the kernels of bodies, each a model in `folder`, where the saved graph's weights are. `tensors` has the shapes.
void add_bodies(OptimisedKernels& kernels, const Graph& tensors, PreparedModel& prepared, const fs::path& folder) {
  const Graph known = with_inputs(tensors, kernels.input_shapes);
  RunSettings settings;
  settings.runtime = kernels.graph.runtime, settings.device = kernels.graph.device;
  settings.properties = as_written(kernels).properties;
  for (std::size_t i = 0; i < known.ops.size(); ++i) {
    const Op& op = known.ops[i];
    for (const auto& entry : op.subgraphs) try {
        const fs::path file = folder / fmt::format("body{}.onnx", kernels.bodies.size());
        write_file_atomically(file, serialize_onnx(body_model(kernels.model, known, op, entry.first)));
        kernels.bodies.push_back(
            {i, entry.first, turns_of(known, op, given_counts(prepared)), kernel_structure_of(file, settings)});
      } catch (const Error& error) {
        kernels.notes.push_back(
            fmt::format("the kernels inside {} '{}' are not known ({})", op.type, printable(op.name), error.what()));
      }
  }
}

OptimisedKernels saved_kernels(PreparedModel& prepared, const RunSettings& settings, bool with_bodies) {
  OptimisedKernels kernels;
  describe(kernels, prepared.result(), settings);
  const TemporaryFolder folder("takt");
  kernels.input_shapes = prepared.session_settings(false).input_shapes;
  kernels.model = saved_graph(prepared, *prepared.result().graph, folder.path());
  kernels.is_saved = true;
  const fs::path file = folder.path() / "named.onnx";
  write_onnx(kernels.model, file);
  const Graph& graph = kernels.model.graph;
  const fs::path& model = prepared.result().model;
  {
    const auto session =
        saying_of(model, file, [&] { return prepared.runtime().open(file, &graph, as_written(kernels)); });
    kernels.input_values = prepared.values(session->inputs());
  }
  kernels.graph.inputs = names_in(graph, graph.inputs);
  kernels.graph.outputs = names_in(graph, graph.outputs);
  const Graph known =
      with_ports(graph, saying_of(model, file, [&] { return tensors_in(prepared.runtime(), kernels, file); }));
  add_kernels(kernels, known);
  kernels.notes = prepared.result().notes;
  if (with_bodies) add_bodies(kernels, known, prepared, folder.path());
  return kernels;
}

RuntimeChoice runtime_with_kernels(const fs::path& model, const RunSettings& settings) {
  RuntimeChoice choice = choose_runtime(model, settings);
  if (choice.name == simulated_runtime)
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: a simulated device computes times from a model and has no kernels; use --device CPU",
                            printable(model.string())));
  return choice;
}

/// nullopt: the runtime cannot save a structure of this model, or it does not tell all shapes.
std::optional<OptimisedKernels> saved_structure(PreparedModel& prepared, const RunSettings& settings) {
  const TemporaryFolder folder("takt");
  const fs::path file = folder.path() / "optimised.onnx";
  const RunResult& result = prepared.result();
  if (!result.graph ||
      !prepared.runtime().save_structure(result.model, *result.graph, prepared.session_settings(false), file))
    return std::nullopt;
  OptimisedKernels kernels;
  describe(kernels, result, settings);
  kernels.model = named(parse_onnx(serialize_onnx(saved_proto(file, *result.graph)), file));
  kernels.input_shapes = prepared.session_settings(false).input_shapes;
  write_onnx(kernels.model, file);
  const Ports ports =
      saying_of(result.model, file, [&] { return told_by(*open_for_tensors(prepared.runtime(), kernels, file)); });
  if (!knows_shapes(ports)) return std::nullopt;
  kernels.is_saved = true;
  const Graph known = with_ports(kernels.model.graph, ports);
  kernels.graph.inputs = names_in(known, known.inputs);
  kernels.graph.outputs = names_in(known, known.outputs);
  add_kernels(kernels, known);
  kernels.notes = result.notes;
  add_bodies(kernels, known, prepared, folder.path());
  return kernels;
}

}  // namespace

SessionSettings as_written(const OptimisedKernels& kernels) {
  SessionSettings settings;
  settings.device = kernels.graph.device;
  settings.input_shapes = kernels.input_shapes;
  settings.properties = traits_of(kernels.graph.runtime).as_written;
  return settings;
}

LoneKernels lone_kernels(const std::string& device) {
  LoneKernels lone{runtime_that(&RuntimeTraits::saves_graph), {}};
  if (lone.runtime.empty())
    throw Error(ErrorKind::unsupported,
                "kernels: this binary has no ONNX Runtime, which runs them; configure with -DTAKT_WITH_ONNXRUNTIME=ON");
  lone.settings.device = device;
  lone.settings.properties = traits_of(lone.runtime).as_written;
  return lone;
}

OnnxModel read_saved_graph(const fs::path& saved, const Graph& model) {
  onnx::ModelProto proto = saved_proto(saved, model);
  bring_weights_inside(proto, model.path);
  return parse_onnx(serialize_onnx(proto), {});
}

OptimisedKernels kernels_of(const fs::path& model, const RunSettings& settings) {
  const RuntimeChoice choice = runtime_with_kernels(model, settings);
  if (!traits_of(choice.name).saves_graph) return grouped_kernels(model, settings);
  PreparedModel prepared(model, settings);
  return saved_kernels(prepared, settings, false);
}

OptimisedKernels kernel_structure_of(const fs::path& model, const RunSettings& settings) {
  const RuntimeChoice choice = runtime_with_kernels(model, settings);
  if (!traits_of(choice.name).saves_graph) return grouped_kernels(model, settings);
  PreparedModel prepared(model, settings);
  try {
    if (auto structure = saved_structure(prepared, settings)) return std::move(*structure);
  } catch (const Error&) {  // what stands in the way there is said here
  }
  return saved_kernels(prepared, settings, true);
}

}  // namespace takt
