#include "predict/collect/collect.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <thread>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/system/child_process.h"
#include "model/onnx/onnx.h"
#include "predict/collect/journal.h"
#include "predict/collect/machine_drift.h"
#include "predict/collect/measured_machine.h"
#include "predict/collect/process.h"
#include "predict/collect/round_noise.h"
#include "predict/collect/steps.h"
#include "predict/sources/sources.h"

namespace takt {
namespace {

namespace fs = std::filesystem;
using LoadSourceList = std::vector<std::unique_ptr<LoadSource>>;

bool is_disturbed(const CollectRecord& record, const std::optional<double>& usual_canary,
                  const CollectSettings& settings) {
  if (record.status != CollectStatus::measured || !record.load.asked.is_quiet()) return false;
  if (record.load.run_delay && *record.load.run_delay > settings.most_run_delay) return true;
  return record.canary && usual_canary && record.canary->us() > settings.most_canary * *usual_canary;
}

CollectConfiguration configuration_of(const CollectSettings& settings, const std::optional<CollectJournal>& there) {
  CollectConfiguration configuration{measured_machine(settings.device),
                                     settings.runtime,
                                     settings.device,
                                     settings.threads,
                                     settings.time.count(),
                                     time_beside_loads(settings).count(),
                                     {}};
  if (!there) {
    RunSettings run;
    run.runtime = settings.runtime, run.device = settings.device, run.threads = settings.threads;
    configuration.constants = measured_constants(run);
    return configuration;
  }
  if (const auto differs = difference(there->configuration, configuration); !differs.empty())
    refuse_input(
        fmt::format("{}.jsonl: was measured with different settings ({}); give another file with -o, or the same "
                    "settings and machine class",
                    printable(settings.out.string()), differs));
  return there->configuration;
}

/// Until a load shows: its threads fill memory first, and what Prometheus tells is the mean over a while.
Nanoseconds settling_time(const LoadConfig& load) {
  using namespace std::chrono_literals;
  const bool has_prometheus = std::find(load.sources.begin(), load.sources.end(), "prometheus") != load.sources.end();
  return has_prometheus ? std::max<Nanoseconds>(load.prometheus.lookback, 300ms) : Nanoseconds(300ms);
}

/// A load that works. A quiet one is one, too: nothing works.
class MeasuredLoad {
 public:
  MeasuredLoad(const CollectSettings& settings, const AskedLoad& asked) : settings_(settings) {
    if (!asked.is_quiet())
      stressor_.emplace(settings.stress_child, stress_task_of(asked, settings.limit + std::chrono::minutes(1)));
  }
  SeenLoad look(LoadSourceList& sources) const {
    if (stressor_) std::this_thread::sleep_until(begin_ + settling_time(settings_.load));
    return seen_in(take_snapshot(sources, settings_.load.window, settings_.stop));
  }
  bool held() const { return !stressor_ || stressor_->is_working(); }

