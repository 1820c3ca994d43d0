// Where the time of a streaming pipeline went: per device, per stage, per batch, and along the path that made the run
// as long as it was.
//
// Everything is computed from a PipelineRun and nothing else, so a run that is read back from its trace gives the same
// account, byte by byte. Times that add up stay integer nanoseconds:
//   device:  busy + copy + sync + starved + blocked + dispatch + fill + drain = wall, the window of the run
//   batch:   source wait + Σ over stages (queue wait + copy + stage time + blocked) = end-to-end latency; where stages
//            fork, Σ over those on the way that took longest
//   split:   partition + longest device time + sync-merge = stage time
// Warm-up batches are in these sums, and in no mean, percentile or load.
// docs/glossary.md has the words, device_account.cpp the rules for idle time, critical_path.cpp those for blame,
// steady_state.cpp those for the cycle, binding.cpp those for what binds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/units.h"
#include "base/statistics/spread.h"
#include "base/table/long_table.h"
#include "base/table/table.h"
#include "pipeline/record/pipeline_run.h"

namespace takt {

/// A part of a run's time. The window of a run, which is its makespan in every command: from the first start of an
/// execution to the last end of one, anywhere; empty without one.
struct RunWindow {
  Nanoseconds begin{}, end{};
  Nanoseconds length() const { return end - begin; }
};

struct DeviceAccount {
  std::string name, runtime;
  std::int64_t executions = 0;
  Nanoseconds wall{};  ///< the sum of the next eight
  Nanoseconds busy{}, copy{}, sync{}, starved{}, blocked{}, dispatch{}, fill{}, drain{};
  Nanoseconds executing{};  ///< Σ execution times; more than `busy` where executions overlap
  Spread bubbles;           ///< idle intervals of the window, whatever their cause
  /// Sums over the executions whose runtime reported counters; nullopt if none did.
  std::optional<Nanoseconds> hardware, penalty;  ///< Σ counters, Σ (wall − counters)
};

/// One stage on one of its devices.
struct ShareAccount {
  int device = 0, stage = 0;
  std::int64_t executions = 0;
  Nanoseconds busy{};       ///< union of the stage's executions there; where stages overlap, their sum is beyond busy
  Nanoseconds executing{};  ///< Σ execution times
  Nanoseconds warm_up{};    ///< of `executing`, that of warm-up batches
  /// Median over the stage's other devices of what an execution takes, where it takes half as long again here.
  std::optional<Duration> others{};
};

/// Median stage times at both ends of a run.
struct StageDrift {
  Duration first{}, last{};
};

struct StageAccount {
  std::string name;
  std::string devices;  ///< "CPU", or "CPU+sim:NPU" of a stage on several
  int replicas = 1, parts = 1;
  std::int64_t batches = 0;                ///< that passed it and did not skip it
  Nanoseconds total{};                     ///< their stage times
  std::optional<Nanoseconds> first;        ///< stage time of batch 0, where it is warm-up
  Spread time, queue_wait, copy, blocked;  ///< one value per batch that is not warm-up
  /// Sums over the executions with counters, without warm-up; missing where the runtime told none.
  std::optional<Nanoseconds> hardware, penalty;
  std::int64_t counted = 0;  ///< executions with counters
  /// The runtime's input, reorder and convert nodes, and takt's own copies; missing where neither was told.
  std::optional<Nanoseconds> marshalling;
  std::int64_t marshalled = 0;  ///< executions that `marshalling` is of
  std::optional<std::int64_t> bytes_moved;
  /// Mean time of an execution beside which nothing else ran anywhere, and how much longer an execution took on
  /// average, both without warm-up. Missing where none was alone.
  std::optional<Duration> alone, slowed;
  std::optional<StageDrift> drift;  ///< where the stage became slower or faster during the run (uneven.h)
  Duration load{};  ///< time between batches that this stage alone, or the device it shares, would allow
};

struct BatchAccount {
  Nanoseconds arrived{}, admitted{}, delivered{};
  /// Over all stages, or over those on the way that took longest; copies are in none of the others.
  Nanoseconds queue_wait{}, copy{}, working{}, blocked{};
  Nanoseconds cycle{};  ///< cycle latency: the longest of its stage times
  int slowest = 0;      ///< the stage of it
  Nanoseconds latency() const { return delivered - arrived; }
};

/// One part of one batch in a data-parallel stage. The last four are the same for all parts of the batch.
struct PartAccount {
  std::int64_t batch = 0;
  int stage = 0, part = 0;
  int device = 0;
  Nanoseconds queue_wait{};   ///< from the common dispatch until the part started
  Nanoseconds device_time{};  ///< from the common dispatch to this part's completion
  Nanoseconds partition{};
  Nanoseconds skew{};        ///< last completion − first; beside the sum, not in it
  Nanoseconds wake_up{};     ///< last completion to the start of the merge
  Nanoseconds sync_merge{};  ///< last completion to the merged output
  Nanoseconds stage_total{};
};

/// What a stretch of the critical path was spent on.
enum class PathActivity : std::uint8_t {
  run,        ///< an ordinary stage or a part executed
  partition,  ///< on the host
  merge,      ///< on the host
  dispatch,   ///< everything was there, and the next thing had not begun: scheduling, hand-over
  source,     ///< the pipeline waited for batches to come
  copy,       ///< a tensor was copied on its way to or from an execution
};

/// Why the next stretch of the path could not begin before the end of this one.
enum class PathBinding : std::uint8_t {
  data,       ///< it needed the result
  replica,    ///< all replicas of its stage held a batch
  request,    ///< its device executed as much as it may
  room,       ///< its batch was blocked: the queue behind was full
  order,      ///< an earlier batch had to leave first
  in_flight,  ///< the source may have no more batches inside
  end,        ///< it is the end of the run
};

struct PathShare {
  PathActivity activity = PathActivity::run;
  int stage = -1;   ///< -1: the source
  int device = -1;  ///< Execution::host: the host, or none
  PathBinding binding = PathBinding::data;
  std::int64_t count = 0;
  Nanoseconds total{};
};

/// What a lap of the critical path waited for before it could begin: what keeps batches from following each other
/// sooner.
enum class Binder : std::uint8_t {
  stage,      ///< its replicas were taken
  device,     ///< it executed as much as it may
  queue,      ///< in front of a stage, full
  order,      ///< kept in a stage
  in_flight,  ///< as many batches inside as may be
  source,     ///< had no batch
  dispatch,   ///< not a wait for anything: time between what was there and what had not begun
  start,      ///< nothing: the lap goes back to the begin of the run
};

struct BinderShare {
  Binder binder = Binder::start;
  int stage = -1, device = -1;  ///< where the binder is one
  std::int64_t laps = 0;
  Nanoseconds total{};
};

/// What keeps the cycle from being shorter. See binding.cpp.
struct Bindings {
  RunWindow window;                 ///< the steady part of the run; without one, all up to the last delivery
  std::vector<BinderShare> shares;  ///< the critical path in it, the largest first; they add up to it
  std::optional<BinderShare> main;  ///< that names the run; missing where no batch waited for another
  double load_share = 0;            ///< largest load of a stage over the cycle; 0: not known
};

/// An open source that brings more than the pipeline takes.
struct Overload {
  double in_per_s = 0, out_per_s = 0;
  double wait_growth = 0;  ///< seconds that the wait at the source grows by in a second
};

struct CriticalPath {
  std::vector<PathShare> shares;  ///< the largest first
  Nanoseconds length{};           ///< from the window's begin to the last delivery
  Nanoseconds explained{};        ///< Σ of the shares; shorter only where the run contradicts its own rules
};

struct Accounts {
  std::string name;
  bool virtual_clock = false, interrupted = false;
  RunWindow window;
  std::vector<DeviceAccount> devices;
  std::vector<StageAccount> stages;
  std::vector<BatchAccount> batches;
  std::vector<Nanoseconds> stage_times;  ///< batch · stages + stage
  std::vector<PartAccount> parts;        ///< by batch, stage and part
  CriticalPath path;
  std::int64_t warmup = 0;  ///< batches at the beginning that are in no mean; fewer than there are batches
  Spread latency, cycle_latency, source_wait;  ///< without warm-up; source_wait: of an open source
  /// First to last of the deliveries between warm-up and drain; missing where they are too few to tell a pattern.
  std::optional<RunWindow> steady;
  std::int64_t steady_deliveries = 0;
  std::optional<Duration> cycle;           ///< slope of the deliveries there
  std::optional<double> throughput_per_s;  ///< 1 / cycle
  std::optional<double> overall_per_s;     ///< batches over the window; missing of an empty window
  std::optional<std::int64_t> in_flight;   ///< the most batches inside, where that is bounded
  /// Of an open source in the steady part, by the slope of arrivals; also of a program's own report that waits for its
  /// source or drops batches, which count.
  std::optional<double> arrivals_per_s;
  std::optional<LoggedFacts> logged;  ///< as of the run
  std::optional<Overload> overload;
  Bindings bindings;
  std::vector<ShareAccount> device_stages;  ///< by device, then by stage; a device's stages that ran there or could
  std::optional<int> bottleneck, second;    ///< stages
  std::optional<double> margin;             ///< load of the first over that of the second, − 1
};

/// Throws Error(bad_input) if the run's records do not fit its shape. O(n log n) in executions and visits, and nearly
/// O(n) where they are nearly in order.
Accounts account(const PipelineRun& run);

/// summary, devices, stages, batches, parts, splits, critical_path, bindings, device_stages.
std::vector<Table> tables(const Accounts& accounts);
std::vector<TableSchema> account_schemas();

/// The one of this name; there is one, or it is our own mistake.
Table table(const Accounts& accounts, std::string_view name);
/// The same; those of batches and parts, which have as many rows as the run has of these, some rows at a time.
/// `accounts` must outlive it.
LongTable long_table(const Accounts& accounts, std::string_view name);

/// The window of `run`, without the rest of its account.
RunWindow window_of(const PipelineRun& run);

/// What a person reads: the tables but for batches and parts, of which there are many.
std::string to_text(const Accounts& accounts, const TextStyle& style = {});

}  // namespace takt
