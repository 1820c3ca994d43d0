#include "plan/planned_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "core/error.h"
#include "core/file.h"
#include "core/index.h"
#include "core/random.h"
#include "core/temporary_folder.h"
#include "core/text.h"
#include "inputs/input_npy.h"
#include "pipeline/opened_model.h"
#include "pipeline/session_tuning.h"
#include "pipeline/stage_model.h"
#include "pipeline/tensor_split.h"
#include "plan/plan_check.h"
#include "runtime/simulated.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

constexpr double same_runtime = 1e-4, other_runtime = 1e-3, less_precise = 2e-2;
/// What sums in another order, in float32, are off by as a share of their terms: some times its 6e-8.
constexpr double rounding = 1e-6;
constexpr int roundings_tried = 3;

const fs::path& checked(const fs::path& model) {
  if (lower_case(model.extension().string()) != ".onnx")
    throw Error(ErrorKind::unsupported, fmt::format("{}: plans are searched for ONNX models; export this one as ONNX",
                                                    printable(model.string())));
  return model;
}

StageExecutorSettings on_host(const std::string& runtime, std::uint64_t seed) {
  StageExecutorSettings settings;
  settings.runtime = runtime;
  settings.precision = ElementType::f32;
  settings.seed = seed;
  settings.counters = false;
  return settings;
}

/// As many pieces as there can be, but no more than wanted.
std::vector<Cut> chosen_cuts(const Graph& graph, const PieceChoiceSettings& settings) {
  const auto all = find_cuts(graph, settings.most_tensors);
  const auto pieces = std::min(settings.pieces, all.size() + 1);
  if (pieces < 2) return {};
  return choose_cuts(graph, all, {.pieces = pieces});
}

/// The same, every float32 changed by up to `rounding`; values of other types as they are.
SharedTensor rounded_otherwise(const SharedTensor& value, Random& random) {
  if (!value || value->type != ElementType::f32) return value;
  HostTensor changed = *value;
  for (std::size_t at = 0; at + sizeof(float) <= changed.bytes.size(); at += sizeof(float)) {
    float number;
    std::memcpy(&number, changed.bytes.data() + at, sizeof number);
    number = static_cast<float>(number * (1 + rounding * (2 * uniform(random) - 1)));
    std::memcpy(changed.bytes.data() + at, &number, sizeof number);
  }
  return std::make_shared<const HostTensor>(std::move(changed));
}

std::vector<std::string> names_of_tensors(const Graph& graph, const std::vector<TensorId>& tensors) {
  std::vector<std::string> names;
  for (const TensorId id : tensors) names.push_back(graph.tensor(id).name);
  return names;
}

}  // namespace

PlannedPieces::PlannedPieces(const fs::path& model, std::map<std::string, PlanUnit> units,
                             const PieceChoiceSettings& settings)
    : model_(read_onnx_structure(checked(model))),
      units_(std::move(units)),
      host_runtime_(runtime_for(model).name),
      seed_(settings.seed) {
  auto host = on_host(host_runtime_, seed_);
  host.inputs = settings.inputs;
  const OpenedModel whole(model, host, {});
  std::map<std::string, Shape> shapes;
  for (std::size_t i = 0; i < whole.inputs().size(); ++i) {
    const SharedTensor& value = whole.sample_inputs()[i];
    shapes[whole.inputs()[i].name] = value->shape;
    values_[whole.inputs()[i].name] = value;
  }
  graph_ = with_known_tensors(model_, shapes);
  cuts_ = chosen_cuts(graph_, settings);
  run_pieces(whole.sample_outputs());
}