 private:
  const CollectSettings& settings_;
  std::optional<Stressor> stressor_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Beside its load; nullopt: stopped. Throws Error where the load cannot begin.
std::optional<CollectRecord> measured_beside(const CollectSettings& settings, const CollectStep& step,
                                             LoadSourceList& sources) {
  const CollectTask task{.model = step.model,
                         .runtime = settings.runtime,
                         .device = settings.device,
                         .threads = settings.threads,
                         .time = step.load.is_quiet() ? settings.time : time_beside_loads(settings),
                         .seed = settings.seed,
                         .round = step.round};
  const MeasuredLoad load(settings, step.load);
  // What can be seen is seen as before a prediction: at the last moment, when the model is open and warm.
  SeenLoad seen;
  const auto look = sources.empty() ? std::function<void()>() : [&] { seen = load.look(sources); };
  auto record = run_collect_process(settings.child, task, settings.limit, settings.stop, look);
  if (!record) return std::nullopt;
  record->load.seen = std::move(seen);
  if (!load.held() && record->status == CollectStatus::measured) {
    record->status = CollectStatus::failed;
    record->reason = fmt::format("the load '{}' ended before the measurement did", to_string(step.load));
  }
  return record;
}

/// nullopt: stopped.
std::optional<CollectRecord> measured_step(const CollectSettings& settings, const CollectStep& step,
                                           LoadSourceList& sources) {
  std::optional<CollectRecord> record;
  try {
    record = measured_beside(settings, step, sources);
  } catch (const Error& error) {
    if (step.load.is_quiet()) throw;
    record.emplace();
    record->model = step.model.filename().string(), record->round = step.round;
    record->reason = fmt::format("{}: {}", to_string(step.load), error.what());
  }
  if (record) record->load.asked = step.load;
  return record;
}

void measure_steps(const CollectSettings& settings, const CollectConfiguration& configuration,
                   const std::vector<CollectRecord>& records) {
  Journal journal(collect_journal_path(settings.out, settings.shard));
  if (fs::file_size(collect_journal_path(settings.out, settings.shard)) == 0) journal.append(to_json(configuration));
  DoneSteps done(records, settings.retries);
  LoadSourceList sources;
  if (settings.stress) sources = make_load_sources(settings.load);
  const auto steps = steps_of(settings);
  std::uint64_t count = 0;
  for (const CollectStep& step : steps) {
    while (!done.has(step)) {
      if (settings.stop && *settings.stop)
        throw Error(ErrorKind::runtime, "stopped; the same command resumes the collection");
      auto record = measured_step(settings, step, sources);
      if (!record) continue;  // stopped
      if (is_disturbed(*record, done.usual_canary(), settings)) record->status = CollectStatus::disturbed;
      journal.append(to_json(*record));
      done.note(*record);
    }
    if (settings.progress) settings.progress(++count, steps.size());
  }
}

std::optional<double> mean_of_known(const std::vector<const CollectRecord*>& rounds,
                                    const std::function<std::optional<double>(const CollectRecord&)>& value) {
  std::vector<double> known;
  for (const CollectRecord* round : rounds)
    if (const auto one = value(*round)) known.push_back(*one);
  if (known.empty()) return std::nullopt;
  return mean_of_rounds(known);
}

/// Of what every round has.
SeenLoad mean_seen(const std::vector<const CollectRecord*>& rounds) {
  SeenLoad mean;
  for (const std::string_view name : seen_load_features()) {
    std::vector<double> values;
    for (const CollectRecord* round : rounds)
      if (const auto found = round->load.seen.find(name); found != round->load.seen.end())
        values.push_back(found->second);
    if (values.size() == rounds.size()) mean.emplace(name, mean_of_rounds(values));
  }
  return mean;
}

LoadReadings mean_load(const std::vector<const CollectRecord*>& rounds, const MachineDrift& pace) {
  LoadReadings load;
  load.asked = rounds.front()->load.asked;
  load.seen = mean_seen(rounds);
  load.others_busy = mean_of_known(rounds, [](const CollectRecord& r) { return r.load.others_busy; });
  load.run_delay = mean_of_known(rounds, [](const CollectRecord& r) { return r.load.run_delay; });
  load.steal = mean_of_known(rounds, [](const CollectRecord& r) { return r.load.steal; });
  load.canary = mean_of_known(
      rounds, [&](const CollectRecord& r) { return r.canary ? std::optional(pace.of(r)) : std::nullopt; });
  return load;
}

CollectedModel model_of(const std::vector<const CollectRecord*>& rounds, const CollectConfiguration& configuration,
                        const MachineDrift& pace) {
  const CollectRecord& first = *rounds.front();
  CollectedModel model{first.model,
                       first.architecture,
                       first.family,
                       configuration.runtime,
                       first.runtime_version,
                       configuration.device,
                       configuration.machine,
                       first.takt_version,
                       first.measured_at,
                       configuration.threads,
                       static_cast<int>(rounds.size()),
                       configuration.constants,
                       mean_load(rounds, pace),
                       0,
                       {},
                       first.io_bytes,
                       {}};
  std::vector<double> wholes;
  std::map<std::string, std::vector<double>> times;
  for (const CollectRecord* round : rounds) {
    const double at_usual_pace = 1 / pace.of(*round) / 1000;  // and in ms
    wholes.push_back(round->latency_us * at_usual_pace);
    for (const TimedKernel& kernel : round->kernels) times[kernel.kernel].push_back(kernel.us * at_usual_pace);
  }
  model.latency_ms = middle_of_rounds(wholes), model.noise = noise_of_rounds(wholes);
  for (const TimedKernel& kernel : first.kernels) {
    const auto& of_kernel = times.at(kernel.kernel);
    model.kernels.push_back({kernel.facts, kernel.kernel, middle_of_rounds(of_kernel), noise_of_rounds(of_kernel)});
  }
  return model;
}

}  // namespace

Collection collection_of(const CollectJournal& journal) {
  Collection result;
  result.damage = journal.damage;
  const MachineDrift pace = MachineDrift::of_records(journal.records);
  using Situation = std::pair<std::string, AskedLoad>;
  std::map<Situation, std::vector<const CollectRecord*>> measured;
  std::map<Situation, CollectedRow> rows;
  for (const CollectRecord& record : journal.records) {
    const Situation situation{record.model, record.load.asked};
    CollectedRow& row = rows[situation];
    row.model = record.model, row.load = to_string(record.load.asked);
    row.measured += record.status == CollectStatus::measured, row.failed += record.status == CollectStatus::failed;
    row.disturbed += record.status == CollectStatus::disturbed;
    if (record.status == CollectStatus::failed) row.reason = record.reason;
    if (record.status == CollectStatus::measured) measured[situation].push_back(&record);
  }
  for (const auto& entry : measured) {
    result.dataset.models.push_back(model_of(entry.second, journal.configuration, pace));
    const CollectedModel& model = result.dataset.models.back();
    CollectedRow& row = rows[entry.first];
    row.latency_ms = model.latency_ms, row.noise = model.noise, row.kernels = model.kernels.size();
  }
  for (auto& entry : rows) result.rows.push_back(std::move(entry.second));
  return result;
}

Duration time_beside_loads(const CollectSettings& settings) {
  return std::max(settings.time, settings.stress.value_or(StressPlan()).time);
}

std::vector<fs::path> models_to_collect(const std::vector<fs::path>& paths) {
  std::vector<fs::path> models;
  for (const fs::path& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      if (!fs::exists(path, error))
        throw Error(ErrorKind::io, fmt::format("{}: no such file", printable(path.string())));
      models.push_back(path);
      continue;
    }
    const std::size_t before = models.size();
    for (const auto& entry : fs::directory_iterator(path))
      if (entry.is_regular_file() && is_onnx_file(entry.path())) models.push_back(entry.path());
    if (models.size() == before)
      refuse_input(fmt::format("{}: has no .onnx file; name a folder with models", printable(path.string())));
    std::sort(models.begin() + static_cast<std::ptrdiff_t>(before), models.end());
  }
  std::set<std::string> names;
  for (const fs::path& model : models)
    if (!names.insert(model.filename().string()).second)
      refuse_input(fmt::format("{}: two models have this name, which identifies rows of a dataset; rename one",
                               printable(model.string())));
  return models;
}

Collection collect(const CollectSettings& settings) {
  const auto there = read_collect_journals(settings.out);
  const CollectConfiguration configuration = configuration_of(settings, there);
  measure_steps(settings, configuration, there ? there->records : std::vector<CollectRecord>());
  return collection_of(*read_collect_journals(settings.out));
}

Dataset merge_datasets(const std::vector<fs::path>& files) {
  Dataset all;
  std::set<std::string> names;
  for (const fs::path& file : files) {
    Dataset one = read_dataset(file);
    for (CollectedModel& model : one.models) {
      if (!names.insert(model.model + " " + to_string(model.load.asked)).second)
        refuse_input(fmt::format("{}: model '{}' is also in an earlier dataset; leave one out",
                                 printable(file.string()), printable(model.model)));
      all.models.push_back(std::move(model));
    }
  }
  return all;
}

}  // namespace takt
