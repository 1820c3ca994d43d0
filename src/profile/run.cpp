#include "profile/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "graph/onnx.h"
#include "graph/shapes.h"

namespace takt {
namespace {

constexpr int fewest_iterations = 10, most_iterations = 1000;

bool is_onnx(const std::filesystem::path& model) { return lower_case(model.extension().string()) == ".onnx"; }

/// Knows when enough was measured; in samples' own time, so that a simulated clock gives the same count every time.
class Budget {
 public:
  explicit Budget(const RunSettings& settings) : settings_(settings) {}

  bool is_spent(const std::vector<Nanoseconds>& samples) const {
    auto count = static_cast<int>(samples.size());
    if (settings_.iterations) return count >= *settings_.iterations;
    return count >= most_iterations || (count >= fewest_iterations && measured_ >= settings_.min_time);
  }
  void add(Nanoseconds sample) { measured_ += sample; }
  std::uint64_t expected(std::size_t done) const {
    if (settings_.iterations) return static_cast<std::uint64_t>(*settings_.iterations);
    double per_run = done == 0 ? 1.0 : Duration(measured_).count() / static_cast<double>(done);
    double runs = settings_.min_time.count() / std::max(per_run, 1e-3);
    return static_cast<std::uint64_t>(std::clamp<double>(runs, fewest_iterations, most_iterations));
  }

 private:
  const RunSettings& settings_;
  Nanoseconds measured_{};
};

void measure(Session& session, const RunSettings& settings, const RunProgress& progress, RunPass& pass) {
  for (int i = 0; i < settings.warmup_iterations; ++i) pass.warmup.push_back(session.run());
  Budget budget(settings);
  pass.started = wall_now();
  Nanoseconds first = steady_now();
  while (!budget.is_spent(pass.samples)) {
    if (progress)
      progress(pass.profiled ? "profiled" : "plain", pass.samples.size(), budget.expected(pass.samples.size()));
    Nanoseconds start = steady_now();
    Nanoseconds sample = session.run();
    Nanoseconds back = steady_now();
    budget.add(sample);
    pass.starts.push_back(start - first);
    pass.samples.push_back(sample);
    pass.host_samples.push_back(back - start);
    // Asked for between measurements; runtimes that write operator times only at the end answer with nullopt.
    if (pass.profiled)
      if (auto ops = session.last_ops()) pass.ops.push_back(std::move(*ops));
  }
}

/// Runtimes that tell operator times only when a session ends tell those of the warm-up runs too.
void collect_ops_at_end(Session& session, RunPass& pass) {
  if (pass.ops.empty())
    if (auto all = session.all_ops()) {
      pass.ops = std::move(*all);
      if (pass.ops.size() > pass.samples.size())
        pass.ops.erase(pass.ops.begin(), pass.ops.end() - static_cast<std::ptrdiff_t>(pass.samples.size()));
    }
  if (pass.ops.size() != pass.samples.size())
    throw Error(ErrorKind::runtime, fmt::format("the runtime reported operator times for {} of {} runs; use fewer "
                                                "iterations (--iter)",
                                                pass.ops.size(), pass.samples.size()));
}

/// Puts the model's name before what goes wrong with its inputs.
template <typename Call>
auto naming(const std::filesystem::path& model, Call call) {
  try {
    return call();
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", printable(model.string()), error.what()));
  }
}

class ModelRun {
 public:
  ModelRun(const std::filesystem::path& model, const RunSettings& settings) : settings_(settings) {
    result_.model = model;
    result_.runtime = choose_runtime(model, settings, result_.runtime_choice);
    runtime_ = make_runtime(result_.runtime);
    result_.runtime_version = runtime_->version();
    if (is_onnx(model)) result_.graph = read_onnx(model).graph;
  }

  void prepare() {
    std::vector<Port> ports = result_.graph ? ports_of(*result_.graph) : std::vector<Port>();
    if (ports.empty()) ports = open(false)->inputs();
    shapes_ = choose_shapes(ports, settings_.inputs, result_.notes);
    naming(result_.model, [&] { check_sizes(ports, shapes_); });
    if (result_.graph) fill_in_shapes();
  }

