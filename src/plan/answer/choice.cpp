#include "plan/answer/choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "base/statistics/significance.h"
#include "base/statistics/statistics.h"

namespace takt {
namespace {

/// By how much `plan` takes longer than `base`, in parts of what base takes, from the differences within rounds.
struct Excess {
  double mean = 0;
  std::optional<Interval> interval;
};
Excess excess(const PlanRunReport& report, const PlanRunResult& plan, const PlanRunResult& base) {
  auto values = measured_values(report, plan);
  const auto others = measured_values(report, base);
  const double unit = measured_value(report, base);
  for (std::size_t round = 0; round < values.size(); ++round) values[round] = (values[round] - others[round]) / unit;
  return {*mean(values), mean_interval(values)};
}

/// Places of the values, equal ones sharing the mean of theirs.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t from = 0; from < order.size();) {
    std::size_t to = from;
    while (to < order.size() && values[order[to]] == values[order[from]]) ++to;
    for (std::size_t i = from; i < to; ++i) ranks[order[i]] = static_cast<double>(from + to - 1) / 2;
    from = to;
  }
  return ranks;
}

/// Pearson's of the ranks, which is Spearman's (1904) with ties; missing where one side is all equal.
std::optional<double> rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 3) return std::nullopt;
  const auto x = ranks_of(a), y = ranks_of(b);
  const double middle = (static_cast<double>(a.size()) - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - middle) * (y[i] - middle);
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

double mean_error(const std::vector<double>& estimated, const std::vector<double>& measured) {
  double sum = 0;
  for (std::size_t i = 0; i < estimated.size(); ++i) sum += std::abs(estimated[i] - measured[i]) / measured[i];
  return sum / static_cast<double>(estimated.size());
}

void tell_common_error(std::vector<double> estimated, const std::vector<double>& measured, PlanChoice& choice) {
  if (estimated.size() < 3 || std::count(estimated.begin(), estimated.end(), 0.0) > 0) return;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < estimated.size(); ++i) ratios.push_back(measured[i] / estimated[i]);
  const double common = *median(std::span<const double>(ratios));
  for (double& value : estimated) value *= common;
  choice.common_error = common - 1, choice.other_error = mean_error(estimated, measured);
}

}  // namespace

std::vector<double> measured_values(const PlanRunReport& report, const PlanRunResult& plan) {
  std::vector<double> values;
  for (const PlanRound& round : plan.rounds)
    values.push_back(report.objective == PlanObjective::latency ? round.latency.count() * 1000
                                                                : static_cast<double>(round.makespan.count()));
  return values;
}

double estimated_value(const PlanRunReport& report, const PlanRunResult& plan) {
  const auto& estimate = plan.trial.estimate;
  return static_cast<double>(
      (report.objective == PlanObjective::latency ? estimate.latency : estimate.makespan).count());
}

double measured_value(const PlanRunReport& report, const PlanRunResult& plan) {
  return mean(measured_values(report, plan)).value_or(0);
}

std::optional<Interval> mean_interval(const std::vector<double>& values) {
  const auto reach = half_width_of_mean(values, confidence_of_choice);
  if (!reach) return std::nullopt;
  return Interval{*mean(values) - *reach, *mean(values) + *reach, confidence_of_choice};
}

const PlanRunResult& fastest_plan(const PlanRunReport& report) {
  const PlanRunResult* fastest = nullptr;
  for (const PlanRunResult& plan : report.plans)
    if (!plan.is_wrong() && (!fastest || measured_value(report, plan) < measured_value(report, *fastest)))
      fastest = &plan;
  return fastest ? *fastest : report.plans.front();
}

PlanChoice choice_of(const PlanRunReport& report) {
  PlanChoice choice;
  choice.plans = static_cast<std::int64_t>(report.plans.size());
  if (report.plans.empty()) return choice;
  choice.rounds = static_cast<std::int64_t>(report.plans.front().rounds.size());
  std::vector<double> estimated, measured;
  for (const PlanRunResult& plan : report.plans) {
    estimated.push_back(estimated_value(report, plan));
    measured.push_back(measured_value(report, plan));
  }
  choice.mean_error = mean_error(estimated, measured);
  tell_common_error(estimated, measured, choice);
  choice.rank_correlation = rank_correlation(estimated, measured);
  const PlanRunResult& fastest = fastest_plan(report);
  if (&fastest != &report.plans.front()) {
    const Excess over = excess(report, report.plans.front(), fastest);
    choice.regret = over.mean, choice.regret_interval = over.interval;
  }
  for (const PlanRunResult& plan : report.plans)
    if (plan.trial.role == "single" && &plan != &report.plans.front() && !plan.is_wrong()) {
      const Excess over = excess(report, report.plans.front(), plan);
      choice.over_single = over.mean, choice.over_single_interval = over.interval;
    }
  return choice;
}

}  // namespace takt
