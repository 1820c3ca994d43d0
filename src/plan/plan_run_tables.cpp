#include "plan/answer/run_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/text.h"
#include "plan/run/piece_contention.h"
#include "plan/plan_columns.h"

namespace takt {
namespace {

struct RanPlanLine {
  const PlanRunReport* report;
  const PlanRunResult* plan;
  std::int64_t number;

  double measured() const { return measured_value(*report, *plan); }
  double estimated() const { return estimated_value(*report, *plan); }
  std::optional<Interval> interval() const { return mean_interval(measured_values(*report, *plan)); }
};

Cell of_ns(double nanoseconds) { return Duration(nanoseconds / 1000); }
Cell difference_of(double estimated, double measured) {
  return measured == 0 ? Cell() : Cell(100 * (estimated - measured) / measured);
}

constexpr Column<RanPlanLine> tried_columns[] = {
    {"plan_number", "No", [](const RanPlanLine& l) -> Cell { return l.number; },
     "The number of a plan among those that were run, from 1."},
    {plan_columns::role, [](const RanPlanLine& l) -> Cell { return l.plan->trial.role; }},
    {plan_columns::plan, [](const RanPlanLine& l) -> Cell { return to_string(l.plan->trial.plan); }},
    {"estimated_us", "Estimated", [](const RanPlanLine& l) { return of_ns(l.estimated()); },
     "What was expected before anything ran, in us: of a plan the latency of a batch that is alone or the makespan of "
     "a stream, whichever the search wanted short; of a block its time undisturbed."},
    {"really_us", "Measured", [](const RanPlanLine& l) { return of_ns(l.measured()); },
     "What a plan or a block really took, in us: mean over the rounds."},
    {"really_low_us", "From", [](const RanPlanLine& l) { return l.interval() ? of_ns(l.interval()->low) : Cell(); },
     "The lower end of the 95 % interval of what a plan really took, in us, from the differences between rounds; "
     "missing with one round."},
    {"really_high_us", "To", [](const RanPlanLine& l) { return l.interval() ? of_ns(l.interval()->high) : Cell(); },
     "The upper end of the 95 % interval of what a plan really took, in us; missing with one round."},
    {"estimate_off_percent", "Off %", [](const RanPlanLine& l) { return difference_of(l.estimated(), l.measured()); },
     "By how much an estimate is above what was measured, in % of that; negative: it took longer than estimated."},
    {"latency_really_us", "Latency",
     [](const RanPlanLine& l) -> Cell {
       std::vector<double> values;
       for (const PlanRound& round : l.plan->rounds) values.push_back(round.latency.count());
       return Duration(mean(values).value_or(0));
     },
     "The mean latency in us of batches that were alone in the pipeline of a plan."},
    {"makespan_really_us", "Makespan",
     [](const RanPlanLine& l) -> Cell {
       std::vector<double> values;
       for (const PlanRound& round : l.plan->rounds) values.push_back(static_cast<double>(round.makespan.count()));
       return of_ns(mean(values).value_or(0));
     },
     "What the stream of batches took in the pipeline of a plan, in us, from the first that entered to the last that "
     "was delivered; mean over the rounds."},
    {"numbers", "Numbers",
     [](const RanPlanLine& l) -> Cell {
       if (!l.plan->numbers) return Cell();
       return std::string(l.plan->is_wrong() ? "wrong" : l.plan->is_right() ? "right" : "cannot tell");
     },
     "right: what every block computes is what the undivided model computes in float32, up to rounding; wrong: it is "
     "not, and the plan is worth nothing; cannot tell: the model's own numbers turn on their last digit, are drawn at "
     "random, or are none. Missing where a unit is simulated, which computes nothing, or nobody looked."},
    {"numbers_reason", "Why",
     [](const RanPlanLine& l) -> Cell {
       const std::string reason = l.plan->is_wrong() ? l.plan->what_is_wrong() : l.plan->untold();
       return reason.empty() ? Cell() : Cell(reason);
     },
     "Where the numbers of a plan are wrong, the worst place of the first wrong block; where nothing can be said of "
     "them, "
     "why."},
};

struct RunBlockLine {
  const PlanRunResult* plan;
  std::int64_t rank;
  std::size_t block;

