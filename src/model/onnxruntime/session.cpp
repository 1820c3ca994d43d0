#include "model/onnxruntime/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "model/onnxruntime/binding.h"
#include "model/onnxruntime/loading.h"
#include "model/onnxruntime/profile.h"
#include "model/onnxruntime/request.h"
#include "model/onnxruntime/tensors.h"
#include "model/runtime/gpu_activity.h"
#include "model/runtime/sdk_errors.h"
#include "model/runtime/tensor_checks.h"

namespace takt::ort {
namespace {

// ONNX Runtime keeps at most 1,000,000 events and drops the rest; a fifth of that keeps the file, which is read whole,
// near 100 MB.
constexpr std::size_t most_events = 200'000;

using ExecutedNodes = std::vector<std::shared_ptr<const ExecutedNode>>;  ///< of Profile::nodes

class OnnxRuntimeHead : public Head {
 public:
  OnnxRuntimeHead(Ort::Session session, bool subnormals_as_zero, const std::vector<Port>& inputs,
                  const std::vector<HostTensor>& values, std::string where)
      : session_(std::move(session)),
        subnormals_as_zero_(subnormals_as_zero),
        inputs_(inputs),
        where_(std::move(where)) {
    Ort::AllocatorWithDefaultOptions allocator;
    for (std::size_t i = 0; i < session_.GetOutputCount(); ++i)
      outputs_.push_back(port(session_.GetOutputNameAllocated(i, allocator).get(), session_.GetOutputTypeInfo(i)));
    binding_ = std::make_unique<Binding>(inputs_, outputs_);
    binding_->set(values);
  }

  Nanoseconds run() override {
    return guarded({where_, running_it}, [&] {
      binding_->prepare_next();
      const auto start = steady_now();
      binding_->run(session_, subnormals_as_zero_);
      return steady_now() - start;
    });
  }

 private:
  Ort::Session session_;
  bool subnormals_as_zero_;
  std::vector<Port> inputs_, outputs_;
  std::unique_ptr<Binding> binding_;
  std::string where_;
};

class OnnxRuntimeSession : public Session {
 public:
  OnnxRuntimeSession(Loader loader, const Graph* graph, std::string device, const SessionSettings& settings,
                     std::string where)
      : where_(std::move(where)),
        device_(std::move(device)),
        loader_(std::move(loader)),
        notes_(loader_.notes()),
        skip_others_(settings.all_tensors || settings.only_tensors) {
    if (loader_.profiled() && device_ == "GPU") listen_to_gpu();
    shared_.subnormals_as_zero = takes_subnormals_as_zero(settings.properties);
    reopen();
    read_ports(settings, graph);
    binding_ = std::make_unique<Binding>(inputs_, outputs_);
  }

  const std::vector<Port>& inputs() const override { return inputs_; }
  const std::vector<Port>& outputs() const override { return outputs_; }
  std::string device() const override { return device_; }

  void set_inputs(const std::vector<HostTensor>& inputs) override {
    check_inputs(inputs_, inputs, where_);
    guarded(where_, [&] { binding_->set(inputs); });
  }

  Nanoseconds run() override {
    try {
      const Nanoseconds time = guarded({where_, running_it}, [&] { return timed_run(); });
      if (!std::exchange(has_run_, true)) open_wrong_outputs();
      return time;
    } catch (const Error&) {
      if (shared_.profiling) shared_.inferences.push_back({});  // a failed inference is in the profile, too
      throw;
    }
  }

  std::optional<std::vector<OpSample>> last_ops() override { return std::nullopt; }  // told only at the end: all_ops

  std::optional<std::vector<std::vector<OpSample>>> all_ops() override {
    if (!loader_.profiled()) return std::nullopt;
    if (shared_.profiling) guarded(where_, [&] { collect(); });
    shared_.profiling = false;
    if (gpu_) gpu_->stop();
    if (device_ == "GPU") say_whose_times();
    return std::move(samples_);
  }

