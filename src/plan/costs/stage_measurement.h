// What was measured of stages of a model on devices: the rows that cost tables are made of. takt's own sweeps write
// them, and raw_measurements.json of others is read into them.
//
// A row is told apart by what ran (the stage or fused range), on how large a graph, and on which unit: "CPU", "GPU" or
// "NPU", the kind of device that a plan chooses. Which device and runtime really ran it stands in the row.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/units.h"
#include "plan/gnn/edge_list.h"
#include "plan/gnn/network.h"

namespace takt {

/// The kinds of devices, in the order of tables.
inline constexpr std::array<std::string_view, 3> all_units{"CPU", "GPU", "NPU"};

struct StageKey {
  std::int64_t nodes = 0, edges = 0;
  std::string unit;         ///< one of all_units
  int first = 1, last = 1;  ///< stages, numbered from 1, both included

  auto operator<=>(const StageKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// "1000,2000,CPU,3"; of a fused range "1000,2000,CPU,1-4".
std::string to_string(const StageKey& key);
/// nullopt: it is no such text.
std::optional<StageKey> parse_stage_key(std::string_view text);

enum class StageStatus {
  measured,
  unsupported,  ///< the device refused to compile it
  failed,       ///< anything else that went wrong: the reason says what
};
std::string_view status_name(StageStatus status);  ///< "measured", "unsupported", "failed"

/// Times of one inference. Without samples (foreign files) median and p90 are missing.
struct StageTimes {
  Duration mean{}, min{}, max{};
  std::optional<Duration> stddev, median, p90;
  std::vector<Nanoseconds> samples;  ///< in the order they were taken
  /// How many samples each round has, in the same order: rounds are minutes apart, each in a process of its own. Empty:
  /// all were taken at one go.
  std::vector<std::size_t> rounds{};
};
/// What the samples say; nullopt of none.
std::optional<StageTimes> times_of(std::vector<Nanoseconds> samples);

/// How wrong a mean is.
struct MeanError {
  Duration standard_error{};
  double freedom = 0;
};
/// From the samples, or from the means of the rounds where those differ by more than their samples explain: a machine
/// has a pace of the minute, and memory its luck with each process. nullopt: fewer than two samples, or no deviation
/// known.
std::optional<MeanError> error_of_mean(const StageTimes& times);

/// A copy of a stage's tensors between takt's memory and the runtime's, measured apart from the inference.
struct StageCopy {
  std::int64_t bytes = 0;
  Duration median{};
};

struct StageMeasurement {
  StageKey key;
  StageStatus status = StageStatus::measured;
  std::string reason;                      ///< one sentence; empty if measured
  std::string runtime, device, precision;  ///< what really ran: "openvino", "CPU", "f32"; empty where nothing did
  std::optional<StageTimes> times;         ///< if measured
  std::optional<StageCopy> inputs_copy, outputs_copy;  ///< where the runtime copies
};

struct StageMeasurements {
  Network network = Network::sage;
  std::int64_t features = 500;         ///< of a node, before and after the layer
  std::vector<StageMeasurement> rows;  ///< in the order of their keys, each key once
};

}  // namespace takt
