// Measures stages alone and beside loads, and predicts the slow-downs of all pairs from it (stage_contention.h). Where
// the pairs were measured, too, it says how far the predictions are off.
//
// An interval is the spread between rounds: each round gives predictions of its own, and their logarithms an interval
// of 95 % by Student's distribution around the prediction from the medians of all rounds. It holds what measuring again
// would change, and not what the model leaves out.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/table/table.h"
#include "pipeline/contention/interference.h"
#include "pipeline/contention/stage_contention.h"

namespace takt {

/// Runs stages (numbers) and loads (by resource), one measurement a call.
class LoadedRuns {
 public:
  struct Beside {
    double time_ns = 0;                 ///< usual time of the stage's executions
    double overlap = 1;                 ///< share of it in which the load ran
    std::optional<double> load_lost{};  ///< what the load suffered, 1: nothing; only where it presses on one resource
    std::optional<double> alone_ns{};   ///< usual time alone just before and behind it; nullopt: as alone() told
  };
  virtual ~LoadedRuns() = default;
  /// Usual time of the stage's executions while nothing else runs, in ns. Comes before every beside() of a round.
  virtual double alone(int stage) = 0;
  /// `levels` by resource.
  virtual Beside beside(int stage, std::span<const double> levels) = 0;
  /// Slow-down of the load of `resource` at full level, beside another load.
  virtual double load_beside(int resource, std::span<const double> levels) = 0;
};

/// All that was measured in one round.
struct SingleRound {
  std::vector<double> alone;  ///< by stage, ns
  LoadRound answers;
};

struct SingleSettings {
  int rounds = 3;  ///< at least 2
  LoadPlan plan;
  bool loads = true;                        ///< what loads do to each other, too
  const std::atomic<bool>* stop = nullptr;  ///< true: the round is given up; those before it count
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};  ///< between measurements
  std::function<void()> after_round{};  ///< for what else is measured in turns with these
};

/// 1/count, 2/count … 1.
std::vector<double> even_levels(int count);

/// A value with an interval of 95 %.
struct Estimate {
  double value = 1, low = 1, high = 1;
};

/// A stage beside the load of one resource at one level.
struct LoadedRow {
  std::string stage, resource;  ///< "[load of memory]" is no stage but a load at full level
  double level = 0;
  Estimate slow_down;
};

struct PressureRow {
  std::string stage, resource;
  Estimate load_lost;  ///< slow-down of the load at full level
  Estimate pressure;
  double weaker_share = 1;  ///< of the stage, the same for all resources
};

struct SingleReport {
  std::vector<std::string> stages, resources;
  std::vector<AloneRow> alone;
  std::vector<StageContention> contentions;  ///< by stage, from the medians of the rounds
  std::vector<LoadedRow> loaded;
  std::vector<PressureRow> pressures;
  std::vector<PairRow> pairs;  ///< predicted: by stage, then beside
  int rounds = 0;
  bool interrupted = false;
};

/// The measuring alone, of so many stages (none: of loads only) and resources: for who measures stages one after the
/// other and puts their rounds together. Fewer rounds than asked for where it is stopped. Throws as `runs` does.
std::vector<SingleRound> measure_rounds(std::size_t stages, std::size_t resources, LoadedRuns& runs,
                                        const SingleSettings& settings);

/// All that follows from rounds, one or more, of all stages and loads.
SingleReport single_report(const std::vector<std::string>& stages, const std::vector<std::string>& resources,
                           const std::vector<SingleRound>& rounds, const LoadPlan& plan);

/// Throws as `runs` does, Error(bad_input) without stages or resources, and Error(runtime) when it is stopped before a
/// round is done.
SingleReport measure_single(const std::vector<std::string>& stages, const std::vector<std::string>& resources,
                            LoadedRuns& runs, const SingleSettings& settings);

/// A pair that was predicted and measured.
struct PredictionRow {
  std::string stage, beside;
  Estimate predicted;
  std::optional<double> measured, error;  ///< error: predicted / measured − 1; missing where the two never ran at once
};

struct PredictionCheck {
  std::vector<PredictionRow> rows;
  std::optional<double> mean_error, largest_error;  ///< of |error|; missing without a row that has one
};

/// Both by the same stages.
PredictionCheck check_predictions(const SingleReport& predicted, const InterferenceReport& measured);

/// loaded, pressures.
std::vector<Table> single_tables(const SingleReport& report);
Table pressures_table(const std::vector<PressureRow>& rows);
Table predictions_table(const PredictionCheck& check);
std::vector<TableSchema> single_schemas();  ///< loaded, pressures, predictions
std::string to_text(const SingleReport& report, const TextStyle& style);
/// "Mean error 1.2 %, the largest 3.1 % (a beside b), of 9 pairs."
std::string to_text(const PredictionCheck& check, const TextStyle& style);

}  // namespace takt
