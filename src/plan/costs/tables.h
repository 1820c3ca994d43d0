// The tables that planners read, made of measured rows: what every stage costs on every unit at every size, with a key
// for each whatever failed, and what the regressions over the sizes say (bandwidth.h, stage_fit.h).
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/system/provenance.h"
#include "plan/costs/bandwidth.h"
#include "plan/costs/stage_fit.h"
#include "plan/costs/stage_measurement.h"

namespace takt {

/// A size of a stage or fused range on a unit.
struct CostRow {
  StageKey key;
  std::optional<StageMeasurement> row;  ///< missing: nobody tried
  std::optional<SplitTime> split;       ///< if it was measured
};

/// A stage or fused range on a unit, at all sizes.
struct RangeCosts {
  std::string unit;
  int first = 1, last = 1;
  std::vector<CostRow> rows;  ///< by nodes, then edges
  BytesRegression regression;
  Identifiability split;
  StageFitResult fit;
};

/// Copies of all stages and sizes on a unit; without rows where its runtime copies nothing.
struct UnitCopies {
  std::string unit;
  CopyLaw inputs, outputs;
};

struct CostTables {
  Network network = Network::sage;
  std::int64_t features = 500;
  std::vector<GraphSize> sizes;    ///< by nodes, then edges
  std::vector<RangeCosts> stages;  ///< all units × all single stages, units as in all_units
  std::vector<RangeCosts> ranges;  ///< fused ranges that have a row, on all units
  std::vector<UnitCopies> copies;  ///< one per unit
};

/// `sizes`: what was to be measured; sizes of rows are added to them.
CostTables make_cost_tables(const StageMeasurements& measurements, std::span<const GraphSize> sizes = {});

/// Means over the sizes at which the stage was measured. Missing: at none, or no row has the part.
std::optional<double> mean_compute_ms(const RangeCosts& costs);
std::optional<double> mean_total_ms(const RangeCosts& costs);
/// How many times as long `slow` takes as `fast`: the ratio of their means over the sizes that both have; missing:
/// none.
std::optional<double> speed_up(const RangeCosts& slow, const RangeCosts& fast);

/// Texts of the files (docs/formats.md). The same tables give the same bytes.
std::string lookup_table_json(const CostTables& tables, const Provenance& provenance);
std::string ranges_table_json(const CostTables& tables, const Provenance& provenance);
std::string bandwidth_table_json(const CostTables& tables, const Provenance& provenance);
std::string profiling_report(const CostTables& tables, const Provenance& provenance);  ///< 80 columns

/// Writes raw_measurements.json, lookup_table.json, bandwidth_table.json, profiling_report.txt and, where ranges were
/// measured, ranges_table.json to `folder`, which is made if need be; each whole or not at all. Throws Error(io).
CostTables write_cost_tables(const std::filesystem::path& folder, const StageMeasurements& measurements,
                             const Provenance& provenance, std::span<const GraphSize> sizes = {});

}  // namespace takt
