#include "pipeline/contention/crowds.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/basics/index.h"
#include "pipeline/account/account.h"
#include "pipeline/contention/start_end_events.h"

namespace takt {
namespace {

/// From when every stage has begun until one of them has no more to do. Before and after it a few executions, the first
/// of them cold, run beside less than all others do: too few to rest a law on.
RunWindow between_fill_and_drain(const PipelineRun& run) {
  const std::size_t stages = run.shape.stages.size();
  std::vector<std::optional<Nanoseconds>> first(stages), last(stages);
  for (const ExecutionRecord& record : run.schedule.executions) {
    auto &begin = first[index(record.what.stage)], &end = last[index(record.what.stage)];
    begin = std::min(begin.value_or(record.start), record.start);
    end = std::max(end.value_or(record.end), record.end);
  }
  RunWindow steady{Nanoseconds::min(), Nanoseconds::max()};
  for (std::size_t s = 0; s < stages; ++s) {
    steady.begin = std::max(steady.begin, first[s].value_or(steady.begin));
    steady.end = std::min(steady.end, last[s].value_or(steady.end));
  }
  return steady;
}

/// Goes through the moments of a run and writes down beside whom each execution is.
class CrowdWatch {
 public:
  CrowdWatch(const PipelineRun& run, const ContentionLaw& known, std::size_t most)
      : run_(run),
        steady_(between_fill_and_drain(run)),
        state_(known, run.shape),
        most_(most),
        stages_(run.shape.stages.size()),
        numbers_(stages_.size()),
        groups_(stages_.size()),
        left_(stages_.size()) {
    for (const auto& record : run.schedule.executions)
      if (counts(record)) ++left_[index(record.what.stage)];
    for (std::size_t& left : left_) left = std::min(left, most);
  }

  std::vector<StageCrowds> watch() {
    std::int64_t before = 0;
    for (const StartEndEvent& moment : start_end_events(run_.schedule.executions)) {
      if (moment.time != before) pass(static_cast<double>(moment.time - before));
      before = moment.time;
      const ExecutionRecord& record = run_.schedule.executions[moment.execution];
      if (moment.start) {
        start(record);
      } else {
        stop(record);
        if (std::all_of(left_.begin(), left_.end(), [](std::size_t left) { return left == 0; })) break;
      }
    }
    return std::move(stages_);
  }

 private:
  struct Watched {
    const ExecutionRecord* record;
    CrowdedExecution seen;
  };

  bool counts(const ExecutionRecord& record) const {
    return record.what.phase == FlowPhase::run && record.what.batch >= run_.warmup && record.end > record.start &&
           record.start >= steady_.begin && record.end <= steady_.end;
  }

  void start(const ExecutionRecord& record) {
    state_.start(record.what.stage, record.what.device);
    if (!counts(record) || stages_[index(record.what.stage)].executions.size() >= most_) return;
    auto& groups = groups_[index(record.what.stage)];
    Watched& added = running_.emplace_back();
    added.record = &record;
    added.seen.group =
        groups.try_emplace({record.what.part, record.what.device}, static_cast<int>(groups.size())).first->second;
    added.seen.duration_ns = static_cast<double>((record.end - record.start).count());
  }

  void stop(const ExecutionRecord& record) {
    state_.stop(record.what.stage, record.what.device);
    const auto one =
        std::find_if(running_.begin(), running_.end(), [&](const Watched& w) { return w.record == &record; });
    if (one == running_.end()) return;
    const std::size_t s = index(record.what.stage);
    StageCrowds& stage = stages_[s];
    stage.groups = static_cast<int>(groups_[s].size());
    if (stage.executions.size() < most_) {
      stage.executions.push_back(std::move(one->seen));
      --left_[s];
    }
    running_.erase(one);
  }

  void pass(double ns) {
    for (Watched& one : running_) {
      const std::size_t crowd = crowd_beside(one.record->what);
      auto& times = one.seen.times;
      const auto same =
          std::find_if(times.begin(), times.end(), [&](const CrowdedTime& time) { return time.crowd == crowd; });
      if (same == times.end()) {
        times.push_back({crowd, ns});
      } else {
        same->ns += ns;
      }
      one.seen.at_end = crowd;
    }
  }

  std::size_t crowd_beside(const Execution& what) {
    Crowd crowd;
    for (std::size_t j = 0; j < stages_.size(); ++j) {
      const int beside = static_cast<int>(j);
      crowd.others.push_back(static_cast<int>(state_.running(beside)) - (beside == what.stage ? 1 : 0));
      crowd.counts.push_back(state_.counted_share(what.stage, beside));
    }
    const std::int64_t slowdown = state_.slowdown(what.stage, what.device);
    crowd.known_slowdown = static_cast<double>(slowdown) / static_cast<double>(ContentionState::unit);
    StageCrowds& stage = stages_[index(what.stage)];
    // What counts follows from who runs, but for the device's own curve.
    const auto [found, is_new] = numbers_[index(what.stage)].try_emplace({crowd.others, slowdown}, stage.crowds.size());
    if (is_new) stage.crowds.push_back(std::move(crowd));
    return found->second;
  }

  const PipelineRun& run_;
  RunWindow steady_;
  ContentionState state_;
  std::size_t most_;
  std::vector<StageCrowds> stages_;
  std::vector<std::map<std::pair<std::vector<int>, std::int64_t>, std::size_t>> numbers_;
  std::vector<std::map<std::pair<int, int>, int>> groups_;
  std::vector<std::size_t> left_;  ///< by stage: executions that are still wanted
  std::vector<Watched> running_;
};

}  // namespace

std::vector<StageCrowds> crowds_of(const PipelineRun& run, const ContentionLaw& known, std::size_t most) {
  return CrowdWatch(run, known, most).watch();
}

}  // namespace takt
