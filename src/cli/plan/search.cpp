#include "plan/search/search.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/line/command_line.h"
#include "cli/line/output.h"
#include "cli/plan.h"
#include "cli/plan/options.h"
#include "cli/plan_problem.h"
#include "cli/line/tables.h"
#include "base/basics/error.h"
#include "base/system/log.h"
#include "base/basics/text.h"
#include "plan/answer/given_plan.h"
#include "plan/estimate/cost_source.h"
#include "plan/answer/tables.h"
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
                   "Finds the plans that take least time: where the stages of a model are cut into blocks, on which "
                   "unit every block runs, or on which units together with which shares of each batch. Says whether it "
                   "is proven that none is better, and shows the best plan on one unit beside them.",
                   "takt plan search --costs costs.json --objective throughput --plan PEP1", o.log);
  line.add({.names = "MODEL",
            .meaning = "An ONNX model: it is cut into pieces, and these are measured on --devices, such as "
                       "CPU,sim:GPU or onnxruntime@CPU,openvino@CPU"},
           &o.problem.what);
  line.add({.names = "--costs",
            .value = "PATH",
            .meaning = "Without a model: what stages cost on units: a JSON file, or the folder of a sweep, for batches "
                       "of --nodes and --edges"},
           &o.costs.costs);
  line.add({.names = "--nodes",
            .value = "N",
            .meaning = "Where costs depend on the size: how many nodes a batch has",
            .range = NumberRange{1, 2147483646}},
           &o.nodes);
  line.add({.names = "--edges",
            .value = "E",
            .meaning = "Where costs depend on the size: how many edges a batch has",
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
                "A plan to show beside them: {}, a JSON file, or a text such as 'CPU+GPU[1-5 0.30/0.70] | NPU[6-7]'",
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

/// Of one batch, where costs depend on it.
std::optional<GraphSize> size_of(const PlanSearchOptions& o, const PlanCostSource& source) {
  if (!source.by_size() && !o.nodes && !o.edges) return std::nullopt;
  if (!o.nodes || !o.edges)
    throw UsageError("plan search: the costs are those of many sizes; say which: --nodes N --edges E");
  return GraphSize{*o.nodes, *o.edges};
}

void warn_of_extrapolation(const PlanReport& report, const PlanCostSource& source,
                           const std::optional<GraphSize>& size) {
  if (!size) return;
  const auto blocks = source.extrapolated(report.search.plans.front().plan, *size);
  if (!blocks.empty())
    log_warning(
        fmt::format("the first plan rests on times beyond the sizes that were measured: {}", fmt::join(blocks, ", ")));
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
  for (const std::string& plan : o.plans) report.given.push_back(given_plan(plan, costs, settings.batches));
  return report;
}

int search_model(PlanSearchOptions& o, std::span<const std::string> arguments) {
  if (!o.costs.costs.empty() || o.nodes || o.edges || !o.costs.divide_cost.empty() || !o.costs.interference.empty() ||
      o.costs.copies || !o.preset.empty())
    throw UsageError("plan search: a model is measured; leave out --costs and what goes with it, and --preset");
  const PlanSearchSettings settings = search_settings(o.rules, "plan search");
  o.problem.devices = o.costs.devices;
  o.problem.no_interference = o.costs.no_interference;
  o.problem.at_once = settings.objective == PlanObjective::throughput;
  const PlanProblem problem = [&] {
    const Interrupt interrupt;  // what follows only computes
    return make_problem(o.problem, interrupt);
  }();
  PlanReport report = report_on(o, *problem.costs, settings);
  compare_with_single(report, *problem.costs, problem.draws, settings);
  auto tables = plan_tables(report);
  for (Table& table : piece_tables(problem)) tables.push_back(std::move(table));
  print(o.output, tables, provenance_of("plan search", arguments),
        refused_pieces(problem) + problem.interference_line + to_text(report, o.output.style()));
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
  if (!o.problem.what.empty()) return search_model(o, arguments);
  if (o.costs.costs.empty()) throw UsageError("plan search: name a model, or say what stages cost: --costs PATH");

  const PlanSearchSettings settings = search_settings(o.rules, "plan search");
  const PlanCostSource source = cost_source(o.costs, "plan search");
  const auto size = size_of(o, source);
  const auto costs = source.at(size);
  PlanReport report = report_on(o, *costs, settings);
  compare_with_single(report, *costs, size ? source.draws(*size) : std::nullopt, settings);
  warn_of_extrapolation(report, source, size);
  print(o.output, plan_tables(report), provenance_of("plan search", arguments),
        interference_line(o.costs, source) + to_text(report, o.output.style()));
  return 0;
}

}  // namespace takt
