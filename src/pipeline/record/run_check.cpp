#include "pipeline/record/run_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/memory/large_pages.h"
#include "pipeline/record/copied_executions.h"

namespace takt {
namespace {

/// 73 years on either side of the base; sums of all spans stay below twice that.
constexpr std::int64_t largest = std::int64_t{1} << 61;

[[noreturn]] void refuse_run(const std::string& origin, const std::string& what) {
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: not a run of a pipeline: {}; record the run again", printable(origin), what));
}

class RunCheck {
 public:
  RunCheck(const PipelineRun& run, const std::string& origin) : run_(run), origin_(origin) {}

  void all() {
    const Schedule& schedule = run_.schedule;
    if (run_.devices.size() != run_.shape.devices.size())
      refuse("the number of devices differs from the number of their names");
    if (run_.stages.size() != run_.shape.stages.size())
      refuse("the number of stages differs from the number of their names");
    if (schedule.visits.size() != schedule.batches.size() * run_.stages.size())
      refuse("not every batch visited every stage");
    if (!run_.counters.empty() && run_.counters.size() != schedule.executions.size())
      refuse("not every execution has an entry for its counters");
    if (run_.warmup < 0) refuse("the number of warm-up batches is below 0");
    times({schedule.begin, schedule.end}, [] { return std::string("the window"); });
    reserve_large(executions_of_, schedule.visits.size());
    executions_of_.assign(schedule.visits.size(), 0);
    for (std::size_t i = 0; i < schedule.executions.size(); ++i) execution(i);
    copies();
    for (std::size_t i = 0; i < schedule.visits.size(); ++i) visit(i);
    for (std::size_t i = 0; i < schedule.batches.size(); ++i) {
      const BatchRecord& batch = schedule.batches[i];
      times({batch.arrived, batch.admitted, batch.delivered}, [&] { return fmt::format("batch {}", i); });
    }
    if (run_.logged) logged(*run_.logged);
    for (const ExecutionCounters& c : run_.counters) counters(c);
    if (counted_ > static_cast<double>(largest)) refuse("the sum of its counters is too large");
    if (sum_ > static_cast<double>(largest)) refuse("the sum of its times is too large");
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { refuse_run(origin_, what); }

  /// In order and of a size that can be added; `who` is only asked when they are not.
  template <typename Name>
  void times(std::initializer_list<Nanoseconds> list, Name who) {
    Nanoseconds before = *list.begin();
    for (const Nanoseconds time : list) {
      if (time.count() < -largest || time.count() > largest) refuse(who() + " has a time out of range");
      if (time < before) refuse(who() + " has times out of order");
      before = time;
    }
    sum_ += static_cast<double>((before - *list.begin()).count());
  }

  void counters(const ExecutionCounters& c) {
    for (const auto& time : {c.hardware, c.marshalling})
      if (time) counted_ += std::abs(static_cast<double>(time->count()));
    if (c.bytes_moved) counted_ += std::abs(static_cast<double>(*c.bytes_moved));
  }

  void execution(std::size_t i) {
    const ExecutionRecord& record = run_.schedule.executions[i];
    const Execution& what = record.what;
    const auto name = [&] { return fmt::format("execution {}", i); };
    if (what.batch < 0) refuse(name() + " has a negative batch");
    if (what.stage < 0 || what.stage >= static_cast<int>(run_.stages.size()))
      refuse(name() + " has a stage that does not exist");
    const FlowStage& stage = run_.shape.stages[static_cast<std::size_t>(what.stage)];
    if (what.replica < 0 || what.replica >= static_cast<int>(stage.replicas.size()))
      refuse(name() + " has a replica that does not exist");
    if (what.part < 0 || what.part >= stage.parts()) refuse(name() + " has a part that does not exist");
    const bool on_host = what.phase != FlowPhase::run;
    if (on_host && !stage.split()) refuse(name() + " splits a batch in a stage that is not split");
    const auto& devices = stage.replicas[static_cast<std::size_t>(what.replica)];
    if (what.device != (on_host ? Execution::host : devices[static_cast<std::size_t>(what.part)]))
      refuse(name() + " is on another device than its replica");
    times({record.ready, record.start, record.end}, name);
    if (i > 0 && record.start < run_.schedule.executions[i - 1].start)
      refuse(name() + " started before the previous one in the list");
    if (what.batch < static_cast<std::int64_t>(run_.schedule.batches.size()))
      ++executions_of_[static_cast<std::size_t>(what.batch) * run_.stages.size() +
                       static_cast<std::size_t>(what.stage)];
  }

  void copies() {
    const auto places = copied_executions(run_);
    for (std::size_t i = 0; i < run_.copies.size(); ++i) copy(i, places[i]);
    std::sort(copied_.begin(), copied_.end());
    if (std::adjacent_find(copied_.begin(), copied_.end()) != copied_.end())
      refuse("an execution has two copies of its inputs or of its outputs");
  }

  void copy(std::size_t i, std::size_t execution) {
    const CopySpan& copy = run_.copies[i];
    const auto name = [&] { return fmt::format("copy {}", i); };
    if (execution == run_.schedule.executions.size()) refuse(name() + " belongs to an execution that does not exist");
    const ExecutionRecord& of = run_.schedule.executions[execution];
    if (copy.replica != of.what.replica || copy.device != of.what.device)
      refuse(name() + " is on another device than its execution");
    if (copy.bytes < 0) refuse(name() + " has a negative number of bytes");
    if (copy.of_outputs)
      times({of.end, copy.start, copy.end}, name);
    else
      times({copy.start, copy.end, of.start}, name);
    counted_ += static_cast<double>(copy.bytes);
    if (i > 0 && copy.start < run_.copies[i - 1].start) refuse(name() + " started before the previous one in the list");
    copied_.emplace_back(execution, copy.of_outputs);
  }

  void visit(std::size_t i) {
    const VisitRecord& v = run_.schedule.visits[i];
    const std::size_t stages = run_.stages.size();
    const auto name = [&] { return fmt::format("batch {} in stage {}", i / stages, i % stages); };
    if (v.batch != static_cast<std::int64_t>(i / stages) || v.stage != static_cast<int>(i % stages))
      refuse(name() + " is at the wrong position");
    const auto& replicas = run_.shape.stages[i % stages].replicas;
    if (v.replica < 0 || v.replica >= static_cast<int>(replicas.size()))
      refuse(name() + " was in a replica that does not exist");
    const auto parts = static_cast<std::uint32_t>(run_.shape.stages[i % stages].parts());
    if (executions_of_[i] != (parts > 1 ? parts + 2 : 1)) refuse(name() + " has a missing or a duplicate execution");
    times({v.entered, v.started, v.dispatched, v.joined, v.done, v.left}, name);
  }

  void logged(const LoggedFacts& facts) {
    const auto& visits = run_.schedule.visits;
    if (facts.numbers.size() != run_.schedule.batches.size()) refuse("not every batch has its own number");
    for (std::size_t i = 0; i < facts.skipped.size(); ++i) {
      const std::size_t v = facts.skipped[i];
      if (v >= visits.size() || (i > 0 && v <= facts.skipped[i - 1]))
        refuse("the list of skipped stages is not one of visits in order");
      if (visits[v].entered != visits[v].left) refuse("a batch spent time in a stage that it skipped");
    }
    for (const LoggedFacts::Dropped& dropped : facts.dropped)
      if (dropped.stage < 0 || dropped.stage >= static_cast<int>(run_.stages.size()) || dropped.batches < 1)
        refuse("batches were dropped in a stage that does not exist");
  }

  const PipelineRun& run_;
  const std::string& origin_;
  std::vector<std::uint32_t> executions_of_;          ///< by visit
  std::vector<std::pair<std::size_t, bool>> copied_;  ///< execution, of its outputs
  double sum_ = 0, counted_ = 0;
};

}  // namespace

void check_shape(const PipelineRun& run, const std::string& origin) {
  try {
    check(run.shape);
    if (run.contention) check(*run.contention, run.shape);
  } catch (const Error& error) {
    refuse_run(origin, error.what());
  }
}

void check(const PipelineRun& run, const std::string& origin) {
  check_shape(run, origin);
  RunCheck(run, origin).all();
}

}  // namespace takt
