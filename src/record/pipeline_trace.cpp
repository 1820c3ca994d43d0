#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/index.h"
#include "record/copied_executions.h"
#include "record/pipeline_run.h"
#include "record/run_check.h"
#include "record/run_description.h"

namespace takt {
namespace {

constexpr std::array<std::string_view, 3> phase_names{"partition", "run", "merge"};

double millis(Nanoseconds time) { return static_cast<double>(time.count()) / 1e6; }

/// Rows of one place where executions overlap: each takes the first row that is free.
struct Place {
  std::string name;
  std::vector<RowId> rows;
  std::vector<Nanoseconds> free_at;
};

class TraceMaker {
 public:
  explicit TraceMaker(const PipelineRun& run)
      : run_(run), places_(run.devices.size() + 1), ways_(ways_of(run.shape)), copied_(copied_executions(run)) {
    if (run.base_time) trace_.set_base_time(*run.base_time);
    trace_.set_provenance_json(describe_run(run));
    process_ = trace_.add_process(run.name.empty() ? "pipeline" : run.name);
    places_[0].name = "host";
    for (std::size_t d = 0; d < run.devices.size(); ++d) places_[d + 1].name = run.devices[d].name;
    for (int s = 0; s < static_cast<int>(run.stages.size()); ++s) {
      const FlowStage& stage = run.shape.stages[index(s)];
      first_arrow_.push_back(arrows_per_batch_);
      arrows_per_batch_ += ways_into(s) + (stage.split() ? 2 * index(stage.parts()) : 0);
    }
  }

  Trace make() {
    add_rows();
    std::size_t copy = 0;  // events of a row stand in the order of their starts
    for (std::size_t i = 0; i < run_.schedule.executions.size(); ++i) {
      for (; copy < run_.copies.size() && run_.copies[copy].start < run_.schedule.executions[i].start; ++copy)
        add_copy(copy);
      add_execution(i);
    }
    for (; copy < run_.copies.size(); ++copy) add_copy(copy);
    add_queue_counters();
    add_device_counters();
    return std::move(trace_);
  }

 private:
  /// What an execution takes of its row: its own span and those of its copies.
  struct Block {
    std::size_t execution = 0;
    Nanoseconds start{}, end{};
  };

  std::vector<Block> blocks() const {
    std::vector<Block> blocks;
    blocks.reserve(run_.schedule.executions.size());
    for (const ExecutionRecord& record : run_.schedule.executions)
      blocks.push_back({blocks.size(), record.start, record.end});
    for (std::size_t c = 0; c < run_.copies.size(); ++c) {
      Block& block = blocks[copied_[c]];
      block.start = std::min(block.start, run_.copies[c].start);
      block.end = std::max(block.end, run_.copies[c].end);
    }
    if (!run_.copies.empty())
      std::stable_sort(blocks.begin(), blocks.end(), [](auto& a, auto& b) { return a.start < b.start; });
    return blocks;
  }

  /// Rows stand in the order of the places, so the executions are laid out before the first row is made.
  void add_rows() {
    row_of_.resize(run_.schedule.executions.size());
    for (const Block& block : blocks()) {
      Place& place = places_[index(run_.schedule.executions[block.execution].what.device + 1)];
      auto row = std::find_if(place.free_at.begin(), place.free_at.end(),
                              [&](Nanoseconds free) { return free <= block.start; });
      if (row == place.free_at.end()) row = place.free_at.insert(place.free_at.end(), block.end);
      row_of_[block.execution] = static_cast<std::size_t>(row - place.free_at.begin());
      *row = block.end;
    }
    int order = 0;
    for (Place& place : places_) {
      for (std::size_t r = 0; r < place.free_at.size(); ++r) {
        const std::string name = place.free_at.size() == 1 ? place.name : fmt::format("{} #{}", place.name, r + 1);
        place.rows.push_back(trace_.add_row(process_, name, 0, ++order));
      }
    }
  }

  void add_execution(std::size_t i) {
    const ExecutionRecord& record = run_.schedule.executions[i];
    const Execution& what = record.what;
    const std::string& stage = run_.stages[index(what.stage)].name;
    const std::string_view phase = phase_names[static_cast<std::size_t>(what.phase)];
    const std::string name = what.phase == FlowPhase::run ? stage : fmt::format("{} {}", stage, phase);
    const EventId event = trace_.add_event(places_[index(what.device + 1)].rows[row_of_[i]], name, phase, record.start,
                                           record.end - record.start);
    TraceValues values{{"execution", static_cast<std::int64_t>(i)},
                       {"batch_id", what.batch},
                       {"stage", std::int64_t{what.stage}},
                       {"replica", std::int64_t{what.replica}},
                       {"part", std::int64_t{what.part}},
                       {"phase", std::string(phase)},
                       {"ready_ns", static_cast<std::int64_t>(record.ready.count())}};
    if (!run_.counters.empty()) add_counters(values, record, run_.counters[i]);
    trace_.set_args(event, values);
    add_arrows(event, what);
  }

