#include "report/results/sweep_points.h"

#include <cmath>
#include <map>
#include <set>

#include "plan/costs/stage_fit.h"
#include "report/results/saved_tables.h"

namespace takt {
namespace {

std::optional<std::int64_t> count_in(const Table& table, std::size_t row, std::string_view column) {
  const auto number = number_in(table, row, column);
  constexpr double most = 1e15;
  if (!number || !(*number >= 0 && *number <= most) || *number != std::floor(*number)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

/// What stages are called, by network and number: "1 GATHER"; of a sweep of several networks "GCN 1 GATHER".
using Works = std::map<std::pair<std::string, std::string>, std::string>;

std::pair<std::string, std::string> key_of(const Table& table, std::size_t row) {
  return {text_in(table, row, "network"), text_in(table, row, "stage_number")};
}

Works works_of(const Table& stages) {
  std::set<std::string> networks;
  for (std::size_t row = 0; row < stages.rows.size(); ++row) networks.insert(text_in(stages, row, "network"));
  Works works;
  for (std::size_t row = 0; row < stages.rows.size(); ++row) {
    const auto key = key_of(stages, row);
    const std::string name = key.second + " " + text_in(stages, row, "stage_work");
    works[key] = networks.size() > 1 ? key.first + " " + name : name;
  }
  return works;
}

/// "1-4": several stages fused into one. The page shows single ones.
bool is_range(const Table& table, std::size_t row) {
  return text_in(table, row, "stage_number").find('-') != std::string::npos;
}

std::optional<ReportPoint> point_of(const Table& table, std::size_t row, const Works& works) {
  const auto nodes = count_in(table, row, "graph_nodes"), edges = count_in(table, row, "graph_edges");
  const auto mean = number_in(table, row, "mean_us");
  constexpr double longest = 1e12;  // µs
  if (!nodes || !edges || *nodes == 0 || !mean || !(*mean > 0 && *mean <= longest)) return std::nullopt;
  const auto work = works.find(key_of(table, row));
  return ReportPoint{work == works.end() ? text_in(table, row, "stage_number") : work->second,
                     text_in(table, row, "unit"),
                     *nodes,
                     *edges,
                     Duration(*mean),
                     {},
                     {},
                     {}};
}

/// Of one stage on one unit.
void add_law(std::vector<ReportPoint*>& points) {
  constexpr std::size_t most = 200;  // each interval is of as many fits
  if (points.size() > most) return;
  std::vector<TimeAtSize> times;
  for (const ReportPoint* point : points) times.push_back({{point->nodes, point->edges}, 0, point->measured});
  const StageFitResult result = fit_stage(times);
  if (!result.fit) return;
  for (ReportPoint* point : points) {
    const PredictedTime at = result.fit->at({point->nodes, point->edges}, 0);
    point->law = at.mean, point->law_low = at.low, point->law_high = at.high;
  }
}

}  // namespace

std::vector<ReportPoint> sweep_points(const std::vector<ReportTable>& tables) {
  const Table *measurements = find_table(tables, "measurements"), *stages = find_table(tables, "stages");
  std::vector<ReportPoint> points;
  if (!measurements || !stages) return points;
  const Works works = works_of(*stages);
  for (std::size_t row = 0; row < measurements->rows.size(); ++row)
    if (auto point = is_range(*measurements, row) ? std::nullopt : point_of(*measurements, row, works))
      points.push_back(std::move(*point));
  std::map<std::pair<std::string, std::string>, std::vector<ReportPoint*>> series;
  for (ReportPoint& point : points) series[{point.stage, point.unit}].push_back(&point);
  for (auto& [of, own] : series) add_law(own);
  return points;
}

}  // namespace takt
