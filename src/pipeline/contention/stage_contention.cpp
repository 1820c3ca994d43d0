#include "pipeline/contention/stage_contention.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/statistics/statistics.h"

namespace takt {
namespace {

/// From the one equation of the mixture. Where the weaker ones are so small that noise decides, near 1.
double weaker_share_of(const StageContention& stage, const LoadPlan& plan, double mixed) {
  constexpr double noise = 0.01;
  if (plan.mixture.empty()) return 1;
  const LogSlowDowns logs = log_slow_downs(stage, plan.mixture);
  const double found = std::log(std::max(mixed, 1.0)) - logs.largest;
  const double share = (logs.others * found + noise * noise) / (logs.others * logs.others + noise * noise);
  return std::clamp(share, 0.0, 2.0);
}

StageContention sensitivity_of(const AnswersToLoads& answers, const LoadPlan& plan) {
  StageContention stage;
  for (const auto& slow_downs : answers.slow_downs) stage.sensitivity.emplace_back(plan.levels, slow_downs);
  stage.weaker_share = weaker_share_of(stage, plan, answers.mixed);
  return stage;
}

/// The place of the least value in [0, most_pressure]: a coarse look, then golden sections around the best place.
double least_place(const std::function<double(double)>& value) {
  constexpr int places = 40;
  constexpr double step = most_pressure / places, golden = 0.6180339887498949;
  int best = 0;
  double least = value(0);
  for (int i = 1; i <= places; ++i)
    if (const double here = value(i * step); here < least) least = here, best = i;
  double low = std::max(0, best - 1) * step, high = std::min(places, best + 1) * step;
  while (high - low > 1e-5) {
    const double a = high - golden * (high - low), b = low + golden * (high - low);
    (value(a) <= value(b) ? high : low) = value(a) <= value(b) ? b : a;
  }
  const double middle = (low + high) / 2;
  return value(0) <= value(middle) ? 0 : middle;
}

/// The mixture of loads that does to the loads what the stage did. One resource after the other, in turns until nothing
/// moves. Where loads cannot tell (one that nothing slows, a curve that is flat), the least pressure is taken.
std::vector<double> pressure_of(const AnswersToLoads& stage, std::span<const StageContention> loads) {
  constexpr double preference = 1e-6;
  constexpr int most_turns = 60;
  std::vector<double> pressure(loads.size());
  const auto miss = [&] {
    double sum = 0;
    for (std::size_t q = 0; q < loads.size(); ++q) {
      const double off = log_slow_downs(loads[q], pressure).together(loads[q].weaker_share) -
                         std::log(std::max(stage.load_lost[q], 1.0));
      sum += off * off + preference * pressure[q];
    }
    return sum;
  };
  for (int turn = 0; turn < most_turns; ++turn) {
    double moved = 0;
    for (double& one : pressure) {
      const double before = one;
      const double after = least_place([&](double place) { return one = place, miss(); });
      one = after;
      moved = std::max(moved, std::abs(after - before));
    }
    if (moved < 1e-4) break;
  }
  return pressure;
}

double median_by(std::span<const LoadRound> rounds, const std::function<double(const LoadRound&)>& value) {
  std::vector<double> values;
  for (const LoadRound& round : rounds) values.push_back(value(round));
  return *median(values);
}

using Side = std::vector<AnswersToLoads> LoadRound::*;

void set_medians(std::span<const LoadRound> rounds, Side side, LoadRound& result) {
  for (std::size_t s = 0; s < (result.*side).size(); ++s) {
    AnswersToLoads& answers = (result.*side)[s];
    const auto of = [&](const auto& get) {
      return median_by(rounds, [&](const LoadRound& round) { return get((round.*side)[s]); });
    };
    for (std::size_t r = 0; r < answers.slow_downs.size(); ++r)
      for (std::size_t k = 0; k < answers.slow_downs[r].size(); ++k)
        answers.slow_downs[r][k] = of([=](const AnswersToLoads& one) { return one.slow_downs[r][k]; });
    for (std::size_t r = 0; r < answers.load_lost.size(); ++r)
      answers.load_lost[r] = of([=](const AnswersToLoads& one) { return one.load_lost[r]; });
    answers.mixed = of([](const AnswersToLoads& one) { return one.mixed; });
  }
}

}  // namespace

std::vector<StageContention> stage_contentions(const LoadRound& round, const LoadPlan& plan) {
  std::vector<StageContention> loads, stages;
  for (const AnswersToLoads& answers : round.loads) loads.push_back(sensitivity_of(answers, plan));
  for (const AnswersToLoads& answers : round.stages) {
    stages.push_back(sensitivity_of(answers, plan));
    stages.back().pressure = pressure_of(answers, loads);
  }
  return stages;
}

double predicted_slow_down(const StageContention& stage, const StageContention& beside) {
  return slow_down_under(stage, beside.pressure);
}

LoadRound median_of(std::span<const LoadRound> rounds) {
  LoadRound result = rounds.front();
  set_medians(rounds, &LoadRound::stages, result);
  set_medians(rounds, &LoadRound::loads, result);
  return result;
}

}  // namespace takt
