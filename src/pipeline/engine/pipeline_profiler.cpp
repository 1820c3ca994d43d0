#include "takt/pipeline_profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/basics/units.h"
#include "base/system/provenance.h"
#include "base/table/table.h"
#include "pipeline/account/account.h"
#include "pipeline/record/logged_batches.h"
#include "pipeline/record/logged_run.h"
#include "pipeline/spec/public_door.h"
#include "trace/write/chrome_writer.h"

namespace takt {
namespace {

/// Half of what a trace can tell apart from its base.
constexpr Nanoseconds farthest{std::int64_t{1} << 60};

[[noreturn]] void refuse(std::string_view stage, std::int64_t batch, const std::string& what) {
  throw Error(ErrorKind::bad_input,
              fmt::format("stage '{}', batch {}: {}", printable(std::string(stage)), batch, what));
}

/// Throws where a time is not of the clock, or goes backwards.
void check_times(std::string_view stage, std::int64_t batch, Nanoseconds start, Nanoseconds end) {
  const auto now = steady_now();
  for (const auto time : {start, end})
    if (time > now + farthest || time < now - farthest)
      refuse(stage, batch, "a time is not from the steady clock; take it from PipelineProfiler::now()");
  if (end < start) refuse(stage, batch, "completed before it was submitted; take both times from the steady clock");
}

/// A time that something took, where it is known: 0 or more, and not beyond what a trace can tell.
void check_length(std::string_view stage, std::int64_t batch, std::optional<Nanoseconds> length) {
  if (length && (length->count() < 0 || *length > farthest))
    refuse(stage, batch,
           fmt::format("a time of {} ns was given; a time is 0 or more, and less than 36 years", length->count()));
}

void check_counters(std::string_view stage, std::int64_t batch, const ExecutionCounters& counters) {
  check_length(stage, batch, counters.hardware);
  check_length(stage, batch, counters.marshalling);
  if (counters.bytes_moved && *counters.bytes_moved < 0)
    refuse(stage, batch, "the number of bytes moved is negative; give 0 if nothing was moved");
}

/// What results add up over all batches must be a number.
struct Totals {
  std::int64_t time = 0, bytes = 0;  ///< ns of batches in stages, of parts and of counters; bytes moved

  /// False, and as it was: they are too many.
  bool add(const LoggedVisit& visit) {
    // A tenth: results add up waits between stages and idle times of devices as well.
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 10;
    Totals more;
    more.time = (visit.left() - visit.came()).count();
    bool fits = more.time <= most;
    const auto count = [&](std::int64_t& sum, std::int64_t one) {
      fits = fits && !__builtin_add_overflow(sum, one, &sum) && sum <= most;
    };
    for (const LoggedPart& part : visit.parts) {
      count(more.time, (part.completed - part.submitted).count());
      count(more.time, part.counters.hardware.value_or(Nanoseconds(0)).count());
      count(more.time, part.counters.marshalling.value_or(Nanoseconds(0)).count());
      count(more.bytes, part.counters.bytes_moved.value_or(0));
    }
    count(more.bytes, visit.inputs_copied.bytes);
    count(more.bytes, visit.outputs_copied.bytes);
    count(more.time, time);
    count(more.bytes, bytes);
    if (fits) *this = more;
    return fits;
  }
};

/// A copy that begins at `after` or later and ends at `before` or earlier, where these are given.
TensorCopy checked_copy(std::string_view stage, std::int64_t batch, const TensorCopy& copy,
                        std::optional<Nanoseconds> after, std::optional<Nanoseconds> before) {
  if (copy.bytes < 0) refuse(stage, batch, "the number of bytes copied is negative; give 0 if nothing was copied");
  if (copy.bytes == 0) return {};
  check_times(stage, batch, copy.begin, copy.end);
  if ((after && copy.begin < *after) || (before && copy.end > *before))
    refuse(stage, batch, "tensors were copied during the inference; inputs are copied before it, outputs after it");
  return copy;
}

ProfileValue value_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return *integer;
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  if (const auto* time = std::get_if<Duration>(&cell)) return time->count();
  return std::monostate{};
}

ProfileTable plain(const Table& table) {
  ProfileTable result{table.name, {}, {}};
  for (const auto& column : table.columns) result.columns.push_back(column.name);
  for (const auto& row : table.rows) {
    auto& values = result.rows.emplace_back();
    for (const Cell& cell : row) values.push_back(value_of(cell));
  }
  return result;
}

std::string provenance() { return to_json(make_provenance({"takt::PipelineProfiler"})); }

}  // namespace

struct PipelineProfiler::State {
  explicit State(std::string name) { log.name = std::move(name); }

  void add(std::string_view stage, std::int64_t batch, LoggedVisit visit,
           const std::vector<std::string_view>& devices) {
    if (stage.empty()) refuse(stage, batch, "the stage has no name; give it one");
    for (const auto device : devices)
      if (device.empty()) refuse(stage, batch, "the device has no name; give it one, such as CPU");
    const std::lock_guard lock(mutex);
    const int parts = static_cast<int>(devices.size());
    const std::size_t s = log.stage(stage);
    if (s < log.stages.size() && log.stages[s].parts != parts)
      refuse(stage, batch,
             fmt::format("it has {} parts in this batch and {} in others; use different names for such stages", parts,
                         log.stages[s].parts));
    if (const auto found = log.batches.find(batch);
        found != log.batches.end() && s < found->second.size() && found->second[s])
      refuse(stage, batch, "the batch was already in this stage; give each batch its own number");
    if (!totals.add(visit))
      refuse(stage, batch,
             "the sum of times or bytes over all batches is too large to be counted; log measured values");
    if (s == log.stages.size()) log.stages.push_back({std::string(stage), parts});
    for (std::size_t p = 0; p < devices.size(); ++p) visit.parts[p].device = log.device(devices[p]);
    auto& visits = log.batches[batch];
    if (visits.size() <= s) visits.resize(s + 1);
    visits[s] = std::move(visit);
  }