  /// On the row of its execution.
  void add_copy(std::size_t i) {
    const CopySpan& copy = run_.copies[i];
    const RowId row = places_[index(copy.device + 1)].rows[row_of_[copied_[i]]];
    const EventId event = trace_.add_event(row, "copy", "copy", copy.start, copy.end - copy.start);
    trace_.set_args(event, {{"copy", static_cast<std::int64_t>(i)},
                            {"batch_id", copy.batch},
                            {"stage", std::int64_t{copy.stage}},
                            {"replica", std::int64_t{copy.replica}},
                            {"part", std::int64_t{copy.part}},
                            {"of", std::string(copy.of_outputs ? "outputs" : "inputs")},
                            {"bytes", copy.bytes}});
  }

  static void add_counters(TraceValues& values, const ExecutionRecord& record, const ExecutionCounters& counters) {
    if (counters.hardware) {
      values.emplace_back("hw_time_ms", millis(*counters.hardware));
      values.emplace_back("sw_overhead_ms", millis(record.end - record.start - *counters.hardware));
    }
    if (counters.marshalling) values.emplace_back("marshalling_ms", millis(*counters.marshalling));
    if (counters.bytes_moved) values.emplace_back("bytes_moved", *counters.bytes_moved);
  }

  /// Each arrow has a number of its own: parts run side by side, and one number for all would chain them in time.
  std::uint64_t arrow(const Execution& what, std::size_t number) const {
    return static_cast<std::uint64_t>(what.batch) * arrows_per_batch_ + first_arrow_[index(what.stage)] + number + 1;
  }

  /// One that nothing leads into keeps a number all the same.
  std::size_t ways_into(int stage) const { return std::max<std::size_t>(1, ways_.before[index(stage)].size()); }

  /// The first numbers of a stage lead into it from those before, then in a data-parallel one to each part, then from
  /// each part to the merge.
  void add_arrows(EventId event, const Execution& what) {
    if (what.batch >= static_cast<std::int64_t>(run_.schedule.batches.size())) return;  // it was not delivered
    const std::size_t parts = index(run_.shape.stages[index(what.stage)].parts()), ways = ways_into(what.stage);
    const bool split = parts > 1;
    if (what.phase == FlowPhase::partition || !split) {
      for (std::size_t w = 0; w < ways_.before[index(what.stage)].size(); ++w)
        trace_.add_flow(event, arrow(what, w), true, false);
    }
    if (what.phase == FlowPhase::partition)
      for (std::size_t p = 0; p < parts; ++p) trace_.add_flow(event, arrow(what, ways + p), false, true);
    if (what.phase == FlowPhase::run && split) {
      trace_.add_flow(event, arrow(what, ways + index(what.part)), true, false);
      trace_.add_flow(event, arrow(what, ways + parts + index(what.part)), false, true);
    }
    if (what.phase == FlowPhase::merge)
      for (std::size_t p = 0; p < parts; ++p) trace_.add_flow(event, arrow(what, ways + parts + p), true, false);
    if (what.phase == FlowPhase::merge || !split) add_arrows_onward(event, what);
  }

  void add_arrows_onward(EventId event, const Execution& what) {
    Execution next = what;
    for (next.stage = what.stage + 1; index(next.stage) < ways_.before.size(); ++next.stage) {
      const auto& before = ways_.before[index(next.stage)];
      for (std::size_t w = 0; w < before.size(); ++w)
        if (before[w] == what.stage) trace_.add_flow(event, arrow(next, w), false, true);
    }
  }

  struct Change {
    Nanoseconds time{};
    int by = 0;
  };

  /// One value per instant at which the count changes.
  void add_counter(const std::string& name, std::vector<Change>& changes) {
    std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
    std::int64_t count = 0, shown = -1;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      count += changes[i].by;
      if (i + 1 < changes.size() && changes[i + 1].time == changes[i].time) continue;
      if (count != shown) trace_.add_counter(process_, name, changes[i].time, static_cast<double>(count));
      shown = count;
    }
    changes.clear();
  }

  void add_queue_counters() {
    std::vector<Change> changes;
    const auto& visits = run_.schedule.visits;
    for (std::size_t s = 0; s < run_.stages.size(); ++s) {
      for (std::size_t i = s; i < visits.size(); i += run_.stages.size()) {
        changes.push_back({visits[i].entered, 1});
        changes.push_back({visits[i].started, -1});
      }
      add_counter("queue " + run_.stages[s].name, changes);
    }
  }

  void add_device_counters() {
    std::vector<std::vector<Change>> changes(run_.devices.size());
    for (const ExecutionRecord& record : run_.schedule.executions) {
      if (record.what.device == Execution::host) continue;
      changes[index(record.what.device)].push_back({record.start, 1});
      changes[index(record.what.device)].push_back({record.end, -1});
    }
    for (std::size_t d = 0; d < changes.size(); ++d) add_counter("in flight " + run_.devices[d].name, changes[d]);
  }

  const PipelineRun& run_;
  Trace trace_;
  ProcessId process_{};
  std::vector<Place> places_;  ///< the host, then the devices
  FlowWays ways_;
  std::vector<std::size_t> copied_;  ///< by copy, its execution
  std::vector<std::size_t> row_of_;  ///< by execution, in its place
  std::vector<std::size_t> first_arrow_;
  std::size_t arrows_per_batch_ = 0;
};

}  // namespace

Trace to_trace(const PipelineRun& run) {
  check(run, run.name.empty() ? "pipeline run" : run.name);
  return TraceMaker(run).make();
}

}  // namespace takt
