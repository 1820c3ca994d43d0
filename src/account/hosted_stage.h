// What holds for a stage on one of its devices at a time that only grows: the conditions behind the causes of idle time
// (device_account.cpp has the rules), each as a number of open spans.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "account/account.h"
#include "account/open_spans.h"
#include "account/stage_columns.h"
#include "core/index.h"
#include "record/pipeline_run.h"

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
      : replicas_(static_cast<std::ptrdiff_t>(hosted.replicas)),
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
    if (s + 1 == columns.size()) return;
    behind_ = {columns[s + 1].entered, columns[s + 1].started};
    room_behind_ = run.shape.stages[s + 1].queue;
  }

  void move_to(std::int64_t time) {
    const bool waiting = queue_.count(time) > fetched_.count(time), full = behind_.count(time) >= room_behind_;
    const bool is_free = taken_.count(time) + fetched_here_.count(time) < replicas_;
    const bool part_waits = parts_.count(time) > fetched_parts_.count(time);
    const bool holds = held_.count(time) >= 1;
    could_start = (waiting && !full && is_free) || part_waits;
    copies = copies_.count(time) >= 1;
    works = working_.count(time) >= 1;
    held_up = (waiting && full) || holds;
    until = std::min({queue_.next(), behind_.next(), taken_.next(), held_.next(), working_.next(), parts_.next(),
                      copies_.next(), fetched_.next(), fetched_here_.next(), fetched_parts_.next()});
  }

  bool could_start = false, copies = false, works = false, held_up = false;
  std::int64_t until = 0;  ///< they hold until then at least

 private:
  std::ptrdiff_t replicas_, room_behind_ = std::numeric_limits<std::ptrdiff_t>::max();
  OpenSpans queue_, behind_, taken_, held_, working_, parts_, copies_, fetched_, fetched_here_, fetched_parts_;
};

}  // namespace takt
