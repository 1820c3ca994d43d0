#include "plan/sets/set_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/index.h"
#include "base/basics/text.h"
#include "plan/plan_columns.h"

namespace takt {
namespace {

double set_ms(Nanoseconds time) { return std::chrono::duration<double, std::milli>(time).count(); }

Cell cost_cell(const PlanSet::Cost& cost) { return cost ? Cell(set_ms(*cost)) : Cell(); }

std::string size_words(const GraphSize& size) { return fmt::format("{},{}", size.nodes, size.edges); }

Cell size_cell(const std::optional<GraphSize>& size) { return size ? Cell(size_words(*size)) : Cell(); }

std::string yes_or_no(bool is) { return is ? "yes" : "no"; }

std::string how_far_extrapolated(const PlanStretch& stretch) {
  return stretch.extrapolated == 0 ? "no" : stretch.extrapolated == stretch.points ? "yes" : "in part";
}

constexpr ColumnText cost_text{
    "batch_cost_ms", "Batch ms",
    "What a batch of the size is expected to take under the plan, in ms: its latency or, for throughput, its share of "
    "the makespan of a stream of its size."};
constexpr ColumnText extrapolated_text{"extrapolated", "Extrapolated",
                                       "yes: the times of the plan there lie beyond the sizes that were measured, so "
                                       "they are less sure; in part: at some of "
                                       "the sizes; no: at none, or the costs are laws that hold for all sizes."};

struct StretchLine {
  const PlanSet* set;
  PlanStretch stretch;
};

constexpr Column<StretchLine> stretch_columns[] = {
    {"first_size", "From", [](const StretchLine& l) -> Cell { return size_words(l.stretch.first); },
     "The first size, nodes,edges, for which a plan of the set is the best."},
    {"end_size", "To", [](const StretchLine& l) -> Cell { return size_words(l.stretch.end); },
     "The size, nodes,edges, from which the next plan of the set is the best; of the last stretch, the last size of "
     "the "
     "set."},
    {plan_columns::plan, [](const StretchLine& l) -> Cell { return to_string(l.set->plans[index(l.stretch.plan)]); }},
    {"change_up", "Up at", [](const StretchLine& l) { return size_cell(l.stretch.up); },
     "The first size, nodes,edges, where one batch gains as much by the next plan as a change costs: from there on the "
     "plan changes at once. Missing: no size of the set gains so much, or there is no next plan."},
    {"change_down", "Down at", [](const StretchLine& l) { return size_cell(l.stretch.down); },
     "The last size, nodes,edges, where one batch gains as much by the plan before as a change costs: there the plan "
     "changes back at once. Missing: no size of the set gains so much, or there is no plan before."},
    {extrapolated_text, [](const StretchLine& l) -> Cell { return how_far_extrapolated(l.stretch); }},
};

struct SizeLineRow {
  const PlanSet* set;
  const PlanSet::Point* point;
  const PlanSet::Cost& cost() const { return point->costs[index(point->best)]; }
};

constexpr Column<SizeLineRow> size_columns[] = {
    {"size_nodes", "Nodes", [](const SizeLineRow& l) -> Cell { return l.point->size.nodes; },
     "Nodes of a batch of the size."},
    {"size_edges", "Edges", [](const SizeLineRow& l) -> Cell { return l.point->size.edges; },
     "Edges of a batch of the size."},
    {plan_columns::plan, [](const SizeLineRow& l) -> Cell { return to_string(l.set->plans[index(l.point->best)]); }},
    {cost_text, [](const SizeLineRow& l) { return cost_cell(l.cost()); }},
    {"behind_best", "Behind best",
     [](const SizeLineRow& l) -> Cell {
       const auto best = static_cast<double>(l.point->best_known.count());
       return best > 0 ? Cell(static_cast<double>(l.cost()->count()) / best - 1) : Cell();
     },
     "By which share of its time the set's plan for a size is behind the best plan there is for it; --tolerance bounds "
     "it."},
    {extrapolated_text, [](const SizeLineRow& l) -> Cell { return yes_or_no(l.point->extrapolated); }},
};

constexpr Column<PlanSet> set_columns[] = {
    {plan_columns::objective, [](const PlanSet& s) -> Cell { return std::string(objective_name(s.objective)); }},
    {plan_columns::stream_batches, [](const PlanSet& s) -> Cell { return s.batches; }},
    {plan_columns::units, [](const PlanSet& s) -> Cell { return fmt::format("{}", fmt::join(s.units, ", ")); }},
    {"set_plans", "Plans", [](const PlanSet& s) -> Cell { return static_cast<std::int64_t>(s.plans.size()); },
     "How many plans the set has."},
    {"set_sizes", "Sizes", [](const PlanSet& s) -> Cell { return static_cast<std::int64_t>(s.points.size()); },
     "At how many sizes the best plan was searched."},
    {plan_columns::switch_cost_ms, [](const PlanSet& s) -> Cell { return set_ms(s.switch_cost); }},
    {"cost_files", "Costs",
     [](const PlanSet& s) -> Cell {
       std::vector<std::string> files;
       for (const CostFile& file : s.files) files.push_back(fmt::format("{} ({})", file.name, file.contents));
       return fmt::format("{}", fmt::join(files, ", "));
     },
     "The files that a plan set was made of, each with a number that tells other contents apart."},
};

constexpr TableDefinition<StretchLine> stretches_definition{
    "stretches", "Which plan is the best for which sizes, and where it changes: a row per stretch of sizes.",
    stretch_columns};
constexpr TableDefinition<SizeLineRow> sizes_definition{
    "sizes", "The sizes that a plan set was compiled at: a row per size.", size_columns};
constexpr TableDefinition<PlanSet> set_definition{"set", "A plan set as a whole: one row.", set_columns};

struct RunLine {
  const StreamReport* report;
  const StreamRun* run;
};

constexpr Column<RunLine> run_columns[] = {
    {"choice", "Choice", [](const RunLine& l) -> Cell { return l.run->choice; },
     "How the plans of a stream's batches are chosen. set: by the plan set, batch by batch; known: the best there is "
     "with "
     "the set's plans if the whole stream is known beforehand; oracle: the best plan there is for every batch, changes "
     "for nothing; fixed: one plan for all."},
    {plan_columns::plan, [](const RunLine& l) { return l.run->plan ? Cell(to_string(*l.run->plan)) : Cell(); }},
    {"batches_ms", "Batches ms", [](const RunLine& l) -> Cell { return set_ms(l.run->batches); },
     "What the batches of a stream take, in ms: each its latency or, for throughput, its share of the makespan of a "
     "stream of its size."},
    {"plan_changes", "Changes", [](const RunLine& l) -> Cell { return l.run->switches; },
     "How often the plan changes between two batches; what the oracle changes is not counted."},
    {"changes_ms", "Changes ms", [](const RunLine& l) -> Cell { return set_ms(l.run->switching); },
     "What the changes of plan take, in ms."},
    {"stream_ms", "Total ms", [](const RunLine& l) -> Cell { return set_ms(l.run->total()); },
     "What a stream takes, in ms: its batches and the changes of plan."},
    {"regret", "Regret", [](const RunLine& l) -> Cell { return l.report->regret(*l.run); },
     "By which share of its time a way to run a stream is behind the oracle."},
    {"clock_ms", "Clock ms", [](const RunLine& l) { return cost_cell(l.run->clock); },
     "The time of the stream on the virtual clock, in ms, changes included: batches that follow each other under one "
     "plan "
     "stream through its stages, and the pipeline runs empty before a change. Missing for the oracle."},
};

constexpr Column<StreamReport> stream_columns[] = {
    {plan_columns::stream_batches, [](const StreamReport& r) -> Cell { return r.batches; }},
    {"stream_sizes", "Sizes", [](const StreamReport& r) -> Cell { return r.sizes; },
     "How many different sizes the batches of a stream have."},
    {"extrapolated_batches", "Extrapolated", [](const StreamReport& r) -> Cell { return r.extrapolated; },
     "How many batches of a stream are smaller or larger than the sizes of the plan set, or lie where its times are "
     "extrapolated."},
    {plan_columns::switch_cost_ms, [](const StreamReport& r) -> Cell { return set_ms(r.switch_cost); }},
    {"gain_on_fixed_ms", "Gain ms",
     [](const StreamReport& r) -> Cell {
       const StreamRun* fixed = r.best_fixed();
       return fixed ? Cell(set_ms(fixed->total() - r.run("set").total())) : Cell();
     },
     "By how much less time, in ms, the plan set runs a stream than the best of its plans alone does; negative: more. "
     "Missing where none of them can run all batches."},
};

constexpr TableDefinition<RunLine> runs_definition{
    "choices", "What a stream of batches takes, by how plans are chosen: a row for each way.", run_columns};
constexpr TableDefinition<StreamReport> stream_definition{"stream", "A stream of batches as a whole: one row.",
                                                          stream_columns};

std::string words_of_range(const PlanSet& set) {
  return fmt::format(
      "The set is for {} to {}; a size stands for that on the line between with as many rows (nodes + "
      "edges). Beyond, costs are extrapolated, and answers say so.",
      size_text(set.points.front().size), size_text(set.points.back().size));
}

std::string verdict_on(const StreamReport& report) {
  const StreamRun& chosen = report.run("set");
  std::string text = fmt::format("The set is {:.2f} % behind an oracle", 100 * report.regret(chosen));
  const StreamRun* fixed = report.best_fixed();
  if (!fixed) return text + "; no plan alone can run all batches.";
  const Nanoseconds gain = fixed->total() - chosen.total();
  const std::string amount = format_duration(Duration(gain.count() < 0 ? -gain : gain));
  if (gain.count() == 0) return text + ", and takes as long as the best of its plans alone.";
  if (gain.count() > 0) return text + fmt::format(" and saves {} against the best of its plans alone.", amount);
  return text + fmt::format(" and takes {} more than the best of its plans alone.", amount);
}

}  // namespace

std::vector<Table> plan_set_tables(const PlanSet& set) {
  std::vector<StretchLine> stretches;
  for (const PlanStretch& stretch : stretches_of(set)) stretches.push_back({&set, stretch});
  std::vector<SizeLineRow> sizes;
  for (const PlanSet::Point& point : set.points) sizes.push_back({&set, &point});
  return {stretches_definition.make(stretches), sizes_definition.make(sizes), set_definition.make(std::span(&set, 1))};
}

std::vector<TableSchema> plan_set_schemas() {
  return {stretches_definition.schema(), sizes_definition.schema(), set_definition.schema()};
}

std::string to_text(const PlanSet& set, const TextStyle& style) {
  const Table stretches = plan_set_tables(set)[0];
  const bool all_measured =
      std::none_of(set.points.begin(), set.points.end(), [](const auto& p) { return p.extrapolated; });
  const Table shown = all_measured ? without_columns(stretches, {"extrapolated"}) : stretches;
  return fmt::format("{}\n{}\n", to_text(shown, style), wrapped(words_of_range(set), style.width));
}

std::vector<Table> plan_stream_tables(const StreamReport& report) {
  std::vector<RunLine> lines;
  for (const StreamRun& run : report.runs) lines.push_back({&report, &run});
  return {runs_definition.make(lines), stream_definition.make(std::span(&report, 1))};
}

std::vector<TableSchema> plan_stream_schemas() { return {runs_definition.schema(), stream_definition.schema()}; }

std::string to_text(const StreamReport& report, const TextStyle& style) {
  const Table all = plan_stream_tables(report)[0];
  const bool clock_says_more = std::any_of(report.runs.begin(), report.runs.end(),
                                           [](const StreamRun& run) { return run.clock && *run.clock != run.total(); });
  std::string text = to_text(clock_says_more ? all : without_columns(all, {"clock_ms"}), style);
  for (const Plan& plan : report.impossible)
    text += fmt::format("\n{}\n", wrapped(fmt::format("{} cannot run all batches.", to_string(plan)), style.width));
  return text + fmt::format("\n{}\n", wrapped(verdict_on(report), style.width));
}

}  // namespace takt
