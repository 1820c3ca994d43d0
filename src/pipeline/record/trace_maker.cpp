// How a run becomes events. See pipeline_run.h for what they tell.
#include "pipeline/record/trace_maker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/basics/index.h"
#include "pipeline/record/copied_executions.h"
#include "pipeline/record/run_description.h"

namespace takt {
namespace {

constexpr std::array<std::string_view, 3> phase_names{"partition", "run", "merge"};

double millis(Nanoseconds time) { return static_cast<double>(time.count()) / 1e6; }

void add_counters(TraceValues& values, const ExecutionRecord& record, const ExecutionCounters& counters) {
  if (counters.hardware) {
    values.emplace_back("hw_time_ms", millis(*counters.hardware));
    values.emplace_back("sw_overhead_ms", millis(record.end - record.start - *counters.hardware));
  }
  if (counters.marshalling) values.emplace_back("marshalling_ms", millis(*counters.marshalling));
  if (counters.bytes_moved) values.emplace_back("bytes_moved", *counters.bytes_moved);
}

}  // namespace

TraceMaker::TraceMaker(const PipelineRun& run)
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
  add_rows();
}

std::vector<TraceMaker::Block> TraceMaker::blocks_with_copies() const {
  std::vector<Block> blocks;
  blocks.reserve(run_.schedule.executions.size());
  for (const ExecutionRecord& record : run_.schedule.executions)
    blocks.push_back({blocks.size(), record.start, record.end});
  for (std::size_t c = 0; c < run_.copies.size(); ++c) {
    Block& block = blocks[copied_[c]];
    block.start = std::min(block.start, run_.copies[c].start);
    block.end = std::max(block.end, run_.copies[c].end);
  }
  std::stable_sort(blocks.begin(), blocks.end(), [](auto& a, auto& b) { return a.start < b.start; });
  return blocks;
}

void TraceMaker::lay_out(const Block& block) {
  Place& place = places_[index(run_.schedule.executions[block.execution].what.device + 1)];
  auto row =
      std::find_if(place.free_at.begin(), place.free_at.end(), [&](Nanoseconds free) { return free <= block.start; });
  if (row == place.free_at.end()) row = place.free_at.insert(place.free_at.end(), block.end);
  row_of_[block.execution] = static_cast<std::uint32_t>(row - place.free_at.begin());
  *row = block.end;
}

/// Rows stand in the order of the places, so the executions are laid out before the first row is made.
void TraceMaker::add_rows() {
  const auto& executions = run_.schedule.executions;
  row_of_.resize(executions.size());
  if (run_.copies.empty())
    for (std::size_t i = 0; i < executions.size(); ++i) lay_out({i, executions[i].start, executions[i].end});
  else
    for (const Block& block : blocks_with_copies()) lay_out(block);
  int order = 0;
  for (Place& place : places_) {
    for (std::size_t r = 0; r < place.free_at.size(); ++r) {
      const std::string name = place.free_at.size() == 1 ? place.name : fmt::format("{} #{}", place.name, r + 1);
      place.rows.push_back(trace_.add_row(process_, name, 0, ++order));
    }
  }
}

/// Events of a row stand in the order of their starts.
bool TraceMaker::next_is_copy() const {
  const auto& executions = run_.schedule.executions;
  if (next_copy_ == run_.copies.size()) return false;
  return next_execution_ == executions.size() || run_.copies[next_copy_].start < executions[next_execution_].start;
}

Nanoseconds TraceMaker::next_start() const {
  if (next_is_copy()) return run_.copies[next_copy_].start;
  const auto& executions = run_.schedule.executions;
  return next_execution_ < executions.size() ? executions[next_execution_].start : Nanoseconds::max();
}

bool TraceMaker::add_events(std::size_t least) {
  std::size_t added = 0;
  Nanoseconds last{};
  while (next_execution_ < run_.schedule.executions.size() || next_copy_ < run_.copies.size()) {
    const Nanoseconds start = next_start();
    if (added >= least && start != last) break;
    last = start;
    ++added;
    if (next_is_copy())
      add_copy(next_copy_++);
    else
      add_execution(next_execution_++);
  }
  return added > 0;
}

void TraceMaker::add_execution(std::size_t i) {
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
void TraceMaker::add_copy(std::size_t i) {
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

/// Each arrow has a number of its own: parts run side by side, and one number for all would chain them in time.
std::uint64_t TraceMaker::arrow(const Execution& what, std::size_t number) const {
  return static_cast<std::uint64_t>(what.batch) * arrows_per_batch_ + first_arrow_[index(what.stage)] + number + 1;
}

/// One that nothing leads into keeps a number all the same.
std::size_t TraceMaker::ways_into(int stage) const {
  return std::max<std::size_t>(1, ways_.before[index(stage)].size());
}

std::size_t TraceMaker::ways_onward(int stage) const {
  std::size_t ways = 0;
  for (const auto& before : ways_.before)
    ways += static_cast<std::size_t>(std::count(before.begin(), before.end(), stage));
  return ways;
}

/// Only batches that were delivered have arrows, and then each has all of them.
bool TraceMaker::one_arrow_each() const {
  if (run_.schedule.batches.empty()) return true;
  for (int s = 0; s < static_cast<int>(run_.stages.size()); ++s) {
    const std::size_t ends = ways_.before[index(s)].size() + ways_onward(s);
    if (ends > 1 || run_.shape.stages[index(s)].split()) return false;  // a partition has an arrow to each part
  }
  return true;
}

/// The first numbers of a stage lead into it from those before, then in a data-parallel one to each part, then from
/// each part to the merge.
void TraceMaker::add_arrows(EventId event, const Execution& what) {
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

void TraceMaker::add_arrows_onward(EventId event, const Execution& what) {
  Execution next = what;
  for (next.stage = what.stage + 1; index(next.stage) < ways_.before.size(); ++next.stage) {
    const auto& before = ways_.before[index(next.stage)];
    for (std::size_t w = 0; w < before.size(); ++w)
      if (before[w] == what.stage) trace_.add_flow(event, arrow(next, w), false, true);
  }
}

}  // namespace takt
