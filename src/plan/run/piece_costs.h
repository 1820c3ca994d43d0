// What pieces of a model cost on units: every span of pieces as one model, opened and timed on every unit.
//
// A fused span is measured, never added up: runtimes fuse operators across what would be a cut. A time begins and ends
// in host memory, so transfers have no time of their own; what units do to each other is not in it.
//
// All spans are measured one after the other, and all of them anew in a second and a third round: a machine is slower
// for seconds at a time, and no number of runs in one go sees that. How far rounds are apart, of all spans of a unit
// together, says how sure each of its times is.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/table/table.h"
#include "plan/estimate/cost_source.h"
#include "plan/estimate/costs.h"
#include "plan/run/planned_pieces.h"

namespace takt {

struct PieceMeasurement {
  StageSpan span;
  std::string unit;
  std::optional<Nanoseconds> time;  ///< the middle round's median; missing: refused
  std::string reason;               ///< why there is none
  std::optional<double> error{};    ///< standard error of the time's logarithm; needs two rounds
};

struct PieceMeasuring {
  int runs = 30;      ///< of each in all rounds, and in each two more that do not count
  int rounds = 3;     ///< no more than runs
  bool check = true;  ///< a unit that computes wrong numbers for pieces is taken as one that does not run them
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};  ///< may be empty
  const std::atomic<bool>* stop = nullptr;
};

/// By span, then unit. Throws Error(io), and Error(runtime) when stopped; what a unit refuses or computes
/// wrongly is in the result.
std::vector<PieceMeasurement> measure_pieces(const PlannedPieces& model, const PieceMeasuring& settings);

/// No block can be divided.
std::shared_ptr<const PlanCosts> costs_of(int pieces, const std::vector<std::string>& units,
                                          std::vector<PieceMeasurement> measurements);

/// Those costs as they could come out if they were measured anew: each time is off by its own error. nullopt where a
/// time has none. `slow_downs`, with `answers` as in SlowDownTable, are put on what is drawn; none
/// may be.
std::optional<PlanCostSource::Draws> draws_of(int pieces, const std::vector<std::string>& units,
                                              const std::vector<PieceMeasurement>& measurements,
                                              const std::vector<PairRow>& slow_downs,
                                              const KnownStages* answers = nullptr);

/// "piece_costs", a row per span and unit.
Table piece_costs_table(const std::vector<PieceMeasurement>& measurements);
TableSchema piece_costs_schema();

}  // namespace takt
