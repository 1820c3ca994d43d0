#include "plan/plan_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/plan.h"
#include "cli/tables.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/text.h"
#include "plan/chosen_units.h"
#include "plan/given_plan.h"
#include "plan/measured_costs.h"
#include "plan/plan_cost_table.h"
#include "plan/plan_tables.h"
#include "plan/source_plans.h"

namespace takt {
namespace {

struct PlanSearchOptions {
  std::filesystem::path costs;
  std::optional<std::int64_t> nodes, edges;
  std::string divide_cost, devices, preset, objective = "latency", model = std::string(network_name(Network::sage));
  std::vector<std::string> plans;
  int batches = 16, top = 5;
  std::optional<int> blocks;
  double share_step = 0.001;
  bool shared = false, whole = false, list = false;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(PlanSearchOptions& o) {
  CommandLine line("plan search",
                   "Finds the plans that take least time: where the stages of a model are cut into blocks, on which "
                   "unit every block runs, or on which units together with which shares of each batch. Says whether it "
                   "is proven that none is better, and shows the best plan on one unit beside them.",
                   "takt plan search --costs costs.json --objective throughput --plan PEP1", o.log);
  line.add({.names = "--costs",
            .value = "PATH",
            .meaning =
                "What stages cost on units: a JSON file, or the folder of a sweep, for graphs of --nodes and --edges"},
           &o.costs);
  line.add({.names = "--nodes",
            .value = "N",
            .meaning = "With a sweep: how many nodes a batch has",
            .range = NumberRange{1, 2147483646}},
           &o.nodes);
  line.add({.names = "--edges",
            .value = "E",
            .meaning = "With a sweep: how many edges a batch has",
            .range = NumberRange{0, 2147483646}},
           &o.edges);
  line.add({.names = "--divide-cost",
            .value = "TIME",
            .meaning = "With a sweep: what parting a batch among units and putting the results together takes; without "
                       "it no block is divided"},
           &o.divide_cost);
  line.add({.names = "--devices",
            .value = "LIST",
            .meaning = "The units that plans may use, separated by commas; all that have costs without it"},
           &o.devices);
  line.add({.names = "--objective",
            .value = "WHAT",
            .meaning = "What shall be short: the latency of a batch that is alone, or the makespan of a stream",
            .fallback = o.objective,
            .one_of = {"latency", "throughput"}},
           &o.objective);
  line.add({.names = "--batches",
            .value = "N",
            .meaning = "Batches of the stream",
            .fallback = std::to_string(o.batches),
            .range = NumberRange{1, 1'000'000}},
           &o.batches);
  line.add({.names = "--top",
            .value = "N",
            .meaning = "Plans to show; they differ in cuts or units",
            .fallback = std::to_string(o.top),
            .range = NumberRange{1, 1000}},
           &o.top);
  line.add({.names = "--plan",
            .value = "PLAN",
            .meaning = fmt::format(
                "A plan to show beside them: {}, a JSON file, or a text such as 'CPU+GPU[1-5 0.30/0.70] | NPU[6-7]'",
                fmt::join(named_plans(), ", "))},
           &o.plans);
  line.heading("What plans may be");
  line.add({.names = "--shared", .meaning = "A unit may serve several blocks, which take turns there"}, &o.shared);
  line.add({.names = "--whole", .meaning = "No block is divided over several units"}, &o.whole);
  line.add({.names = "--blocks", .value = "N", .meaning = "At most so many blocks", .range = NumberRange{1, 1000}},
           &o.blocks);
  line.add({.names = "--share-step",
            .value = "X",
            .meaning = "Shares of divided blocks are multiples of X",
            .fallback = fmt::format("{}", o.share_step),
            .range = NumberRange{0.001, 0.5}},
           &o.share_step);
  line.add({.names = "--preset",
            .value = "NAME",
            .meaning = "source: at most two blocks on CPU, GPU, NPU or CPU and GPU together, each unit once",
            .one_of = {"source"}},
           &o.preset);
  line.add({.names = "--list", .meaning = "With --preset: only print its candidates; no costs are needed"}, &o.list);
  line.add({.names = "--model",
            .value = "NETWORK",
            .meaning = "With --list: the network whose stages the candidates are of",
            .fallback = o.model,
            .one_of = network_names()},
           &o.model);
  add_output(line, o.output, table_names("plan search"));
  return line;
}

/// Of the folder of a sweep. Costs beyond its sizes are said when a plan rests
/// on them.
struct SweepCosts {
  std::shared_ptr<const CostLookup> lookup;  ///< null: the costs are of a file
  MeasuredCostSettings settings;
};

SweepCosts sweep_costs(const PlanSearchOptions& o) {
  if (!std::filesystem::is_directory(o.costs) && !o.nodes && !o.edges) {
    if (o.divide_cost.empty()) return {};
    throw UsageError("plan search: --divide-cost goes with what a sweep measured; a file of costs has its own");
  }
  if (!o.nodes || !o.edges) throw UsageError("plan search: a sweep has many sizes; say --nodes N --edges E");
  SweepCosts costs{std::make_shared<CostLookup>(read_costs(o.costs)), {{*o.nodes, *o.edges}, {}}};
  if (!o.divide_cost.empty())
    costs.settings.divide = DivideCost{std::chrono::round<Nanoseconds>(parse_duration(o.divide_cost)), Nanoseconds(0)};
  return costs;
}

std::shared_ptr<const PlanCosts> costs_for(const PlanSearchOptions& o, const SweepCosts& sweep) {
  std::shared_ptr<const PlanCosts> costs;
  if (sweep.lookup) {
    costs = measured_costs(sweep.lookup, sweep.settings);
  } else {
    costs = std::make_shared<PlanCostTable>(parse_plan_costs(read_file(o.costs), printable(o.costs.string())));
  }
  return o.devices.empty() ? costs : with_units(std::move(costs), words_in(o.devices));
}

void warn_of_extrapolation(const PlanReport& report, const SweepCosts& sweep) {
  if (!sweep.lookup) return;
  const auto blocks = extrapolated_blocks(report.search.plans.front().plan, *sweep.lookup, sweep.settings.size);
  if (!blocks.empty())
    log_warning(
        fmt::format("the first plan rests on times beyond the sizes that were measured: {}", fmt::join(blocks, ", ")));
}

int steps_of(double share_step) {
  const double steps = std::round(1 / share_step);
  if (std::abs(steps * share_step - 1) > 1e-9)
    throw UsageError(fmt::format("plan search: --share-step: 1 is no multiple of {}; use 0.05 or 0.001", share_step));
  return static_cast<int>(steps);
}

int list_candidates(const PlanSearchOptions& o, std::span<const std::string> arguments) {
  const auto network = network_named(lower_case(o.model));
  const Table table = candidates_table(source_plans(rules_for(*network)));
  print(o.output, std::span(&table, 1), provenance_of("plan search", arguments), to_text(table, o.output.style()));
  return 0;
}

}  // namespace

CommandDescription describe_plan_search() {
  PlanSearchOptions o;
  return declare(o).description();
}

int run_plan_search(std::span<const std::string> arguments) {
  PlanSearchOptions o;
  if (!declare(o).parse(arguments)) return 0;
  if (o.list && o.preset.empty()) throw UsageError("plan search: --list: say of what: --preset source");
  if (o.list) return list_candidates(o, arguments);
  if (o.costs.empty()) throw UsageError("plan search: say what stages cost: --costs PATH");

  const SweepCosts sweep = sweep_costs(o);
  const auto costs = costs_for(o, sweep);
  PlanSearchSettings settings{
      .objective = lower_case(o.objective) == "latency" ? PlanObjective::latency : PlanObjective::throughput,
      .batches = o.batches,
      .steps = steps_of(o.share_step),
      .divide = !o.whole,
      .units_once = !o.shared,
      .most_blocks = o.blocks,
      .top = 4 * o.top};  // some will have no point
  PlanReport report{settings.objective, settings.batches, costs->units(), {}, {}};
  report.search = o.preset.empty()
                      ? search_plans(*costs, settings)
                      : rank_plans(source_plans(rules_of(*costs, true), {.shares = {0.3, 0.5, 0.7}}), *costs, settings);
  keep_plans_with_a_point(report.search, o.top);
  for (const std::string& plan : o.plans) report.given.push_back(given_plan(plan, *costs, settings.batches));
  warn_of_extrapolation(report, sweep);
  print(o.output, plan_tables(report), provenance_of("plan search", arguments), to_text(report, o.output.style()));
  return 0;
}

}  // namespace takt
