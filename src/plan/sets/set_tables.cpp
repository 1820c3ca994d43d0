#include "plan/sets/set_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/index.h"
#include "base/basics/text.h"
#include "plan/estimate/columns.h"

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

constexpr ColumnText cost_text{"batch_cost_ms", "Batch ms",
                               "Expected time of a batch of the size under the plan, in ms: its latency or, for "
                               "throughput, its share of the makespan of a stream of its size."};
constexpr ColumnText extrapolated_text{
    "extrapolated", "Extrapolated",
    "yes: the times of the plan are extrapolated beyond the measured sizes, so they are less reliable; in part: at "
    "some of the sizes; no: at none, or the costs are formulas for all sizes."};

struct StretchLine {
  const PlanSet* set;
  PlanStretch stretch;
};

constexpr Column<StretchLine> stretch_columns[] = {
    {"first_size", "From", [](const StretchLine& l) -> Cell { return size_words(l.stretch.first); },
     "The first size, nodes,edges, for which a plan of the set is the best."},
    {"end_size", "To", [](const StretchLine& l) -> Cell { return size_words(l.stretch.end); },
     "The size, nodes,edges, from which the next plan of the set is the best; for the last size range, the last size "
     "of the set."},
    {plan_columns::plan, [](const StretchLine& l) -> Cell { return to_string(l.set->plans[index(l.stretch.plan)]); }},
    {"change_up", "Switch up at", [](const StretchLine& l) { return size_cell(l.stretch.up); },
     "The first size, nodes,edges, at which one batch gains as much from the next plan as a switch costs: from that "
     "size on the plan switches immediately. Empty if no size of the set gains that much, or if there is no next "
     "plan."},
    {"change_down", "Switch down at", [](const StretchLine& l) { return size_cell(l.stretch.down); },
     "The last size, nodes,edges, at which one batch gains as much from the previous plan as a switch costs: at or "
     "below that size the plan switches back immediately. Empty if no size of the set gains that much, or if there is "
     "no previous plan."},
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
    {"behind_best", "Gap to best",
     [](const SizeLineRow& l) -> Cell {
       const auto best = static_cast<double>(l.point->best_known.count());
       return best > 0 ? Cell(static_cast<double>(l.cost()->count()) / best - 1) : Cell();
     },
     "How much longer the set's plan for a size takes than the best plan for it, as a ratio: 0.01 is 1 %; "
     "--tolerance bounds it."},
    {extrapolated_text, [](const SizeLineRow& l) -> Cell { return yes_or_no(l.point->extrapolated); }},
};

constexpr Column<PlanSet> set_columns[] = {
    {plan_columns::objective, [](const PlanSet& s) -> Cell { return std::string(objective_name(s.objective)); }},
    {plan_columns::stream_batches, [](const PlanSet& s) -> Cell { return s.batches; }},
    {plan_columns::units, [](const PlanSet& s) -> Cell { return fmt::format("{}", fmt::join(s.units, ", ")); }},
    {"set_plans", "Plans", [](const PlanSet& s) -> Cell { return static_cast<std::int64_t>(s.plans.size()); },
     "The number of plans in the set."},
    {"set_sizes", "Sizes", [](const PlanSet& s) -> Cell { return static_cast<std::int64_t>(s.points.size()); },
     "The number of sizes at which the best plan was searched."},
    {plan_columns::switch_cost_ms, [](const PlanSet& s) -> Cell { return set_ms(s.switch_cost); }},
    {"cost_files", "Costs",
     [](const PlanSet& s) -> Cell {
       std::vector<std::string> files;
       for (const CostFile& file : s.files) files.push_back(fmt::format("{} ({})", file.name, file.contents));
       return fmt::format("{}", fmt::join(files, ", "));
     },
     "The files that a plan set was made from, each with a checksum of its content."},
};

constexpr TableDefinition<StretchLine> stretches_definition{
    "stretches", "Which plan is the best for which sizes, and where to switch: a row per size range.", stretch_columns};
constexpr TableDefinition<SizeLineRow> sizes_definition{
    "sizes", "The sizes at which a plan set was compiled: a row per size.", size_columns};
constexpr TableDefinition<PlanSet> set_definition{"set", "A plan set as a whole: one row.", set_columns};

struct RunLine {
  const StreamReport* report;
  const StreamRun* run;
};

