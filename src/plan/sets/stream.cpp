#include "plan/sets/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/basics/check.h"
#include "base/basics/error.h"
#include "base/basics/index.h"

namespace takt {
namespace {

using StreamCosts = std::vector<std::vector<PlanSet::Cost>>;  // by batch, then plan

/// What is asked of each size once.
struct SizeAnswers {
  std::shared_ptr<const PlanCosts> asked;
  std::vector<PlanSet::Cost> costs;  ///< by plan
  PlanSet::Expected expected;        ///< by the set alone
  Nanoseconds best{};                ///< of all plans there are
};

void check_costs(const PlanSet& set, const PlanCosts& costs) {
  for (const std::string& unit : set.units)
    if (std::find(costs.units().begin(), costs.units().end(), unit) == costs.units().end())
      refuse_input(fmt::format(
          "plan set: has plans for {}, for which there are no costs; use the costs that it was compiled from", unit));
  if (costs.stages() != set.stages)
    refuse_input(fmt::format("plan set: has {} stages, but the costs have {}; use the costs that it was compiled from",
                             set.stages, costs.stages()));
}

class StreamSimulation {
 public:
  StreamSimulation(const PlanSet& set, const CostsAt& costs_at, const BatchStream& stream)
      : set_(set), costs_at_(costs_at), stream_(stream), search_(set.search()) {
    if (stream.empty()) refuse_input("plan set: the stream has no batches");
  }

  StreamReport run() {
    StreamReport report;
    report.batches = static_cast<std::int64_t>(stream_.size());
    report.switch_cost = set_.switch_cost;
    StreamCosts costs;
    std::vector<int> chosen;
    Nanoseconds oracle{};
    PlanChooser chooser(set_.plans.size(), set_.switch_cost);
    for (const GraphSize& size : stream_) {
      const SizeAnswers& answers = answers_of(size);
      costs.push_back(answers.costs);
      report.extrapolated += answers.expected.extrapolated ? 1 : 0;
      oracle += answers.best;
      chosen.push_back(chooser.choose(possible(answers)));
    }
    report.sizes = static_cast<std::int64_t>(sizes_.size());
    report.runs.push_back(run_of("set", chosen, costs));
    report.runs.push_back(run_of("known", best_switching(costs, set_.switch_cost).plans, costs));
    report.runs.push_back({"oracle", {}, oracle, 0, {}, {}});
    add_fixed(report, costs);
    return report;
  }

 private:
  /// What the set expects, but for plans that turn out to be impossible.
  static std::vector<PlanSet::Cost> possible(const SizeAnswers& answers) {
    auto costs = answers.expected.costs;
    for (std::size_t plan = 0; plan < costs.size(); ++plan) {
      if (!answers.costs[plan]) costs[plan].reset();
      if (answers.costs[plan] && !costs[plan]) costs[plan] = answers.costs[plan];
    }
    return costs;
  }

  const SizeAnswers& answers_of(const GraphSize& size) {
    const auto [place, is_new] = sizes_.try_emplace({size.nodes, size.edges});
    if (!is_new) return place->second;
    const auto costs = costs_at_(size);
    if (!costs) refuse_input(fmt::format("plan set: the costs of {} are unknown", size_text(size)));
    check_costs(set_, *costs);
    SizeAnswers& answers = place->second;
    answers.asked = costs;
    for (const Plan& plan : set_.plans) answers.costs.push_back(cost_per_batch(plan, *costs, search_));
    answers.expected = set_.expected(size);
    answers.best = *cost_per_batch(search_plans(*costs, search_).plans.front().plan, *costs, search_);
    // Shares finer than the search's steps, of a plan that was written by hand, may be better than all it has tried.
    for (const PlanSet::Cost& cost : answers.costs)
      if (cost) answers.best = std::min(answers.best, *cost);
    return answers;
  }

  StreamRun run_of(std::string choice, const std::vector<int>& plans, const StreamCosts& costs) const {
    StreamRun run{std::move(choice), {}, {}, 0, {}, Nanoseconds(0)};
    std::size_t begin = 0;
    for (std::size_t batch = 0; batch < plans.size(); ++batch) {
      run.batches += *costs[batch][index(plans[batch])];
      if (batch + 1 < plans.size() && plans[batch + 1] == plans[batch]) continue;
      *run.clock += *clock_of(plans[batch], begin, batch + 1);
      begin = batch + 1;
      if (begin < plans.size()) ++run.switches;
    }
    run.switching = set_.switch_cost * run.switches;
    *run.clock += run.switching;
    return run;
  }

  /// Of the batches from one to another under a plan that can run them all.
  std::optional<Nanoseconds> clock_of(int plan, std::size_t from, std::size_t to) const {
    const BatchStream part(stream_.begin() + static_cast<std::ptrdiff_t>(from),
                           stream_.begin() + static_cast<std::ptrdiff_t>(to));
    const auto known = [&](const GraphSize& size) -> const SizeAnswers& { return sizes_.at({size.nodes, size.edges}); };
    if (set_.objective == PlanObjective::throughput)
      return stream_makespan(
          set_.plans[index(plan)], [&](const GraphSize& size) { return known(size).asked; }, part);
    Nanoseconds sum{};
    for (const GraphSize& size : part) sum += *known(size).costs[index(plan)];
    return sum;
  }

  void add_fixed(StreamReport& report, const StreamCosts& costs) const {
    std::vector<StreamRun> fixed;
    for (std::size_t plan = 0; plan < set_.plans.size(); ++plan) {
      const bool runs =
          std::all_of(costs.begin(), costs.end(), [&](const auto& batch) { return batch[plan].has_value(); });
      if (!runs) {
        report.impossible.push_back(set_.plans[plan]);
        continue;
      }
      fixed.push_back(run_of("fixed", std::vector<int>(costs.size(), static_cast<int>(plan)), costs));
      fixed.back().plan = set_.plans[plan];
    }
    std::stable_sort(fixed.begin(), fixed.end(), [](const auto& a, const auto& b) { return a.batches < b.batches; });
    std::move(fixed.begin(), fixed.end(), std::back_inserter(report.runs));
  }

  const PlanSet& set_;
  const CostsAt& costs_at_;
  const BatchStream& stream_;
  PlanSearchSettings search_;
  std::map<std::pair<std::int64_t, std::int64_t>, SizeAnswers> sizes_;
};

}  // namespace

const StreamRun& StreamReport::run(std::string_view choice) const {
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const StreamRun& one) { return one.choice == choice; });
  TAKT_CHECK(found != runs.end());
  return *found;
}

const StreamRun* StreamReport::best_fixed() const {
  const auto found = std::find_if(runs.begin(), runs.end(), [](const StreamRun& one) { return one.choice == "fixed"; });
  return found == runs.end() ? nullptr : &*found;
}

double StreamReport::regret(const StreamRun& one) const {
  const auto oracle = static_cast<double>(run("oracle").batches.count());
  return oracle > 0 ? static_cast<double>(one.total().count()) / oracle - 1 : 0;
}

StreamReport simulate_stream(const PlanSet& set, const CostsAt& costs_at, const BatchStream& stream) {
  return StreamSimulation(set, costs_at, stream).run();
}

}  // namespace takt
