#include "plan/answer/tables.h"

#include <fmt/format.h>

#include "base/basics/text.h"
#include "base/basics/units.h"
#include "plan/answer/differences.h"
#include "plan/estimate/columns.h"
#include "plan/run/piece_contention.h"

namespace takt {
namespace {

struct PlanLine {
  const PlanReport* report;
  std::string role;
  std::optional<std::int64_t> rank;
  const Plan* plan;
  const PlanEstimate* estimate;  ///< null: there is none
  std::optional<bool> optimal;
  std::string reason;
};

std::optional<double> milliseconds(const PlanLine& line, Nanoseconds PlanEstimate::*time) {
  if (!line.estimate) return std::nullopt;
  return std::chrono::duration<double, std::milli>(line.estimate->*time).count();
}

double value_of(const PlanReport& report, const PlanEstimate& estimate) {
  const auto time = report.objective == PlanObjective::latency ? estimate.latency : estimate.makespan;
  return static_cast<double>(time.count());
}

std::optional<double> speed_up(const PlanLine& line) {
  const auto& single = line.report->search.best_single;
  if (!single || !line.estimate || value_of(*line.report, *line.estimate) == 0) return std::nullopt;
  return value_of(*line.report, single->estimate) / value_of(*line.report, *line.estimate);
}

Cell yes_no(const std::optional<bool>& is) { return is ? Cell(std::string(*is ? "yes" : "no")) : Cell(); }

constexpr Column<PlanLine> line_columns[] = {
    {plan_columns::rank, [](const PlanLine& l) { return optional_cell(l.rank); }},
    {plan_columns::role, [](const PlanLine& l) -> Cell { return l.role; }},
    {plan_columns::plan, [](const PlanLine& l) -> Cell { return to_string(*l.plan); }},
    {"latency_ms", "Latency ms",
     [](const PlanLine& l) { return optional_cell(milliseconds(l, &PlanEstimate::latency)); },
     "The expected time of a batch that is alone in the pipeline, in ms, including transfers."},
    {"makespan_ms", "Makespan ms",
     [](const PlanLine& l) { return optional_cell(milliseconds(l, &PlanEstimate::makespan)); },
     "The expected time of a stream of batches, in ms, from the first batch admitted to the last delivered."},
    {"throughput_per_s", "Batches/s",
     [](const PlanLine& l) { return l.estimate ? optional_cell(l.estimate->throughput()) : Cell(); },
     "Expected batches of a stream per second, including the filling and draining of the pipeline."},
    {"speed_up", "Speed-up", [](const PlanLine& l) { return optional_cell(speed_up(l)); },
     "Expected speed-up over the best single-device plan, by the objective of the search; empty if no unit can run all "
     "stages."},
    {"optimal", "Optimal", [](const PlanLine& l) { return yes_no(l.optimal); },
     "yes: it is proven for the given costs that no plan is better than the plan of the row, except those ranked "
     "before it; no: the search ended early, or did not try all shares. Empty for plans that were not searched."},
    {"plan_reason", "Reason", [](const PlanLine& l) { return l.reason.empty() ? Cell() : Cell(l.reason); },
     "Why a given plan has no estimate."},
};

/// A unit in a block of the best plan.
struct PartLine {
  const PlanReport* report;
  std::size_t block, part;