constexpr Column<RunLine> run_columns[] = {
    {"choice", "Policy", [](const RunLine& l) -> Cell { return l.run->choice; },
     "How the plans for a stream's batches are chosen. set: by the plan set, batch by batch; known: the best sequence "
     "of the set's plans if the whole stream is known in advance; oracle: the best plan for every batch, with free "
     "switches; fixed: one plan for all."},
    {plan_columns::plan, [](const RunLine& l) { return l.run->plan ? Cell(to_string(*l.run->plan)) : Cell(); }},
    {"batches_ms", "Batches ms", [](const RunLine& l) -> Cell { return set_ms(l.run->batches); },
     "Time of the batches of a stream, in ms: for each its latency or, for throughput, its share of the makespan of a "
     "stream of its size."},
    {"plan_changes", "Switches", [](const RunLine& l) -> Cell { return l.run->switches; },
     "How often the plan switches between two batches; switches of the oracle are not counted."},
    {"changes_ms", "Switch ms", [](const RunLine& l) -> Cell { return set_ms(l.run->switching); },
     "Time of the switches, in ms."},
    {"stream_ms", "Total ms", [](const RunLine& l) -> Cell { return set_ms(l.run->total()); },
     "Time of a stream, in ms: its batches and the switches."},
    {"regret", "Regret", [](const RunLine& l) -> Cell { return l.report->regret(*l.run); },
     "How much longer a policy takes than the oracle, as a ratio to the oracle's time: 0.01 is 1 %."},
    {"clock_ms", "Clock ms", [](const RunLine& l) { return cost_cell(l.run->clock); },
     "The time of the stream on the virtual clock, in ms, including switches: consecutive batches under one plan are "
     "pipelined through its stages, and the pipeline drains before a switch. Empty for the oracle."},
};

constexpr Column<StreamReport> stream_columns[] = {
    {plan_columns::stream_batches, [](const StreamReport& r) -> Cell { return r.batches; }},
    {"stream_sizes", "Sizes", [](const StreamReport& r) -> Cell { return r.sizes; },
     "The number of different batch sizes in a stream."},
    {"extrapolated_batches", "Extrapolated", [](const StreamReport& r) -> Cell { return r.extrapolated; },
     "The number of batches of a stream that are smaller or larger than the sizes of the plan set, or at which its "
     "times are extrapolated."},
    {plan_columns::switch_cost_ms, [](const StreamReport& r) -> Cell { return set_ms(r.switch_cost); }},
    {"gain_on_fixed_ms", "Gain ms",
     [](const StreamReport& r) -> Cell {
       const StreamRun* fixed = r.best_fixed();
       return fixed ? Cell(set_ms(fixed->total() - r.run("set").total())) : Cell();
     },
     "Time saved by the plan set compared with the best of its plans alone, in ms; negative: it takes longer. Empty if "
     "none of them can run all batches."},
};

constexpr TableDefinition<RunLine> runs_definition{
    "choices", "Time of a stream of batches for each policy of choosing plans: a row per policy.", run_columns};
constexpr TableDefinition<StreamReport> stream_definition{"stream", "A stream of batches as a whole: one row.",
                                                          stream_columns};

std::string words_of_range(const PlanSet& set) {
  return fmt::format(
      "{} to {}. A size between them counts as the one on the line between these ends with the same number of rows "
      "(nodes + edges); costs of sizes outside them are extrapolated.",
      size_text(set.points.front().size), size_text(set.points.back().size));
}

std::string verdict_on(const StreamReport& report) {
  const StreamRun& chosen = report.run("set");
  std::string text = fmt::format("The set takes {:.2f} % longer than an oracle", 100 * report.regret(chosen));
  const StreamRun* fixed = report.best_fixed();
  if (!fixed) return text + "; no single plan can run all batches.";
  const Nanoseconds gain = fixed->total() - chosen.total();
  const std::string amount = format_duration(Duration(gain.count() < 0 ? -gain : gain));
  if (gain.count() == 0) return text + ", and takes as long as the best of its plans alone.";
  if (gain.count() > 0) return text + fmt::format(" and saves {} compared with the best of its plans alone.", amount);
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
  const std::size_t plans = set.plans.size();
  const std::string answer = fmt::format("{} plan{} for {}", plans, plans == 1 ? "" : "s", words_of_range(set));
  return fmt::format("{}\n\n{}", wrapped(answer, style.width), to_text(shown, style));
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
  std::string text = wrapped(verdict_on(report), style.width) + "\n\n" +
                     to_text(clock_says_more ? all : without_columns(all, {"clock_ms"}), style);
  for (const Plan& plan : report.impossible)
    text += fmt::format("\n{}\n", wrapped(fmt::format("{} cannot run all batches.", to_string(plan)), style.width));
  return text;
}

}  // namespace takt