  bool times_by_device() const override { return has_gpu_times_; }

  std::unique_ptr<Head> head(std::size_t operators) override {
    if (has_gpu_times_ || !loader_.optimised() || operators > order_.size()) return nullptr;
    const std::set<std::string> keys(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(operators));
    return guarded(where_, [&] {
      return std::make_unique<OnnxRuntimeHead>(loader_.open_head(keys), shared_.subnormals_as_zero, inputs_,
                                               binding_->tensors(), where_);
    });
  }

  std::vector<HostTensor> outputs_of_last_run() override {
    std::vector<HostTensor> result;
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      if (const auto& value = binding_->results()[i]; !skip_others_ || (value && value.HasValue() && value.IsTensor()))
        result.push_back(guarded(where_, [&] { return host_tensor(value, outputs_[i].name, where_); }));
    return result;
  }

  std::unique_ptr<Request> make_request() override {
    return std::make_unique<OnnxRuntimeRequest>(shared_, inputs_, outputs_, binding_->tensors(), where_);
  }

  StartUp start_up() const override { return start_up_; }
  std::vector<std::string> notes() override { return notes_; }

  std::string clock_note() const override {
    if (!loader_.profiled() || device_ == "GPU") return "";
    return "ONNX Runtime reports operator times in whole microseconds. An operator lasts until the next one starts, so "
           "its time includes dispatch and the recording of its event, 1 to 5 us";
  }

 private:
  Nanoseconds timed_run() {
    if (shared_.profiling) keep_below_cap();
    binding_->prepare_next();
    std::unique_lock<std::mutex> lock;
    if (shared_.profiling) lock = std::unique_lock(shared_.profiled);
    if (gpu_) gpu_->start();
    if (!gpu_ && device_ == "GPU") GpuActivityRecorder::stop_any();
    const auto start = steady_now();
    binding_->run(*shared_.session, shared_.subnormals_as_zero);
    const auto wall = steady_now() - start;
    if (shared_.profiling) shared_.inferences.push_back({wall, gpu_ ? gpu_->take() : std::vector<GpuActivity>()});
    return wall;
  }

  /// Files often declare outputs of another size than they come with; ONNX Runtime warns and goes on.
  void open_wrong_outputs() {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (binding_->comes_as_declared(i)) continue;
      const Shape shape = binding_->results()[i].GetTensorTypeAndShapeInfo().GetShape();
      notes_.push_back(fmt::format("output '{}' is {} in the model, but the runtime computes {}",
                                   printable(outputs_[i].name), to_string(outputs_[i].shape), to_string(shape)));
      outputs_[i].shape = PartialShape(shape.size());
    }
  }

  /// Before the first use of CUDA by the session: what CUPTI must be told of comes later.
  void listen_to_gpu() {
    try {
      gpu_ = &GpuActivityRecorder::of_process();
    } catch (const Error& error) {
      no_gpu_times_ = error.what();
    }
  }

  void say_whose_times() {
    notes_.push_back(
        has_gpu_times_
            ? std::string("operator times are GPU times, reported by CUPTI; GPU idle time is in [unattributed]")
            : fmt::format(
                  "operator times are host times, which cover the launches only; GPU time is in [unattributed]: {}",
                  no_gpu_times_.empty() ? "CUPTI reported nothing" : no_gpu_times_));
  }

  void reopen() {
    const Nanoseconds before = steady_now();
    shared_.session.reset();  // its memory is not beside that of the next one
    shared_.session = std::make_unique<Ort::Session>(loader_.open());
    start_up_ = {std::nullopt, steady_now() - before, loader_.from_cache()};
    shared_.profiling = loader_.profiled();
    if (events_per_run_ == 0) events_per_run_ = expected_events_per_run();
  }

