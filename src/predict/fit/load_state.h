// The load beside a measurement: what was asked of a stressor, and what could be seen of it before the run began.
//
// Seen is seen before, never during: what is measured of a machine while a model runs on it is the model's own load,
// too, and nobody who asks for a prediction can have it.
#pragma once

#include <chrono>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "predict/load/reading.h"
#include "predict/sources/config.h"
#include "predict/stress/stress.h"

namespace takt {

/// The load requested from a stressor; quiet: none ran.
struct AskedLoad {
  std::string kind;  ///< "compute", "memory" or "cache"; empty: none
  double level = 0;  ///< 0 to 1, of each thread
  int threads = 0;

  bool is_quiet() const { return kind.empty(); }
  bool operator==(const AskedLoad&) const = default;
  bool operator<(const AskedLoad& other) const {
    return std::tie(kind, level, threads) < std::tie(other.kind, other.level, other.threads);
  }
};
/// "memory 60% x 2"; empty: none.
std::string to_string(const AskedLoad& load);
inline constexpr std::string_view stress_kinds[] = {"compute", "memory", "cache"};
bool is_stress_kind(std::string_view kind);
/// Returns the task of a stressor that generates `load` (not quiet) for `duration`, or until its parent ends.
StressTask stress_task_of(const AskedLoad& load, Nanoseconds duration);

/// Live values by the name of a LoadFeature.
using SeenLoad = std::map<std::string, double, std::less<>>;
/// The features that a prediction may use, in the order of a dataset's columns.
std::span<const std::string_view> seen_load_features();
/// What else a probe tells of a load that has just changed (predict/load/fair_share.h). Of the moment, so not in datasets.
inline constexpr std::string_view wait_trend_feature = "probe_wait_trend";
/// Of all these, what the snapshot tells of this device ("host"), and of the first GPU. How long threads wait is not
/// taken from a probe of less than `least_probe_time`: laws are learnt from long ones, and a brief one sees something
/// else.
SeenLoad seen_in(const LoadSnapshot& snapshot);
inline constexpr Nanoseconds least_probe_time = std::chrono::milliseconds(450);  // half a second, less what clocks miss
/// What to do about a probe of the snapshot that was too brief, in a sentence; empty: there is none.
std::string brief_probe(const LoadSnapshot& snapshot);

/// How the load is looked at before a measurement or a prediction, where nobody says otherwise: shorter than `takt
/// load` by the system's files, and longer by the probe.
LoadConfig usual_load_config();

/// Which loads a collection puts beside its models.
struct StressPlan {
  std::vector<std::string> kinds{"compute", "memory", "cache"};
  std::vector<double> levels{0.3, 0.6, 0.9};
  std::vector<int> threads;  ///< empty: one and two per processor
  int per_model = 0;         ///< so many of all combinations, drawn for each model; 0: all
  /// Of a measurement beside a load, where that is more than in quiet: within a second it is luck whom a thread shares
  /// its processor with (predict/load/fair_share.h).
  Duration time = std::chrono::seconds(2);
  /// Of a model with this number in the collection; a new draw for each, the same for the same seed.
  std::vector<AskedLoad> loads_of(std::size_t model, std::uint64_t seed) const;
};

}  // namespace takt
