#include "predict/collect/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/temporary_folder.h"
#include "base/statistics/statistics.h"
#include "base/system/child_process.h"
#include "base/system/provenance.h"
#include "base/system/usage.h"
#include "measure/operators/op_profile.h"
#include "measure/run/run.h"
#include "model/onnx/metadata.h"
#include "predict/collect/canary.h"
#include "predict/kernels/optimised_kernels.h"

namespace takt {
namespace {

constexpr double cut_off = 0.1;         // of the samples at either end
constexpr double least_recorded = 500;  // ns; records count whole microseconds, and none is less than one

RunSettings settings_of(const CollectTask& task) {
  RunSettings settings;
  settings.runtime = task.runtime, settings.device = task.device, settings.threads = task.threads;
  settings.min_time = task.time, settings.time = task.time;
  settings.seed = task.seed;
  settings.stretches = false;  // records are taken as they are
  return settings;
}

/// Refuses kernels that stand for several operators each.
OptimisedKernels saved_only(OptimisedKernels kernels, const std::filesystem::path& model) {
  if (!kernels.is_saved)
    throw Error(
        ErrorKind::unsupported,
        fmt::format("{}: {} does not save the graph that it executes, so its kernels cannot be timed one by one; "
                    "use --runtime onnxruntime",
                    printable(model.string()), kernels.graph.runtime));
  return kernels;
}

/// What the model says of itself (takt's zoo does), else its file's name.
void add_origin(const std::filesystem::path& model, std::string& architecture, std::string& family) {
  architecture = family = model.stem().string();
  const auto metadata = metadata_of(read_onnx_structure(model));
  const auto take = [&](const char* key, std::string& text) {
    if (const auto found = metadata.find(key); found != metadata.end() && !found->second.empty()) text = found->second;
  };
  take("takt.architecture", architecture);
  take("takt.family", family);
}

LoadReadings load_of(const RunPass& pass) {
  LoadReadings load;
  const CpuLimit limit = cpu_limit();
  Nanoseconds wall{}, delay{}, cpu{}, busy{}, steal{};
  bool has_delay = true, has_busy = true, has_steal = true;
  for (const UsageSpan& span : pass.usage) {
    wall += span.wall;
    const Usage& used = span.used;
    has_delay = has_delay && used.run_delay && used.cpu_time;
    has_busy = has_busy && used.machine_busy && used.cpu_time;
    has_steal = has_steal && used.steal.has_value();
    delay += used.run_delay.value_or(Nanoseconds{}), cpu += used.cpu_time.value_or(Nanoseconds{});
    busy += used.machine_busy.value_or(Nanoseconds{}), steal += used.steal.value_or(Nanoseconds{});
  }
  if (wall.count() <= 0) return load;
  const auto share = [&](Nanoseconds part) {
    return std::max(0.0, static_cast<double>(part.count()) / static_cast<double>(wall.count()) / limit.cpus);
  };
  if (has_delay && cpu.count() > 0)
    load.run_delay = static_cast<double>(delay.count()) / static_cast<double>(cpu.count());
  if (has_busy) load.others_busy = share(busy - cpu);
  if (has_steal) load.steal = share(steal);
  return load;
}

/// From the centre of the samples to their mean, of the runs without records: one interrupted run in a hundred counts
/// in a mean, and it hits no kernel more than another.
double mean_of_centre(const RunPass& plain) {
  const double centre = trimmed_mean(plain.samples, cut_off).value_or(0);
  return centre > 0 ? summarize(plain.samples)->mean.count() * 1000 / centre : 1;
}

/// The kernels of `facts` with what their records say in `profile`, the cost of a record included: it is the same for
/// every kernel of a runtime, and a regression over all models finds it far better than one model can tell.
void add_times(const ModelFacts& facts, const OpProfile& profile, double scale, CollectRecord& record) {
  std::unordered_map<std::string, const OpRow*> rows, makers;
  for (const OpRow& row : profile.ops) {
    rows.emplace(row.node, &row), rows.emplace(row.name, &row);
    for (const std::string& output : row.outputs) makers.emplace(output, &row);
  }
  for (std::size_t i = 0; i < facts.kernels.size(); ++i) {
    auto found = rows.find(facts.names[i]);
    if (found == rows.end() && (found = makers.find(facts.outputs[i])) == makers.end())
      throw Error(ErrorKind::runtime,
                  fmt::format("the runtime reported no time for kernel '{}'", printable(facts.names[i])));
    const OpRow& row = *found->second;
    const double centre = trimmed_mean(row.samples, cut_off).value_or(0);  // 0: it runs in few runs only
    const double ns = centre > 0 ? centre : static_cast<double>(row.total.count()) / static_cast<double>(profile.runs);
    record.kernels.push_back({facts.kernels[i], facts.names[i], std::max(ns, least_recorded) / 1000 * scale});
  }
}

double mean_us(const RunPass& pass) {
  const auto summary = summarize(pass.samples);
  if (!summary) throw Error(ErrorKind::runtime, "no inference was timed");
  return summary->mean.count();
}

ModelFacts facts_in(const OptimisedKernels& kernels, int threads) {
  ModelFacts facts;
  facts.kernels = facts_of(kernels.graph, kernels.records, threads);
  facts.io_bytes = io_bytes_of(kernels.graph, kernels.records);
  for (const KernelInstance& kernel : kernels.graph.kernels) {
    facts.names.push_back(kernel.name);
    facts.outputs.push_back(kernel.outputs.empty() ? "" : kernel.outputs.front());
  }
  facts.notes = kernels.notes;
  for (const KernelBody& body : kernels.bodies)
    facts.bodies.push_back({body.owner, body.name, body.turns, facts_in(body.kernels, threads)});
  return facts;
}

ModelFacts facts_in(const std::filesystem::path& model, const OptimisedKernels& kernels, int threads) {
  ModelFacts facts = facts_in(kernels, threads);
  facts.model = model.filename().string();
  add_origin(model, facts.architecture, facts.family);
  return facts;
}

/// Of which only the first call does something.
std::function<void()> once(const std::function<void()>& work) {
  return [work, done = false]() mutable {
    if (work && !std::exchange(done, true)) work();
  };
}

void measure_kernels(const CollectTask& task, const std::function<void()>& when_ready, Canary& canary,
                     CollectRecord& record) {
  RunSettings settings = settings_of(task);
  const OptimisedKernels kernels = saved_only(kernels_of(task.model, settings), task.model);
  const ModelFacts facts = facts_in(task.model, kernels, task.threads);
  record.architecture = facts.architecture, record.family = facts.family;
  record.runtime_version = kernels.graph.version, record.io_bytes = facts.io_bytes;
  const TemporaryFolder folder("takt");
  const auto file = folder.path() / "named.onnx";
  write_onnx(kernels.model, file);
  settings.between_blocks = [&canary, ready = once(when_ready)]() mutable { ready(), canary.sing(); };
  RunSettings as_it_is = settings;
  as_it_is.properties = as_written(kernels).properties;
  const RunResult result = saying_of(task.model, file, [&] { return run_model(file, as_it_is, RunPasses::both); });
  record.latency_us = mean_us(*result.plain);
  record.load = load_of(*result.plain);
  add_times(facts, profile_ops(result), mean_of_centre(*result.plain), record);
}

void measure_whole(const CollectTask& task, const std::function<void()>& when_ready, CollectRecord& record) {
  RunSettings settings = settings_of(task);
  settings.between_blocks = once(when_ready);
  const RunResult result = run_model(task.model, settings, RunPasses::plain);
  add_origin(task.model, record.architecture, record.family);
  record.runtime_version = result.runtime_version;
  record.latency_us = mean_us(*result.plain);
  record.load = load_of(*result.plain);
}

}  // namespace

CollectRecord measure_for_collection(const CollectTask& task, const std::function<void()>& when_ready) {
  CollectRecord record;
  record.model = task.model.filename().string();
  record.round = task.round;
  if (task.with_kernels) {
    Canary canary(settings_of(task));
    measure_kernels(task, when_ready, canary, record);
    record.canary = canary.times();
  } else {
    measure_whole(task, when_ready, record);
  }
  const Provenance provenance = make_provenance({});
  record.takt_version = provenance.takt_version, record.measured_at = provenance.date;
  record.status = CollectStatus::measured;
  return record;
}

ModelFacts facts_of_model(const std::filesystem::path& model, const RunSettings& settings) {
  return facts_in(model, saved_only(kernel_structure_of(model, settings), model), settings.threads.value_or(1));
}

int run_collect_task(std::string_view json, const std::function<void(const std::string& line)>& tell,
                     const std::function<void()>& wait) {
  const CollectTask task = parse_collect_task(json);
  end_with_parent(task.parent);
  CollectRecord record;
  try {
    record = measure_for_collection(task, [&] {
      if (!task.waits) return;
      tell(std::string(collect_ready_word));
      wait();
    });
  } catch (const Error& error) {
    record = {};
    record.model = task.model.filename().string(), record.round = task.round;
    record.reason = error.what();
  }
  tell(to_json(record));
  return 0;
}

}  // namespace takt
