#include "pipeline/record/stage_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "pipeline/record/logged_batches.h"
#include "pipeline/record/logged_run.h"
#include "pipeline/record/run_check.h"

namespace takt {
namespace {

/// What an event tells of a batch; views into the trace.
struct StageEvent {
  const TraceEvent* event = nullptr;
  std::optional<std::int64_t> batch;
  std::string_view stage, device;
  std::optional<double> hardware_ms;
  bool is_marked = false;  ///< it says that it is a stage
};

class StageEvents {
 public:
  StageEvents(const Trace& trace, const std::string& origin) : trace_(trace), origin_(origin) {
    for (const TraceEvent& event : trace.events())
      if (const StageEvent read = read_event(event); read.batch) events_.push_back(read);
    if (events_.empty())
      refuse(
          "this is not a trace of a pipeline: 'takt pipeline run' did not write it, and no event has a whole number "
          "'batch' or 'batch_id'; add the batch number to each event of a stage (docs/using/library.md)");
    if (std::any_of(events_.begin(), events_.end(), [](const auto& event) { return event.is_marked; }))
      std::erase_if(events_, [](const auto& event) { return !event.is_marked; });
  }

  StageEventsRun read() {
    find_processes();
    log_.name = trace_.processes()[static_cast<std::size_t>(process_of(events_.front()))].name;
    log_.wall_minus_steady = trace_.base_time().value_or(Nanoseconds(0));
    for (const StageEvent& event : events_) add(event);
    StageEventsRun result;
    result.unfinished = logged_batches(log_).unfinished;
    try {
      result.run = run_of(log_);
    } catch (const Error& error) {
      refuse(error.what());
    }
    if (!trace_.base_time()) result.run.base_time.reset();
    result.run.provenance_json = trace_.provenance_json();
    check(result.run, origin_);
    return result;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorKind::bad_input, fmt::format("{}: {}", printable(origin_), what));
  }

  StageEvent read_event(const TraceEvent& event) const {
    StageEvent read;
    read.event = &event;
    for (const TraceArg& arg : trace_.args(event)) {
      const std::string& key = trace_.text(arg.key);
      const auto* whole = std::get_if<std::int64_t>(&arg.value);
      const auto* text = std::get_if<StringId>(&arg.value);
      if (whole != nullptr && (key == "batch_id" || (key == "batch" && !read.batch))) read.batch = *whole;
      if (text != nullptr && key == "stage") read.stage = trace_.text(*text);
      if (text != nullptr && key == "device") read.device = trace_.text(*text);
      if (const auto* number = std::get_if<double>(&arg.value); number != nullptr && key == "hw_time_ms")
        read.hardware_ms = *number;
    }
    read.is_marked = !read.stage.empty() || trace_.text(event.category) == "stage";
    if (read.stage.empty()) read.stage = trace_.text(event.name);
    return read;
  }

  ProcessId process_of(const StageEvent& event) const {
    return trace_.rows()[static_cast<std::size_t>(event.event->row)].process;
  }

  void find_processes() {
    std::set<ProcessId> processes;
    for (const StageEvent& event : events_) processes.insert(process_of(event));
    several_processes_ = processes.size() > 1;
  }

  std::string device_of(const StageEvent& event) const {
    if (!event.device.empty()) return std::string(event.device);
    const TraceRow& row = trace_.rows()[static_cast<std::size_t>(event.event->row)];
    const std::string name = row.name.empty() ? fmt::format("row {}", row.tid) : row.name;
    if (!several_processes_) return name;
    return fmt::format("{} {}", trace_.processes()[static_cast<std::size_t>(row.process)].name, name);
  }

  void add(const StageEvent& event) {
    constexpr std::int64_t most = std::int64_t{1} << 60;
    const std::int64_t start = event.event->start_ns, duration = event.event->duration_ns;
    const std::string what = fmt::format("batch {} in stage '{}'", *event.batch, printable(event.stage));
    if (event.stage.empty()) refuse(fmt::format("batch {} is in a stage without a name; name it", *event.batch));
    if (duration < 0) refuse(what + " ends before it starts; record it again");
    if (start < -most || start > most || duration > most)
      refuse(what + " has a time that is not valid; record it again");
    const std::size_t s = log_.stage(event.stage);
    if (s == log_.stages.size()) log_.stages.push_back({std::string(event.stage), 1});
    auto& visits = log_.batches[*event.batch];
    if (visits.size() <= s) visits.resize(s + 1);
    if (visits[s])
      refuse(what +
             " is a duplicate; give each batch its own number, and mark only one event per stage (category or argument "
             "'stage')");
    const Nanoseconds begin(start), done(start + duration);
    ExecutionCounters counters;
    if (event.hardware_ms && std::abs(*event.hardware_ms) < 1e12)
      counters.hardware = Nanoseconds(std::llround(*event.hardware_ms * 1e6));
    visits[s] = LoggedVisit{begin, begin, done, done, {{log_.device(device_of(event)), begin, done, counters}}};
  }

  const Trace& trace_;
  const std::string& origin_;
  std::vector<StageEvent> events_;
  PipelineLog log_;
  bool several_processes_ = false;
};

/// As writers and readers spell it, without blanks. To parse the object here would take as long as to read the run.
bool is_of_takt(const Trace& trace) { return trace.provenance_json().find("\"pipeline\":{") != std::string::npos; }

bool has_batch(const Trace& trace, const TraceEvent& event) {
  for (const TraceArg& arg : trace.args(event)) {
    const std::string& key = trace.text(arg.key);
    if (std::holds_alternative<std::int64_t>(arg.value) && (key == "batch_id" || key == "batch")) return true;
  }
  return false;
}

}  // namespace

StageEventsRun run_of_events(const Trace& trace, const std::string& origin) {
  return StageEvents(trace, origin).read();
}

bool has_pipeline(const Trace& trace) {
  if (is_of_takt(trace)) return true;
  const auto& events = trace.events();
  return std::any_of(events.begin(), events.end(), [&](const TraceEvent& event) { return has_batch(trace, event); });
}

StageEventsRun read_any_pipeline(const Trace& trace, const std::string& origin) {
  if (is_of_takt(trace)) return {read_pipeline_run(trace, origin), 0};
  return run_of_events(trace, origin);
}

}  // namespace takt
