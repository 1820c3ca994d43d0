#include "plan/costs/tables.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "plan/costs/range_bytes.h"
#include "plan/costs/raw_measurements.h"

namespace takt {
namespace {

using RowsByKey = std::map<StageKey, const StageMeasurement*>;

RowsByKey rows_by_key(const StageMeasurements& measurements) {
  RowsByKey rows;
  for (const StageMeasurement& row : measurements.rows) rows[row.key] = &row;
  return rows;
}

std::vector<GraphSize> all_sizes(const StageMeasurements& measurements, std::span<const GraphSize> asked) {
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  for (const GraphSize& size : asked) seen.emplace(size.nodes, size.edges);
  for (const StageMeasurement& row : measurements.rows) seen.emplace(row.key.nodes, row.key.edges);
  std::vector<GraphSize> sizes;
  for (const auto& [nodes, edges] : seen) sizes.push_back({nodes, edges});
  return sizes;
}

double bytes_of_row(const CostTables& tables, const StageKey& key) {
  return double(bytes_of({tables.network, key.first, key.last}, {key.nodes, key.edges}, tables.features));
}

/// The time of all copies of a row; nullopt: its runtime copies nothing.
std::optional<Duration> copied_time(const StageMeasurement& row) {
  if (!row.inputs_copy && !row.outputs_copy) return std::nullopt;
  Duration time{};
  if (row.inputs_copy) time += row.inputs_copy->median;
  if (row.outputs_copy) time += row.outputs_copy->median;
  return time;
}

void add_laws(const CostTables& tables, RangeCosts& costs) {
  std::vector<BytesTime> times, copied;
  std::vector<TimeAtSize> fitted;
  for (const CostRow& one : costs.rows) {
    if (!one.row || !one.row->times) continue;
    const double bytes = bytes_of_row(tables, one.key);
    const Duration mean = one.row->times->mean;
    times.push_back({bytes, mean.count() / 1e3});
    fitted.push_back({{one.key.nodes, one.key.edges}, tables.features, mean});
    if (const auto copy = copied_time(*one.row)) copied.push_back({bytes, copy->count() / 1e3});
  }
  costs.regression = regress_bytes(times);
  costs.split = identifiability(costs.regression, copied);
  costs.fit = fit_stage(fitted);
  for (CostRow& one : costs.rows)
    if (one.row && one.row->times)
      one.split = split_time(costs.regression, bytes_of_row(tables, one.key), one.row->times->mean);
}

RangeCosts costs_of(const CostTables& tables, const RowsByKey& rows, std::string_view unit, int first, int last) {
  RangeCosts costs;
  costs.unit = unit;
  costs.first = first;
  costs.last = last;
  for (const GraphSize& size : tables.sizes) {
    CostRow& one = costs.rows.emplace_back();
    one.key = {size.nodes, size.edges, costs.unit, first, last};
    if (const auto found = rows.find(one.key); found != rows.end()) one.row = *found->second;
  }
  add_laws(tables, costs);
  return costs;
}

UnitCopies copies_of(const StageMeasurements& measurements, std::string_view unit) {
  std::vector<StageCopy> inputs, outputs;
  for (const StageMeasurement& row : measurements.rows) {
    if (row.key.unit != unit) continue;
    if (row.inputs_copy) inputs.push_back(*row.inputs_copy);
    if (row.outputs_copy) outputs.push_back(*row.outputs_copy);
  }
  return {std::string(unit), fit_copies(inputs), fit_copies(outputs)};
}

void make_table_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(ErrorKind::io,
                fmt::format("cannot make the folder {}: {}", printable(folder.string()), error.message()));
}

template <typename Part>
std::optional<double> mean_of(const RangeCosts& costs, Part part) {
  double sum = 0;
  int count = 0;
  for (const CostRow& row : costs.rows) {
    const std::optional<std::int64_t> ns = row.split ? part(*row.split) : std::nullopt;
    if (ns) sum += double(*ns), ++count;
  }
  return count > 0 ? std::optional(sum / count / 1e6) : std::nullopt;
}

}  // namespace

CostTables make_cost_tables(const StageMeasurements& measurements, std::span<const GraphSize> sizes) {
  CostTables tables;
  tables.network = measurements.network;
  tables.features = measurements.features;
  tables.sizes = all_sizes(measurements, sizes);
  const RowsByKey rows = rows_by_key(measurements);
  std::set<std::pair<int, int>> fused;
  for (const StageMeasurement& row : measurements.rows)
    if (row.key.first != row.key.last) fused.emplace(row.key.first, row.key.last);
  for (const std::string_view unit : all_units) {
    for (int stage = 1; stage <= static_cast<int>(stages_of(tables.network).size()); ++stage)
      tables.stages.push_back(costs_of(tables, rows, unit, stage, stage));
    for (const auto& [first, last] : fused) tables.ranges.push_back(costs_of(tables, rows, unit, first, last));
    tables.copies.push_back(copies_of(measurements, unit));
  }
  return tables;
}

std::optional<double> mean_compute_ms(const RangeCosts& costs) {
  return mean_of(costs, [](const SplitTime& split) { return split.compute_ns(); });
}

std::optional<double> mean_total_ms(const RangeCosts& costs) {
  return mean_of(costs, [](const SplitTime& split) { return std::optional(split.total_ns); });
}

std::optional<double> speed_up(const RangeCosts& slow, const RangeCosts& fast) {
  double slow_ns = 0, fast_ns = 0;
  for (std::size_t i = 0; i < slow.rows.size() && i < fast.rows.size(); ++i)
    if (slow.rows[i].split && fast.rows[i].split) {
      slow_ns += double(slow.rows[i].split->total_ns);
      fast_ns += double(fast.rows[i].split->total_ns);
    }
  return fast_ns > 0 ? std::optional(slow_ns / fast_ns) : std::nullopt;
}

CostTables write_cost_tables(const std::filesystem::path& folder, const StageMeasurements& measurements,
                             const Provenance& provenance, std::span<const GraphSize> sizes) {
  CostTables tables = make_cost_tables(measurements, sizes);
  make_table_folder(folder);
  write_file_atomically(folder / "raw_measurements.json", raw_measurements_json(measurements, provenance));
  write_file_atomically(folder / "lookup_table.json", lookup_table_json(tables, provenance));
  write_file_atomically(folder / "bandwidth_table.json", bandwidth_table_json(tables, provenance));
  if (!tables.ranges.empty())
    write_file_atomically(folder / "ranges_table.json", ranges_table_json(tables, provenance));
  write_file_atomically(folder / "profiling_report.txt", profiling_report(tables, provenance));
  return tables;
}

}  // namespace takt
