// What holds for a stage on one of its devices at a time that only grows: the conditions behind the causes of idle time
// (device_account.cpp has the rules), each as a number of open spans.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/basics/index.h"
#include "pipeline/account/account.h"
#include "pipeline/account/open_spans.h"
#include "pipeline/account/stage_columns.h"
#include "pipeline/record/pipeline_run.h"

namespace takt {

/// Begins and ends, each sorted before they are asked for.
struct SpanEnds {
  std::vector<std::int64_t> starts, ends;
  void add(std::int64_t start, std::int64_t end) {
    starts.push_back(start);
    ends.push_back(end);
  }
  OpenSpans sorted() {
    sort_times(starts);
    sort_times(ends);
    return {starts, ends};
  }
};

/// A stage as one of its devices sees it.
struct Hosted {
  int stage = 0, device = 0;
  std::size_t replicas = 0;  ///< that have work here
  int last_replica = -1;     ///< the last one that was counted
  SpanEnds taken{};          ///< its replicas here, from start to leave; empty where all are here
  SpanEnds held{};           ///< batches that are done here and have not left; the same
  SpanEnds working{};        ///< batches that the stage divides, from start to done; the same
  SpanEnds parts{};          ///< parts that wait for the device
  SpanEnds copies{};         ///< to and from the device
  SpanEnds fetched{};        ///< of them, inputs of batches that wait in the queue
  SpanEnds fetched_parts{};  ///< the same of parts
  ShareAccount share{};
  std::int64_t busy_until = std::numeric_limits<std::int64_t>::min();
};

/// What holds for a hosted stage, and so for its device, at a time that only grows.
class Conditions {
 public:
  /// `fetched`: of all devices of the stage.
  Conditions(Hosted& hosted, SpanEnds& fetched, const PipelineRun& run, const std::vector<StageColumns>& columns)
      : stage_(hosted.stage),
        replicas_(static_cast<std::ptrdiff_t>(hosted.replicas)),
        parts_(hosted.parts.sorted()),
        copies_(hosted.copies.sorted()),
        fetched_(fetched.sorted()),
        fetched_here_(hosted.fetched.sorted()),
        fetched_parts_(hosted.fetched_parts.sorted()) {
    const std::size_t s = index(hosted.stage);
    const StageColumns& own = columns[s];
    const bool all_here = hosted.replicas == run.shape.stages[s].replicas.size();
    queue_ = {own.entered, own.started};
    taken_ = all_here ? OpenSpans(own.started, own.left) : hosted.taken.sorted();
    held_ = all_here ? OpenSpans(own.done, own.left) : hosted.held.sorted();
    if (run.shape.stages[s].split()) working_ = all_here ? OpenSpans(own.started, own.done) : hosted.working.sorted();
    for (int next = hosted.stage + 1; next < static_cast<int>(columns.size()); ++next) add_behind(next, run, columns);
  }

  void move_to(std::int64_t time) {
    const bool waiting = queue_.count(time) > fetched_.count(time);
    bool full = false;
    for (Queue& queue : behind_) full = queue.batches.count(time) >= queue.room || full;
    const bool is_free = taken_.count(time) + fetched_here_.count(time) < replicas_;
    const bool part_waits = parts_.count(time) > fetched_parts_.count(time);
    const bool holds = held_.count(time) >= 1;
    could_start = (waiting && !full && is_free) || part_waits;
    copies = copies_.count(time) >= 1;
    works = working_.count(time) >= 1;
    held_up = (waiting && full) || holds;
    until = std::min({queue_.next(), taken_.next(), held_.next(), working_.next(), parts_.next(), copies_.next(),
                      fetched_.next(), fetched_here_.next(), fetched_parts_.next()});
    for (Queue& queue : behind_) until = std::min(until, queue.batches.next());
  }

  bool could_start = false, copies = false, works = false, held_up = false;
  std::int64_t until = 0;  ///< they hold until then at least

 private:
  struct Queue {
    std::vector<std::int64_t> came{};  ///< where several stages meet
    OpenSpans batches{};
    std::ptrdiff_t room = 0;
  };

  /// The queue from this stage to `next`, if it leads there.
  void add_behind(int next, const PipelineRun& run, const std::vector<StageColumns>& columns) {
    const auto before = stages_before(run.shape, next);
    if (std::find(before.begin(), before.end(), stage_) == before.end()) return;
    const StageColumns& its = columns[index(next)];
    Queue& queue = behind_.emplace_back();
    queue.room = run.shape.stages[index(next)].queue;
    if (before.size() == 1) {
      queue.batches = {its.entered, its.started};
      return;
    }
    // Where several meet, a batch is in this queue as soon as it has left this stage; not later than it is in all.
    const auto& visits = run.schedule.visits;
    for (std::size_t batch = 0; batch < visits.size(); batch += columns.size())
      queue.came.push_back(std::min(visits[batch + index(stage_)].left, visits[batch + index(next)].entered).count());
    sort_times(queue.came);
    queue.batches = {queue.came, its.started};
  }

  int stage_;
  std::ptrdiff_t replicas_;
  std::vector<Queue> behind_;
  OpenSpans queue_, taken_, held_, working_, parts_, copies_, fetched_, fetched_here_, fetched_parts_;
};

}  // namespace takt