  const RankedPlan& best() const { return report->search.plans.front(); }
  const PlanBlock& plan_block() const { return best().plan.blocks[block]; }
  const BlockTimes& times() const { return best().estimate.times.blocks[block]; }
};

constexpr Column<PartLine> block_columns[] = {
    {"block", "Block", [](const PartLine& l) -> Cell { return static_cast<std::int64_t>(l.block) + 1; },
     "The number of a block of the best plan, from 1."},
    {"block_stages", "Stages", [](const PartLine& l) -> Cell { return to_string(l.plan_block().stages); },
     "The stages that run as one in the block."},
    {"block_unit", "Unit", [](const PartLine& l) -> Cell { return l.plan_block().parts[l.part].unit; },
     "A unit of the block."},
    {"share", "Share", [](const PartLine& l) -> Cell { return l.plan_block().parts[l.part].share; },
     "The part of every batch that the unit computes; 1: whole batches."},
    {"part_time_us", "Compute", [](const PartLine& l) { return time_cell(l.times().time.parts[l.part]); },
     "The expected time in which the unit computes its share of a batch, without contention."},
    {"transfer_us", "Transfer", [](const PartLine& l) { return time_cell(l.times().transfer); },
     "The expected time to move a batch to the block from the previous one."},
    {"block_partition_us", "Partition", [](const PartLine& l) { return time_cell(l.times().time.partition); },
     "The expected time to split a batch over the units of the block; 0 if one unit takes whole batches."},
    {"merge_us", "Merge", [](const PartLine& l) { return time_cell(l.times().time.merge); },
     "The expected time to merge the results of the block's units; 0 if one unit takes whole batches."},
    {"block_time_us", "Block", [](const PartLine& l) { return time_cell(l.times().time.total()); },
     "The expected time of a batch in the block without contention: partition, longest part, merge."},
};

constexpr Column<PlanReport> search_columns[] = {
    {plan_columns::objective, [](const PlanReport& r) -> Cell { return std::string(objective_name(r.objective)); }},
    {plan_columns::stream_batches, [](const PlanReport& r) -> Cell { return r.batches; }},
    {plan_columns::units, [](const PlanReport& r) -> Cell { return fmt::format("{}", fmt::join(r.units, ", ")); }},
    {"looked_at", "Expanded", [](const PlanReport& r) -> Cell { return r.search.nodes; },
     "How many partial plans the search expanded."},
    {"simulated", "Simulated", [](const PlanReport& r) -> Cell { return r.search.estimates; },
     "How many plans were simulated, because their blocks slow each other down or share a unit."},
    {"lower_bound_ms", "Lower bound ms",
     [](const PlanReport& r) -> Cell {
       return std::chrono::duration<double, std::milli>(r.search.lower_bound).count();
     },
     "The minimum time of any plan by the objective, in ms, for the given costs."},
    {"gap", "Gap", [](const PlanReport& r) -> Cell { return r.search.gap(); },
     "The maximum share of the best plan's time that a plan which was not found could save; 0 if the best plan is "
     "proven optimal."},
    {"search_end", "Ended", [](const PlanReport& r) -> Cell { return std::string(end_name(r.search.end)); },
     "Why the search ended: complete, or a limit: partial_plans (partial plans kept, or 20 times as many expanded), "
     "memory (their bytes), simulations."},
    {"kept", "Kept", [](const PlanReport& r) -> Cell { return r.search.kept; },
     "The maximum number of partial plans that the search kept at the same time."},
    {"kept_bytes", "Kept bytes", [](const PlanReport& r) -> Cell { return r.search.bytes; },
     "The memory in bytes of the partial plans kept."},
};

struct CandidateLine {
  std::int64_t number;
  const Plan* plan;
};

constexpr Column<CandidateLine> candidate_columns[] = {
    {"candidate", "No", [](const CandidateLine& l) -> Cell { return l.number; }, "The number of a candidate, from 1."},
    {plan_columns::plan, [](const CandidateLine& l) -> Cell { return to_string(*l.plan); }},
    {"blocks", "Blocks",
     [](const CandidateLine& l) -> Cell { return static_cast<std::int64_t>(l.plan->blocks.size()); },
     "How many blocks the plan has."},
};

constexpr TableDefinition<PlanLine> plans_definition{
    "plans", "Plans with their expected time: a row per plan, the best first.", line_columns};
constexpr TableDefinition<PartLine> blocks_definition{
    "blocks", "The best plan, block by block: a row for each unit of a block.", block_columns};
constexpr TableDefinition<PlanReport> search_definition{"search", "Statistics of the search: one row.", search_columns};
constexpr TableDefinition<CandidateLine> candidates_definition{
    "candidates", "Plans to choose from, before their costs are known: a row per plan.", candidate_columns};

std::vector<PlanLine> lines_of(const PlanReport& report) {
  std::vector<PlanLine> lines;
  for (const RankedPlan& plan : report.search.plans)
    lines.push_back(
        {&report, "found", static_cast<std::int64_t>(lines.size()) + 1, &plan.plan, &plan.estimate, plan.proven, ""});
  if (const auto& single = report.search.best_single)
    lines.push_back({&report, "single", {}, &single->plan, &single->estimate, {}, ""});
  for (const GivenPlan& given : report.given)
    lines.push_back({&report,
                     given.name.empty() ? "given" : given.name,
                     {},
                     &given.plan,
                     given.estimate ? &*given.estimate : nullptr,
                     {},
                     given.reason});
  return lines;
}

std::vector<PartLine> parts_of(const PlanReport& report) {
  std::vector<PartLine> lines;
  const auto& blocks = report.search.plans.front().plan.blocks;
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (std::size_t p = 0; p < blocks[b].parts.size(); ++p) lines.push_back({&report, b, p});
  return lines;
}

std::string kept_plans(const PlanSearch& search) {
  return fmt::format("{} partial plans ({})", search.kept, format_bytes(static_cast<double>(search.bytes)));
}

/// What ended the search early, as a sentence; empty: nothing did.
std::string end_of(const PlanSearch& search) {
  switch (search.end) {
    case SearchEnd::complete:
      return "";
    case SearchEnd::partial_plans:
      return fmt::format(" The search stopped with {} kept and {} expanded.", kept_plans(search), search.nodes);
    case SearchEnd::memory:
      return fmt::format(" The search stopped at its memory limit, with {}.", kept_plans(search));
    case SearchEnd::simulations:
      return fmt::format(" The search stopped at its limit of simulations, after {} plans.", search.estimates);
  }
  return "";
}

std::string certainty(const PlanReport& report) {
  if (report.search.optimal()) return "It is proven optimal for these costs.";
  return fmt::format("It is not proven optimal: for these costs a plan could take up to {:.1f} % less time.{}",
                     100 * report.search.gap(), end_of(report.search));
}

/// The plan to take, what it is expected to gain, and how sure that is.
std::string answer(const PlanReport& report) {
  const RankedPlan& best = report.search.plans.front();
  const double value = value_of(report, best.estimate);
  std::string text = fmt::format("Best plan: {}, {} {}", to_string(best.plan), format_duration(Duration(value / 1000)),
                                 objective_words(report.objective, report.batches));
  if (const auto& single = report.search.best_single; single && single->plan != best.plan && value > 0)
    text += fmt::format(", {:.2f} times as fast as the best single device ({})",
                        value_of(report, single->estimate) / value, to_string(single->plan));
  text += ". " + certainty(report);
  const std::string confidence = confidence_in(report);
  return confidence.empty() ? text : text + " " + confidence;
}

}  // namespace

std::vector<Table> plan_tables(const PlanReport& report) {
  return {plans_definition.make(lines_of(report)), blocks_definition.make(parts_of(report)),
          search_definition.make(std::span(&report, 1)), differences_table(report)};
}

std::vector<TableSchema> plan_schemas() {
  return {plans_definition.schema(),      blocks_definition.schema(), search_definition.schema(), differences_schema(),
          candidates_definition.schema(), piece_costs_schema(),       piece_pairs_schema()};
}

std::string to_text(const PlanReport& report, const TextStyle& style) {
  const auto tables = plan_tables(report);
  const std::string_view time = report.objective == PlanObjective::latency ? "latency_ms" : "makespan_ms";
  std::string text = wrapped(answer(report), style.width) + "\n\n";
  text += to_text(some_columns(tables[0], {"plan_rank", "role", "plan", time, "speed_up"}), style);
  for (const GivenPlan& given : report.given)
    if (!given.reason.empty())
      text += fmt::format(
          "\n{}\n", wrapped(fmt::format("Infeasible: {}: {}.", to_string(given.plan), given.reason), style.width));
  return text + fmt::format("\nBlocks of the best plan:\n\n{}", to_text(tables[1], style));
}

Table candidates_table(const std::vector<Plan>& plans) {
  std::vector<CandidateLine> lines;
  for (const Plan& plan : plans) lines.push_back({static_cast<std::int64_t>(lines.size()) + 1, &plan});
  return candidates_definition.make(lines);
}

}  // namespace takt
