#include "plan/search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/basics/units.h"
#include "plan/search/best_first.h"

namespace takt {
namespace {

/// Bounds of parts that slow each other down are a few nanoseconds below what a simulation rounds to.
bool is_proven(std::int64_t value, std::int64_t untried) {
  return value - untried <= std::max<std::int64_t>(10, value / 1'000'000);
}

RankedPlan ranked(const FoundPlan& found, const PlanCosts& costs, const PlanSearchSettings& settings) {
  RankedPlan plan{plan_of(found.blocks, costs), {}, {}, false};
  plan.estimate = estimate(plan.plan, costs, settings.batches);
  plan.value = Nanoseconds(found.value);
  return plan;
}

std::optional<FoundPlan> best_single(const PlanChoices& choices, std::int64_t batches) {
  std::optional<FoundPlan> best;
  const StageSpan everything{1, choices.stages()};
  for (int unit = 0; unit < choices.units(); ++unit) {
    const std::int64_t time = choices.total(everything, Team{1} << unit);
    const std::int64_t in = choices.transfer(0, PlanCosts::host, unit);
    const std::int64_t out = choices.transfer(choices.stages(), unit, PlanCosts::host);
    if (std::max({time, in, out}) >= PlanChoices::impossible) continue;
    const std::int64_t value = in + time + out + (batches - 1) * std::max({in, time, out});
    if (!best || value < best->value) best = {value, {choices.block(everything, Team{1} << unit, {choices.steps()})}};
  }
  return best;
}

void check(const PlanSearchSettings& settings) {
  if (settings.top < 1)
    refuse_input(fmt::format("plan search: {} is not a number of plans; ask for 1 or more", settings.top));
  if (settings.steps < 1)
    refuse_input(fmt::format("plan search: 1/{} is not a share; use 1 or more steps", settings.steps));
  if (settings.most_blocks.value_or(1) < 1)
    refuse_input(fmt::format("plan search: {} is not a number of blocks; allow 1 or more", *settings.most_blocks));
}

std::int64_t batches_of(const PlanSearchSettings& settings) {
  return settings.objective == PlanObjective::latency ? 1 : settings.batches;
}

/// The plan's text with all shares alike.
std::string cuts_and_units(Plan plan) {
  for (PlanBlock& block : plan.blocks)
    for (PlanPart& part : block.parts) part.share = 1;
  return to_string(plan);
}

/// The same cuts, and in every block no unit that the other plan does not have there.
bool has_fewer_units(const Plan& plan, const Plan& other) {
  if (plan.blocks.size() != other.blocks.size()) return false;
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    if (plan.blocks[b].stages != other.blocks[b].stages) return false;
    const auto& there = other.blocks[b].parts;
    for (const PlanPart& part : plan.blocks[b].parts)
      if (std::none_of(there.begin(), there.end(), [&](const PlanPart& one) { return one.unit == part.unit; }))
        return false;
  }
  return true;
}

PlanSearch search_of(const FoundPlans& found, const PlanChoices& choices, const PlanCosts& costs,
                     const PlanSearchSettings& settings) {
  PlanSearch search;
  for (const FoundPlan& plan : found.best) {
    search.plans.push_back(ranked(plan, costs, settings));
    search.plans.back().proven = is_proven(plan.value, std::max(found.untried, found.least));
  }
  if (const auto single = best_single(choices, batches_of(settings)))
    search.best_single = ranked(*single, costs, settings);
  search.lower_bound = Nanoseconds(std::min(std::max(found.untried, found.least), found.best.front().value));
  search.nodes = found.looked_at;
  search.estimates = found.simulated;
  search.end = found.end;
  search.kept = found.kept;
  search.bytes = found.bytes;
  return search;
}

bool runs_somewhere(int stage, const PlanChoices& choices) {
  for (int first = 1; first <= stage; ++first)
    for (int last = stage; last <= choices.stages(); ++last)
      for (Team team = 1; team <= choices.all_units(); ++team)
        if (choices.total({first, last}, team) < PlanChoices::impossible) return true;
  return false;
}

void refuse_stage_without_unit(const PlanCosts& costs, const PlanChoices& choices) {
  for (int stage = 1; stage <= choices.stages(); ++stage) {
    if (runs_somewhere(stage, choices)) continue;
    std::vector<std::string> reasons;
    for (int unit = 0; unit < choices.units(); ++unit)
      reasons.push_back(fmt::format("{}: {}", costs.units()[index(unit)], costs.why_missing({stage, stage}, unit)));
    refuse_input(
        fmt::format("no plan is possible: stage {} cannot run on any unit ({})", stage, fmt::join(reasons, "; ")));
  }
}

/// What the units with a limit have: "GPU0 14 GB, GPU1 5.5 GB".
std::string memory_of_units(const PlanCosts& costs) {
  std::vector<std::string> units;
  for (int unit = 0; unit < static_cast<int>(costs.units().size()); ++unit)
    if (const auto limit = costs.memory_limit(unit))
      units.push_back(fmt::format("{} {}", costs.units()[index(unit)], format_bytes(static_cast<double>(*limit))));
  return fmt::format("{}", fmt::join(units, ", "));
}

/// Units may serve several blocks, whose memory adds up.
[[noreturn]] void refuse_lack_of_memory(const FoundPlans& found, const PlanCosts& costs, const PlanChoices& choices) {
  const MemoryBounds memory(costs, choices);
  const std::string units = memory_of_units(costs);
  if (memory.needed() > memory.available())
    refuse_input(fmt::format("no plan is possible: the stages need at least {} of memory, and the units have {}",
                             format_bytes(static_cast<double>(memory.needed())), units));
  if (found.end == SearchEnd::complete)
    refuse_input(
        fmt::format("no plan is possible: no placement of the stages fits into the memory of the units ({}); give a "
                    "unit more memory, or allow it fewer stages",
                    units));
  refuse_input(
      fmt::format("no plan was found that fits into the memory of the units ({}), but one may exist: the search "
                  "stopped after {} partial plans; give a unit more memory, or cut the model into fewer stages",
                  units, found.looked_at));
}

[[noreturn]] void refuse_impossible(const FoundPlans& found, const PlanCosts& costs, const PlanChoices& choices,
                                    const PlanSearchSettings& settings) {
  refuse_stage_without_unit(costs, choices);
  if (memory_adds_up(costs, settings.units_once)) refuse_lack_of_memory(found, costs, choices);
  refuse_input(
      "no plan is possible: the blocks that can run do not cover all stages within the given limits; let units serve "
      "several blocks (--shared), or give the costs of fused stages (takt sweep --ranges)");
}

/// A part of what a search may do, as several share it.
PlanSearchSettings with_part(PlanSearchSettings settings, int part) {
  settings.most_nodes /= part;
  settings.most_bytes /= part;
  settings.most_estimates /= part;
  settings.most_executions /= part;
  return settings;
}

/// The best is found by adding up times alone.
bool is_easy(const PlanSearchSettings& settings, const PlanCosts& costs) {
  return times_add_up(costs, settings, batches_of(settings)) && !memory_adds_up(costs, settings.units_once);
}

/// Where it is not: searches for the best of some of the plans, which are fewer, so
/// that the whole search has good plans to begin with and is never behind one that allows less.
std::vector<PlanSearchSettings> searches_before(const PlanSearchSettings& settings, const PlanCosts& costs) {
  std::vector<PlanSearchSettings> searches;
  if (is_easy(settings, costs)) return searches;
  for (const bool once : {true, false})
    for (const bool divide : {false, true}) {
      if (divide == settings.divide && once == settings.units_once) return searches;
      if ((divide && !settings.divide) || (!once && settings.units_once)) continue;
      searches.push_back(with_part(settings, divide ? 2 : 1));
      searches.back().top = 1;
      searches.back().divide = divide;
      searches.back().units_once = once;
    }
  return searches;
}

FoundPlans found_by(const PlanSearchSettings& settings, const PlanCosts& costs, const PlanChoices& choices,
                    FoundPlans before) {
  before.untried = PlanChoices::impossible;
  before.end = SearchEnd::complete;
  return BestFirst(costs, choices, settings, batches_of(settings)).run(std::move(before));
}

PlanChoices choices_for(const PlanSearchSettings& settings, const PlanCosts& costs) {
  return {costs, {settings.steps, settings.divide, batches_of(settings), settings.units_once}};
}

}  // namespace

