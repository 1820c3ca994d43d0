#include "plan/answer/run_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/text.h"
#include "plan/estimate/columns.h"
#include "plan/run/piece_contention.h"

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
     "The number of the plan among the plans that were run, from 1."},
    {plan_columns::role, [](const RanPlanLine& l) -> Cell { return l.plan->trial.role; }},
    {plan_columns::plan, [](const RanPlanLine& l) -> Cell { return to_string(l.plan->trial.plan); }},
    {"estimated_us", "Estimated", [](const RanPlanLine& l) { return of_ns(l.estimated()); },
     "The time expected before the run, in us: for a plan the latency of a single batch or the makespan of a stream, "
     "whichever is the objective; for a block its time without contention."},
    {"really_us", "Measured", [](const RanPlanLine& l) { return of_ns(l.measured()); },
     "The measured time of a plan or a block, in us: mean over the rounds."},
    {"really_low_us", "From", [](const RanPlanLine& l) { return l.interval() ? of_ns(l.interval()->low) : Cell(); },
     "The lower end of the 95 % interval of the measured time of a plan, in us, from the differences between rounds; "
     "empty with one round."},
    {"really_high_us", "To", [](const RanPlanLine& l) { return l.interval() ? of_ns(l.interval()->high) : Cell(); },
     "The upper end of the 95 % interval of the measured time of a plan, in us; empty with one round."},
    {"estimate_off_percent", "Error %", [](const RanPlanLine& l) { return difference_of(l.estimated(), l.measured()); },
     "Error of the estimate, in % of the measured time; negative: it took longer than estimated."},
    {"latency_really_us", "Latency",
     [](const RanPlanLine& l) -> Cell {
       std::vector<double> values;
       for (const PlanRound& round : l.plan->rounds) values.push_back(round.latency.count());
       return Duration(mean(values).value_or(0));
     },
     "The mean latency in us of batches that ran through the pipeline of a plan one at a time."},
    {"makespan_really_us", "Makespan",
     [](const RanPlanLine& l) -> Cell {
       std::vector<double> values;
       for (const PlanRound& round : l.plan->rounds) values.push_back(static_cast<double>(round.makespan.count()));
       return of_ns(mean(values).value_or(0));
     },
     "The time of the stream of batches in the pipeline of a plan, in us, from the first batch admitted to the last "
     "delivered; mean over the rounds."},
    {"numbers", "Outputs",
     [](const RanPlanLine& l) -> Cell {
       if (!l.plan->numbers) return Cell();
       return std::string(l.plan->is_wrong() ? "wrong" : l.plan->is_right() ? "right" : "cannot tell");
     },
     "right: the outputs of every block match those of the whole model in float32, up to rounding; wrong: they differ, "
     "and the plan is not usable; cannot tell: the model's own outputs depend on rounding, are random, or are not "
     "numbers. Empty if a unit is simulated, which computes nothing, or if the outputs were not checked."},
    {"numbers_reason", "Why",
     [](const RanPlanLine& l) -> Cell {
       const std::string reason = l.plan->is_wrong() ? l.plan->what_is_wrong() : l.plan->untold();
       return reason.empty() ? Cell() : Cell(reason);
     },
     "If the outputs of a plan differ, the largest difference in the first wrong block; if they could not be checked, "
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
     "The number of the plan among the plans that were run, from 1."},
    {"plan_block", "Block",
     [](const RunBlockLine& l) -> Cell { return to_string(Plan{{l.plan->trial.plan.blocks[l.block]}}); },
     "A block of a plan: its units, its stages in brackets and, if its batches are split over several units, their "
     "shares."},
    {"estimated_us", "Estimated", [](const RunBlockLine& l) -> Cell { return Duration(l.estimated_us()); },
     "The time expected before the run, in us: for a plan the latency of a single batch or the makespan of a stream, "
     "whichever is the objective; for a block its time without contention."},
    {"really_us", "Measured", [](const RunBlockLine& l) -> Cell { return Duration(l.mean_us(&BlockRun::alone)); },
     "The measured time of a plan or a block, in us: mean over the rounds."},
    {"estimate_off_percent", "Error %",
     [](const RunBlockLine& l) { return difference_of(l.estimated_us(), l.mean_us(&BlockRun::alone)); },
     "Error of the estimate, in % of the measured time; negative: it took longer than estimated."},
    {"in_stream_us", "In stream",
     [](const RunBlockLine& l) -> Cell { return Duration(l.mean_us(&BlockRun::in_stream)); },
     "The time of a block for a batch while other batches were in the pipeline, in us."},
    {"block_deviation", "Deviation",
     [](const RunBlockLine& l) -> Cell {
       return l.plan->numbers ? Cell((*l.plan->numbers)[l.block].deviation) : Cell();
     },
     "The maximum difference between a block's outputs and those of the whole model in float32, over several batches: "
     "as a share of the largest magnitude (values beyond 10,000 times the median are compared with their own "
     "magnitude); for indices, booleans and strings the share that differs. Empty if only one of the two has NaN or "
     "infinity, if shapes differ, if a unit is simulated, or if the outputs were not checked."},
    {"block_allowed", "Tolerance",
     [](const RunBlockLine& l) -> Cell { return l.plan->numbers ? Cell((*l.plan->numbers)[l.block].allowed) : Cell(); },
     "The deviation that rounding explains: 0.0001 if all units compute in float32 on one runtime, 0.001 with several "
     "runtimes, 0.02 if a unit computes in lower precision or the model is in half precision or quantised; more if a "
     "different rounding of the model's values, at the precision of the model and the units, changes more."},
};

