#include "measure/operators/stretches.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "base/basics/error.h"
#include "base/statistics/statistics.h"
#include "base/system/log.h"
#include "measure/operators/op_profile.h"
#include "measure/timing/measure.h"

namespace takt {
namespace {

constexpr double much_disturbed = 1.1;  // recorded runs against plain ones
constexpr double heavy = 0.04;          // of a run
constexpr std::size_t most_heavy = 8, fewest_rounds = 7, most_rounds = 25;
constexpr Nanoseconds shortest_turn{1'000'000};

/// Operators that are in no body, in the order of execution, each with what its body runs.
struct Step {
  std::vector<std::string> ops;
  double plain = 0;  ///< first estimate, in us
};

std::vector<Step> steps_of(const RunResult& result) {
  const OpProfile profile = profile_ops(result);
  std::unordered_map<std::string, double> estimates;
  for (const OpRow& row : profile.ops)
    if (row.plain_mean) estimates[row.node] += row.plain_mean->count();
  std::vector<Step> steps;
  for (const OpSample& sample : result.profiled->ops.back()) {
    if (!sample.in_body || steps.empty()) steps.emplace_back();
    auto& ops = steps.back().ops;
    const std::string& name = sample.node->name;
    if (std::find(ops.begin(), ops.end(), name) != ops.end()) continue;  // another turn of the body
    ops.push_back(name);
    steps.back().plain += estimates[name];
  }
  return steps;
}

/// How many steps each head has: cuts before and behind the heaviest, and all.
std::vector<std::size_t> cuts_around(const std::vector<Step>& steps) {
  std::vector<std::size_t> order(steps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return steps[a].plain > steps[b].plain; });
  const double all =
      std::accumulate(steps.begin(), steps.end(), 0.0, [](double sum, auto& s) { return sum + s.plain; });
  std::vector<std::size_t> cuts;
  for (std::size_t i = 0; i < std::min(order.size(), most_heavy) && steps[order[i]].plain > heavy * all; ++i)
    for (const std::size_t cut : {order[i], order[i] + 1})
      if (cut > 0 && cut < steps.size()) cuts.push_back(cut);
  if (cuts.empty()) return cuts;
  cuts.push_back(steps.size());
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

bool is_much_disturbed(const RunResult& result) {
  const auto cost = profiling_cost(*result.plain, *result.profiled);
  return cost && cost->ratio > much_disturbed && (!cost->interval || cost->interval->low > 1);
}

/// The middle of as many runs as fill a turn.
double turn_of(Head& head, std::size_t runs) {
  std::vector<double> times;
  for (std::size_t i = 0; i < runs; ++i) times.push_back(static_cast<double>(head.run().count()));
  return *median(times);
}

}  // namespace

static std::vector<Stretch> stretches_of(Session& session, const RunResult& result, Duration budget) {
  if (!result.plain || !result.profiled || result.profiled->ops.empty() || !is_much_disturbed(result)) return {};
  const std::vector<Step> steps = steps_of(result);
  const std::vector<std::size_t> cuts = cuts_around(steps);
  const double run = std::max(1e-3, median(result.plain->samples)->count());
  const auto runs = static_cast<std::size_t>(std::clamp(Duration(shortest_turn).count() / run, 2.0, 100.0));
  const double round = run * static_cast<double>(runs) * static_cast<double>(cuts.size());
  if (cuts.empty() || round * fewest_rounds > budget.count()) return {};
  std::vector<std::unique_ptr<Head>> heads;
  for (const std::size_t cut : cuts) {
    heads.push_back(session.head(cut));
    if (!heads.back()) return {};
    turn_of(*heads.back(), runs);  // warm
  }
  std::vector<Stretch> stretches(cuts.size());
  std::size_t step = 0;
  for (std::size_t s = 0; s < cuts.size(); ++s)
    for (; step < cuts[s]; ++step)
      stretches[s].ops.insert(stretches[s].ops.end(), steps[step].ops.begin(), steps[step].ops.end());
  const auto rounds = static_cast<std::size_t>(std::min<double>(most_rounds, budget.count() / round));
  for (std::size_t i = 0; i < rounds; ++i) {
    std::vector<double> times;
    for (auto& head : heads) times.push_back(turn_of(*head, runs));
    for (std::size_t s = 0; s < stretches.size(); ++s)
      stretches[s].shares.push_back((times[s] - (s ? times[s - 1] : 0)) / times.back());
  }
  return stretches;
}

std::vector<Stretch> measure_stretches(Session& session, const RunResult& result, Duration budget) try {
  return stretches_of(session, result, budget);
} catch (const Error& error) {
  log_debug(fmt::format("no parts of the model are timed: {}", error.what()));  // the run itself is measured by now
  return {};
}

}  // namespace takt