std::string_view objective_name(PlanObjective objective) {
  return objective == PlanObjective::latency ? "latency" : "throughput";
}

std::string objective_words(PlanObjective objective, std::int64_t batches) {
  return objective == PlanObjective::latency ? "a batch" : fmt::format("for {} batches", batches);
}

std::string_view end_name(SearchEnd end) {
  switch (end) {
    case SearchEnd::partial_plans:
      return "partial_plans";
    case SearchEnd::memory:
      return "memory";
    case SearchEnd::simulations:
      return "simulations";
    case SearchEnd::complete:
      break;
  }
  return "complete";
}

double PlanSearch::gap() const {
  if (plans.empty() || plans.front().proven) return 0;
  const double best = static_cast<double>(plans.front().value.count());
  return best > 0 ? 1 - static_cast<double>(lower_bound.count()) / best : 0;
}

PlanSearch search_plans(const PlanCosts& costs, const PlanSearchSettings& settings) {
  check(settings);
  const PlanChoices choices = choices_for(settings, costs);
  FoundPlans found;
  found.wanted = settings.top;
  for (const PlanSearchSettings& some : searches_before(settings, costs))
    found = found_by(some, costs, choices_for(some, costs), std::move(found));
  PlanSearchSettings all = settings;
  if (settings.top > 1 && !is_easy(settings, costs)) {
    // The best alone takes less to prove than the order of those behind it.
    all.top = 1;
    found = found_by(all, costs, choices, std::move(found));
    if (!found.best.empty()) found.least = std::min(found.untried, found.best.front().value);
    all = with_part(settings, 4);
  }
  found = found_by(all, costs, choices, std::move(found));
  if (found.best.empty()) refuse_impossible(found, costs, choices, settings);
  return search_of(found, choices, costs, settings);
}

