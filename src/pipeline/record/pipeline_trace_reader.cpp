#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "pipeline/record/pipeline_run.h"
#include "pipeline/record/run_check.h"
#include "pipeline/record/run_description.h"

namespace takt {
namespace {

/// The arguments of an execution; what is not there stays empty.
struct ExecutionArgs {
  std::optional<std::int64_t> execution, copy, batch, stage, replica, part, ready, bytes_moved, bytes;
  std::optional<double> hardware_ms, marshalling_ms;
  std::string_view phase, of;
};

class RunReader {
 public:
  RunReader(const Trace& trace, const std::string& origin)
      : trace_(trace), origin_(origin), description_(read_description(trace.provenance_json(), origin)) {}

  PipelineRun read() {
    PipelineRun& run = description_.run;
    // Before anything is made as large as a file says.
    if (description_.executions < 0 || static_cast<std::uint64_t>(description_.executions) > trace_.events().size())
      refuse("has fewer executions than its description says");
    if (description_.copies < 0 || static_cast<std::uint64_t>(description_.copies) > trace_.events().size())
      refuse("has fewer copies than its description says");
    check_shape(run, origin_);
    run.copies.resize(static_cast<std::size_t>(description_.copies));
    seen_copies_.assign(run.copies.size(), false);
    run.schedule.executions.resize(static_cast<std::size_t>(description_.executions));
    if (description_.has_counters) run.counters.resize(run.schedule.executions.size());
    seen_.assign(run.schedule.executions.size(), false);
    for (const TraceEvent& event : trace_.events()) take(event);
    if (taken_ != seen_.size()) refuse("has fewer executions than its description counts");
    if (std::find(seen_copies_.begin(), seen_copies_.end(), false) != seen_copies_.end())
      refuse("has fewer copies than its description counts");
    shift_times();
    restore_visits(run, description_.columns_json, origin_);
    check(run, origin_);
    return std::move(run);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorKind::bad_input, fmt::format("{}: the trace {}; record the run again", printable(origin_), what));
  }

  ExecutionArgs args_of(const TraceEvent& event) const {
    ExecutionArgs args;
    for (const TraceArg& arg : trace_.args(event)) {
      const std::string& key = trace_.text(arg.key);
      const auto* whole = std::get_if<std::int64_t>(&arg.value);
      const auto* real = std::get_if<double>(&arg.value);
      const auto number = real != nullptr    ? std::optional(*real)
                          : whole != nullptr ? std::optional(static_cast<double>(*whole))
                                             : std::nullopt;
      if (key == "hw_time_ms") args.hardware_ms = number;
      if (key == "marshalling_ms") args.marshalling_ms = number;
      if (const auto* text = std::get_if<StringId>(&arg.value)) {
        if (key == "phase") args.phase = trace_.text(*text);
        if (key == "of") args.of = trace_.text(*text);
      }
      if (whole == nullptr) continue;
      for (const auto& [name, value] :
           {std::pair{"execution", &args.execution}, std::pair{"batch_id", &args.batch},
            std::pair{"stage", &args.stage}, std::pair{"replica", &args.replica}, std::pair{"part", &args.part},
            std::pair{"ready_ns", &args.ready}, std::pair{"bytes_moved", &args.bytes_moved},
            std::pair{"copy", &args.copy}, std::pair{"bytes", &args.bytes}})
        if (key == name) *value = *whole;
    }
    return args;
  }

  /// Events without the number of an execution or of a copy are someone else's and do no harm.
  void take(const TraceEvent& event) {
    const ExecutionArgs args = args_of(event);
    if (!args.execution && args.copy && description_.copies > 0) return take_copy(event, args);
    if (!args.execution) return;
    const auto number = static_cast<std::uint64_t>(*args.execution);
    if (number >= seen_.size()) refuse("has more executions than its description says");
    if (seen_[number]) refuse(fmt::format("has execution {} twice", number));
    seen_[number] = true;
    ++taken_;
    ExecutionRecord& record = description_.run.schedule.executions[number];
    record.what = execution(args, number);
    if (!args.ready) refuse(fmt::format("does not report when execution {} became ready", number));
    record.ready = Nanoseconds(*args.ready);
    record.start = Nanoseconds(event.start_ns);
    if (event.duration_ns < 0 || __builtin_add_overflow(event.start_ns, event.duration_ns, &end_))
      refuse(fmt::format("has an execution {} that ends before it starts", number));
    record.end = Nanoseconds(end_);
    if (description_.has_counters) description_.run.counters[number] = counters(args);
  }

