#include "plan/run/planned_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "measure/open/prepared_model.h"
#include "measure/open/run_settings.h"
#include "model/inputs/npy.h"
#include "model/inputs/tensor_values.h"
#include "model/runtime/generated_values.h"
#include "model/runtime/ports.h"
#include "model/sim/simulated.h"
#include "pipeline/stages/float_types.h"
#include "pipeline/stages/session_tuning.h"
#include "pipeline/stages/stage_model.h"
#include "plan/run/check.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

constexpr double same_runtime = 1e-4, other_runtime = 1e-3, less_precise = 2e-2;
/// So many times what one rounding at some places of the model changes, several at all of its operators may change. A
/// millionth is sixteen roundings of float32, and half a step of 8 bits is more than runtimes differ by, most of whose
/// steps are the same.
double roundings_in_a_row(Coarseness rounding) {
  return rounding == Coarseness::half || rounding == Coarseness::brain ? 4 : 1;
}

/// What the seeds of two inputs are apart.
constexpr std::uint64_t other_seed = 1000;
/// Where rounding explains more than that, it would explain anything.
constexpr double most_allowed = 0.25;

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

/// Numbers that somebody gave, three quarters of them: others of the same sign and range.
SharedTensor three_quarters(const SharedTensor& value) {
  if (!is_float(value->type)) return value;
  HostTensor numbers = *in_type(value, ElementType::f64);
  std::vector<double> scaled;
  for (std::size_t i = 0; i < count_of(numbers); ++i) scaled.push_back(0.75 * *value_at(numbers, i));
  numbers.bytes = to_bytes(scaled);
  return in_type(std::make_shared<const HostTensor>(std::move(numbers)), value->type);
}

/// The model's inputs as the user gave them or generated, and another one that it takes if it takes this one.
std::vector<NamedValues> input_values(const fs::path& model, const StageExecutorSettings& settings) {
  PreparedModel prepared(model, run_settings(settings));
  const Graph& graph = *prepared.result().graph;
  const std::vector<Port> ports = ports_of(graph, graph.inputs);
  const auto& values = prepared.values(ports);
  std::vector<NamedValues> both(2);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto value = std::make_shared<const HostTensor>(values[i]);
    const auto generated = [&](std::uint64_t seed) {
      return std::make_shared<const HostTensor>(generate_values(ports[i], value->shape, seed + i));
    };
    const bool was_given = !can_generate(value->type) || distance_of(*value, *generated(settings.seed)).share != 0;
    both[0][value->name] = value;
    both[1][value->name] = was_given ? three_quarters(value) : generated(settings.seed + other_seed);
  }
  return both;
}

/// "0.12 of its size".
std::string share_text(double share) {
  return std::isfinite(share) ? fmt::format("{:.2g} of its size", share) : std::string("NaN or infinity");
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
  take_reference(model, settings);
}

void PlannedPieces::take_reference(const fs::path& model, const PieceChoiceSettings& settings) {
  auto host = on_host(host_runtime_, seed_);
  host.inputs = settings.inputs;
  const auto inputs = input_values(model, host);
  std::map<std::string, Shape> shapes;
  for (const auto& [name, value] : inputs.front()) shapes[name] = value->shape;
  graph_ = with_known_tensors(model_, shapes);
  cuts_ = chosen_cuts(graph_, settings);
  reference_ =
      std::make_unique<const ModelReference>(ReferenceModel{&model_, &graph_, cuts_, host_runtime_, seed_}, inputs);
  for (const auto& [name, value] : reference_->values(0)) {
    const auto id = graph_.find_tensor(name);
    const ElementType type = id ? graph_.tensor(*id).type : value->type;
    values_[name] = hands_on_as(value->type, type) ? in_type(value, type) : value;
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
    if (block.divided()) refuse_input("the plan: pieces of a model cannot be split over several units");
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

Coarseness PlannedPieces::rounding_on(const PlanUnit& unit) const {
  const Coarseness of_unit = coarseness_of(unit.device == "CPU" ? unit.precision : ElementType::f16);
  return std::max(of_unit, reference_->rounding());
}

double PlannedPieces::least_allowed(const PlanUnit& unit) const {
  if (rounding_on(unit) != Coarseness::float32) return less_precise;
  return unit.runtime == host_runtime_ ? same_runtime : other_runtime;
}

AllowedDeviation PlannedPieces::allowed_of(const std::vector<std::string>& outputs, double least, Coarseness rounding,
                                           std::string& untold) const {
  AllowedDeviation allowed{least};
  for (const std::string& output : outputs) {
    const double effect = reference_->effect_on(output, rounding), most = roundings_in_a_row(rounding) * effect;
    allowed.by_rounding[output] = most;
    std::string reason = reference_->why_untold(output).value_or("");
    if (reason.empty() && most > most_allowed)
      reason = fmt::format("the model's outputs depend on rounding: rounded differently {}, '{}' changes by {}",
                           words_for(rounding), printable(output), share_text(effect));
    if (reason.empty()) continue;
    allowed.untold.insert(output);
    if (untold.empty()) untold = std::move(reason);
  }
  return allowed;
}

BlockNumbers PlannedPieces::numbers_of(const StageSpan& span, const PlanUnit& unit,
                                       const std::vector<SharedTensor>& outputs) const {
  const auto names = names_of_tensors(graph_, piece_of(span).outputs);
  BlockNumbers numbers{0, least_allowed(unit)};
  const AllowedDeviation allowed = allowed_of(names, numbers.allowed, rounding_on(unit), numbers.untold);
  add_deviation(numbers, outputs, names, reference_->values(0), allowed, integers_of(reference_->rounding()));
  return numbers;
}

std::optional<std::vector<BlockNumbers>> PlannedPieces::check(const Plan& plan, const PlanPipeline& pipeline,
                                                              const PipelineSpec& spec,
                                                              const std::atomic<bool>* stop) const {
  if (!computes(plan, units_)) return std::nullopt;
  // What a unit keeps of the batch before shows in the second batch and the third.
  std::vector<NamedValues> inputs;
  for (std::size_t i = reference_->inputs(); i-- > 0;) inputs.push_back(reference_->values(i));
  const auto batches = batches_run(spec, inputs, stop);
  double least = 0;
  Coarseness rounding = Coarseness::float32;
  std::vector<BlockNumbers> numbers;
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    const PlanUnit& unit = units_.at(plan.blocks[b].parts.front().unit);
    least = std::max(least, least_allowed(unit)), rounding = std::max(rounding, rounding_on(unit));
    const BlockStages& block = pipeline.blocks[b];
    BlockNumbers& found = numbers.emplace_back(BlockNumbers{0, least});
    const AllowedDeviation allowed = allowed_of(block.outputs, least, rounding, found.untold);
    for (std::size_t batch = 0; batch < batches.size(); ++batch)
      add_deviation(found, batches[batch][index(block.last)], block.outputs,
                    reference_->values(batch == 1 && reference_->inputs() > 1 ? 1 : 0), allowed,
                    integers_of(reference_->rounding()));
  }
  return numbers;
}

}  // namespace takt
