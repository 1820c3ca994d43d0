#include "cli/plan/problem.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/memory/block_places.h"
#include "base/system/busy.h"
#include "base/system/log.h"
#include "base/system/progress.h"
#include "cli/plan/options.h"
#include "model/sim/simulated.h"
#include "plan/estimate/slow_downs.h"
#include "plan/run/planned_layer.h"
#include "plan/run/planned_pieces.h"
#include "plan/sweep/journal.h"

namespace takt {
namespace {

/// What the sweep's own rows say; a file of costs alone says nothing.
std::optional<SweepRecords> sweep_in(const std::filesystem::path& place) {
  std::error_code error;
  if (!std::filesystem::is_directory(place, error)) return std::nullopt;
  auto sweep = read_sweep(place);
  if (sweep)
    for (const std::string& damage : sweep->damage) log_warning(damage);
  return sweep;
}

std::string host_runtime(const std::map<std::string, PlanUnit>& units) {
  for (const auto& [name, unit] : units)
    if (name == "CPU" && !is_simulated(unit.device)) return unit.runtime;
  for (const std::string& name : runtime_names())
    if (name != simulated_runtime) return name;
  return std::string(simulated_runtime);
}

/// What ran where the costs were measured; CPUs compute in float32 and others in halves, as sweeps have them do.
std::map<std::string, PlanUnit> units_of(const SweepRecords& sweep, Network network) {
  std::map<std::string, PlanUnit> units;
  for (const StageRecord& record : sweep.records)
    if (record.network == network && record.row.status == StageStatus::measured)
      units[record.row.key.unit] = {record.asked, record.row.runtime,
                                    record.row.key.unit == "CPU" ? ElementType::f32 : ElementType::f16};
  return units;
}

std::unique_ptr<const PlannedModel> layer_of(const PlanProblemOptions& o, const CostLookup& lookup,
                                             const PlanCosts& costs) {
  auto layer = std::make_unique<PlannedLayer>();
  const GraphSize size{*o.nodes, *o.edges};
  layer->network = lookup.network();
  layer->features = lookup.features();
  const auto sweep = sweep_in(o.what);
  const SweepGraph graph = sweep ? sweep->configuration.graph : SweepGraph{};
  layer->graph = edges_of(graph, size);
  if (layer->graph.nodes != size.nodes || layer->graph.edges() != size.edges)
    refuse_input(fmt::format("the sweep measured the graph of {}, which has {} nodes and {} edges; use these",
                             printable(graph.kind), layer->graph.nodes, layer->graph.edges()));
  if (sweep) layer->units = units_of(*sweep, layer->network);
  for (const std::string& unit : costs.units())
    if (layer->units.count(unit) == 0)
      refuse_input(
          fmt::format("{}: does not name the device that was measured as {}; give the folder of a sweep of this "
                      "machine, or leave the unit out with --devices",
                      printable(o.what.string()), unit));
  layer->host_runtime = host_runtime(layer->units);
  if (!o.divide_cost.empty()) layer->divide.partition = std::chrono::round<Nanoseconds>(parse_duration(o.divide_cost));
  return layer;
}

PlanProblem problem_of_sweep(const PlanProblemOptions& o) {
  if (!o.nodes || !o.edges) throw UsageError("plan run: a sweep has many sizes; add --nodes N --edges E");
  if (!o.inputs.empty() || o.threads) throw UsageError("plan run: --input and --threads are for a model, not a sweep");
  const CostLookup lookup = read_costs(o.what);
  PlanCostOptions costing;
  costing.costs = o.what, costing.interference = o.interference;
  costing.divide_cost = o.divide_cost, costing.devices = o.devices;
  costing.no_interference = o.no_interference;
  const PlanCostSource source = cost_source(costing, "plan run");
  PlanProblem problem;
  problem.costs = source.at(GraphSize{*o.nodes, *o.edges});
  problem.model = layer_of(o, lookup, *problem.costs);
  problem.interference_line = interference_line(costing, source);
  return problem;
}

/// "CPU", "onnxruntime@CPU", "sim:GPU".
PlanUnit unit_named(const std::string& text, const PlanProblemOptions& o) {
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

const KnownStages* answers_of(const PlanProblem& problem) { return problem.answers ? &*problem.answers : nullptr; }

/// What pieces on different units do to each other.
void add_contention(const PlanProblemOptions& o, const PlannedPieces& model, const Interrupt& interrupt,
                    PlanProblem& problem) {
  Progress bar("concurrent pieces");
  PieceContentionSettings settings;
  settings.seed = o.seed;
  settings.progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
  settings.stop = &interrupt.requested();
  BusyWatch watch;
  PieceContention measured = measure_piece_contention(model, problem.pieces, settings);
  const auto busy = watch.found();
  // Simulated units are predicted from laws, which nobody disturbs.
  const auto is_measured = [](const PairRow& pair) { return !pair.predicted; };
  const bool is_doubtful =
      busy && busy->share() >= doubtful_share && std::any_of(measured.pairs.begin(), measured.pairs.end(), is_measured);
  if (is_doubtful) doubt(measured.pairs);
  problem.pairs = std::move(measured.pairs), problem.answers = std::move(measured.answers);
  if (!problem.pairs.empty())
    problem.costs = with_slow_downs(problem.costs, problem.pairs, "the pieces", answers_of(problem));
  const auto certain =
      std::count_if(problem.pairs.begin(), problem.pairs.end(), [](const PairRow& pair) { return pair.significant; });
  if (certain > 0)
    problem.interference_line = fmt::format(
        "\nPieces on different units slow each other down in {} of {} pairs (ignore with --no-interference).\n",
        certain, problem.pairs.size());
  if (is_doubtful)
    problem.interference_line +=
        "\nOther programs ran meanwhile, so no slowdown of a real unit is called significant.\n";
}

PlanProblem problem_of_model(const PlanProblemOptions& o, const Interrupt& interrupt) {
  if (o.nodes || o.edges || !o.divide_cost.empty() || !o.interference.empty())
    throw UsageError("plan run: --nodes, --edges, --divide-cost and --interference are for a sweep, not a model");
  const auto names = words_in(o.devices.empty() ? "CPU" : o.devices);
  std::map<std::string, PlanUnit> units;
  for (const std::string& name : names)
    if (!units.emplace(name, unit_named(name, o)).second)
      throw UsageError(fmt::format("--devices: {} is listed twice", printable(name)));
  auto model = std::make_unique<PlannedPieces>(
      o.what, units,
      PieceChoiceSettings{.pieces = static_cast<std::size_t>(o.pieces), .inputs = o.inputs, .seed = o.seed});
  Progress bar("measurements");
  PieceMeasuring measuring;
  measuring.runs = o.runs;
  measuring.check = o.check;
  measuring.progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
  measuring.stop = &interrupt.requested();
  PlanProblem problem;
  problem.pieces = measure_pieces(*model, measuring);
  problem.costs = costs_of(model->pieces(), names, problem.pieces);
  if (o.at_once && !o.no_interference) add_contention(o, *model, interrupt, problem);
  problem.draws = draws_of(model->pieces(), names, problem.pieces, problem.pairs, answers_of(problem));
  problem.model = std::move(model);
  return problem;
}

}  // namespace

void add_model_options(CommandLine& line, PlanProblemOptions& o) {
  line.heading("For a model");
  line.add({.names = "--pieces",
            .value = "N",
            .meaning = "Pieces to cut the model into; fewer if it has fewer possible cuts",
            .fallback = std::to_string(o.pieces),
            .range = NumberRange{1, 30}},
           &o.pieces);
  line.add({.names = "--threads", .value = "N", .meaning = "Threads of each CPU unit", .range = NumberRange{1, 4096}},
           &o.threads);
  line.add({.names = "--input",
            .value = "SPEC",
            .meaning = "Shape or values of an input, as for 'takt run'; others are generated"},
           &o.inputs);
  line.add({.names = "--iter",
            .older = "--runs",
            .value = "N",
            .meaning = "Measured inferences of the pieces on every unit",
            .fallback = std::to_string(o.runs),
            .range = NumberRange{1, 100'000}},
           &o.runs);
}

void add_problem(CommandLine& line, PlanProblemOptions& o) {
  line.add({.names = "DIR|MODEL",
            .meaning = "The folder of a sweep, or an ONNX model; a model is cut into pieces, which are measured first",
            .required = true},
           &o.what);
  line.heading("For a sweep");
  line.add({.names = "--nodes", .value = "N", .meaning = "Nodes of the graph", .range = NumberRange{1, 2147483646}},
           &o.nodes);
  line.add({.names = "--edges", .value = "N", .meaning = "Edges of the graph", .range = NumberRange{1, 2147483646}},
           &o.edges);
  line.add({.names = "--divide-cost",
            .value = "DURATION",
            .meaning = "Time to split a batch over units and to merge the results; without it, no block is split"},
           &o.divide_cost);
  line.add({.names = "--whole", .meaning = "Do not split blocks over several units"}, &o.whole);
  line.add({.names = "--interference",
            .value = "FILE",
            .meaning = "How much units slow each other down: the JSON of 'takt pipeline interference'. By default, "
                       "what the sweep measured"},
           &o.interference);
  add_model_options(line, o);
  line.heading("For both");
  line.add({.names = "--devices",
            .value = "LIST",
            .meaning = "The units that plans may use, separated by commas. For a sweep: by default all that have "
                       "costs. For a model: devices, also with a runtime, e.g. 'onnxruntime@CPU'; by default CPU"},
           &o.devices);
  add_no_interference(line, &o.no_interference);
  line.add({.names = "--seed",
            .value = "N",
            .meaning = "Seed of generated values, and of the noise of simulated devices",
            .fallback = "1"},
           &o.seed);
}

PlanProblem make_problem(const PlanProblemOptions& o, const Interrupt& interrupt) {
  place_blocks_together();  // as in the processes of a sweep, and before pieces are measured that plans are made of
  return o.is_model() ? problem_of_model(o, interrupt) : problem_of_sweep(o);
}

std::vector<Table> piece_tables(const PlanProblem& problem) {
  if (problem.pieces.empty()) return {};
  return {piece_costs_table(problem.pieces), piece_pairs_table(problem.pairs)};
}

std::string refused_pieces(const PlanProblem& problem) {
  std::string text;
  for (const PieceMeasurement& one : problem.pieces)
    if (one.span.count() == 1 && !one.time)
      text += fmt::format("{} does not run piece {}: {}\n", one.unit, one.span.first, one.reason);
  return text.empty() ? text : "\n" + text;
}

}  // namespace takt
