#include "plan/answer/differences.h"

#include <fmt/format.h>

#include "plan/estimate/columns.h"

namespace takt {
namespace {

/// A plan against the best on one unit.
struct DifferenceLine {
  std::optional<std::int64_t> rank;
  std::string role;
  const Plan* plan;
  const PlanDifference* difference;
};

double in_ms(Nanoseconds time) { return std::chrono::duration<double, std::milli>(time).count(); }

std::string verdict_of(const PlanDifference& difference) {
  if (!difference.interval) return "unknown";
  return difference.is_better() ? "better" : difference.is_worse() ? "worse" : "inconclusive";
}

constexpr Column<DifferenceLine> difference_columns[] = {
    {plan_columns::rank, [](const DifferenceLine& l) { return optional_cell(l.rank); }},
    {plan_columns::role, [](const DifferenceLine& l) -> Cell { return l.role; }},
    {plan_columns::plan, [](const DifferenceLine& l) -> Cell { return to_string(*l.plan); }},
    {"saved_ms", "Saving ms", [](const DifferenceLine& l) -> Cell { return in_ms(l.difference->saved); },
     "Expected time saved by a plan compared with the best single-device plan, in ms, by the objective of the search; "
     "negative: it takes longer."},
    {"saved_low_ms", "Low ms",
     [](const DifferenceLine& l) -> Cell {
       return l.difference->interval ? Cell(in_ms(l.difference->interval->low)) : Cell();
     },
     "The lower end of the 95 % interval of the saving compared with the best single-device plan, in ms; empty if the "
     "costs have no confidence intervals."},
    {"saved_high_ms", "High ms",
     [](const DifferenceLine& l) -> Cell {
       return l.difference->interval ? Cell(in_ms(l.difference->interval->high)) : Cell();
     },
     "The upper end of the 95 % interval of the saving compared with the best single-device plan, in ms; empty if the "
     "costs have no confidence intervals."},
    {"plan_verdict", "Verdict", [](const DifferenceLine& l) -> Cell { return verdict_of(*l.difference); },
     "better or worse than the best single-device plan with 95 % confidence; inconclusive: the difference is not "
     "significant; unknown: the costs have no confidence intervals."},
    {"verdict_reason", "Why unknown",
     [](const DifferenceLine& l) { return l.difference->reason.empty() ? Cell() : Cell(l.difference->reason); },
     "Why the significance of the difference between two plans is unknown."},
};

constexpr TableDefinition<DifferenceLine> differences_definition{
    "differences",
    "Whether plans are better than the best single-device plan: a row for the best plan found and for each plan given.",
    difference_columns};

std::vector<DifferenceLine> differences_of(const PlanReport& report) {
  std::vector<DifferenceLine> lines;
  if (report.best_difference)
    lines.push_back({1, "found", &report.search.plans.front().plan, &*report.best_difference});
  for (std::size_t p = 0; p < report.given_differences.size(); ++p) {
    const GivenPlan& given = report.given[p];
    if (report.given_differences[p])
      lines.push_back({{}, given.name.empty() ? "given" : given.name, &given.plan, &*report.given_differences[p]});
  }
  return lines;
}

std::string amount(Nanoseconds time) { return format_duration(Duration(time)); }

}  // namespace

Table differences_table(const PlanReport& report) { return differences_definition.make(differences_of(report)); }

TableSchema differences_schema() { return differences_definition.schema(); }

std::string confidence_in(const PlanReport& report) {
  if (!report.search.best_single) return "";
  if (report.search.plans.front().plan == report.search.best_single->plan) return "It is the best single-device plan.";
  if (!report.best_difference) return "";
  const PlanDifference& difference = *report.best_difference;
  if (!difference.interval)
    return fmt::format("Its advantage over the best single-device plan cannot be tested: {}.", difference.reason);
  const std::string between =
      fmt::format("between {} and {}", amount(difference.interval->low), amount(difference.interval->high));
  if (difference.is_better())
    return fmt::format("It is better than the best single-device plan with 95 % confidence: it saves {}, {}.",
                       amount(difference.saved), between);
  return fmt::format(
      "It is not significantly better than the best single-device plan (95 %): it saves {}, but that may be {}.",
      amount(difference.saved), between);
}

void compare_with_single(PlanReport& report, const PlanCosts& costs, const std::optional<PlanCostSource::Draws>& draws,
                         const PlanSearchSettings& search) {
  const auto difference_of = [&](const Plan& plan) -> std::optional<PlanDifference> {
    if (!report.search.best_single || plan == report.search.best_single->plan) return std::nullopt;
    return compare_plans(plan, report.search.best_single->plan, costs, draws, search);
  };
  report.best_difference = difference_of(report.search.plans.front().plan);
  for (const GivenPlan& given : report.given)
    report.given_differences.push_back(given.estimate ? difference_of(given.plan) : std::nullopt);
}

}  // namespace takt