constexpr Column<PlanChoice> choice_columns[] = {
    {"plans_run", "Plans", [](const PlanChoice& c) -> Cell { return c.plans; }, "How many plans were run."},
    {"plan_rounds", "Rounds", [](const PlanChoice& c) -> Cell { return c.rounds; },
     "How often every plan was run; the runs of plans are interleaved."},
    {"mean_error_percent", "Error %", [](const PlanChoice& c) -> Cell { return 100 * c.mean_error; },
     "The mean absolute error of the estimates over plans, in % of the measured time."},
    {"common_error_percent", "Common error %",
     [](const PlanChoice& c) { return c.common_error ? Cell(100 * *c.common_error) : Cell(); },
     "How much longer all plans took than estimated: the median of measured / estimated - 1 in %. Large if the "
     "machine's speed has changed since the costs were measured. Empty with fewer than three plans."},
    {"other_error_percent", "Residual error %",
     [](const PlanChoice& c) { return c.other_error ? Cell(100 * *c.other_error) : Cell(); },
     "The mean error in % that remains when the estimates are corrected by the common error."},
    {"regret_percent", "Regret %", [](const PlanChoice& c) -> Cell { return 100 * c.regret; },
     "How much longer the plan that the search ranked first took than the fastest plan that was run, in % of the "
     "latter; 0: it was the fastest."},
    {"regret_low_percent", "Regret from %",
     [](const PlanChoice& c) { return c.regret_interval ? Cell(100 * c.regret_interval->low) : Cell(); },
     "The lower end of the regret's 95 % interval, from the differences within rounds; empty with one round, or if the "
     "plan ranked first was the fastest."},
    {"regret_high_percent", "Regret to %",
     [](const PlanChoice& c) { return c.regret_interval ? Cell(100 * c.regret_interval->high) : Cell(); },
     "The upper end of the regret's 95 % interval."},
    {"rank_correlation", "Rank corr.", [](const PlanChoice& c) { return optional_cell(c.rank_correlation); },
     "Spearman's correlation between the estimated and the measured order of the plans: 1 if both are the same; empty "
     "with fewer than three plans."},
    {"over_single_percent", "Vs. single device %",
     [](const PlanChoice& c) { return c.over_single ? Cell(100 * *c.over_single) : Cell(); },
     "How much longer the plan that the search ranked first took than the best single-device plan, in % of the latter; "
     "negative: it was faster. Empty if no other single-device plan was run."},
    {"over_single_low_percent", "Vs. single from %",
     [](const PlanChoice& c) { return c.over_single_interval ? Cell(100 * c.over_single_interval->low) : Cell(); },
     "The lower end of the 95 % interval of that difference, from the differences within rounds."},
    {"over_single_high_percent", "Vs. single to %",
     [](const PlanChoice& c) { return c.over_single_interval ? Cell(100 * c.over_single_interval->high) : Cell(); },
     "The upper end of the 95 % interval of that difference."},
};

