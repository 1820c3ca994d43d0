#include "plan/answer/tables.h"

#include <fmt/format.h>

#include "base/basics/text.h"
#include "base/basics/units.h"
#include "plan/run/piece_contention.h"
#include "plan/plan_columns.h"
#include "plan/answer/differences.h"

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
     "The time in ms that a batch which is alone in the pipeline is expected to take, transfers included."},
    {"makespan_ms", "Makespan ms",
     [](const PlanLine& l) { return optional_cell(milliseconds(l, &PlanEstimate::makespan)); },
     "The time in ms that a stream of batches is expected to take, from the first that enters to the last that is "
     "delivered."},
    {"throughput_per_s", "Batches/s",
     [](const PlanLine& l) { return l.estimate ? optional_cell(l.estimate->throughput()) : Cell(); },
     "Batches of a stream per second that are expected, the filling and draining of the pipeline included."},
    {"speed_up", "Speed-up", [](const PlanLine& l) { return optional_cell(speed_up(l)); },
     "How many times as fast as the best plan on one unit a plan is expected to be, by the objective of the search; "
     "missing where no unit can run everything."},
    {"optimal", "Optimal", [](const PlanLine& l) { return yes_no(l.optimal); },
     "yes: proven, for the costs given, that no plan is better than the one of the row but those ranked before; no: "
     "the "
     "search ended before, or did not try all shares. Missing for plans that were not searched."},
    {"plan_reason", "Reason", [](const PlanLine& l) { return l.reason.empty() ? Cell() : Cell(l.reason); },
     "Why a plan that was given has no estimate."},
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
    {"part_time_us", "Computes", [](const PartLine& l) { return time_cell(l.times().time.parts[l.part]); },
     "How long the unit is expected to compute its share of a batch when nothing disturbs it."},
    {"transfer_us", "Transfer", [](const PartLine& l) { return time_cell(l.times().transfer); },
     "The expected time to move a batch to the block from where the block before left it."},
    {"block_partition_us", "Partition", [](const PartLine& l) { return time_cell(l.times().time.partition); },
     "The expected time to part a batch among the units of the block; 0 where one unit takes whole batches."},
    {"merge_us", "Merge", [](const PartLine& l) { return time_cell(l.times().time.merge); },
     "The expected time to put the results of the block's units together; 0 where one unit takes whole batches."},
    {"block_time_us", "Block", [](const PartLine& l) { return time_cell(l.times().time.total()); },
     "The expected time of a batch in the block when nothing disturbs it: partition, longest part, merge."},
};

constexpr Column<PlanReport> search_columns[] = {
    {plan_columns::objective, [](const PlanReport& r) -> Cell { return std::string(objective_name(r.objective)); }},
    {plan_columns::stream_batches, [](const PlanReport& r) -> Cell { return r.batches; }},
    {plan_columns::units, [](const PlanReport& r) -> Cell { return fmt::format("{}", fmt::join(r.units, ", ")); }},
    {"looked_at", "Looked at", [](const PlanReport& r) -> Cell { return r.search.nodes; },
     "How many beginnings of plans the search looked at."},
    {"simulated", "Simulated", [](const PlanReport& r) -> Cell { return r.search.estimates; },
     "How many plans were simulated, because their blocks slow each other down or take turns on a unit."},
    {"lower_bound_ms", "Bound ms",
     [](const PlanReport& r) -> Cell {
       return std::chrono::duration<double, std::milli>(r.search.lower_bound).count();
     },
     "The least that any plan can take by the objective, in ms, for the costs given."},
    {"gap", "Gap", [](const PlanReport& r) -> Cell { return r.search.gap(); },
     "The share of the best plan's time that a plan which was not found could save at most; 0 where the best is "
     "proven."},
    {"search_end", "Ended", [](const PlanReport& r) -> Cell { return std::string(end_name(r.search.end)); },
     "What the search ended for: complete, or a limit: partial_plans (beginnings of plans that are kept, or 20 times "
     "as "
     "many looked at), memory (their bytes), simulations."},
    {"kept", "Kept", [](const PlanReport& r) -> Cell { return r.search.kept; },
     "How many beginnings of plans the search kept at once, at most."},
    {"kept_bytes", "Kept bytes", [](const PlanReport& r) -> Cell { return r.search.bytes; },
     "The memory in bytes that the kept beginnings of plans took."},
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
    "plans", "Plans with what they are expected to take: a row per plan, the best first.", line_columns};
constexpr TableDefinition<PartLine> blocks_definition{
    "blocks", "The best plan, block by block: a row for each unit of a block.", block_columns};
constexpr TableDefinition<PlanReport> search_definition{"search", "What the search did: one row.", search_columns};
constexpr TableDefinition<CandidateLine> candidates_definition{
    "candidates", "Plans to choose from, before anything is known of their costs: a row per plan.", candidate_columns};

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
  return fmt::format("{} beginnings of plans ({})", search.kept, format_bytes(static_cast<double>(search.bytes)));
}

/// What ended the search early, as a sentence; empty: nothing did.
std::string end_of(const PlanSearch& search) {
  switch (search.end) {
    case SearchEnd::complete:
      return "";
    case SearchEnd::partial_plans:
      return fmt::format(" The search stopped with {} kept and {} looked at.", kept_plans(search), search.nodes);
    case SearchEnd::memory:
      return fmt::format(" The search stopped at the memory that it may take, with {}.", kept_plans(search));
    case SearchEnd::simulations:
      return fmt::format(" The search stopped at what it may simulate, after {} plans.", search.estimates);
  }
  return "";
}

std::string certainty(const PlanReport& report) {
  if (report.search.optimal()) return "For these costs no plan that the options allow is better: that is proven.";
  return fmt::format("Not proven: for these costs a plan could take up to {:.1f} % less time than the first.{}",
                     100 * report.search.gap(), end_of(report.search));
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
  std::string text = to_text(some_columns(tables[0], {"plan_rank", "role", "plan", time, "speed_up"}), style);
  for (const GivenPlan& given : report.given)
    if (!given.reason.empty())
      text += fmt::format(
          "\n{}\n", wrapped(fmt::format("Not possible: {}: {}.", to_string(given.plan), given.reason), style.width));
  text += fmt::format("\nBlocks of the first:\n\n{}", to_text(tables[1], style));
  text += fmt::format("\n{}\n", wrapped(certainty(report), style.width));
  if (const std::string sure = confidence_in(report); !sure.empty()) text += wrapped(sure, style.width) + "\n";
  return text;
}

Table candidates_table(const std::vector<Plan>& plans) {
  std::vector<CandidateLine> lines;
  for (const Plan& plan : plans) lines.push_back({static_cast<std::int64_t>(lines.size()) + 1, &plan});
  return candidates_definition.make(lines);
}

}  // namespace takt
