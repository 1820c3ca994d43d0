#include "profile/prepared_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "core/log.h"
#include "core/text.h"
#include "graph/onnx.h"
#include "graph/shapes.h"
#include "profile/misplaced_file.h"
#include "runtime/ports.h"
#include "runtime/simulated.h"

namespace takt {
namespace {

/// nullopt: neither takt nor the runtime can tell.
std::optional<Graph> read_model(Runtime& runtime, const std::filesystem::path& model) {
  return is_onnx_file(model) ? read_onnx(model).graph : runtime.read_graph(model, {});
}

/// Puts the model's name before what goes wrong with its inputs.
template <typename Call>
auto naming(const std::filesystem::path& model, Call call) {
  try {
    return call();
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", printable(model.string()), error.what()));
  }
}

void check_is_tensor(const Port& port, const std::filesystem::path& model) {
  if (port.type != ElementType::undefined) return;
  throw Error(
      ErrorKind::unsupported,
      fmt::format("{}: input '{}' is no tensor but a sequence, map or optional, for which takt makes no values; "
                  "run a model that takes tensors",
                  printable(model.string()), printable(port.name)));
}

/// Refuses an input that is no tensor; a rank that is not known is guessed.
std::vector<Port> tensor_inputs(const Graph& graph, const std::filesystem::path& model) {
  auto ports = ports_of(graph, graph.inputs);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const TensorId id = graph.inputs[i];
    if (!graph.tensor(id).shape) ports[i].shape = guess_rank(graph, id);
    check_is_tensor(ports[i], model);
  }
  return ports;
}

/// The input names a shape: generated numbers would be one that nothing fits, {1,…,-1} fits everything.
bool is_shape_of_reshape(const Graph& graph, const std::string& input) {
  for (const auto& op : graph.ops)
    if (op.type == "Reshape" && op.inputs.size() > 1 && op.inputs[1] != no_tensor &&
        graph.tensor(op.inputs[1]).name == input)
      return true;
  return false;
}

void make_shape(HostTensor& tensor) {
  const std::size_t count = tensor.bytes.size() / sizeof(std::int64_t);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t value = i + 1 == count ? -1 : 1;
    std::memcpy(tensor.bytes.data() + i * sizeof value, &value, sizeof value);
  }
}

}  // namespace

RuntimeChoice choose_runtime(const std::filesystem::path& model, const RunSettings& settings) {
  const bool simulated = is_simulated(settings.device);
  if (simulated && !settings.runtime.empty() && settings.runtime != simulated_runtime)
    throw UsageError(fmt::format("--device {} is simulated, but --runtime {} is asked for; leave out one of the two",
                                 printable(settings.device), printable(settings.runtime)));
  if (!settings.runtime.empty()) return {settings.runtime, "as asked"};
  if (simulated) return {std::string(simulated_runtime), "for a sim: device"};
  return runtime_for(model);
}

std::vector<Port> declared_inputs(const std::filesystem::path& model, const RunSettings& settings) {
  if (is_onnx_file(model)) {  // no runtime has to start for it
    const auto graph = read_onnx(model).graph;
    return ports_of(graph, graph.inputs);
  }
  const auto runtime = make_runtime(choose_runtime(model, settings).name);
  if (const auto graph = runtime->read_graph(model, {})) return ports_of(*graph, graph->inputs);
  SessionSettings plain;
  plain.device = settings.device;
  return runtime->open(model, nullptr, plain)->inputs();
}

PreparedModel::PreparedModel(const std::filesystem::path& model, const RunSettings& settings) : settings_(settings) {
  result_.model = model;
  auto choice = choose_runtime(model, settings);
  result_.runtime = std::move(choice.name);
  result_.runtime_choice = std::move(choice.why);
  refuse_misplaced_file(model, result_.runtime);
  runtime_ = make_runtime(result_.runtime);
  log_debug(fmt::format("runtime {} {} ({})", result_.runtime, runtime_->version(), result_.runtime_choice));
  result_.runtime_version = runtime_->version();
  result_.graph = read_model(*runtime_, model);
  settle_shapes();
}

void PreparedModel::settle_shapes() {
  const std::vector<Port> declared =
      result_.graph ? tensor_inputs(*result_.graph, result_.model) : open(false)->inputs();
  choice_ = settle_inputs(declared, read_inputs(settings_.inputs), settings_.batch_size, result_.notes);
  const std::vector<Port> ports = with_batch(declared, settings_.batch_size);
  const bool open_dims = std::any_of(ports.begin(), ports.end(), [](auto& port) { return !concrete(port.shape); });
  if (!open_dims) return try_shapes(ports, DimensionGuess(nullptr, {}, {}), 0);
  // The runtime that runs it need not be the one that tells names of dimensions.
  Shapes symbolic = result_.graph ? infer(*runtime_, {}) : Shapes();
  for (const auto& name : runtime_names())
    if (result_.graph && name != result_.runtime) symbolic.merge(infer(*make_runtime(name), {}));
  const DimensionGuess guess(result_.graph ? &*result_.graph : nullptr, ports, symbolic);
  const auto notes = result_.notes;
  const auto graph = result_.graph;
  std::optional<Error> first;
  for (std::size_t attempt = 0; attempt < DimensionGuess::attempts(); ++attempt) {
    result_.notes = notes;
    result_.graph = graph;
    try {
      try_shapes(ports, guess, attempt);
      if (result_.notes.size() == notes.size()) return;  // the user gave all that is open
      probe();
      if (first)
        result_.notes.push_back(fmt::format("the usual sizes were refused, so others were tried ({})", first->what()));
      return;
    } catch (const Error& error) {
      if (result_.notes.size() == notes.size() || error.kind() == ErrorKind::unsupported) throw;
      if (!first) first = error;
    }
  }
  throw Error(first->kind(), fmt::format("{}; other sizes failed too: give the shapes with --input", first->what()));
}