constexpr TableDefinition<RanPlanLine> tried_definition{
    "plan_runs", "Plans that were run, with estimated and measured time: a row per plan.", tried_columns};
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
  if (role == "single") return "the best single-device plan";
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
  if (!wrong.empty()) return "WRONG OUTPUTS, so these plans are not usable, however fast:" + wrong + " ";
  if (!untold.empty()) return fmt::format("The outputs could not be checked: {}. ", untold);
  return looked ? "The outputs of all blocks match those of the whole model. " : "";
}

std::string role_of_first(const PlanRunReport& report, const PlanChoice& choice) {
  if (report.plans.front().is_wrong()) return "";
  std::string text;
  if (choice.plans > 1)
    text += choice.regret == 0 ? std::string(" The search ranked it first.")
                               : fmt::format(" The plan that the search ranked first took {} longer.",
                                             range_of(choice.regret, choice.regret_interval));
  if (report.plans.front().trial.role == "single") text += " It is the best single-device plan.";
  if (!choice.over_single) return text;
  const auto& interval = choice.over_single_interval;
  const std::string first = choice.regret == 0 ? "It" : "That plan";
  if (interval && interval->high < 0)
    return text +
           fmt::format(" {} is faster than the best single-device plan by {}.", first,
                       range_of(-*choice.over_single, Interval{-interval->high, -interval->low, confidence_of_choice}));
  return text + fmt::format(" {} is not significantly faster than the best single-device plan: difference {}.", first,
                            range_of(*choice.over_single, interval));
}

/// Which plan to take, and how sure that is.
std::string answer(const PlanRunReport& report, const PlanChoice& choice) {
  const PlanRunResult& fastest = fastest_plan(report);
  std::string text = verdict_on_numbers(report);
  if (fastest.is_wrong()) return text;
  const std::string time = format_duration(Duration(measured_value(report, fastest) / 1000));
  text += fmt::format("Fastest: {}, {} {}.", to_string(fastest.trial.plan), time,
                      objective_words(report.objective, report.batches));
  return text + role_of_first(report, choice);
}

/// How far estimates can be trusted next time.
std::string quality_of_estimates(const PlanChoice& choice) {
  std::string text = fmt::format("Estimates are off by {:.1f} % on average over {} {}.", 100 * choice.mean_error,
                                 choice.plans, choice.plans == 1 ? "plan" : "plans");
  // Said where it is most of the error.
  if (choice.other_error && std::abs(*choice.common_error) > 0.05 && *choice.other_error < choice.mean_error / 2)
    text += fmt::format(
        " All of them took {:.1f} % {} than estimated, as if the machine's speed had changed; the rest of the error is "
        "{:.1f} %.",
        100 * std::abs(*choice.common_error), *choice.common_error > 0 ? "longer" : "less", 100 * *choice.other_error);
  if (choice.rank_correlation) text += fmt::format(" Rank correlation {:.2f}.", *choice.rank_correlation);
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
  const PlanChoice choice = choice_of(report);
  std::string text = wrapped(answer(report, choice), style.width) + "\n\n";
  text += to_text(some_columns(tables[0], {"plan_number", "plan", "estimated_us", "really_us", "estimate_off_percent"}),
                  style);
  for (const RanPlanLine& line : lines_of(report))
    if (line.plan->trial.role != "found")
      text += fmt::format("{}: {}\n", line.number, role_in_words(line.plan->trial.role));
  text += fmt::format("\nBlocks, with a single batch and within the stream:\n\n{}",
                      to_text(without_columns(tables[1], {"block_allowed"}), style));
  return text + fmt::format("\n{}\n", wrapped(quality_of_estimates(choice), style.width));
}

}  // namespace takt
