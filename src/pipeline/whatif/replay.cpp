#include "pipeline/whatif/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/basics/text.h"
#include "flow/arrivals.h"
#include "pipeline/account/account.h"
#include "pipeline/whatif/known_contention.h"
#include "pipeline/whatif/recorded_times.h"

namespace takt {
namespace {

[[noreturn]] void refuse(const PipelineChange& change, const std::string& why) {
  throw UsageError(fmt::format("'{}': {}", printable(change.text), why));
}

template <typename Named>
int find(const PipelineChange& change, const std::vector<Named>& all, std::string_view kind, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& one : all) {
    if (one.name == name) return static_cast<int>(names.size());
    names.push_back(one.name);
  }
  if (change.knob == Knob::stage_device && change.device == name)  // another device is no slip
    refuse(change,
           fmt::format("the run has no device '{}'; it has {}. The time of a stage on a device that did not take "
                       "part is not known: name the device in the pipeline's file and run or simulate that",
                       printable(name), fmt::join(names, ", ")));
  refuse(change, fmt::format("the run has no {} '{}'; {}", kind, printable(name),
                             suggestion(name, names, fmt::format("it has {}", fmt::join(names, ", ")))));
}

/// Applies changes to the shape of a run, its arrivals and its times.
class Changer {
 public:
  Changer(PipelineRun& run, RecordedTimes& times, std::vector<Nanoseconds>& arrivals, ContentionLaw& law)
      : run_(run), times_(times), arrivals_(arrivals), law_(law) {}

  /// Times last: a mean that was asked for is that of the changed stage.
  void apply(std::span<const PipelineChange> changes) {
    for (const PipelineChange& change : changes)
      if (change.knob != Knob::stage_time) apply(change, changes);
    for (const PipelineChange& change : changes)
      if (change.knob == Knob::stage_time) set_time(change, changes);
  }

 private:
  void apply(const PipelineChange& change, std::span<const PipelineChange> all) {
    const auto number = [&] { return static_cast<int>(*change.number); };
    switch (change.knob) {
      case Knob::stage_time:
        return;  // apply() makes it, at the end
      case Knob::stage_replicas: {
        auto& replicas = stage(change).replicas;
        const auto pattern = replicas;
        replicas.clear();
        for (int r = 0; r < number(); ++r) replicas.push_back(pattern[index(r) % pattern.size()]);
        return;
      }
      case Knob::stage_queue:
        stage(change).queue = number();
        return;
      case Knob::stage_device:
        return move_stage(change, all);
      case Knob::stage_threads:
        return set_threads(change, number(), all);
      case Knob::stage_ratio:
        return set_ratio(change);
      case Knob::device_requests:
        device(change).requests = change.number ? std::optional(number()) : std::nullopt;
        return;
      case Knob::source_in_flight:
        run_.shape.source.in_flight = change.number ? std::optional<std::int64_t>(number()) : std::nullopt;
        return;
      case Knob::source_rate:
        return set_rate(change);
    }
  }

  int stage_number(const PipelineChange& change) const { return find(change, run_.stages, "stage", change.target); }
  FlowStage& stage(const PipelineChange& change) { return run_.shape.stages[index(stage_number(change))]; }
  FlowDevice& device(const PipelineChange& change) {
    return run_.shape.devices[index(find(change, run_.devices, "device", change.target))];
  }

  static bool is_timed(const PipelineChange& change, std::span<const PipelineChange> all) {
    return std::any_of(all.begin(), all.end(), [&](const PipelineChange& other) {
      return other.knob == Knob::stage_time && other.target == change.target;
    });
  }

  void set_time(const PipelineChange& change, std::span<const PipelineChange> all) {
    const int s = stage_number(change);
    if (change.factor) return times_.scale(s, *change.number);
    std::optional<int> moved_to;
    for (const PipelineChange& other : all)
      if (other.knob == Knob::stage_device && other.target == change.target)
        moved_to = find(other, run_.devices, "device", other.device);
    const double mean = times_.mean_ns(s, moved_to);
    if (mean <= 0) refuse(change, "the stage took no time in the run, so it cannot be scaled");
    times_.scale(s, *change.number / mean);
  }

  void move_stage(const PipelineChange& change, std::span<const PipelineChange> all) {
    const int s = stage_number(change), d = find(change, run_.devices, "device", change.device);
    if (run_.shape.stages[index(s)].split())
      refuse(change, "the stage is split over several devices; change its ratio");
    if (!times_.ran_on(s, d) && !is_timed(change, all)) {
      refuse(change,
             fmt::format(
                 "stage '{}' never ran on {}, so its time there is unknown; also give --set stage.{}.time=x0.5 or =5ms",
                 change.target, change.device, change.target));
    }
    for (auto& replica : run_.shape.stages[index(s)].replicas) replica.assign(1, d);
  }