void PreparedModel::try_shapes(const std::vector<Port>& ports, const DimensionGuess& guess, std::size_t attempt) {
  const auto guessed = [&](const Port& port, const std::map<std::string, Shape>& settled) {
    return guess.shape_of(port, settled, attempt);
  };
  shapes_ = complete_shapes(ports, choice_.shapes, result_.notes, guessed);
  naming(result_.model, [&] { check_sizes(ports, shapes_); });
  if (!result_.graph) return;
  if (is_onnx_file(result_.model))
    fill_in_shapes();
  else
    result_.graph = runtime_->read_graph(result_.model, shapes_);
}

/// One inference with the chosen shapes: that a model loads does not say that it runs.
void PreparedModel::probe() {
  if (runtime_->is_simulated()) return;  // computes nothing that could fail
  auto session = open(false);
  session->set_inputs(values(session->inputs()));
  result_.input_values.clear();
  result_.input_origins.clear();
  session->run();
}

PreparedModel::Shapes PreparedModel::infer(Runtime& runtime, const std::map<std::string, Shape>& shapes) const {
  try {
    return runtime.infer_shapes(result_.model, shapes).value_or(Shapes());
  } catch (const Error&) {  // shapes are an extra; whether the model can be run is for open() to say
    return {};
  }
}

bool PreparedModel::knows_all(const Shapes& inferred) const {
  for (const Op& op : result_.graph->ops)
    for (TensorId id : op.outputs) {
      if (id == no_tensor) continue;
      const Tensor& tensor = result_.graph->tensor(id);
      auto found = inferred.find(tensor.name);
      const PartialShape* shape = found != inferred.end() ? &found->second : tensor.shape ? &*tensor.shape : nullptr;
      if (!shape || !concrete(*shape)) return false;
    }
  return true;
}

void PreparedModel::fill_in_shapes() {
  // Each runtime knows the shapes of the tensors that it keeps; the others of this binary fill in the rest.
  Shapes inferred = infer(*runtime_, shapes_);
  for (const auto& name : runtime_names()) {
    if (name == result_.runtime || knows_all(inferred)) continue;
    inferred.merge(infer(*make_runtime(name), shapes_));
  }
  for (const auto& [name, shape] : shapes_) {
    PartialShape known;
    for (std::int64_t dim : shape) known.push_back({dim, ""});
    inferred.insert_or_assign(name, std::move(known));
  }
  result_.graph = with_shapes(*result_.graph, inferred);
}

SessionSettings PreparedModel::session_settings(bool profiled) const {
  SessionSettings session;
  session.device = settings_.device;
  session.threads = settings_.threads;
  session.profile_ops = profiled;
  session.input_shapes = shapes_;
  session.seed = settings_.seed;
  session.precision = settings_.precision;
  session.cache = settings_.cache;
  session.tuning = settings_.tuning;
  if (!profiled) session.optimised_model = settings_.optimised_model;
  return session;
}

std::unique_ptr<Session> PreparedModel::open(SessionSettings session) const {
  return runtime_->open(result_.model, result_.graph ? &*result_.graph : nullptr, session);
}

std::unique_ptr<Session> PreparedModel::open(bool profiled) const { return open(session_settings(profiled)); }

const std::vector<HostTensor>& PreparedModel::values(const std::vector<Port>& inputs) {
  if (!result_.input_values.empty()) return result_.input_values;
  result_.input_values = naming(result_.model, [&] {
    for (const auto& port : inputs) check_is_tensor(port, result_.model);
    std::vector<std::string> notes;
    auto made = make_inputs(inputs, {shapes_, choice_.given}, settings_.seed, notes);
    add_notes(result_, notes);
    return made;
  });
  for (const auto& port : inputs) {
    const auto given = choice_.given.find(port.name);
    result_.input_origins.push_back(given == choice_.given.end() ? "generated values" : given->second.origin);
  }
  for (auto& tensor : result_.input_values)
    if (result_.graph && !choice_.given.contains(tensor.name) && tensor.type == ElementType::i64 &&
        is_shape_of_reshape(*result_.graph, tensor.name))
      make_shape(tensor);
  return result_.input_values;
}

}  // namespace takt