  double mean_us(Duration BlockRun::*what) const {
    double sum = 0;
    for (const PlanRound& round : plan->rounds) sum += (round.blocks[block].*what).count();
    return sum / static_cast<double>(plan->rounds.size());
  }
  double estimated_us() const {
    const auto& times = plan->trial.estimate.times.blocks[block];
    return static_cast<double>((times.time.total() + times.transfer).count()) / 1000;
  }
};

constexpr Column<RunBlockLine> run_block_columns[] = {
    {"plan_number", "No", [](const RunBlockLine& l) -> Cell { return l.rank; },
     "The number of a plan among those that were run, from 1."},
    {"plan_block", "Block",
     [](const RunBlockLine& l) -> Cell { return to_string(Plan{{l.plan->trial.plan.blocks[l.block]}}); },
     "A block of a plan: its units, its stages in brackets and, where several units divide its batches, their shares."},
    {"estimated_us", "Estimated", [](const RunBlockLine& l) -> Cell { return Duration(l.estimated_us()); },
     "What was expected before anything ran, in us: of a plan the latency of a batch that is alone or the makespan of "
     "a stream, whichever the search wanted short; of a block its time undisturbed."},
    {"really_us", "Measured", [](const RunBlockLine& l) -> Cell { return Duration(l.mean_us(&BlockRun::alone)); },
     "What a plan or a block really took, in us: mean over the rounds."},
    {"estimate_off_percent", "Off %",
     [](const RunBlockLine& l) { return difference_of(l.estimated_us(), l.mean_us(&BlockRun::alone)); },
     "By how much an estimate is above what was measured, in % of that; negative: it took longer than estimated."},
    {"in_stream_us", "In stream",
     [](const RunBlockLine& l) -> Cell { return Duration(l.mean_us(&BlockRun::in_stream)); },
     "What a block took for a batch while other batches were in the pipeline, in us."},
    {"block_deviation", "Deviation",
     [](const RunBlockLine& l) -> Cell {
       return l.plan->numbers ? Cell((*l.plan->numbers)[l.block].deviation) : Cell();
     },
     "By how much a block's outputs differ at most from those of the undivided model in float32, over several batches: "
     "as "
     "a share of the largest magnitude (values beyond 10,000 times the median are held to their own); of indices, "
     "booleans and strings the share that is not the same. Missing where one of the two has NaN or infinity and the "
     "other "
     "has not, or another shape; where a unit is simulated; and where nobody looked."},
    {"block_allowed", "Allowed",
     [](const RunBlockLine& l) -> Cell { return l.plan->numbers ? Cell((*l.plan->numbers)[l.block].allowed) : Cell(); },
     "The deviation that rounding explains: 0.0001 where all compute in float32 on one runtime, 0.001 with several, "
     "0.02 "
     "where a unit computes in less or the model is of halves or quantised; more where rounding the model's values "
     "otherwise, as finely as it and the units compute, changes more."},
};

constexpr Column<PlanChoice> choice_columns[] = {
    {"plans_run", "Plans", [](const PlanChoice& c) -> Cell { return c.plans; }, "How many plans were run."},
    {"plan_rounds", "Rounds", [](const PlanChoice& c) -> Cell { return c.rounds; },
     "How often every plan was run; plans take turns."},
    {"mean_error_percent", "Error %", [](const PlanChoice& c) -> Cell { return 100 * c.mean_error; },
     "The mean over plans of how far the estimate is from what was measured, in % of the latter, whatever the sign."},
    {"common_error_percent", "In common %",
     [](const PlanChoice& c) { return c.common_error ? Cell(100 * *c.common_error) : Cell(); },
     "By how much all plans alike took longer than estimated: the median of measured / estimated - 1 in %. Large where "
     "the machine's pace has changed since the costs were measured. Missing of fewer than three plans."},
    {"other_error_percent", "Else %",
     [](const PlanChoice& c) { return c.other_error ? Cell(100 * *c.other_error) : Cell(); },
     "The mean error in % that is left when the estimates are corrected by what all plans have in common."},
    {"regret_percent", "Regret %", [](const PlanChoice& c) -> Cell { return 100 * c.regret; },
     "By how much the plan that the search named took longer than the fastest of those that were run, in % of that "
     "one; "
     "0: it was the fastest."},
    {"regret_low_percent", "Regret from %",
     [](const PlanChoice& c) { return c.regret_interval ? Cell(100 * c.regret_interval->low) : Cell(); },
     "The lower end of the regret's 95 % interval, from the differences within rounds; missing with one round, or "
     "where "
     "the named plan was the fastest."},
    {"regret_high_percent", "Regret to %",
     [](const PlanChoice& c) { return c.regret_interval ? Cell(100 * c.regret_interval->high) : Cell(); },
     "The upper end of the regret's 95 % interval."},
    {"rank_correlation", "Rank corr.", [](const PlanChoice& c) { return optional_cell(c.rank_correlation); },
     "Spearman's correlation between the estimated and the measured order of the plans: 1 if both are the same; "
     "missing "
     "of fewer than three plans."},
    {"over_single_percent", "Over single %",
     [](const PlanChoice& c) { return c.over_single ? Cell(100 * *c.over_single) : Cell(); },
     "By how much the plan that the search named took longer than the best one on one unit, in % of that one; "
     "negative: "
     "it was faster. Missing where no other plan on one unit was run beside it."},
    {"over_single_low_percent", "Over from %",
     [](const PlanChoice& c) { return c.over_single_interval ? Cell(100 * c.over_single_interval->low) : Cell(); },
     "The lower end of the 95 % interval of that difference, from the differences within rounds."},
    {"over_single_high_percent", "Over to %",
     [](const PlanChoice& c) { return c.over_single_interval ? Cell(100 * c.over_single_interval->high) : Cell(); },
     "The upper end of the 95 % interval of that difference."},
};

constexpr TableDefinition<RanPlanLine> tried_definition{
    "plan_runs", "Plans that were run, beside what they were expected to take: a row per plan.", tried_columns};
constexpr TableDefinition<RunBlockLine> run_blocks_definition{
    "plan_run_blocks", "The blocks of the plans that were run: a row per block.", run_block_columns};
constexpr TableDefinition<PlanChoice> choice_definition{
    "plan_choice", "How well the estimates chose among the plans that were run: one row.", choice_columns};

std::vector<RanPlanLine> lines_of(const PlanRunReport& report) {
  std::vector<RanPlanLine> lines;
  for (const PlanRunResult& plan : report.plans)
    lines.push_back({&report, &plan, static_cast<std::int64_t>(lines.size()) + 1});
  return lines;
}

std::string role_in_words(const std::string& role) {
  if (role == "single") return "the best plan on one unit";
  return role == "given" ? "as given" : role;
}

/// "between 3.1 and 4.5 %", or what there is.
std::string range_of(double value, const std::optional<Interval>& interval) {
  if (!interval) return fmt::format("{:.1f} %", 100 * value);
  return fmt::format("{:.1f} % (95 %: {:.1f} to {:.1f})", 100 * value, 100 * interval->low, 100 * interval->high);
}

/// What is to be thought of the numbers, which decides before any time does; empty: nobody looked.
std::string verdict_on_numbers(const PlanRunReport& report) {
  std::string wrong, untold;
  bool looked = true;
  for (const PlanRunResult& plan : report.plans) {
    looked = looked && plan.numbers;
    if (plan.is_wrong()) wrong += fmt::format(" {}: {}.", to_string(plan.trial.plan), plan.what_is_wrong());
    if (untold.empty()) untold = plan.untold();
  }
  if (!wrong.empty()) return "WRONG NUMBERS, so these plans are worth nothing, however fast:" + wrong + " ";
  if (!untold.empty()) return fmt::format("Cannot tell whether the numbers are right: {}. ", untold);
  return looked ? "All blocks compute what the undivided model does. " : "";
}

std::string verdict(const PlanRunReport& report, const PlanChoice& choice) {
  std::string text = verdict_on_numbers(report);
  text += fmt::format("Estimates are off by {:.1f} % on average over {} {}.", 100 * choice.mean_error, choice.plans,
                      choice.plans == 1 ? "plan" : "plans");
  // Said where it is most of the error.
  if (choice.other_error && std::abs(*choice.common_error) > 0.05 && *choice.other_error < choice.mean_error / 2)
    text += fmt::format(
        " All of them took {:.1f} % {} than estimated, as if the machine's pace had changed; else estimates are "
        "off by {:.1f} %.",
        100 * std::abs(*choice.common_error), *choice.common_error > 0 ? "longer" : "less", 100 * *choice.other_error);
  if (report.plans.front().is_wrong()) return text;
  if (choice.plans > 1)
    text += choice.regret == 0 ? std::string(" The named plan was the fastest of them.")
                               : fmt::format(" The named plan took {} longer than the fastest.",
                                             range_of(choice.regret, choice.regret_interval));
  if (choice.rank_correlation) text += fmt::format(" Rank correlation {:.2f}.", *choice.rank_correlation);
  if (report.plans.front().trial.role == "single") text += " It is the best plan on one unit.";
  if (choice.over_single) {
    const auto& interval = choice.over_single_interval;
    if (interval && interval->high < 0)
      text +=
          fmt::format(" It is faster than the best plan on one unit by {}.",
                      range_of(-*choice.over_single, Interval{-interval->high, -interval->low, confidence_of_choice}));
    else
      text += fmt::format(" That it is faster than the best plan on one unit is not shown: difference {}.",
                          range_of(*choice.over_single, interval));
  }
  return text;
}

}  // namespace

std::vector<Table> plan_run_tables(const PlanRunReport& report) {
  const auto runs = lines_of(report);
  std::vector<RunBlockLine> blocks;
  for (const RanPlanLine& line : runs)
    for (std::size_t b = 0; b < line.plan->trial.plan.blocks.size(); ++b) blocks.push_back({line.plan, line.number, b});
  const PlanChoice choice = choice_of(report);
  return {tried_definition.make(runs), run_blocks_definition.make(blocks),
          choice_definition.make(std::span(&choice, 1))};
}

std::vector<TableSchema> plan_run_schemas() {
  return {tried_definition.schema(), run_blocks_definition.schema(), choice_definition.schema(), piece_costs_schema(),
          piece_pairs_schema()};
}

std::string to_text(const PlanRunReport& report, const TextStyle& style) {
  const auto tables = plan_run_tables(report);
  std::string text = to_text(
      some_columns(tables[0], {"plan_number", "plan", "estimated_us", "really_us", "estimate_off_percent"}), style);
  for (const RanPlanLine& line : lines_of(report))
    if (line.plan->trial.role != "found")
      text += fmt::format("{}: {}\n", line.number, role_in_words(line.plan->trial.role));
  text += fmt::format("\nBlocks, while a batch was alone and in the stream:\n\n{}",
                      to_text(without_columns(tables[1], {"block_allowed"}), style));
  return text + fmt::format("\n{}\n", wrapped(verdict(report, choice_of(report)), style.width));
}

}  // namespace takt
