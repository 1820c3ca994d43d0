// Shows where the time of your pipeline goes: you log what every batch did in every stage, and get the tables of `takt
// pipeline analyze` and a trace for `takt`, ui.perfetto.dev and chrome://tracing.
//
//   takt::PipelineProfiler profiler("mine");
//   const auto start = takt::PipelineProfiler::now();
//   decode(batch);                                              // your own code …
//   profiler.log_event("decode", "CPU", batch, start, takt::PipelineProfiler::now());
//   infer.set_callback([&](takt::StageResult result) {          // … or an executor's, or a data-parallel stage's
//     profiler.log_execution("infer", infer.device(), result);
//   });
//   …
//   std::cout << profiler.text();                               // utilisation, bubbles, bottleneck, critical path
//   profiler.export_chrome_trace("pipeline_trace.json");        // then: takt pipeline analyze pipeline_trace.json
//
// A batch goes through the stages one after the other, once through each. The order of the stages is the order in which
// batches went through them, regardless of the order of the calls. The time between two stages of a batch counts as
// waiting for the second. A batch may skip stages. It is delivered if it was in a stage from which no batch goes on; one
// that ended elsewhere while others went on was dropped, and the others are left out. unfinished() counts both.
// examples/pipeline_profiler is a whole program. Link with takt::takt.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "takt/data_parallel.h"
#include "takt/error.h"
#include "takt/export.h"
#include "takt/stage_executor.h"

namespace takt {

/// A value of a table. monostate: unknown, which is not 0. Keys end in the unit (`total_us`: microseconds).
using ProfileValue = std::variant<std::monostate, std::string, std::int64_t, double>;

/// A table as rows. Names of tables and columns are those of docs/tables.md; `takt explain COLUMN` has their meanings.
struct ProfileTable {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<ProfileValue>> rows;  ///< each as long as `columns`
};

enum class TableFormat { text, csv, json, markdown };

/// Thread-safe: any number of threads may log concurrently, and results may be requested meanwhile. No event is lost or
/// dropped; an execution takes about 200 bytes.
class TAKT_EXPORT PipelineProfiler {
 public:
  /// `name` is that of the pipeline in the results.
  explicit PipelineProfiler(std::string name);
  ~PipelineProfiler();
  PipelineProfiler(const PipelineProfiler&) = delete;
  PipelineProfiler& operator=(const PipelineProfiler&) = delete;

  /// The clock of all times here, std::chrono::steady_clock, in nanoseconds.
  static std::chrono::nanoseconds now();

  /// A batch in a stage, from its start there to its end. `batch` is any number that is unique to the batch; rows
  /// of results are in the order of these numbers. Throws Error(bad_input), and keeps what it had, for a
  /// stage or device without a name, an end before the start, times more than 36 years from now, counters below 0,
  /// times or bytes of all batches that no sum can hold, and a batch that was in that stage before.
  void log_event(std::string_view stage, std::string_view device, std::int64_t batch,
                 std::chrono::nanoseconds submitted, std::chrono::nanoseconds completed,
                 const ExecutionCounters& counters = {});
  /// Logs an executor's result, with its copies of tensors; a failed one is left out. May be called in the executor's
  /// callback. Throws Error(bad_input) also for copies during the inference.
  void log_execution(std::string_view stage, std::string_view device, const StageResult& result);
  /// A batch in a data-parallel stage: partition and merge on the host and the parts on their devices, as in the trace
  /// of an engine. All batches of a stage must have the same number of parts, two or more. Throws Error(bad_input) as
  /// log_event() does, and where parts end before they begin or begin before the partition ends.
  void log_execution(std::string_view stage, const DataParallelResult& result);

  std::int64_t finished() const;    ///< batches that were delivered
  std::int64_t unfinished() const;  ///< batches that were not: in flight, dropped, or failed

  /// Returns a report to read: the answers first, then the tables, except those with a row per batch. This function and
  /// the following ones throw Error(bad_input) if no batch was delivered, and if a batch was in a stage
  /// before another one had left it.
  std::string text() const;
  /// summary, bindings, devices, stages, batches, parts, device_stages, splits, critical_path; a table may have no
  /// rows.
  std::vector<ProfileTable> tables() const;
  /// Returns one of the tables as a string. Throws Error(bad_input) also for an unknown name.
  std::string table(std::string_view name, TableFormat format = TableFormat::text) const;
  /// Returns all tables as one JSON string, as `takt pipeline analyze --format json` prints it: {"takt": …, "tables":
  /// …}.
  std::string json() const;
  /// Writes the run as a trace that `takt pipeline analyze` and `takt pipeline whatif` read; compressed if the name
  /// ends in ".gz". The file is written atomically. Throws also Error(io).
  void export_chrome_trace(const std::filesystem::path& file = "pipeline_trace.json") const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace takt
