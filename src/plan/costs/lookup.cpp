#include "plan/costs/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/statistics/significance.h"

namespace takt {
namespace {

std::size_t place_of_unit(const std::string& unit) {
  return static_cast<std::size_t>(std::find(all_units.begin(), all_units.end(), unit) - all_units.begin());
}

bool reaches(const StageKey& key, const StageKey& other) {
  return key.nodes >= other.nodes && key.edges >= other.edges;
}

/// Whether both have more nodes, or both more edges, than every size that ran: memory that ended at one of them may have
/// ended before the other.
bool both_beyond(const StageKey& key, const StageKey& other, const std::vector<const StageMeasurement*>& rows) {
  std::int64_t nodes = 0, edges = 0;
  for (const StageMeasurement* row : rows)
    if (row->times) nodes = std::max(nodes, row->key.nodes), edges = std::max(edges, row->key.edges);
  if (nodes == 0) return false;  // none ran
  return std::min(key.nodes, other.nodes) > nodes || std::min(key.edges, other.edges) > edges;
}

StageCost cost_of_row(const StageMeasurement& row) {
  StageCost cost{row.times->mean, {}, {}, CostOrigin::measured, row.runtime, row.device};
  const auto error = error_of_mean(*row.times);
  if (!error) return cost;
  const Duration half_width = error->standard_error * student_quantile(error->freedom, 0.05);
  cost.low = std::max(Duration::zero(), cost.mean - half_width);
  cost.high = cost.mean + half_width;
  return cost;
}

std::string reason_of_row(const StageMeasurement& row) {
  return fmt::format("{} at {} nodes and {} edges: {}", status_name(row.status), row.key.nodes, row.key.edges,
                     row.reason);
}

bool nothing_ran(const std::vector<const StageMeasurement*>& rows) {
  return std::none_of(rows.begin(), rows.end(), [](const StageMeasurement* row) { return row->times.has_value(); });
}

/// The text that all of them have; empty where they differ.
template <typename Text>
std::string common_text(const std::vector<const StageMeasurement*>& rows, Text text) {
  std::set<std::string> different;
  for (const StageMeasurement* row : rows)
    if (row->times) different.insert(row->*text);
  return different.size() == 1 ? *different.begin() : "";
}

/// The law of the copies, from the rows that have them.
StageFitResult fit_of_copies(const std::vector<const StageMeasurement*>& rows,
                             std::optional<StageCopy> StageMeasurement::*copy, std::int64_t features) {
  std::vector<TimeAtSize> times;
  for (const StageMeasurement* row : rows)
    if (const auto& one = row->*copy; one && one->median.count() > 0)
      times.push_back({{row->key.nodes, row->key.edges}, features, one->median});
  return fit_stage(times);
}

const StageMeasurement* row_at(const std::vector<const StageMeasurement*>& rows, const GraphSize& size) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const StageMeasurement* row) {
    return row->key.nodes == size.nodes && row->key.edges == size.edges;
  });
  return found == rows.end() ? nullptr : *found;
}

}  // namespace

std::string_view origin_name(CostOrigin origin) {
  return origin == CostOrigin::measured ? "measured" : origin == CostOrigin::fitted ? "fitted" : "extrapolated";
}

CostLookup::CostLookup(StageMeasurements measurements) : measurements_(std::move(measurements)) {
  for (const StageMeasurement& row : measurements_.rows)
    costs_[{row.key.unit, row.key.first, row.key.last}].rows.push_back(&row);
  for (auto& entry : costs_) {
    std::vector<TimeAtSize> times;
    for (const StageMeasurement* row : entry.second.rows)
      if (row->times) times.push_back({{row->key.nodes, row->key.edges}, measurements_.features, row->times->mean});
    entry.second.fit = fit_stage(times);
    entry.second.inputs_copy = fit_of_copies(entry.second.rows, &StageMeasurement::inputs_copy, measurements_.features);
    entry.second.outputs_copy =
        fit_of_copies(entry.second.rows, &StageMeasurement::outputs_copy, measurements_.features);
  }
}

std::vector<UnitRange> CostLookup::ranges() const {
  std::vector<UnitRange> ranges;
  for (const auto& entry : costs_) ranges.push_back(entry.first);
  std::sort(ranges.begin(), ranges.end(), [](const UnitRange& a, const UnitRange& b) {
    return std::tuple(place_of_unit(a.unit), a.first, a.last) < std::tuple(place_of_unit(b.unit), b.first, b.last);
  });
  return ranges;
}