  /// How often a body runs is not known beforehand: one inference then makes the first profile, and says it.
  double expected_events_per_run() const {
    if (!loader_.optimised()) return 1000;
    const bool has_bodies = loader_.optimised()->nodes.size() > loader_.optimised()->outer_nodes;
    return has_bodies ? most_events : static_cast<double>(loader_.optimised()->nodes.size() + 3);
  }

  /// Models older than IR 4 list their constants as inputs; once folded away, ONNX Runtime shows those as inputs that
  /// it does not need, so the model's own reading decides.
  static bool is_input(const std::string& name, const Graph* graph) {
    if (!graph) return true;
    const auto id = graph->find_tensor(name);
    return id && std::find(graph->inputs.begin(), graph->inputs.end(), *id) != graph->inputs.end();
  }

  /// ONNX Runtime shows an unknown rank as a scalar; the model's own reading tells them apart.
  static bool has_unknown_rank(const Port& input, const Graph* graph) {
    const auto id = graph && input.shape.empty() ? graph->find_tensor(input.name) : std::nullopt;
    if (!id) return false;
    const auto& shape = graph->tensor(*id).shape;
    return !shape || !shape->empty();
  }

  void read_ports(const SessionSettings& settings, const Graph* graph) {
    Ort::AllocatorWithDefaultOptions allocator;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < shared_.session->GetInputCount(); ++i) {
      const std::string name = shared_.session->GetInputNameAllocated(i, allocator).get();
      if (!is_input(name, graph)) continue;
      names.push_back(name);
      inputs_.push_back(port(names.back(), shared_.session->GetInputTypeInfo(i)));
    }
    check_shape_names(names, settings.input_shapes, where_);
    for (auto& input : inputs_) {
      const auto wanted = settings.input_shapes.find(input.name);
      if (wanted == settings.input_shapes.end()) continue;
      if (has_unknown_rank(input, graph)) input.shape = PartialShape(wanted->second.size());
      input.shape = fix_shape(input.shape, wanted->second, where_, input.name);
    }
    for (std::size_t i = 0; i < shared_.session->GetOutputCount(); ++i)
      outputs_.push_back(
          port(shared_.session->GetOutputNameAllocated(i, allocator).get(), shared_.session->GetOutputTypeInfo(i)));
  }

  /// Starts a new profile before the old one is full, and warms the new session up outside of all counts.
  void keep_below_cap() {
    if (static_cast<double>(shared_.inferences.size()) * events_per_run_ < most_events) return;
    const std::lock_guard lock(shared_.profiled);
    collect();
    reopen();
    binding_->prepare_next();
    binding_->run(*shared_.session, shared_.subnormals_as_zero);
    if (gpu_) gpu_->take();
    shared_.inferences.push_back({});
  }

  void collect() {
    Ort::AllocatorWithDefaultOptions allocator;
    const std::vector<std::vector<GpuActivity>> gpu = gpu_since(shared_.session->GetProfilingStartTimeNs());
    const std::filesystem::path file = shared_.session->EndProfilingAllocated(allocator).get();
    const Profile profile = read_profile(file, gpu);
    const auto& runs = profile.runs;
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    if (runs.size() < shared_.inferences.size())
      notes_.push_back(
          fmt::format("ONNX Runtime's profile has {} of {} inferences; the operators of the others are unknown",
                      runs.size(), shared_.inferences.size()));
    std::size_t events = 0;
    for (const ProfiledRun& run : runs) events += run.size() + 3;
    if (order_.empty() && !runs.empty()) remember_order(profile);
    if (!runs.empty()) events_per_run_ = static_cast<double>(events) / static_cast<double>(runs.size());
    const ExecutedNodes executed = describe(profile.nodes);
    for (std::size_t i = 0; i < std::min(runs.size(), shared_.inferences.size()); ++i)
      if (const auto& wall = shared_.inferences[i].wall) samples_.push_back(samples_of(runs[i], executed, *wall));
    shared_.inferences.clear();
  }