  void take_copy(const TraceEvent& event, ExecutionArgs args) {
    const auto number = static_cast<std::uint64_t>(*args.copy);
    if (number >= seen_copies_.size()) refuse("has more copies than its description says");
    if (seen_copies_[number]) refuse(fmt::format("has copy {} twice", number));
    seen_copies_[number] = true;
    args.phase = "run";
    const Execution of = execution(args, number, "a copy");
    if (!args.bytes || (args.of != "inputs" && args.of != "outputs"))
      refuse(fmt::format("does not report what copy {} belongs to", number));
    if (event.duration_ns < 0 || __builtin_add_overflow(event.start_ns, event.duration_ns, &end_))
      refuse(fmt::format("has a copy {} that ends before it starts", number));
    description_.run.copies[number] = {of.batch,
                                       of.stage,
                                       of.replica,
                                       of.part,
                                       of.device,
                                       args.of == "outputs",
                                       Nanoseconds(event.start_ns),
                                       Nanoseconds(end_),
                                       *args.bytes};
  }

  Execution execution(const ExecutionArgs& args, std::uint64_t number, std::string_view noun = "an execution") const {
    const auto& stages = description_.run.shape.stages;
    const auto wrong = [&](std::string_view what) {
      refuse(fmt::format("has {} {} without a {}", noun, number, what));
    };
    const auto below = [](const std::optional<std::int64_t>& value, std::size_t bound) {
      return value && *value >= 0 && static_cast<std::size_t>(*value) < bound;
    };
    Execution what;
    if (!args.batch || *args.batch < 0) wrong("batch");
    if (!below(args.stage, stages.size())) wrong("stage of the pipeline");
    const FlowStage& stage = stages[static_cast<std::size_t>(*args.stage)];
    if (!below(args.replica, stage.replicas.size())) wrong("replica of its stage");
    if (!below(args.part, static_cast<std::size_t>(stage.parts()))) wrong("part of its stage");
    what.batch = *args.batch;
    what.stage = static_cast<int>(*args.stage);
    what.replica = static_cast<int>(*args.replica);
    what.part = static_cast<int>(*args.part);
    if (args.phase == "run")
      what.device = stage.replicas[static_cast<std::size_t>(what.replica)][static_cast<std::size_t>(what.part)];
    else if (args.phase == "partition" || args.phase == "merge")
      what.phase = args.phase == "merge" ? FlowPhase::merge : FlowPhase::partition;
    else
      wrong("phase");
    return what;
  }

  ExecutionCounters counters(const ExecutionArgs& args) const {
    ExecutionCounters counters;
    const auto time = [&](const std::optional<double>& ms) -> std::optional<Nanoseconds> {
      if (!ms) return std::nullopt;
      if (!(std::abs(*ms) < 1e12)) refuse("has a counter that is out of range");
      return Nanoseconds(std::llround(*ms * 1e6));
    };
    counters.hardware = time(args.hardware_ms);
    counters.marshalling = time(args.marshalling_ms);
    counters.bytes_moved = args.bytes_moved;
    return counters;
  }

  /// Writers move the base of a trace whose times would lose nanoseconds; the first start says by how much.
  void shift_times() {
    auto& executions = description_.run.schedule.executions;
    if (executions.empty()) return;
    std::int64_t shift = 0;
    bool bad = __builtin_sub_overflow(description_.first_start.count(), executions.front().start.count(), &shift);
    const auto move = [&](auto& span) {
      std::int64_t start = 0, end = 0;
      bad = bad || __builtin_add_overflow(span.start.count(), shift, &start) ||
            __builtin_add_overflow(span.end.count(), shift, &end);
      span.start = Nanoseconds(start), span.end = Nanoseconds(end);
    };
    for (ExecutionRecord& record : executions) move(record);
    for (CopySpan& copy : description_.run.copies) move(copy);
    if (bad) refuse("has times out of range");
  }

  const Trace& trace_;
  const std::string& origin_;
  RunDescription description_;
  std::vector<bool> seen_, seen_copies_;
  std::size_t taken_ = 0;
  std::int64_t end_ = 0;
};

}  // namespace

PipelineRun read_pipeline_run(const Trace& trace, const std::string& origin) { return RunReader(trace, origin).read(); }

}  // namespace takt