void keep_plans_with_a_point(PlanSearch& search, int most) {
  std::vector<RankedPlan> kept;
  for (RankedPlan& plan : search.plans) {
    if (kept.size() == index(most)) break;
    const bool pointless = std::any_of(
        kept.begin(), kept.end(), [&](const RankedPlan& better) { return has_fewer_units(better.plan, plan.plan); });
    if (!pointless) kept.push_back(std::move(plan));
  }
  search.plans = std::move(kept);
}

PlanSearch rank_plans(const std::vector<Plan>& candidates, const PlanCosts& costs, const PlanSearchSettings& settings) {
  check(settings);
  const std::int64_t batches = batches_of(settings);
  const PlanChoices choices(costs, {settings.steps, false, batches, true});
  std::map<std::string, FoundPlan> best;
  FoundPlans found;
  for (const Plan& plan : candidates) {
    ++found.looked_at;
    auto blocks = placed(plan, costs);
    const auto times = times_or_reason(blocks, costs);
    if (!std::holds_alternative<PlanTimes>(times)) continue;
    found.simulated += sums_are_exact(blocks, costs, batches) ? 0 : 1;
    const std::int64_t value = makespan_of(blocks, std::get<PlanTimes>(times), costs, batches).count();
    const auto [place, is_new] = best.try_emplace(cuts_and_units(plan), FoundPlan{value, blocks});
    if (!is_new && value < place->second.value) place->second = {value, std::move(blocks)};
  }
  for (auto& [text, plan] : best) found.best.push_back(std::move(plan));
  if (found.best.empty()) refuse_input("no plan is possible: no candidate can run with these costs");
  std::stable_sort(found.best.begin(), found.best.end(),
                   [](const FoundPlan& a, const FoundPlan& b) { return a.value < b.value; });
  if (found.best.size() > index(settings.top)) found.best.resize(index(settings.top));
  return search_of(found, choices, costs, settings);
}

}  // namespace takt
