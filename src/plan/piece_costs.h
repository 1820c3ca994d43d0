// What pieces of a model cost on units: every span of pieces as one model, opened and timed on every unit.
//
// A fused span is measured, never added up: runtimes fuse operators across what would be a cut. A time begins and ends
// in host memory, so transfers have no time of their own; what units do to each other is not in it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/table.h"
#include "plan/plan_costs.h"
#include "plan/planned_pieces.h"

namespace takt {

struct PieceMeasurement {
  StageSpan span;
  std::string unit;
  std::optional<Nanoseconds> time;  ///< median; missing: refused
  std::string reason;               ///< why there is none
};

struct PieceMeasuring {
  int runs = 30;                                                               ///< of each, after two that do not count
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};  ///< may be empty
  const std::atomic<bool>* stop = nullptr;
};

/// By span, then unit. Throws Error(io), and Error(runtime) when stopped; what a unit refuses is in the result.
std::vector<PieceMeasurement> measure_pieces(const PlannedPieces& model, const PieceMeasuring& settings);

/// No block can be divided.
std::shared_ptr<const PlanCosts> costs_of(int pieces, const std::vector<std::string>& units,
                                          std::vector<PieceMeasurement> measurements);

/// "piece_costs", a row per span and unit.
Table piece_costs_table(const std::vector<PieceMeasurement>& measurements);
TableSchema piece_costs_schema();

}  // namespace takt