/// Outputs of the whole model are the whole model's, so that what is compared later owes nothing to the pieces.
void PlannedPieces::run_pieces(const std::vector<SharedTensor>& outputs) {
  const TemporaryFolder folder("takt-plan-");
  for (int p = 1; p <= pieces(); ++p) {
    const Piece piece = piece_of({p, p});
    const OpenedModel opened(write_span({p, p}, folder.path()),
                             settings_on({"CPU", host_runtime_, ElementType::f32, {}}, piece.inputs),
                             values_of(piece.inputs));
    for (const SharedTensor& output : opened.sample_outputs()) values_[output->name] = output;
  }
  for (const SharedTensor& output : outputs) {
    const auto made = values_.find(output->name);
    const auto off = made == values_.end() ? std::nullopt : largest_deviation(*output, *made->second);
    if (off && !(*off <= same_runtime))
      throw Error(
          ErrorKind::runtime,
          fmt::format("{}: its pieces give other values than the whole for '{}' (by {:.2g} of the largest); does "
                      "it draw random numbers?",
                      printable(model_.graph.path.string()), printable(output->name), *off));
    values_[output->name] = output;
  }
}

Piece PlannedPieces::piece_of(const StageSpan& span) const {
  std::vector<Cut> borders;
  if (span.first > 1) borders.push_back(cuts_[index(span.first) - 2]);
  if (span.last < pieces()) borders.push_back(cuts_[index(span.last) - 1]);
  return pieces_of(graph_, borders)[span.first > 1 ? 1 : 0];
}

fs::path PlannedPieces::write_span(const StageSpan& span, const fs::path& folder) const {
  const auto of_span = folder / fmt::format("pieces{}-{}", span.first, span.last);
  make_folders(of_span);
  return write_piece_models(model_, graph_, {piece_of(span)}, of_span).front();
}

StageExecutorSettings PlannedPieces::settings_on(const PlanUnit& unit, const std::vector<TensorId>& inputs) const {
  StageExecutorSettings settings = on_host(unit.runtime, seed_);
  settings.device = unit.device;
  settings.threads = unit.threads;
  if (is_simulated(unit.device)) settings.precision.reset(), settings.runtime.clear();
  for (const TensorId id : inputs) {
    const std::string& name = graph_.tensor(id).name;
    if (const auto value = values_.find(name); value != values_.end())
      settings.inputs.push_back(input_text(name, value->second->shape));
  }
  return settings;
}

StageExecutorSettings PlannedPieces::settings_in_plans(const StageSpan& span, const PlanUnit& unit) const {
  StageExecutorSettings settings = settings_on(unit, piece_of(span).inputs);
  if (span == StageSpan{1, pieces()} || is_simulated(unit.device)) return settings;
  std::vector<std::optional<int>> threads;
  for (const auto& [name, other] : units_)
    if (!is_simulated(other.device)) threads.push_back(threads_of_session(other.device, other.threads));
  settings.tuning = tuning_together(threads);
  return settings;
}

std::vector<SharedTensor> PlannedPieces::values_of(const std::vector<TensorId>& tensors) const {
  std::vector<SharedTensor> values;
  for (const TensorId id : tensors) {
    const auto found = values_.find(graph_.tensor(id).name);
    values.push_back(found == values_.end() ? nullptr : found->second);
  }
  return values;
}

PlanPipeline PlannedPieces::write(const Plan& plan, const fs::path& folder) const {
  PlanRules rules{pieces(), {}, {}, false};
  for (const auto& [name, unit] : units_) rules.units.push_back(name);
  takt::check(plan, rules, "the plan");
  make_folders(folder);
  PieceSettings settings;
  settings.folder = folder;
  settings.units.clear();
  settings.hand_on_inputs = false;
  std::vector<Cut> borders;
  PlanPipeline written;
  for (const PlanBlock& block : plan.blocks) {
    if (block.divided()) refuse_input("the plan: pieces of a model are not divided over several units");
    if (block.stages.first > 1) borders.push_back(cuts_[index(block.stages.first) - 2]);
    const PlanUnit& unit = units_.at(block.parts.front().unit);
    const bool is_cpu = unit.device == "CPU";
    settings.units.push_back({unit.device, is_simulated(unit.device) ? "" : unit.runtime, unit.threads,
                              is_cpu ? std::optional(unit.precision) : std::nullopt});
    BlockStages& stages = written.blocks.emplace_back();
    stages.first = stages.last = static_cast<int>(written.blocks.size()) - 1;
    stages.parts = {stages.first};
    stages.outputs = names_of_tensors(graph_, piece_of(block.stages).outputs);
  }
  for (const TensorId id : graph_.inputs) {
    const std::string& name = graph_.tensor(id).name;
    const SharedTensor& value = values_.at(name);
    settings.input_shapes[name] = value->shape;
    if (value->type == ElementType::string || value->type == ElementType::bf16) continue;  // NumPy has none
    settings.data[name] = fmt::format("input{}.npy", settings.data.size() + 1);
    write_file_atomically(folder / settings.data[name], npy_file(*value));
  }
  written.file = write_pieces(model_, graph_, borders, settings).pipeline;
  return written;
}

