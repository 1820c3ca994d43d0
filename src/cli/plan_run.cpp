#include "plan/plan_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/plan.h"
#include "cli/tables.h"
#include "core/error.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "core/progress.h"
#include "core/temporary_folder.h"
#include "core/text.h"
#include "plan/chosen_units.h"
#include "plan/given_plan.h"
#include "plan/measured_costs.h"
#include "plan/piece_costs.h"
#include "plan/plan_run_tables.h"
#include "plan/plan_search.h"
#include "plan/planned_layer.h"
#include "plan/planned_pieces.h"
#include "runtime/simulated.h"
#include "sweep/sweep_journal.h"

namespace takt {
namespace {

struct PlanRunOptions {
  std::filesystem::path what, out;
  std::optional<int> nodes, edges;
  std::string divide_cost, devices, objective = "latency";
  std::vector<std::string> plans, inputs;
  int batches = 50, rounds = 3, top = 1, pieces = 5, runs = 30;
  std::optional<int> threads;
  bool no_check = false, whole = false;
  std::uint64_t seed = 1;
  OutputOptions output;
  LogOptions log;

  bool is_model() const { return !std::filesystem::is_directory(what) && what.extension() != ".json"; }
};

void declare_what(CommandLine& line, PlanRunOptions& o) {
  line.add({.names = "DIR|MODEL",
            .meaning = "The folder of a sweep, or an ONNX model, which is cut into pieces that are measured first",
            .required = true},
           &o.what);
  line.heading("Of a sweep");
  line.add({.names = "--nodes", .value = "N", .meaning = "Nodes of the graph", .range = NumberRange{1, 2147483646}},
           &o.nodes);
  line.add({.names = "--edges", .value = "E", .meaning = "Edges of the graph", .range = NumberRange{1, 2147483646}},
           &o.edges);
  line.add({.names = "--divide-cost",
            .value = "TIME",
            .meaning = "What parting a batch among units and putting the results together takes; without it the search "
                       "divides no block"},
           &o.divide_cost);
  line.add({.names = "--whole", .meaning = "No block is divided over several units"}, &o.whole);
  line.heading("Of a model");
  line.add({.names = "--pieces",
            .value = "N",
            .meaning = "Pieces that the model is cut into; fewer where it has no more places to cut",
            .fallback = std::to_string(o.pieces),
            .range = NumberRange{1, 30}},
           &o.pieces);
  line.add({.names = "--threads", .value = "N", .meaning = "Threads of each CPU unit", .range = NumberRange{1, 4096}},
           &o.threads);
  line.add({.names = "--input",
            .value = "TEXT",
            .meaning = "Shape or values of an input, as for 'takt run'; others are generated"},
           &o.inputs);
  line.add({.names = "--runs",
            .value = "N",
            .meaning = "Measured inferences of the pieces on every unit",
            .fallback = std::to_string(o.runs),
            .range = NumberRange{1, 100'000}},
           &o.runs);
}

CommandLine declare(PlanRunOptions& o) {
  CommandLine line(
      "plan run",
      "Runs plans on the devices that were measured, in turns, and shows what they really take beside what "
      "was expected: the plan that a search names, the best on one unit, and those that are given. Checks "
      "that every block computes what the undivided model does.",
      "takt plan run model.onnx --devices CPU,sim:GPU --objective throughput", o.log);
  declare_what(line, o);
  line.heading("What is run");
  line.add({.names = "--plan",
            .value = "PLAN",
            .meaning = "A plan to run beside them: a name, a JSON file, or a text such as 'CPU[1-4] | GPU[5-7]'"},
           &o.plans);
  line.add({.names = "--top",
            .value = "N",
            .meaning = "Run so many of the plans that the search found; 0: only those that are given",
            .fallback = std::to_string(o.top),
            .range = NumberRange{0, 1000}},
           &o.top);
  line.add({.names = "--objective",
            .value = "WHAT",
            .meaning = "What shall be short: the latency of a batch that is alone, or the makespan of a stream",
            .fallback = o.objective,
            .one_of = {"latency", "throughput"}},
           &o.objective);
  line.add(
      {.names = "--devices",
       .value = "LIST",
       .meaning = "The units that plans may use, separated by commas. Of a sweep: all that have costs without it. Of "
                  "a model: devices, also with a runtime as in 'onnxruntime@CPU'; CPU without it"},
      &o.devices);
  line.add({.names = "--batches",
            .value = "N",
            .meaning = "Batches of the stream",
            .fallback = std::to_string(o.batches),
            .range = NumberRange{1, 1'000'000}},
           &o.batches);
  line.add({.names = "--rounds",
            .value = "N",
            .meaning = "How often every plan is run",
            .fallback = std::to_string(o.rounds),
            .range = NumberRange{1, 10'000}},
           &o.rounds);
  line.add({.names = "--no-check", .meaning = "Do not compare what blocks compute with the model in float32"},
           &o.no_check);
  line.add({.names = "--seed",
            .value = "N",
            .meaning = "Of generated values, and of the noise of simulated devices",
            .fallback = "1"},
           &o.seed);
  line.add({.names = "--out",
            .value = "DIR",
            .meaning = "Keep the pipelines of the plans here, each in a folder: 'takt pipeline run' runs one again",
            .makes = Makes::folder},
           &o.out);
  add_output(line, o.output, table_names("plan run"));
  return line;
}

/// What plans are made of, and what they cost.
struct PlanProblem {
  std::shared_ptr<const PlanCosts> costs;
  std::unique_ptr<const PlannedModel> model;
  std::vector<PieceMeasurement> pieces;  ///< none: of a sweep
};

/// The graph that the sweep measured with; a file of costs alone does not say.
SweepGraph graph_of(const PlanRunOptions& o) {
  std::error_code error;
  if (std::filesystem::is_directory(o.what, error))
    if (const auto sweep = read_sweep(o.what)) return sweep->configuration.graph;
  return {};
}

std::string host_runtime(const std::map<std::string, PlanUnit>& units) {
  for (const auto& [name, unit] : units)
    if (name == "CPU" && !is_simulated(unit.device)) return unit.runtime;
  for (const std::string& name : runtime_names())
    if (name != simulated_runtime) return name;
  return std::string(simulated_runtime);
}

/// What ran where the costs were measured; CPUs compute in float32 and others in halves, as sweeps have them do.
std::map<std::string, PlanUnit> units_of(const CostLookup& lookup, const std::vector<std::string>& units,
                                         const GraphSize& size) {
  std::map<std::string, PlanUnit> result;
  for (const UnitRange& range : lookup.ranges()) {
    if (std::find(units.begin(), units.end(), range.unit) == units.end() || result.count(range.unit) > 0) continue;
    if (const auto cost = lookup.cost(range, size).cost; cost && !cost->device.empty())
      result[range.unit] = {cost->device, cost->runtime, range.unit == "CPU" ? ElementType::f32 : ElementType::f16};
  }
  return result;
}

std::unique_ptr<const PlannedModel> layer_of(const PlanRunOptions& o, const CostLookup& lookup, const PlanCosts& costs,
                                             const std::optional<DivideCost>& divide) {
  auto layer = std::make_unique<PlannedLayer>();
  const GraphSize size{*o.nodes, *o.edges};
  layer->network = lookup.network();
  layer->features = lookup.features();
  const SweepGraph graph = graph_of(o);
  layer->graph = edges_of(graph, size);
  if (layer->graph.nodes != size.nodes || layer->graph.edges() != size.edges)
    refuse_input(fmt::format("the sweep measured the graph of {}, which has {} nodes and {} edges; say these",
                             printable(graph.kind), layer->graph.nodes, layer->graph.edges()));
  layer->units = units_of(lookup, costs.units(), size);
  layer->host_runtime = host_runtime(layer->units);
  layer->divide = divide.value_or(DivideCost{});
  return layer;
}

PlanProblem problem_of_sweep(const PlanRunOptions& o) {
  if (!o.nodes || !o.edges) throw UsageError("plan run: a sweep has many sizes; say --nodes N --edges E");
  if (!o.inputs.empty() || o.threads) throw UsageError("plan run: --input and --threads go with a model, not a sweep");
  const auto lookup = std::make_shared<CostLookup>(read_costs(o.what));
  MeasuredCostSettings costing{{*o.nodes, *o.edges}, {}};
  if (!o.divide_cost.empty())
    costing.divide = DivideCost{std::chrono::round<Nanoseconds>(parse_duration(o.divide_cost)), Nanoseconds(0)};
  PlanProblem problem;
  problem.costs = measured_costs(lookup, costing);
  if (!o.devices.empty()) problem.costs = with_units(std::move(problem.costs), words_in(o.devices));
  problem.model = layer_of(o, *lookup, *problem.costs, costing.divide);
  return problem;
}

/// "CPU", "onnxruntime@CPU", "sim:GPU".
PlanUnit unit_named(const std::string& text, const PlanRunOptions& o) {
  const auto at = text.find('@');
  PlanUnit unit;
  unit.device = at == text.npos ? text : text.substr(at + 1);
  if (is_simulated(unit.device))
    unit.runtime = simulated_runtime;
  else if (at != text.npos)
    unit.runtime = lower_case(text.substr(0, at));
  else if (unit.device == "CPU")
    unit.runtime = runtime_for(o.what).name;
  if (unit.device == "CPU") unit.threads = o.threads;
  return unit;
}

PlanProblem problem_of_model(const PlanRunOptions& o, const Interrupt& interrupt) {
  if (o.nodes || o.edges || !o.divide_cost.empty())
    throw UsageError("plan run: --nodes, --edges and --divide-cost go with a sweep, not a model");
  const auto names = words_in(o.devices.empty() ? "CPU" : o.devices);
  std::map<std::string, PlanUnit> units;
  for (const std::string& name : names) units[name] = unit_named(name, o);
  auto model = std::make_unique<PlannedPieces>(
      o.what, units,
      PieceChoiceSettings{.pieces = static_cast<std::size_t>(o.pieces), .inputs = o.inputs, .seed = o.seed});
  Progress bar("measurements");
  PieceMeasuring measuring;
  measuring.runs = o.runs;
  measuring.progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
  measuring.stop = &interrupt.requested();
  PlanProblem problem;
  problem.pieces = measure_pieces(*model, measuring);
  problem.costs = costs_of(model->pieces(), names, problem.pieces);
  problem.model = std::move(model);
  return problem;
}

std::vector<PlannedTrial> trials_of(const PlanRunOptions& o, const PlanCosts& costs, PlanObjective objective) {
  std::vector<PlannedTrial> trials;
  const auto add = [&](const std::string& role, const Plan& plan, const PlanEstimate& estimate) {
    if (std::none_of(trials.begin(), trials.end(), [&](const PlannedTrial& one) { return one.plan == plan; }))
      trials.push_back({role, plan, estimate});
  };
  if (o.top > 0) {
    PlanSearch search =
        search_plans(costs, {.objective = objective, .batches = o.batches, .divide = !o.whole, .top = 4 * o.top});
    keep_plans_with_a_point(search, o.top);
    const auto& single = search.best_single;
    for (const RankedPlan& plan : search.plans)
      add(single && plan.plan == single->plan ? "single" : "found", plan.plan, plan.estimate);
    if (single) add("single", single->plan, single->estimate);
  }
  for (const std::string& word : o.plans) {
    GivenPlan given = given_plan(word, costs, o.batches);
    if (!given.estimate) refuse_input(fmt::format("{}: {}", to_string(given.plan), given.reason));
    add(given.name.empty() ? "given" : given.name, given.plan, *given.estimate);
  }
  if (trials.empty()) throw UsageError("plan run: --top 0 leaves no plan; name one with --plan");
  return trials;
}

/// What a unit does not run is said before what was found without it.
std::string refused(const PlanProblem& problem) {
  std::string text;
  for (const PieceMeasurement& one : problem.pieces)
    if (one.span.count() == 1 && !one.time)
      text += fmt::format("{} does not run piece {}: {}\n", one.unit, one.span.first, one.reason);
  return text.empty() ? text : text + "\n";
}

}  // namespace

CommandDescription describe_plan_run() {
  PlanRunOptions o;
  return declare(o).description();
}

int run_plan_run(std::span<const std::string> arguments) {
  PlanRunOptions o;
  if (!declare(o).parse(arguments)) return 0;
  const auto objective = lower_case(o.objective) == "latency" ? PlanObjective::latency : PlanObjective::throughput;
  const Interrupt interrupt;
  const PlanProblem problem = o.is_model() ? problem_of_model(o, interrupt) : problem_of_sweep(o);
  const auto trials = trials_of(o, *problem.costs, objective);

  Progress bar("runs");
  const TemporaryFolder temporary("takt-plan-");
  PlanRunSettings settings;
  settings.folder = o.out.empty() ? temporary.path() : o.out;
  settings.batches = o.batches;
  settings.rounds = o.rounds;
  settings.check = !o.no_check;
  settings.seed = o.seed;
  settings.progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
  settings.stop = &interrupt.requested();
  const PlanRunReport report{objective, o.batches, run_plans(trials, *problem.model, settings)};
  auto tables = plan_run_tables(report);
  tables.push_back(piece_costs_table(problem.pieces));
  print(o.output, tables, provenance_of("plan run", arguments), refused(problem) + to_text(report, o.output.style()));
  for (const PlanRunResult& plan : report.plans)
    if (!plan.is_right())
      throw Error(ErrorKind::runtime,
                  fmt::format("the plan {} does not compute what the network does; see the deviation "
                              "of its blocks",
                              to_string(plan.trial.plan)));
  return 0;
}

}  // namespace takt
