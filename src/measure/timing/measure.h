// The measured loop: a session's warm-up and its samples, taken in blocks so that two sessions can take turns.
//
// Two passes one after the other would differ by whatever the machine did meanwhile: another program started, the clock
// dropped. So a plain and a profiled session alternate in blocks, and what profiling costs is the ratio of neighbouring
// blocks: drift hits both alike. A turn begins when the other session's threads no longer spin, and the first runs of
// short models, which find the other's weights in the caches, are not counted.
//
// Between samples the system is asked what the process used. A reading takes a few microseconds and leaves the caches
// a little colder, so one reading covers as many runs as keep it below 2 % of their time, and a slow run ends its span
// at once: one run per span above about 200 us, dozens of runs of a few microseconds. Which other programs used the
// processors is asked between blocks, because that takes a millisecond.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/machine/cache_probe.h"
#include "base/statistics/statistics.h"
#include "measure/open/run_result.h"
#include "measure/open/run_settings.h"

namespace takt {

/// Reports progress between measurements; `phase` is "plain", "profiled" or "plain and profiled".
using RunProgress = std::function<void(std::string_view phase, std::uint64_t done, std::uint64_t total)>;

/// One session's measurements under way. Refers to its arguments: keep them alive. `reader` may be null: no usage.
class Measurement {
 public:
  Measurement(Session& session, const RunSettings& settings, UsageReader* reader, RunPass pass);

  /// Inputs that take turns, one set a run; kept alive by the caller. Setting them is no part of a run. `of_shapes`: of
  /// different ones, so what is resident after each run is noted.
  void take_turns(const std::vector<std::vector<HostTensor>>& inputs, bool of_shapes = false) {
    turns_ = &inputs, notes_resident_ = of_shapes;
  }
  void warm_up();
  /// Measures in another session of the same model, whose inputs are set, and warms it up uncounted. Before the first
  /// sample, of a pass without operator times. False: it was asked to stop before it ran.
  bool go_on_with(Session& session);
  bool is_warm() const { return !pass_.warmup.empty(); }
  bool is_done() const;
  bool is_profiled() const { return pass_.profiled; }
  /// Measures up to `runs` runs, fewer when enough was measured. `told` is called before each run.
  void run_block(std::size_t runs, const std::function<void()>& told);
  /// Notes how fast the core's caches answer, then makes uncounted runs after another session had the machine; none
  /// where a run is too long to notice.
  void settle(CacheProbe* probe = nullptr);
  /// Runs still to come, from the times so far.
  std::size_t runs_left() const;
  std::size_t runs_done() const { return pass_.samples.size(); }
  /// Whether the session's clock is the system's.
  bool keeps_real_time() const { return reader_ != nullptr; }
  /// Sets the other programs that used the CPUs during `watched`.
  void note_programs(std::vector<ProgramTime> programs, Nanoseconds watched) {
    pass_.programs = std::move(programs), pass_.watched = watched;
  }
  void note_memory(std::optional<std::int64_t> running) { pass_.memory.running = running; }
  std::span<const Nanoseconds> samples() const { return pass_.samples; }
  Nanoseconds measured() const { return measured_; }  ///< the sum of the samples
  /// Ends the session's profiling, where it was on, and gives the result. Throws Error(runtime) when operator times are
  /// missing.
  RunPass finish();

 private:
  bool is_asked_to_stop() const { return settings_.stop && *settings_.stop; }
  std::optional<Nanoseconds> run_uncounted();
  void reset_state();
  void go_to_step_of_next_run();
  std::optional<Nanoseconds> run_to_the_host();
  void begin_span();
  void check_outputs(bool last);
  void set_next_inputs();
  void note_resident();
  bool is_reading_due(Nanoseconds now, Nanoseconds sample) const;
  void end_span(const Usage& after);
  void collect_ops_at_end();

  Session* session_;
  const RunSettings& settings_;
  UsageReader* reader_;
  RunPass pass_;
  std::vector<bool> counted_;  ///< for each run of the session: is it a sample
  Nanoseconds first_{}, measured_{};
  Usage before_;
  Nanoseconds span_began_{}, reading_cost_{};
  Nanoseconds watched_{}, waited_{};  ///< of all spans so far: wall time, and run delay
  std::size_t span_runs_ = 0;
  OutputChecks checks_;
  const std::vector<std::vector<HostTensor>>* turns_ = nullptr;
  bool notes_resident_ = false;
  int steps_done_ = 0;  ///< runs since what the model keeps was reset
};

/// Until the process's other threads have stopped working, for about 200 ms at most.
void wait_until_others_sleep(UsageReader& reader);

/// Warms up those that are not warm, then measures until all are done: one session in one go, two or more in
/// alternating blocks. `between` is called before each block.
void measure(std::span<Measurement> passes, const RunProgress& progress, const std::function<void()>& between = {});

/// How many times as long a profiled run takes: the median over pairs of neighbouring blocks of the ratio of their
/// medians, and its interval (missing below 5 pairs). nullopt without samples, or when a plain run takes no time.
struct ProfilingCost {
  double ratio = 1;
  std::optional<Interval> interval;
};
std::optional<ProfilingCost> profiling_cost(const RunPass& plain, const RunPass& profiled);

}  // namespace takt