double PlannedPieces::allowed_for(const Plan& plan) const {
  double allowed = same_runtime;
  for (const PlanBlock& block : plan.blocks) {
    const PlanUnit& unit = units_.at(block.parts.front().unit);
    if (unit.runtime != host_runtime_) allowed = std::max(allowed, other_runtime);
    if (unit.device != "CPU" || unit.precision != ElementType::f32) allowed = less_precise;
  }
  return allowed;
}

/// By how much the pieces up to `last`, as one model on each of the plan's units, are off at most.
double PlannedPieces::undivided_deviation(const Plan& plan, int last) const {
  const TemporaryFolder folder("takt-plan-");
  const StageSpan span{1, last};
  const Piece piece = piece_of(span);
  const auto file = write_span(span, folder.path());
  const auto outputs = names_of_tensors(graph_, piece.outputs);
  std::set<std::string> units;
  for (const PlanBlock& block : plan.blocks) units.insert(block.parts.front().unit);
  double most = 0;
  for (const std::string& unit : units) try {
      const OpenedModel opened(file, settings_on(units_.at(unit), piece.inputs), values_of(piece.inputs));
      most = std::max(most, deviation_of(opened.sample_outputs(), outputs, values_));
    } catch (const Error&) {  // the unit does not run the whole: it says nothing of the plan
    }
  return most;
}

/// By how much the host's values at the end of piece `last` change when those that enter each piece are rounded
/// otherwise, at most.
double PlannedPieces::rounding_deviation(int last) const {
  const TemporaryFolder folder("takt-plan-");
  const auto outputs = names_of_tensors(graph_, piece_of({1, last}).outputs);
  const PlanUnit host{"CPU", host_runtime_, ElementType::f32, {}};
  Random random(seed_);
  double most = 0;
  for (int tried = 0; tried < roundings_tried; ++tried) {
    std::map<std::string, SharedTensor> values = values_;
    for (int p = 1; p <= last; ++p) {
      const Piece piece = piece_of({p, p});
      std::vector<SharedTensor> inputs;
      for (const std::string& name : names_of_tensors(graph_, piece.inputs)) {
        const auto found = values.find(name);
        inputs.push_back(found == values.end() ? nullptr : rounded_otherwise(found->second, random));
      }
      const OpenedModel opened(write_span({p, p}, folder.path()), settings_on(host, piece.inputs), inputs);
      for (const SharedTensor& output : opened.sample_outputs()) values[output->name] = output;
    }
    std::vector<SharedTensor> made;
    for (const std::string& name : outputs) made.push_back(values.at(name));
    most = std::max(most, deviation_of(made, outputs, values_));
  }
  return most;
}

std::optional<std::vector<BlockNumbers>> PlannedPieces::check(const Plan& plan, const PlanPipeline& pipeline,
                                                              const PipelineSpec& spec,
                                                              const std::atomic<bool>* stop) const {
  if (!computes(plan, units_)) return std::nullopt;
  const double allowed = allowed_for(plan);
  const auto stages = stages_run_once(spec, stop);
  std::vector<BlockNumbers> numbers;
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    const BlockStages& block = pipeline.blocks[b];
    BlockNumbers found{deviation_of(stages[index(block.last)].sample_outputs, block.outputs, values_), allowed};
    const int last = plan.blocks[b].stages.last;
    if (!found.is_right()) found.allowed = std::max(allowed, 2 * undivided_deviation(plan, last));
    if (!found.is_right()) found.allowed = std::max(found.allowed, 4 * rounding_deviation(last));
    numbers.push_back(found);
  }
  return numbers;
}

}  // namespace takt