  /// What the GPU did in each inference of the profile, in the profile's time.
  std::vector<std::vector<GpuActivity>> gpu_since(std::uint64_t profile_start) {
    std::vector<std::vector<GpuActivity>> gpu;
    if (!gpu_) return gpu;
    const Nanoseconds start(static_cast<std::int64_t>(profile_start));
    for (SharedSession::Inference& one : shared_.inferences) {
      for (GpuActivity& activity : one.gpu) {
        has_gpu_times_ = true;
        activity.start -= start, activity.end -= start;
        if (activity.launched) *activity.launched -= start;
      }
      gpu.push_back(std::move(one.gpu));
    }
    return gpu;
  }

  void remember_order(const Profile& profile) {
    ProfiledRun run = profile.runs.back();
    std::stable_sort(run.begin(), run.end(), [](auto& a, auto& b) { return a.start < b.start; });
    for (const ProfiledExecution& execution : run)
      if (!execution.in_body && profile.nodes[execution.node].is_node)
        order_.push_back(profile.nodes[execution.node].name);
  }

  static std::vector<OpSample> samples_of(const ProfiledRun& run, const ExecutedNodes& executed, Nanoseconds wall) {
    std::vector<OpSample> samples;
    samples.reserve(run.size());
    for (const ProfiledExecution& execution : run) {
      OpSample& sample = samples.emplace_back();
      sample.node = executed[execution.node];
      sample.start = std::clamp(execution.start, Nanoseconds(0), wall);
      sample.duration = std::clamp(execution.duration, Nanoseconds(0), wall - sample.start);
      sample.inside = std::min(execution.inside, sample.duration);
      sample.in_body = execution.in_body;
    }
    // An operator with a body before those in it, which may start in the same microsecond.
    std::stable_sort(samples.begin(), samples.end(),
                     [](auto& a, auto& b) { return std::pair(a.start, b.duration) < std::pair(b.start, a.duration); });
    return samples;
  }

  /// A node is described once, however many profiles name it.
  ExecutedNodes describe(const std::vector<ProfiledNode>& nodes) {
    ExecutedNodes executed;
    for (const ProfiledNode& node : nodes) {
      auto& known = described_[node.name];
      if (!known) known = std::make_shared<const ExecutedNode>(describe(node));
      executed.push_back(known);
    }
    return executed;
  }

  ExecutedNode describe(const ProfiledNode& node) const {
    ExecutedNode executed;
    executed.name = node.name;
    executed.type = executed.kernel = node.op_type;
    if (loader_.optimised())
      if (const auto found = loader_.optimised()->nodes.find(node.name); found != loader_.optimised()->nodes.end())
        executed = found->second;
    executed.provider = node.provider, executed.computed_in = node.computed_in;
    executed.input_shapes = node.input_shapes, executed.output_shapes = node.output_shapes;
    return executed;
  }

  std::string where_, device_;
  Loader loader_;
  StartUp start_up_;
  std::vector<std::string> notes_;
  GpuActivityRecorder* gpu_ = nullptr;  ///< null: times are the host's
  bool has_gpu_times_ = false;
  bool has_run_ = false;
  std::string no_gpu_times_;  ///< why, where gpu_ is null
  bool skip_others_;          ///< what is no tensor, instead of failing at it
  SharedSession shared_;
  std::vector<Port> inputs_, outputs_;
  std::unique_ptr<Binding> binding_;
  double events_per_run_ = 0;
  std::vector<std::string> order_;  ///< in which nodes run, by the profile's names; without those in bodies
  std::unordered_map<std::string, std::shared_ptr<const ExecutedNode>> described_;  ///< by the profile's names
  std::vector<std::vector<OpSample>> samples_;
};

}  // namespace

std::unique_ptr<Session> make_session(Loader loader, const Graph* graph, const std::string& device,
                                      const SessionSettings& settings) {
  const std::string place = loader.where();
  return std::make_unique<OnnxRuntimeSession>(std::move(loader), graph, device, settings, place);
}

}  // namespace takt::ort
