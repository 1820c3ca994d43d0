#include "measure/open/prepared_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/memory/free_memory.h"
#include "base/system/log.h"
#include "base/system/watched_work.h"
#include "measure/open/deciding_values.h"
#include "measure/open/misplaced_file.h"
#include "measure/open/model_shapes.h"
#include "model/graph/footprint.h"
#include "model/graph/shapes.h"
#include "model/onnx/onnx.h"
#include "model/registry/asked.h"
#include "model/runtime/ports.h"
#include "model/sim/simulated.h"

namespace takt {
namespace {

/// nullopt: neither takt nor the runtime can tell.
std::optional<Graph> read_model(Runtime& runtime, const std::filesystem::path& model) {
  return is_onnx_file(model) ? read_onnx_structure(model).graph : runtime.read_graph(model, {});
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
  throw Error(ErrorKind::unsupported, fmt::format("{}: input '{}' is not a tensor but a sequence, map or optional, for "
                                                  "which takt generates no values; run a model that takes tensors",
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

/// First dimensions that the model fixes, for a runtime that can change them.
void open_batch(std::vector<Port>& inputs, std::int64_t batch, std::vector<std::string>& notes) {
  for (auto& port : inputs) {
    if (port.shape.empty() || port.shape[0].value.value_or(batch) == batch) continue;
    notes.push_back(fmt::format("input '{}' is {} in the model; its first dimension is changed to {}",
                                printable(port.name), to_string(port.shape), batch));
    port.shape[0] = {};
  }
}

/// A guess that is larger is nobody's model, and takes long to refuse.
constexpr double most_elements_tried = 0x1p26;

double elements_of(const std::map<std::string, Shape>& shapes) {
  double sum = 0;
  for (const auto& [name, shape] : shapes)
    sum += std::accumulate(shape.begin(), shape.end(), 1.0,
                           [](double a, std::int64_t b) { return a * static_cast<double>(b); });
  return sum;
}

bool has_list(const std::vector<InputSpec>& specs) {
  return std::any_of(specs.begin(), specs.end(), [](const InputSpec& spec) { return !spec.files.empty(); });
}

/// The options that give all open inputs, with the model's own words for what is open.
std::string options_for(const std::vector<Port>& ports) {
  std::string options;
  for (const auto& port : ports)
    if (!concrete(port.shape))
      options += fmt::format("{}--input '{}:{}'", options.empty() ? "" : " ", printable(escape_input_name(port.name)),
                             to_string(port.shape));
  return options;
}

}  // namespace

RuntimeChoice choose_runtime(const std::filesystem::path& model, const RunSettings& settings) {
  const bool simulated = is_simulated(settings.device);
  if (simulated && !settings.runtime.empty() && settings.runtime != simulated_runtime)
    throw UsageError(fmt::format("--device {} is simulated, but --runtime {} is given; leave out one of the two",
                                 printable(settings.device), printable(settings.runtime)));
  if (!settings.runtime.empty()) return {settings.runtime, "as requested"};
  if (simulated) return {std::string(simulated_runtime), "for a sim: device"};
  return runtime_for_device(model, settings.device);
}

static std::unique_ptr<Runtime> runtime_with(const std::string& name, const RunSettings& settings) {
  auto runtime = make_runtime(name);
  for (const auto& library : settings.custom_ops) runtime->add_custom_ops(library);
  return runtime;
}

std::vector<Port> declared_inputs(const std::filesystem::path& model, const RunSettings& settings) {
  begin_step("reading the model");
  if (is_onnx_file(model)) {  // no runtime has to start for it
    const auto graph = read_onnx_structure(model).graph;
    return ports_of(graph, graph.inputs);
  }
  const auto runtime = runtime_with(choose_runtime(model, settings).name, settings);
  if (const auto graph = runtime->read_graph(model, {})) return ports_of(*graph, graph->inputs);
  SessionSettings plain;
  plain.device = settings.device;
  return runtime->open(model, nullptr, plain)->inputs();
}

PreparedModel::PreparedModel(const std::filesystem::path& model, const RunSettings& settings) : settings_(settings) {
  begin_step("reading the model");
  result_.model = model;
  auto choice = choose_runtime(model, settings);
  result_.runtime = std::move(choice.name);
  result_.runtime_choice = std::move(choice.why);
  refuse_misplaced_file(model, result_.runtime);
  runtime_ = runtime_with(result_.runtime, settings_);
  log_debug(fmt::format("runtime {} {} ({})", result_.runtime, runtime_->version(), result_.runtime_choice));
  result_.runtime_version = runtime_->version();
  result_.graph = read_model(*runtime_, model);
  if (result_.graph && result_.graph->outputs.empty() && !runtime_->traits().is_simulated)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: the model has no outputs, so nothing of it is computed; name some when you export it",
                            printable(model.string())));
  settle_shapes();
  give_back_free_memory();  // of sessions that are not those to be measured
}

void PreparedModel::settle_shapes() {
  declared_ = result_.graph ? tensor_inputs(*result_.graph, result_.model) : open(false)->inputs();
  if (settings_.batch_size && runtime_->traits().reshapes) open_batch(declared_, *settings_.batch_size, result_.notes);
  if (settings_.free_axis && runtime_->traits().reshapes)
    for (auto& port : declared_)
      if (*settings_.free_axis < port.shape.size()) port.shape[*settings_.free_axis] = {};
  choice_ = settle_inputs(declared_, read_inputs(settings_.inputs), settings_.batch_size, result_.notes);
  const std::vector<Port> ports = with_batch(declared_, settings_.batch_size);
  const bool open_dims = std::any_of(ports.begin(), ports.end(), [](auto& port) { return !concrete(port.shape); });
  if (!open_dims) {
    guess_.emplace(nullptr, std::vector<Port>(), TensorShapes());
    choose_shapes(ports, 0);
    return learn_shapes();
  }
  if (result_.graph) symbolic_ = symbolic_shapes(runtime_.get(), result_.model);
  guess_.emplace(result_.graph ? &*result_.graph : nullptr, ports, symbolic_);
  search_shapes(ports);
  open_for_turns();
  learn_shapes();
}

InputChoice PreparedModel::choice_of_turn(std::size_t turn) const {
  std::vector<std::string> told_before;
  InputChoice choice = settle_inputs(declared_, read_inputs(settings_.inputs, turn), settings_.batch_size, told_before);
  const auto guessed = [&](const Port& port, const std::map<std::string, Shape>& settled) {
    return guess_->shape_of(port, settled, chosen_try_);
  };
  const std::vector<Port> ports = with_batch(declared_, settings_.batch_size);
  choice.shapes = complete_shapes(ports, std::move(choice.shapes), told_before, guessed);
  naming(result_.model, [&] { check_sizes(ports, choice.shapes); });
  return choice;
}

/// Files of different shapes take turns in one session, whose dimensions stay open.
void PreparedModel::open_for_turns() {
  const std::size_t turns = count_turns(settings_.inputs);
  for (std::size_t turn = 1; turn < turns && !shapes_differ_; ++turn)
    shapes_differ_ = choice_of_turn(turn).shapes != shapes_;
  if (!shapes_differ_) return;
  settings_.open_shapes = true;
  result_.notes.push_back(
      "files of different shapes take turns, so dimensions that the model leaves open stay open in the runtime; FLOPs, "
      "bytes and shapes of operators are those of the first file (table shapes: time and memory by shape)");
}

void PreparedModel::choose_shapes(const std::vector<Port>& ports, std::size_t number) {
  chosen_try_ = number;
  const auto guessed = [&](const Port& port, const std::map<std::string, Shape>& settled) {
    return guess_->shape_of(port, settled, number);
  };
  shapes_ = complete_shapes(ports, choice_.shapes, result_.notes, guessed);
  naming(result_.model, [&] { check_sizes(ports, shapes_); });
}

/// Takes the first sizes that the model runs with. The usual ones mostly do, so they are tried as they will be
/// measured; others cost one inference each, of a session whose dimensions stay open.
void PreparedModel::search_shapes(const std::vector<Port>& ports) {
  const auto notes = result_.notes;
  const auto all_are_given = [&] { return result_.notes.size() == notes.size(); };  // what is guessed is noted
  std::set<std::map<std::string, Shape>> tried;
  std::optional<Error> first;
  std::unique_ptr<Session> open_session;
  for (std::size_t number = 0; number < guess_->tries(); ++number) {
    result_.notes = notes;
    try {
      choose_shapes(ports, number);
      if (all_are_given()) return;
      if (number > 0 && elements_of(shapes_) > most_elements_tried) continue;
      if (!tried.insert(shapes_).second) continue;
      if (open_session) run_once(*open_session);
      probe();
      if (first)
        result_.notes.push_back(
            fmt::format("the default sizes were rejected, so others were tried ({})", first->what()));
      return;
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::unsupported || all_are_given()) throw;  // there are no others to try
      tried.insert(shapes_);
      if (first) continue;
      first = error;
      open_session = open_as_it_is(error);
    }
  }
  first = explained(*first);
  throw Error(first->kind(), fmt::format("{}; {} other choices of sizes failed too: give the shapes, with a number for "
                                         "each open dimension of {}",
                                         first->what(), tried.size() - 1, options_for(ports)));
}

/// A session whose dimensions stay open; null where the runtime needs them to open the model. Throws `refusal` where it
/// does not open for the same reason: then it is not the sizes.
std::unique_ptr<Session> PreparedModel::open_as_it_is(const Error& refusal) const {
  auto settings = session_settings(false);
  settings.input_shapes.clear();
  settings.optimised_model.clear();
  settings.cache.clear();
  try {
    return open(settings);
  } catch (const Error& error) {
    if (std::string_view(error.what()) == refusal.what()) throw;
    return nullptr;
  }
}

/// What the operators of a run with these inputs make of the shapes.
std::optional<Graph> PreparedModel::graph_with(const std::map<std::string, Shape>& shapes) const {
  if (!result_.graph) return std::nullopt;
  if (!is_onnx_file(result_.model)) return runtime_->read_graph(result_.model, shapes);
  return with_inferred_shapes(*result_.graph, runtime_.get(), result_.model, shapes);
}

void PreparedModel::learn_shapes() {
  if (auto graph = graph_with(shapes_)) result_.graph = std::move(graph);
  symbolic_.clear();
  result_.input_values.clear();  // of a trial, made before all shapes were known
  result_.input_origins.clear();
}

/// One inference with the chosen shapes: that a model loads does not say that it runs.
void PreparedModel::probe() {
  if (runtime_->traits().is_simulated) return;  // computes nothing that could fail
  run_once(*open(false));
}

void PreparedModel::run_once(Session& session) {
  // A session with open dimensions has open ports; the values are of the shapes that were chosen.
  begin_step("trying sizes for its open inputs");
  auto inputs = values(session.inputs());
  result_.input_values.clear();
  result_.input_origins.clear();
  session.set_inputs(inputs);
  session.run();
}

void PreparedModel::learn_executed_shapes() {
  if (!result_.graph || runtime_->traits().is_simulated || !is_onnx_file(result_.model)) return;
  if (auto told =
          with_observed_shapes(*result_.graph, *runtime_, result_.model, session_settings(false), result_.input_values))
    result_.graph = std::move(told);
}

SessionSettings PreparedModel::session_settings(bool profiled) const {
  SessionSettings session;
  session.device = settings_.device;
  session.threads = settings_.threads;
  session.profile_ops = profiled;
  if (!settings_.open_shapes) session.input_shapes = shapes_;
  session.keep_state = settings_.state_steps.has_value();
  session.seed = settings_.seed;
  session.virtual_clock = settings_.virtual_clock;
  session.precision = settings_.precision;
  session.cache = settings_.cache;
  session.tuning = settings_.tuning;
  session.properties = settings_.properties;
  if (!settings_.measures_throughput()) session.hint = settings_.hint;
  session.free_axis = settings_.batch_size ? 0 : settings_.free_axis;
  if (!profiled) session.optimised_model = settings_.optimised_model, session.executed_graph = settings_.executed_graph;
  return session;
}

std::unique_ptr<Session> PreparedModel::open(SessionSettings session) const {
  const FreedMemoryGivenBack freed;
  begin_step("opening it on " + session.device);
  return runtime_->open(result_.model, result_.graph ? &*result_.graph : nullptr, session);
}

std::unique_ptr<Session> PreparedModel::open(bool profiled) const { return open(session_settings(profiled)); }

Error PreparedModel::explained(const Error& error) const {
  std::string message = error.what();
  if (result_.graph && error.kind() == ErrorKind::runtime) {
    auto sentences = deciding_inputs(*result_.graph, choice_);
    if (sentences.empty()) sentences = particular_inputs(*result_.graph, choice_);
    for (const std::string& sentence : sentences) message += "; " + sentence;
  }
  return Error(error.kind(), message);
}

const std::vector<HostTensor>& PreparedModel::values(const std::vector<Port>& inputs) {
  if (!result_.input_values.empty()) return result_.input_values;
  for (const auto& port : inputs) check_is_tensor(port, result_.model);
  result_.input_values = naming(result_.model, [&] {
    std::vector<std::string> notes;
    auto made = make_inputs(inputs, {shapes_, choice_.given}, settings_.seed, notes);
    add_notes(result_, notes);
    if (result_.graph) {
      add_notes(result_, deciding_inputs(*result_.graph, choice_));
      make_deciding_values(with_shapes(*result_.graph, symbolic_), choice_, made);
    }
    return made;
  });
  for (const auto& port : inputs) {
    const auto given = choice_.given.find(port.name);
    result_.input_origins.push_back(given == choice_.given.end() ? "generated values" : given->second.origin);
  }
  const auto turns = count_turns(settings_.inputs);
  if (turns > 1)
    add_notes(result_, {fmt::format("{} files of values are used in turn, one per run, in {}", turns,
                                    has_list(settings_.inputs) ? "the order given" : "order of name")});
  return result_.input_values;
}

std::vector<std::vector<HostTensor>> PreparedModel::values_in_turn(const std::vector<Port>& inputs) {
  const auto turns = count_turns(settings_.inputs);
  if (turns == 1) return {};
  std::vector<std::vector<HostTensor>> all{values(inputs)};
  for (std::size_t turn = 1; turn < turns; ++turn) {
    std::vector<std::string> told_before;
    const InputChoice choice = choice_of_turn(turn);
    auto& made = all.emplace_back(make_inputs(inputs, choice, settings_.seed, told_before));
    if (result_.graph) make_deciding_values(*result_.graph, choice, made);
    for (std::size_t i = 0; i < made.size(); ++i)
      if (!choice.given.contains(made[i].name) && made[i].shape == all.front()[i].shape) made[i] = all.front()[i];
  }
  if (shapes_differ_ && result_.turns.empty()) describe_turns(all);
  return all;
}

/// What each turn's inputs make of the activations is asked once for equal shapes, and of the first few.
void PreparedModel::describe_turns(const std::vector<std::vector<HostTensor>>& turns) {
  constexpr std::size_t most_asked = 32;
  std::map<std::string, std::optional<std::int64_t>> known;
  for (const auto& inputs : turns) {
    InputTurn turn;
    std::map<std::string, Shape> shapes;
    for (const HostTensor& input : inputs) {
      turn.shapes += fmt::format("{}{} {}", turn.shapes.empty() ? "" : ", ", input.name, to_string(input.shape));
      shapes[input.name] = input.shape;
    }
    if (const auto asked = known.find(turn.shapes); asked != known.end())
      turn.activations = asked->second;
    else if (known.size() < most_asked)
      if (const auto graph = graph_with(shapes)) turn.activations = activation_peak_bytes(*graph);
    known.emplace(turn.shapes, turn.activations);
    result_.turns.push_back(std::move(turn));
  }
}

}  // namespace takt