  RunPass pass(bool profiled, const RunProgress& progress) {
    RunPass pass;
    pass.profiled = profiled;
    Nanoseconds before = steady_now();
    auto session = open(profiled);
    pass.load_time = steady_now() - before;
    result_.device = session->device();
    result_.inputs = session->inputs();
    result_.outputs = session->outputs();
    if (result_.input_values.empty())
      result_.input_values =
          naming(result_.model, [&] { return generate_inputs(result_.inputs, shapes_, settings_.seed); });
    session->set_inputs(result_.input_values);
    measure(*session, settings_, progress, pass);
    if (profiled) collect_ops_at_end(*session, pass);
    for (const auto& note : session->notes())
      if (std::find(result_.notes.begin(), result_.notes.end(), note) == result_.notes.end())
        result_.notes.push_back(note);
    return pass;
  }

  RunResult take() { return std::move(result_); }
  RunResult& result() { return result_; }

 private:
  static std::vector<Port> ports_of(const Graph& graph) {
    std::vector<Port> ports;
    for (TensorId id : graph.inputs) {
      const Tensor& tensor = graph.tensors[static_cast<std::size_t>(id)];
      if (!tensor.shape) return {};  // not even the rank: ask the runtime
      ports.push_back({tensor.name, tensor.type, *tensor.shape});
    }
    return ports;
  }

  using Shapes = std::map<std::string, PartialShape>;

  bool knows_all(const Shapes& inferred) const {
    for (const Op& op : result_.graph->ops)
      for (TensorId id : op.outputs) {
        if (id == no_tensor) continue;
        const Tensor& tensor = result_.graph->tensors[static_cast<std::size_t>(id)];
        auto found = inferred.find(tensor.name);
        const PartialShape* shape = found != inferred.end() ? &found->second : tensor.shape ? &*tensor.shape : nullptr;
        if (!shape || !concrete(*shape)) return false;
      }
    return true;
  }

  void fill_in_shapes() {
    // Each runtime knows the shapes of the tensors that it keeps; the others of this binary fill in the rest.
    Shapes inferred = runtime_->infer_shapes(result_.model, shapes_).value_or(Shapes());
    for (const auto& name : runtime_names()) {
      if (name == result_.runtime || knows_all(inferred)) continue;
      if (auto others = make_runtime(name)->infer_shapes(result_.model, shapes_)) inferred.merge(*others);
    }
    for (const auto& [name, shape] : shapes_) {
      PartialShape known;
      for (std::int64_t dim : shape) known.push_back({dim, ""});
      inferred.insert_or_assign(name, std::move(known));
    }
    result_.graph = with_shapes(*result_.graph, inferred);
  }

  std::unique_ptr<Session> open(bool profiled) {
    SessionSettings session;
    session.device = settings_.device;
    session.threads = settings_.threads;
    session.profile_ops = profiled;
    session.input_shapes = shapes_;
    session.seed = settings_.seed;
    return runtime_->open(result_.model, result_.graph ? &*result_.graph : nullptr, session);
  }

  const RunSettings& settings_;
  std::unique_ptr<Runtime> runtime_;
  std::map<std::string, Shape> shapes_;
  RunResult result_;
};

}  // namespace

std::string choose_runtime(const std::filesystem::path& model, const RunSettings& settings, std::string& why) {
  bool simulated = lower_case(settings.device).starts_with("sim:");
  if (simulated && !settings.runtime.empty() && settings.runtime != "sim")
    throw UsageError(fmt::format("--device {} is simulated, but --runtime {} is asked for; leave out one of the two",
                                 printable(settings.device), printable(settings.runtime)));
  why = "as asked";
  if (!settings.runtime.empty()) return settings.runtime;
  if (simulated) return why = "for a sim: device", "sim";
  bool ir = lower_case(model.extension().string()) == ".xml";
  auto names = runtime_names();
  std::string wanted = ir ? "openvino" : "onnxruntime";
  why = fmt::format("for {} files", ir ? ".xml" : ".onnx");
  if (std::find(names.begin(), names.end(), wanted) != names.end()) return wanted;
  // The user did not ask for a runtime, so the other real one that reads ONNX is a choice and not a substitution.
  if (!ir && std::find(names.begin(), names.end(), "openvino") != names.end()) {
    why = "onnxruntime is not in this binary";
    return "openvino";
  }
  return wanted;
}

RunResult run_model(const std::filesystem::path& model, const RunSettings& settings, RunPasses passes,
                    const RunProgress& progress) {
  ModelRun run(model, settings);
  run.prepare();
  if (passes != RunPasses::profiled) run.result().plain = run.pass(false, progress);
  if (passes != RunPasses::plain) run.result().profiled = run.pass(true, progress);
  return run.take();
}

}  // namespace takt
