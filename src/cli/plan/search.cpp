#include "plan/search/search.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/system/busy.h"
#include "base/system/log.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/plan/options.h"
#include "cli/plan/problem.h"
#include "plan/answer/named_plan.h"
#include "plan/answer/tables.h"
#include "plan/estimate/cost_source.h"
#include "plan/search/source_plans.h"

namespace takt {
namespace {

struct PlanSearchOptions {
  PlanCostOptions costs;
  PlanRuleOptions rules;
  PlanProblemOptions problem;  ///< a model, in the place of costs
  std::optional<std::int64_t> nodes, edges;
  std::string preset, model = std::string(network_name(Network::sage));
  std::vector<std::string> plans;
  int top = 5;
  bool list = false;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(PlanSearchOptions& o) {
  CommandLine line("plan search",
                   "Finds the fastest plans: how to cut the stages of a model into blocks, which unit (a device or a "
                   "kind of device) runs each block, or which units share its batches. Reports whether the best plan "
                   "is proven optimal, and shows the best single-device plan for comparison.",
                   "takt plan search --costs costs.json --objective throughput --plan PEP1", o.log);
  line.add({.names = "MODEL|COSTS",
            .meaning = "An ONNX model: it is cut into pieces, which are measured on --devices, e.g. CPU,sim:GPU or "
                       "onnxruntime@CPU,openvino@CPU. Or a file or folder as for --costs"},
           &o.problem.what);
  line.add({.names = "--costs",
            .value = "PATH",
            .meaning = "Without a model: stage times on units, a JSON file or the folder of a sweep, for batches of "
                       "--nodes and --edges"},
           &o.costs.costs);
  line.add({.names = "--nodes",
            .value = "N",
            .meaning = "If costs depend on the size: nodes of a batch",
            .range = NumberRange{1, 2147483646}},
           &o.nodes);
  line.add({.names = "--edges",
            .value = "N",
            .meaning = "If costs depend on the size: edges of a batch",
            .range = NumberRange{0, 2147483646}},
           &o.edges);
  add_cost_settings(line, o.costs);
  add_objective(line, o.rules);
  line.add({.names = "--top",
            .value = "N",
            .meaning = "Plans to show; they differ in cuts or units",
            .fallback = std::to_string(o.top),
            .range = NumberRange{1, 1000}},
           &o.top);
  line.add({.names = "--plan",
            .value = "PLAN",
            .meaning = fmt::format(
                "Another plan to show: {}, a JSON file, or a string such as 'CPU+GPU[1-5 0.30/0.70] | NPU[6-7]'",
                fmt::join(named_plans(), ", ")),
            .names_a_file = true},
           &o.plans);
  add_plan_rules(line, o.rules);
  add_model_options(line, o.problem);
  line.heading("Known candidates");
  line.add({.names = "--preset",
            .value = "NAME",
            .meaning = "source: at most two blocks on CPU, GPU, NPU or CPU and GPU together, each unit once",
            .one_of = {"source"}},
           &o.preset);
  line.add({.names = "--list", .meaning = "With --preset: only print its candidates; needs no costs"}, &o.list);
  line.add({.names = "--network",
            .older = "--model",
            .value = "NETWORK",
            .meaning = "With --list: the network whose stages the candidates use",
            .fallback = o.model,
            .one_of = network_names()},
           &o.model);
  add_output(line, o.output, table_names("plan search"));
  return line;
}

/// Of one batch, where costs depend on it.
std::optional<GraphSize> size_of(const PlanSearchOptions& o, const PlanCostSource& source) {
  if (!source.by_size() && !o.nodes && !o.edges) return std::nullopt;
  if (!o.nodes || !o.edges) throw UsageError("plan search: the costs depend on the size; add --nodes N --edges E");
  return GraphSize{*o.nodes, *o.edges};
}

void warn_of_extrapolation(const PlanReport& report, const PlanCostSource& source,
                           const std::optional<GraphSize>& size) {
  if (!size) return;
  const auto blocks = source.extrapolated(report.search.plans.front().plan, *size);
  if (!blocks.empty())
    log_warning(fmt::format("the first plan uses times that are extrapolated beyond the measured sizes: {}",
                            fmt::join(blocks, ", ")));
}

int list_candidates(const PlanSearchOptions& o, std::span<const std::string> arguments) {
  const auto network = network_named(lower_case(o.model));
  const Table table = candidates_table(source_plans(rules_for(*network)));
  print(o.output, std::span(&table, 1), provenance_of("plan search", arguments), to_text(table, o.output.style()));
  return 0;
}

/// What a search found and everything that goes with it, whatever the costs are of.
PlanReport report_on(const PlanSearchOptions& o, const PlanCosts& costs, PlanSearchSettings settings) {
  settings.top = 4 * o.top;  // some will have no point
  PlanReport report{settings.objective, settings.batches, costs.units(), {}, {}, {}, {}};
  report.search = o.preset.empty()
                      ? search_plans(costs, settings)
                      : rank_plans(source_plans(rules_of(costs, true), {.shares = {0.3, 0.5, 0.7}}), costs, settings);
  keep_plans_with_a_point(report.search, o.top);
  for (const std::string& plan : o.plans) report.given.push_back(named_plan(plan, costs, settings.batches));
  return report;
}

int search_model(PlanSearchOptions& o, std::span<const std::string> arguments) {
  if (!o.costs.costs.empty() || o.nodes || o.edges || !o.costs.divide_cost.empty() || !o.costs.interference.empty() ||
      o.costs.copies || !o.preset.empty())
    throw UsageError("plan search: a model is measured; leave out --costs and its options, and --preset");
  const PlanSearchSettings settings = search_settings(o.rules, "plan search");
  o.problem.devices = o.costs.devices;
  o.problem.no_interference = o.costs.no_interference;
  o.problem.at_once = settings.objective == PlanObjective::throughput;
  const PlanProblem problem = [&] {
    const Interrupt interrupt;  // what follows only computes
    BusyWatch watch;
    PlanProblem measured = make_problem(o.problem, interrupt);
    watch.tell();
    return measured;
  }();
  PlanReport report = report_on(o, *problem.costs, settings);
  compare_with_single(report, *problem.costs, problem.draws, settings);
  auto tables = plan_tables(report);
  for (Table& table : piece_tables(problem)) tables.push_back(std::move(table));
  print(o.output, tables, provenance_of("plan search", arguments),
        to_text(report, o.output.style()) + refused_pieces(problem) + problem.interference_line);
  return 0;
}

int run(PlanSearchOptions& o, Arguments arguments) {
  if (o.list && o.preset.empty()) throw UsageError("plan search: --list needs a preset; add --preset source");
  if (o.list) return list_candidates(o, arguments);
  if (!o.problem.what.empty() && o.problem.is_model()) return search_model(o, arguments);
  if (!o.problem.what.empty() && !o.costs.costs.empty())
    throw UsageError(fmt::format("plan search: costs are given twice: '{}' and --costs '{}'",
                                 printable(o.problem.what.string()), printable(o.costs.costs.string())));
  if (!o.problem.what.empty()) o.costs.costs = o.problem.what;
  if (o.costs.costs.empty()) throw UsageError("plan search: name a model, or give stage times: --costs PATH");

  const PlanSearchSettings settings = search_settings(o.rules, "plan search");
  const PlanCostSource source = cost_source(o.costs, "plan search");
  const auto size = size_of(o, source);
  const auto costs = source.at(size);
  PlanReport report = report_on(o, *costs, settings);
  compare_with_single(report, *costs, size ? source.draws(*size) : std::nullopt, settings);
  warn_of_extrapolation(report, source, size);
  print(o.output, plan_tables(report), provenance_of("plan search", arguments),
        to_text(report, o.output.style()) + interference_line(o.costs, source));
  return 0;
}

}  // namespace

constinit const Command plan_search_command = command<PlanSearchOptions, declare, run>(
    "plan search", "find the best plans for given costs, proven or with a gap");

}  // namespace takt