std::vector<GraphSize> CostLookup::sizes() const {
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  for (const StageMeasurement& row : measurements_.rows) seen.emplace(row.key.nodes, row.key.edges);
  std::vector<GraphSize> sizes;
  for (const auto& size : seen) sizes.push_back({size.first, size.second});
  return sizes;
}

CostAnswer CostLookup::predicted(const UnitRange& range, const Costs& costs, const GraphSize& size) const {
  const StageKey asked{size.nodes, size.edges, range.unit, range.first, range.last};
  for (const StageMeasurement* row : costs.rows) {
    if (row->times || !(reaches(asked, row->key) || both_beyond(asked, row->key, costs.rows))) continue;
    const bool is_passed = std::any_of(costs.rows.begin(), costs.rows.end(), [&](const StageMeasurement* other) {
      return other->times && reaches(other->key, row->key);
    });
    if (is_passed) continue;
    const bool is_known = reaches(asked, row->key);
    return {std::nullopt, (is_known ? "" : "larger than all that ran; ") + reason_of_row(*row)};
  }
  if (!costs.fit.fit)
    return {std::nullopt, nothing_ran(costs.rows) ? reason_of_row(*costs.rows.front()) : costs.fit.reason};
  const PredictedTime time = costs.fit.fit->at(size, measurements_.features);
  return {StageCost{time.mean, time.low, time.high, time.extrapolated ? CostOrigin::extrapolated : CostOrigin::fitted,
                    common_text(costs.rows, &StageMeasurement::runtime),
                    common_text(costs.rows, &StageMeasurement::device)},
          ""};
}

CostAnswer CostLookup::cost(const UnitRange& range, const GraphSize& size) const {
  const auto found = costs_.find(range);
  if (found == costs_.end())
    return {std::nullopt, range.first == range.last ? "the stage was not measured on this unit"
                                                    : "these stages were not measured as a fused range on this unit"};
  if (const StageMeasurement* row = row_at(found->second.rows, size)) {
    if (row->times) return {cost_of_row(*row), ""};
    return {std::nullopt, reason_of_row(*row)};
  }
  return predicted(range, found->second, size);
}

CostAnswer CostLookup::cost_by_law(const UnitRange& range, const GraphSize& size) const {
  CostAnswer answer = cost(range, size);
  if (answer.cost && answer.cost->origin == CostOrigin::measured && costs_.at(range).fit.fit)
    return predicted(range, costs_.at(range), size);
  return answer;
}

std::optional<CostErrors> CostLookup::errors(const UnitRange& range, const GraphSize& size) const {
  const auto found = costs_.find(range);
  if (found == costs_.end() || !cost(range, size).cost) return std::nullopt;
  CostErrors errors{size, measurements_.features, found->second.fit.fit, {}, 0};
  if (errors.fit && !errors.fit->law.spread) errors.fit.reset();
  if (const StageMeasurement* row = row_at(found->second.rows, size))
    if (const auto error = error_of_mean(*row->times))
      errors.standard_error = error->standard_error, errors.freedom = error->freedom;
  if (!errors.fit && !errors.standard_error) return std::nullopt;
  return errors;
}

std::optional<Duration> CostLookup::copy(const UnitRange& range, const GraphSize& size, Copy copy,
                                         const StageFitResult& law) const {
  if (const StageMeasurement* row = row_at(costs_.at(range).rows, size); row && row->*copy) return (row->*copy)->median;
  if (!law.fit) return std::nullopt;
  return law.fit->at(size, measurements_.features).mean;
}

std::optional<Duration> CostLookup::inputs_copy(const UnitRange& range, const GraphSize& size) const {
  const auto found = costs_.find(range);
  if (found == costs_.end()) return std::nullopt;
  return copy(range, size, &StageMeasurement::inputs_copy, found->second.inputs_copy);
}

std::optional<Duration> CostLookup::outputs_copy(const UnitRange& range, const GraphSize& size) const {
  const auto found = costs_.find(range);
  if (found == costs_.end()) return std::nullopt;
  return copy(range, size, &StageMeasurement::outputs_copy, found->second.outputs_copy);
}

CostLookup read_costs(const std::filesystem::path& place) {
  return CostLookup(read_raw_measurements(std::filesystem::is_directory(place) ? raw_measurements_in(place) : place));
}

std::filesystem::path raw_measurements_in(const std::filesystem::path& folder) {
  constexpr const char* name = "raw_measurements.json";
  for (const auto& file : {folder / "results" / name, folder / name})
    if (std::filesystem::exists(file)) return file;
  throw Error(ErrorKind::io, fmt::format("{} has no results/{}; give the folder of a sweep with results",
                                         printable(folder.string()), name));
}

}  // namespace takt
