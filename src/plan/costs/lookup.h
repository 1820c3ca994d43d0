// What a stage or fused range costs on a unit at any size: the answer that planners and `takt lookup` work with.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "plan/costs/errors.h"
#include "plan/costs/raw_measurements.h"
#include "plan/costs/stage_fit.h"

namespace takt {

enum class CostOrigin {
  measured,      ///< at this very size
  fitted,        ///< by the law of the other sizes, between them
  extrapolated,  ///< by the same law, beyond them
};
std::string_view origin_name(CostOrigin origin);  ///< "measured", "fitted", "extrapolated"

struct StageCost {
  Duration mean{};
  /// In 90 % of repetitions the mean should lie between: Student's interval of the samples where the size was measured,
  /// else the fit's. Missing: measured, and the file has no two samples.
  std::optional<Duration> low, high;
  CostOrigin origin = CostOrigin::measured;
  std::string runtime, device;  ///< what really ran; empty where the file does not say
};

struct CostAnswer {
  std::optional<StageCost> cost;
  std::string reason;  ///< one sentence: why there is none
};

struct UnitRange {
  std::string unit;  ///< one of all_units
  int first = 1, last = 1;

  auto operator<=>(const UnitRange&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// Keeps rows and fits; asking costs microseconds. Thread-safe once made.
class CostLookup {
 public:
  explicit CostLookup(StageMeasurements measurements);
  CostLookup(CostLookup&&) = default;
  CostLookup& operator=(CostLookup&&) = default;

  Network network() const { return measurements_.network; }
  std::int64_t features() const { return measurements_.features; }
  /// In the order of all_units, then stages: those that have a row, measured or not.
  std::vector<UnitRange> ranges() const;
  std::vector<GraphSize> sizes() const;  ///< with a row of any stage, by nodes, then edges

  /// A size that was measured is answered by its row; one that failed there has no cost, whatever the others say. Nor
  /// has one at or beyond a failure (no more memory) that no measured size reaches, or one beyond all that ran in nodes
  /// or edges, as such a failure is: it is not known where between them it began. A fused range is never made of its
  /// stages: fused they take a fraction of the sum. `size` with at least one node.
  CostAnswer cost(const UnitRange& range, const GraphSize& size) const;

  /// The same by the law alone, where there is one: a size that was measured is answered as those around it are,
  /// without the error of its row. For comparing sizes with each other.
  CostAnswer cost_by_law(const UnitRange& range, const GraphSize& size) const;

  /// How wrong the cost at this size and of shares of it may be. nullopt: there is no cost, or nothing tells (a row
  /// without samples and no law that it could be held against).
  std::optional<CostErrors> errors(const UnitRange& range, const GraphSize& size) const;

  /// What copying the tensors of a range between takt's memory and the runtime's takes at a size: as measured there,
  /// else by a law of the sizes at which it was measured. nullopt: it was measured at too few, or the runtime copies
  /// nothing.
  std::optional<Duration> inputs_copy(const UnitRange& range, const GraphSize& size) const;
  std::optional<Duration> outputs_copy(const UnitRange& range, const GraphSize& size) const;

 private:
  struct Costs {
    std::vector<const StageMeasurement*> rows;
    StageFitResult fit;
    StageFitResult inputs_copy, outputs_copy;
  };
  CostAnswer predicted(const UnitRange& range, const Costs& costs, const GraphSize& size) const;
  using Copy = std::optional<StageCopy> StageMeasurement::*;
  std::optional<Duration> copy(const UnitRange& range, const GraphSize& size, Copy copy,
                               const StageFitResult& law) const;

  StageMeasurements measurements_;
  std::map<UnitRange, Costs> costs_;
};

/// Reads measured costs. `place` is a sweep's folder (its results/raw_measurements.json, else raw_measurements.json) or
/// such a file. Throws Error(io) if there is none, and what read_raw_measurements() throws.
CostLookup read_costs(const std::filesystem::path& place);

/// Its raw_measurements.json. Throws Error(io) where there is none.
std::filesystem::path raw_measurements_in(const std::filesystem::path& folder);

}  // namespace takt
