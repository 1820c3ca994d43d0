// How much stages slow each other down, measured: each stage alone, and each pair at once (a stage beside itself, too).
//
// Of a stage that takes `alone` by itself and `together` on average beside another that ran for a share o of the
// stage's time, the slow-down while both run is f with together = alone + (1 − 1/f)·o·together, so a partner that is
// faster, and therefore idle now and then, is not taken for a harmless one.
//
// Noise is never called contention: a slow-down counts only if random permutations of the durations hardly ever give as
// much (1 % over all pairs), if it is at least 2 %, and if it is more than twice what the stage's mean alone differs
// from round to round.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/statistics/statistics.h"
#include "base/table/table.h"
#include "flow/contention.h"
#include "pipeline/record/pipeline_run.h"

namespace takt {

/// Runs these stages (numbers) of a pipeline at once, none feeding another, and gives the record; its stage k is
/// `stages[k]`. One number may be there twice.
using StageRunner = std::function<PipelineRun(const std::vector<int>& stages)>;

struct InterferenceSettings {
  int rounds = 3;                                 ///< everything is measured so often, in turns; at least 2
  std::optional<double> peak_bytes_per_second{};  ///< of memory, for the bandwidth share
  std::vector<std::optional<double>> bytes{};     ///< by stage: what one execution reads and writes; missing: not known
  std::function<bool(int stage, int beside)> wanted{};  ///< which pairs, the same both ways; empty: all
  const std::atomic<bool>* stop = nullptr;              ///< true: the round is given up; those before it count
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};  ///< between measurements
};

struct AloneRow {
  std::string stage;
  std::int64_t executions = 0;
  std::optional<Duration> mean;
  std::optional<double> drift;            ///< largest deviation of a round's mean from the mean, relative
  std::optional<double> bandwidth_share;  ///< bytes over hardware time (else: time) over the measured peak
};

/// Where the additional time of a slowed stage lies.
enum class SlowdownCause {
  unknown,     ///< nothing tells, or there is no slow-down
  scheduling,  ///< outside of the runtime's own counters: waiting for a thread or a queue
  memory,      ///< inside, and the two want more than half of the measured bandwidth
  device,      ///< inside, and they do not: cores, caches, clock
};

struct PairRow {
  std::string stage, beside;
  int stage_number = 0, beside_number = 0;
  std::int64_t executions = 0;
  std::optional<double> overlap;            ///< share of the stage's time in which the other ran
  std::optional<double> factor, low, high;  ///< slow-down while both run, with an interval of 95 %
  double p_value = 1;
  bool significant = false;
  bool predicted = false;  ///< from single stages (single_contention.h): no executions, no p_value
  SlowdownCause cause = SlowdownCause::unknown;  ///< of a significant one
};

struct InterferenceReport {
  std::vector<AloneRow> alone;
  std::vector<PairRow> pairs;  ///< by stage, then beside
  int rounds = 0;              ///< that were measured completely
  bool interrupted = false;
  bool doubted = false;  ///< doubt() was called
};

/// Throws as `run` does, Error(bad_input) for no stage, and Error(runtime) when it is stopped before a round is done.
InterferenceReport measure_interference(const std::vector<std::string>& stages, const StageRunner& run,
                                        const InterferenceSettings& settings = {});

/// No pair that was measured is called significant any more, as other programs ran meanwhile (base/system/busy.h).
/// Predicted ones stay as they are.
void doubt(std::vector<PairRow>& pairs);
void doubt(InterferenceReport& report);

/// pairs, alone.
std::vector<Table> tables(const InterferenceReport& report);
std::vector<TableSchema> interference_schemas();
std::string to_text(const InterferenceReport& report, const TextStyle& style = {});

}  // namespace takt
