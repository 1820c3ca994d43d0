#include "profile/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "graph/onnx.h"
#include "graph/shapes.h"
#include "profile/measure.h"

namespace takt {
namespace {

bool is_onnx(const std::filesystem::path& model) { return lower_case(model.extension().string()) == ".onnx"; }

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

  void measure(RunPasses passes, const RunProgress& progress) {
    UsageReader reader;
    result_.cpu_limit = cpu_limit();
    std::vector<std::unique_ptr<Session>> sessions;
    std::vector<Measurement> measurements;
    for (bool profiled : {false, true}) {
      if (passes == (profiled ? RunPasses::plain : RunPasses::profiled)) continue;
      RunPass pass;
      pass.profiled = profiled;
      Nanoseconds before = steady_now();
      sessions.push_back(open(profiled));
      pass.load_time = steady_now() - before;
      give_inputs(*sessions.back());
      UsageReader* usage = sessions.back()->keeps_real_time() ? &reader : nullptr;
      measurements.emplace_back(*sessions.back(), settings_, usage, std::move(pass));
    }
    takt::measure(measurements, progress);
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      RunPass pass = measurements[i].finish();
      (pass.profiled ? result_.profiled : result_.plain) = std::move(pass);
      for (const auto& note : sessions[i]->notes())
        if (std::find(result_.notes.begin(), result_.notes.end(), note) == result_.notes.end())
          result_.notes.push_back(note);
    }
  }

  RunResult take() { return std::move(result_); }

 private:
  void give_inputs(Session& session) {
    result_.device = session.device();
    result_.inputs = session.inputs();
    result_.outputs = session.outputs();
    if (result_.input_values.empty())
      result_.input_values =
          naming(result_.model, [&] { return generate_inputs(result_.inputs, shapes_, settings_.seed); });
    session.set_inputs(result_.input_values);
  }

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
  run.measure(passes, progress);
  return run.take();
}

}  // namespace takt
