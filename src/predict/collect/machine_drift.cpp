#include "predict/collect/machine_drift.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/statistics/statistics.h"
#include "predict/fit/ridge.h"

namespace takt {
namespace {

constexpr double usual_weight = 0.5;
constexpr double usual_rest = 0.02;  // of a logarithm
constexpr double pull = 0.02;        // as much as a canary that is a seventh off once

bool counts(const CollectRecord& record) {
  return record.status == CollectStatus::measured && record.canary && record.load.asked.is_quiet();
}

/// Least squares in which what is left beyond a few per cent counts by its size, not its square (Huber's weights): one
/// round in ten is disturbed by something that no canary feels.
std::vector<double> robust_solution(const std::vector<std::vector<double>>& rows, const std::vector<double>& right) {
  std::vector<std::vector<double>> weighted = rows;
  std::vector<double> aims = right, found;
  for (int step = 0; step < 5; ++step) {
    found = ridge_solution(weighted, aims, pull);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double left = std::abs(right[i] - rows[i][0] * found[0] - rows[i][1] * found[1]);
      const double root = std::sqrt(std::min(1.0, usual_rest / std::max(left, 1e-9)));
      weighted[i] = {root * rows[i][0], root * rows[i][1]}, aims[i] = root * right[i];
    }
  }
  return found;
}

}  // namespace

MachineDrift MachineDrift::of_records(std::span<const CollectRecord> records) {
  std::vector<double> computing, reading;
  std::map<std::string, std::vector<const CollectRecord*>> models;
  for (const CollectRecord& record : records) {
    if (!counts(record)) continue;
    computing.push_back(record.canary->compute_us), reading.push_back(record.canary->memory_us);
    models[record.model].push_back(&record);
  }
  MachineDrift pace;
  if (computing.empty()) return pace;
  pace.usual_ = {*median(std::span<const double>(computing)), *median(std::span<const double>(reading))};
  std::vector<std::vector<double>> rows;
  std::vector<double> right;
  for (const auto& entry : models) {
    const auto count = static_cast<double>(entry.second.size());
    double whole = 0, compute = 0, memory = 0;  // means of logarithms
    for (const CollectRecord* record : entry.second) {
      whole += std::log(record->latency_us) / count;
      compute += std::log(record->canary->compute_us) / count, memory += std::log(record->canary->memory_us) / count;
    }
    for (const CollectRecord* record : entry.second) {
      const double c = std::log(record->canary->compute_us) - compute, m = std::log(record->canary->memory_us) - memory;
      rows.push_back({c, m});
      right.push_back(std::log(record->latency_us) - whole - usual_weight * (c + m));
    }
  }
  const auto found = robust_solution(rows, right);
  pace.compute_weight_ = usual_weight + found[0], pace.memory_weight_ = usual_weight + found[1];
  return pace;
}

double MachineDrift::of(const CollectRecord& record) const {
  if (!counts(record) || usual_.us() <= 0) return 1;
  return std::pow(record.canary->compute_us / usual_.compute_us, compute_weight_) *
         std::pow(record.canary->memory_us / usual_.memory_us, memory_weight_);
}

}  // namespace takt