  // More threads make a stage faster by nobody knows how much, and leave less of the cores for others.
  void set_threads(const PipelineChange& change, int threads, std::span<const PipelineChange> all) {
    RunStage& stage = run_.stages[index(stage_number(change))];
    if (!stage.threads || core_shares(run_).empty())
      refuse(change, "the trace does not report how many threads the stage had");
    if (threads != *stage.threads && !is_timed(change, all))
      refuse(change, fmt::format("its time with {} threads is unknown; also give --set stage.{}.time=x0.6 or =5ms",
                                 threads, change.target));
    stage.threads = threads;
    law_.core_share = core_shares(run_);
  }

  void set_ratio(const PipelineChange& change) {
    const int s = stage_number(change);
    const FlowStage& flow = run_.shape.stages[index(s)];
    if (!flow.split()) refuse(change, "the stage is not split over several devices");
    if (change.ratio.size() != index(flow.parts()))
      refuse(change, fmt::format("the stage has {} parts; give one share for each", flow.parts()));
    auto& ratio = run_.stages[index(s)].ratio;
    if (ratio.size() != change.ratio.size())
      refuse(change, "the trace does not report the shares of the parts, so they cannot be scaled");
    times_.split(s, change.ratio, ratio);
    ratio = change.ratio;
  }

  // An open source keeps the pattern of its arrivals, faster or slower; a closed one gets a fixed rate.
  void set_rate(const PipelineChange& change) {
    auto& source = run_.shape.source;
    if (!change.number) {
      source.open = false;
      arrivals_.clear();
      return;
    }
    const auto count = static_cast<std::int64_t>(run_.schedule.batches.size());
    const double gap = 1e9 / *change.number;
    if (change.random) {
      constexpr std::uint64_t seed = 1;
      source.open = true;
      arrivals_ = poisson_arrivals(Nanoseconds(std::llround(gap)), count, seed);
      return;
    }
    if (source.open && count > 1 && arrivals_.back() > arrivals_.front()) {
      const auto first = arrivals_.front();
      const double factor =
          gap * static_cast<double>(count - 1) / static_cast<double>((arrivals_.back() - first).count());
      for (auto& time : arrivals_) {
        const double later = static_cast<double>((time - first).count()) * factor;
        if (later > 4e18) refuse(change, "the last batch would arrive after more than a century; use a higher rate");
        time = first + Nanoseconds(std::llround(later));
      }
      return;
    }
    source.open = true;
    arrivals_ = fixed_rate_arrivals(Nanoseconds(std::llround(gap)), count);
  }

  PipelineRun& run_;
  RecordedTimes& times_;
  std::vector<Nanoseconds>& arrivals_;
  ContentionLaw& law_;
};

}  // namespace

PipelineRun replay(const PipelineRun& run, std::span<const PipelineChange> changes, const ContentionLaw& law,
                   std::span<const std::int64_t> batches) {
  PipelineRun result = run;
  result.counters.clear();
  result.failure.reset();
  result.interrupted = false;
  result.virtual_clock = true;
  result.base_time.reset();
  result.logged.reset();  // a batch may wait now where it skipped a stage
  std::vector<Nanoseconds> arrivals;
  if (run.shape.source.open) {
    for (const auto& batch : run.schedule.batches) arrivals.push_back(batch.arrived);
    std::sort(arrivals.begin(), arrivals.end());
  }
  RecordedTimes times(run, law);
  times.take({batches.begin(), batches.end()});
  ContentionLaw changed = law;
  Changer(result, times, arrivals, changed).apply(last_of_each_knob(changes));
  if (!changed.empty()) result.contention = changed;
  FlowShape shape = result.shape;
  shape.source.batches = static_cast<std::int64_t>(run.schedule.batches.size());
  result.schedule = simulate(shape, times, {std::move(arrivals), changed, true});
  return result;
}

PipelineRun replay(const PipelineRun& run, std::span<const PipelineChange> changes) {
  return replay(run, changes, known_contention(run).law);
}

double replay_error(const PipelineRun& recorded, const PipelineRun& replayed) {
  const auto before = static_cast<double>(window_of(recorded).length().count());
  const auto again = static_cast<double>(window_of(replayed).length().count());
  return before > 0 ? std::abs(again - before) / before : 0;
}

}  // namespace takt
