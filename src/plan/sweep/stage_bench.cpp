#include "plan/sweep/stage_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <regex>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/temporary_folder.h"
#include "base/statistics/random.h"
#include "base/statistics/statistics.h"
#include "base/system/child_process.h"
#include "measure/open/model_shapes.h"
#include "model/runtime/device_choice.h"
#include "model/runtime/precision.h"
#include "model/sim/simulated.h"
#include "plan/sweep/export.h"
#include "plan/sweep/stage_request.h"

namespace takt {
namespace {

/// What drivers say when nothing after it can be trusted: Level Zero's two results, and those of their like.
bool tells_of_loss(const std::string& message) {
  static const std::regex words("DEVICE_LOST|device lost|OUT_OF_(HOST|DEVICE)_MEMORY", std::regex::icase);
  return std::regex_search(message, words);
}

bool tells_of_memory(const std::string& message) {
  static const std::regex words("out of (device |host )?memory|bad_alloc|allocat", std::regex::icase);
  return std::regex_search(message, words);
}

/// Of the models that are made for a kind of device.
ElementType precision_of(const std::string& unit) { return unit == "CPU" ? ElementType::f32 : ElementType::f16; }

/// Of `turns` calls, the one in the middle.
template <typename Call>
Duration usual_time(int turns, Call call) {
  std::vector<Nanoseconds> times;
  for (int turn = 0; turn < turns; ++turn) times.push_back(call());
  return *median(times);
}

/// With the shapes of all its tensors, as far as a runtime of this binary tells them.
Graph with_all_shapes(const OnnxModel& model, Runtime& runtime) {
  const TemporaryFolder folder("takt-sweep-");
  const auto path = folder.path() / "model.onnx";
  write_onnx(model, path);
  return with_inferred_shapes(model.graph, &runtime, path, {});
}

}  // namespace

StageMeasurement StageBench::measure(const GraphSize& size) {
  StageMeasurement row;
  row.key = {size.nodes, size.edges, task_.unit, task_.stage.first, task_.stage.last};
  std::string first_reason;
  for (const std::string& runtime : task_.runtimes) {
    row.status = StageStatus::measured, row.reason.clear();
    measure_on(runtime, row);
    if (row.status == StageStatus::measured || is_lost_) return row;
    if (first_reason.empty()) first_reason = row.reason;
  }
  row.reason = first_reason;
  return row;
}

void StageBench::fail(StageMeasurement& row, StageStatus status, std::string reason) {
  is_lost_ = is_lost_ || tells_of_loss(reason);
  row.status = is_lost_ || tells_of_memory(reason) ? StageStatus::failed : status;
  row.reason = std::move(reason);
  row.runtime.clear(), row.device.clear(), row.precision.clear();
  row.times.reset(), row.inputs_copy.reset(), row.outputs_copy.reset();
}

void StageBench::measure_on(const std::string& runtime, StageMeasurement& row) {
  try {
    Session* const session = session_on(runtime, {row.key.nodes, row.key.edges}, row);
    if (!session) return;
    row.runtime = runtime;
    row.device = session->device();
    row.precision = precision_name(session->precision().value_or(precision_of(row.key.unit)));
    take_times(*session, row);
  } catch (const std::bad_alloc&) {
    fail(row, StageStatus::failed, "out of memory");
  } catch (const std::exception& error) {
    fail(row, StageStatus::failed, error.what());
  }
}

Session* StageBench::session_on(const std::string& runtime, const GraphSize& size, StageMeasurement& row) {
  Opened& opened = opened_[runtime];
  if (!opened.runtime) opened.runtime = make_runtime(runtime);
  if (!is_simulated(task_.device))  // throws where there is no such device, which is no matter of the stage
    choose_device(opened.runtime->devices(), task_.device, "this machine", runtime);
  const bool fits = opened.session && !is_simulated(task_.device) &&
                    (has_open_size() || (opened.size.nodes == size.nodes && opened.size.edges == size.edges));
  if (fits) return opened.session.get();
  opened.session.reset();  // its memory is needed
  opened.size = size;
  try {
    opened.session = open(*opened.runtime, size);
  } catch (const Error& error) {
    const bool refused = error.kind() == ErrorKind::unsupported || error.kind() == ErrorKind::bad_input;
    fail(row, refused ? StageStatus::unsupported : StageStatus::failed, error.what());
    // The row says which model it was; without the file's name the same reason is the same text at all sizes.
    for (const auto& file :
         {onnx_file(export_of(task_.stage, task_.unit, size)), ir_file(export_of(task_.stage, task_.unit, size))})
      if (row.status == StageStatus::unsupported)
        row.reason = std::string(without_start(row.reason, (task_.folder / file).string() + ": "));
    return nullptr;
  }
  return opened.session.get();
}

/// For the noise of a simulated device: another one for each stage and size, the same in each sweep.
std::uint64_t StageBench::noise_seed(const GraphSize& size) const {
  std::uint64_t seed = task_.graph.seed;
  for (const std::int64_t part :
       {std::int64_t{task_.stage.first}, std::int64_t{task_.stage.last}, size.nodes, size.edges})
    seed = Random(seed ^ static_cast<std::uint64_t>(part))();
  return seed;
}

std::unique_ptr<Session> StageBench::open(Runtime& runtime, const GraphSize& size) const {
  const StageExport what = export_of(task_.stage, task_.unit, size);
  SessionSettings settings;
  settings.device = task_.device;
  settings.seed = noise_seed(size);
  settings.virtual_clock = true;  // nothing real runs beside it, and the system's pauses are none of its costs
  // Some processors have units for bfloat16, which a runtime takes unasked; the row says f32.
  if (task_.unit == "CPU" && !runtime.traits().is_simulated) settings.precision = ElementType::f32;
  if (!runtime.traits().is_simulated)
    return runtime.open(task_.folder / (runtime.traits().uses_ir ? ir_file(what) : onnx_file(what)), nullptr, settings);
  // A description's law needs the shapes of all tensors, so the graph is one of the very size.
  StageModelSettings sized;
  sized.features = sized.hidden = task_.features;
  sized.precision = precision_of(task_.unit);
  sized.size = size;
  const auto path = task_.folder / onnx_file(what);
  const Graph graph = with_all_shapes(stage_model(task_.stage, sized), runtime);
  return runtime.open(path, &graph, settings);
}

bool StageBench::is_host_memory() const { return task_.unit == "CPU" && !is_simulated(task_.device); }

template <typename Inference>
std::optional<StageTimes> StageBench::timed(Inference run_once) const {
  for (std::int64_t run = 0; run < task_.warmup; ++run) run_once();
  std::vector<Nanoseconds> samples;
  for (std::int64_t run = 0; run < task_.iterations; ++run) samples.push_back(run_once());
  return times_of(std::move(samples));
}

void StageBench::take_times(Session& session, StageMeasurement& row) {
  const EdgeList edges = edges_of(task_.graph, {row.key.nodes, row.key.edges});
  const auto inputs = stage_inputs(task_.stage, session.inputs(), edges, task_.features, task_.graph.seed);
  session.set_inputs(inputs);
  if (is_host_memory()) {
    session.run();
    StageRequest request(session, inputs, session.outputs_of_last_run());
    row.times = timed([&] { return request.run(); });
  } else {
    row.times = timed([&] { return session.run(); });
  }
  // No file of measurements takes such a time, as no device has one.
  if (row.times && row.times->min <= Duration::zero())
    throw Error(ErrorKind::runtime, task_.device + " takes zero time; give its description an overhead_ns");
  if (is_simulated(task_.device)) return;  // nothing is copied to a device that is not there
  constexpr int turns = 5;
  StageCopy in, out;
  for (const HostTensor& input : inputs) in.bytes += static_cast<std::int64_t>(input.bytes.size());
  in.median = usual_time(turns, [&] {
    const Nanoseconds before = steady_now();
    session.set_inputs(inputs);
    return steady_now() - before;
  });
  session.run();
  for (const HostTensor& output : session.outputs_of_last_run())
    out.bytes += static_cast<std::int64_t>(output.bytes.size());
  out.median = usual_time(turns, [&] { return session.copy_outputs(); });
  row.inputs_copy = in, row.outputs_copy = out;
}

int run_stage_task(std::string_view json, const std::function<void(const std::string& line)>& tell) {
  const StageTask task = parse_stage_task(json);
  end_with_parent(task.parent);
  StageBench bench(task);
  bool all_measured = true;
  for (const GraphSize& size : task.sizes) {
    const StageMeasurement row = bench.measure(size);
    tell(to_json(StageRecord{task.stage.network, task.device, row}));
    if (bench.is_lost()) return 2;
    all_measured = all_measured && row.status == StageStatus::measured;
  }
  return all_measured ? 0 : 1;
}

}  // namespace takt
