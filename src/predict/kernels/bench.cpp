#include "predict/kernels/bench.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/basics/text.h"
#include "base/files/temporary_folder.h"
#include "base/system/watched_work.h"
#include "model/runtime/generated_values.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> place_names{"alone", "chain", "model"};

Nanoseconds wall_clock_now() {
  return std::chrono::duration_cast<Nanoseconds>(std::chrono::system_clock::now().time_since_epoch());
}

/// Values that nobody gave, for inputs that are all of known shape.
std::vector<HostTensor> drawn_inputs(const Session& session) {
  std::vector<HostTensor> inputs;
  for (const Port& port : session.inputs())
    inputs.push_back(generate_values(port, concrete(port.shape).value_or(Shape()), 1));
  return inputs;
}

class Bench {
 public:
  Bench(const std::string& runtime, SessionSettings session, const BenchSettings& settings)
      : runtime_(make_runtime(runtime)), session_(std::move(session)), settings_(settings), folder_("takt") {
    session_.threads = settings.threads;
  }

  /// The model as a whole, again and again; on a GPU that tells it what the GPU worked, as in other places.
  void time_alone(const fs::path& file, const Graph& graph, KernelTimes& times) {
    SessionSettings settings = session_;
    settings.input_shapes.clear();
    settings.profile_ops = settings.device == "GPU";
    const auto session = runtime_->open(file, &graph, settings);
    session->set_inputs(drawn_inputs(*session));
    begin_step("timing kernels");
    for (int i = 0; i < settings_.warmup; ++i) session->run();
    times.samples.reserve(static_cast<std::size_t>(settings_.iterations));
    times.started = wall_clock_now();
    for (int i = 0; i < settings_.iterations; ++i) times.samples.push_back(session->run());
    times.ended = wall_clock_now();
    if (!settings.profile_ops) return;
    const auto runs = session->all_ops();
    if (runs && session->times_by_device()) take_work_of(*runs, times.samples);
  }

  void time_alone(const OnnxModel& model, KernelTimes& times) {
    write_onnx(model, file());
    time_alone(file(), model.graph, times);
  }

  /// The last node of a chain; one inference of its producers goes before each of its own.
  void time_chain(const OnnxModel& model, KernelTimes& times) { time_nodes(model, {}, {{times.kernel, &times}}); }

  /// The runtime's records of the model's nodes, by the kernel's name in `times`; others are not wanted. `inputs` may
  /// be empty: then values are drawn.
  void time_nodes(const OnnxModel& model, const std::vector<HostTensor>& inputs,
                  const std::unordered_map<std::string, KernelTimes*>& times) {
    write_onnx(model, file());
    SessionSettings settings = session_;
    settings.profile_ops = true;
    if (inputs.empty()) settings.input_shapes.clear();  // they name the inputs of the whole model
    const auto session = runtime_->open(file(), &model.graph, settings);
    session->set_inputs(inputs.empty() ? drawn_inputs(*session) : inputs);
    begin_step("timing kernels");
    for (int i = 0; i < settings_.warmup; ++i) session->run();
    const Nanoseconds started = wall_clock_now();
    for (int i = 0; i < settings_.iterations; ++i) session->run();
    const Nanoseconds ended = wall_clock_now();
    const auto runs = session->all_ops().value_or(std::vector<std::vector<OpSample>>());
    const std::size_t measured = std::min(runs.size(), index(settings_.iterations));
    for (std::size_t i = runs.size() - measured; i < runs.size(); ++i)  // behind those that warmed up
      for (const OpSample& sample : runs[i])
        if (const auto found = times.find(sample.node->name); found != times.end())
          found->second->samples.push_back(sample.self());
    for (const auto& [name, one] : times) one->started = started, one->ended = ended;
  }

 private:
  /// Of the last runs, as many as there are samples; without what brings inputs and outputs.
  static void take_work_of(const std::vector<std::vector<OpSample>>& runs, std::vector<Nanoseconds>& samples) {
    const std::size_t count = std::min(runs.size(), samples.size());
    samples.assign(count, Nanoseconds(0));
    for (std::size_t i = 0; i < count; ++i)
      for (const OpSample& sample : runs[runs.size() - count + i])
        if (sample.node->type != "Memcpy") samples[i] += sample.self();
  }

  fs::path file() const { return folder_.path() / "kernel.onnx"; }

  std::unique_ptr<Runtime> runtime_;
  SessionSettings session_;
  const BenchSettings& settings_;
  TemporaryFolder folder_;
};

template <typename Work>
void keeping_problems(KernelTimes& times, const Work& work) {
  try {
    work();
    if (times.samples.empty()) times.problem = "the runtime reported no time for it";
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::io) throw;
    times.samples.clear();
    times.problem = error.what();
  }
}

void step(const BenchSettings& settings, std::size_t done, std::size_t total) {
  if (settings.progress) settings.progress(done, total);
  if (settings.stop && *settings.stop)
    throw Error(ErrorKind::runtime, fmt::format("stopped after {} of {} kernels", done, total));
}

KernelTimes begun(const OptimisedKernels& kernels, std::size_t kernel, BenchPlace place) {
  const KernelInstance& instance = kernels.graph.kernels[kernel];
  KernelTimes times;
  times.id = instance.record, times.kernel = instance.name, times.place = place;
  times.name = kernels.records.at(instance.record).name;
  return times;
}