  PipelineRun run() const {
    const auto copy = [&] {  // what follows takes long, and others want to log
      const std::lock_guard lock(mutex);
      return log;
    }();
    return run_of(copy);
  }

  mutable std::mutex mutex;
  PipelineLog log;
  Totals totals;
};

PipelineProfiler::PipelineProfiler(std::string name) : state_(std::make_unique<State>(std::move(name))) {}
PipelineProfiler::~PipelineProfiler() = default;

std::chrono::nanoseconds PipelineProfiler::now() { return steady_now(); }

void PipelineProfiler::log_event(std::string_view stage, std::string_view device, std::int64_t batch,
                                 std::chrono::nanoseconds submitted, std::chrono::nanoseconds completed,
                                 const ExecutionCounters& counters) {
  check_times(stage, batch, submitted, completed);
  check_counters(stage, batch, counters);
  state_->add(stage, batch, {submitted, submitted, completed, completed, {{0, submitted, completed, counters}}},
              {device});
}

void PipelineProfiler::log_execution(std::string_view stage, std::string_view device, const StageResult& result) {
  if (result.error) return;
  LoggedVisit visit{result.submitted, result.submitted, result.completed, result.completed, {}};
  visit.parts.push_back({0, result.submitted, result.completed, result.counters});
  check_times(stage, result.batch, result.submitted, result.completed);
  check_counters(stage, result.batch, result.counters);
  visit.inputs_copied = checked_copy(stage, result.batch, result.inputs_copied, std::nullopt, result.submitted);
  visit.outputs_copied = checked_copy(stage, result.batch, result.outputs_copied, result.completed, std::nullopt);
  state_->add(stage, result.batch, std::move(visit), {device});
}

void PipelineProfiler::log_execution(std::string_view stage, const DataParallelResult& result) {
  check_times(stage, result.batch, result.begin, result.begin);
  for (const auto length : {result.partition_time, result.sync_merge_time, result.wake_up})
    check_length(stage, result.batch, length);
  const auto dispatched = result.begin + result.partition_time;
  LoggedVisit visit{result.begin, dispatched, dispatched, dispatched, {}};
  std::vector<std::string_view> devices;
  check_times(stage, result.batch, result.begin, dispatched);
  for (const PartTimes& part : result.parts) {
    check_times(stage, result.batch, dispatched, part.submitted);
    check_times(stage, result.batch, part.submitted, part.completed);
    check_counters(stage, result.batch, part.counters);
    visit.parts.push_back({0, part.submitted, part.completed, part.counters});
    devices.push_back(part.device);
    visit.merged = std::max(visit.merged, part.completed);
  }
  if (devices.size() < 2) refuse(stage, result.batch, "it has no parts; log the result of DataParallelStage::run()");
  visit.done = visit.merged + result.sync_merge_time;
  visit.merged += result.wake_up;
  check_times(stage, result.batch, visit.merged, visit.done);
  state_->add(stage, result.batch, std::move(visit), devices);
}

std::int64_t PipelineProfiler::finished() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<std::int64_t>(logged_batches(state_->log).delivered.size());
}

std::int64_t PipelineProfiler::unfinished() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<std::int64_t>(state_->log.batches.size() - logged_batches(state_->log).delivered.size());
}

std::string PipelineProfiler::text() const {
  return at_the_door([&] { return to_text(account(state_->run())); });
}

std::vector<ProfileTable> PipelineProfiler::tables() const {
  return at_the_door([&] {
    std::vector<ProfileTable> result;
    for (const Table& table : takt::tables(account(state_->run()))) result.push_back(plain(table));
    return result;
  });
}

std::string PipelineProfiler::table(std::string_view name, TableFormat format) const {
  const auto all = at_the_door([&] { return takt::tables(account(state_->run())); });
  const auto found = std::find_if(all.begin(), all.end(), [&](const Table& table) { return table.name == name; });
  if (found == all.end()) {
    std::string names;
    for (const Table& table : all) names += (names.empty() ? "" : ", ") + table.name;
    throw Error(ErrorKind::bad_input,
                fmt::format("'{}' is not a table of a pipeline; it has {}", printable(name), names));
  }
  switch (format) {
    case TableFormat::csv:
      return to_csv(*found);
    case TableFormat::json:
      return to_json(std::span(&*found, 1), provenance());
    case TableFormat::markdown:
      return to_markdown(*found);
    case TableFormat::text:
      break;
  }
  return to_text(*found);
}

std::string PipelineProfiler::json() const {
  return at_the_door([&] { return to_json(takt::tables(account(state_->run())), provenance()); });
}

void PipelineProfiler::export_chrome_trace(const std::filesystem::path& file) const {
  at_the_door([&] {
    PipelineRun run = state_->run();
    run.provenance_json = provenance();
    write_chrome_trace(to_trace(run), file);
  });
}

}  // namespace takt