std::vector<std::size_t> chosen_kernels(const OptimisedKernels& kernels, const BenchSettings& settings) {
  std::set<std::string> seen;
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < kernels.graph.kernels.size(); ++i) {
    const std::string& id = kernels.graph.kernels[i].record;
    if (id.starts_with(settings.record) && (settings.place == BenchPlace::model || seen.insert(id).second))
      chosen.push_back(i);
  }
  return chosen;
}

/// All kernels from the same runs.
std::vector<KernelTimes> bench_in_model(const OptimisedKernels& kernels, const std::vector<std::size_t>& chosen,
                                        Bench& bench) {
  std::vector<KernelTimes> result;
  for (const std::size_t i : chosen) result.push_back(begun(kernels, i, BenchPlace::model));
  std::unordered_map<std::string, KernelTimes*> by_name;
  for (KernelTimes& times : result) by_name.emplace(times.kernel, &times);
  if (!result.empty()) bench.time_nodes(kernels.model, kernels.input_values, by_name);
  for (KernelTimes& times : result)
    if (times.samples.empty()) times.problem = "the runtime reported no time for it";
  return result;
}

void declare_as(onnx::ValueInfoProto& value, const std::string& name, const KernelTensor& tensor) {
  value.set_name(name);
  auto& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(static_cast<int>(tensor.type));
  for (const std::int64_t size : tensor.shape) type.mutable_shape()->add_dim()->set_dim_value(size);
}

}  // namespace

std::string_view bench_place_name(BenchPlace place) { return place_names[static_cast<std::size_t>(place)]; }

std::optional<BenchPlace> bench_place_named(std::string_view name) {
  for (std::size_t i = 0; i < place_names.size(); ++i)
    if (place_names[i] == name) return static_cast<BenchPlace>(i);
  return std::nullopt;
}

OnnxModel chain_model(const OptimisedKernels& kernels, std::size_t kernel) {
  const auto& all = kernels.graph.kernels;
  std::vector<std::size_t> places;
  for (const int producer : all[kernel].producers) places.push_back(index(producer));
  places.push_back(kernel);
  const onnx::ModelProto& from = *kernels.model.proto;
  onnx::ModelProto chain;
  chain.set_ir_version(from.ir_version());
  *chain.mutable_opset_import() = from.opset_import();
  onnx::GraphProto& graph = *chain.mutable_graph();
  graph.set_name("chain");
  std::set<std::string> made, wanted, inputs;
  for (const std::size_t place : places) {
    *graph.add_node() = from.graph().node(kernels.model.graph.ops[place].node_index);
    made.insert(all[place].outputs.begin(), all[place].outputs.end());
    wanted.insert(all[place].inputs.begin(), all[place].inputs.end());
  }
  for (const auto& constant : from.graph().initializer())
    if (wanted.contains(constant.name())) *graph.add_initializer() = constant, made.insert(constant.name());
  for (const std::size_t place : places) {
    const KernelRecord& record = kernels.records.at(all[place].record);
    for (std::size_t i = 0; i < record.inputs.size(); ++i) {
      const std::string& name = all[place].inputs[i];
      if (!name.empty() && !made.contains(name) && inputs.insert(name).second)
        declare_as(*graph.add_input(), name, record.inputs[i]);
    }
  }
  const KernelRecord& last = kernels.records.at(all[kernel].record);
  for (std::size_t i = 0; i < last.outputs.size(); ++i)
    if (!all[kernel].outputs[i].empty()) declare_as(*graph.add_output(), all[kernel].outputs[i], last.outputs[i]);
  return parse_onnx(serialize_onnx(chain), {});
}

std::vector<KernelTimes> bench_kernels(const OptimisedKernels& kernels, const BenchSettings& settings) {
  if (settings.place != BenchPlace::alone && !kernels.is_saved)
    throw Error(ErrorKind::unsupported, fmt::format("{}: {} cannot save its graph, so its kernels are only timed "
                                                    "alone; 'takt run' shows its operators in the model",
                                                    printable(kernels.graph.model), kernels.graph.runtime));
  const auto chosen = chosen_kernels(kernels, settings);
  Bench bench(kernels.graph.runtime, as_written(kernels), settings);
  if (settings.place == BenchPlace::model) return bench_in_model(kernels, chosen, bench);
  std::vector<KernelTimes> result;
  for (const std::size_t i : chosen) {
    step(settings, result.size(), chosen.size());
    KernelTimes& times = result.emplace_back(begun(kernels, i, settings.place));
    keeping_problems(times, [&] {
      if (settings.place == BenchPlace::alone)
        bench.time_alone(kernel_model(kernels, i), times);
      else
        bench.time_chain(chain_model(kernels, i), times);
    });
  }
  return result;
}

std::vector<KernelTimes> bench_records(const KernelFile& file, const std::string& device,
                                       const BenchSettings& settings) {
  const LoneKernels lone = lone_kernels(device);
  Bench bench(lone.runtime, lone.settings, settings);
  std::vector<KernelTimes> result;
  for (const auto& [id, of_id] : file.records) {
    const KernelRecord& record = of_id;
    if (!id.starts_with(settings.record)) continue;
    step(settings, result.size(), file.records.size());
    KernelTimes& times = result.emplace_back();
    times.id = id, times.name = record.name;
    keeping_problems(times, [&] { bench.time_alone(kernel_model(record), times); });
  }
  return result;
}

KernelTimes bench_model_file(const fs::path& model, const std::string& device, const BenchSettings& settings) {
  const LoneKernels lone = lone_kernels(device);
  Bench bench(lone.runtime, lone.settings, settings);
  KernelTimes times;
  times.name = model.stem().string();
  bench.time_alone(model, read_onnx_structure(model).graph, times);
  return times;
}

}  // namespace takt
