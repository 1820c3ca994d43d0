// Plans of any ONNX model: it is cut into pieces, and a block is some pieces that follow each other, as one model.
//
// What a piece reads is known by example: the undivided model is run on the host in float32 (model_reference.h), and
// every tensor that crosses a cut is kept. Pieces are measured with these values, which are of the right shape and
// range (token numbers, masks), and what plans compute is compared with them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/cuts/cuts.h"
#include "model/inputs/inputs.h"
#include "model/onnx/onnx.h"
#include "pipeline/stages/model_pieces.h"
#include "pipeline/stages/stage_executor.h"
#include "plan/run/model_reference.h"
#include "plan/run/planned_model.h"

namespace takt {

struct PieceChoiceSettings {
  std::size_t pieces = 5;             ///< fewer where the model has no more places to cut
  std::size_t most_tensors = 3;       ///< across a cut
  std::vector<std::string> inputs{};  ///< as `takt run --input`; others are generated
  std::uint64_t seed = 1;
};

/// Thread-safe to read.
class PlannedPieces final : public PlannedModel {
 public:
  /// Runs the model and its pieces once. `units` by the names in plans. Throws Error as run_model() and ModelReference
  /// do, and Error(unsupported) for a model that is no ONNX file.
  PlannedPieces(const std::filesystem::path& model, std::map<std::string, PlanUnit> units,
                const PieceChoiceSettings& settings);

  int pieces() const { return static_cast<int>(cuts_.size()) + 1; }
  const std::map<std::string, PlanUnit>& units() const { return units_; }
  const Graph& graph() const { return graph_; }
  const std::vector<Cut>& cuts() const { return cuts_; }

  /// The pieces of a span as one model in `folder`.
  std::filesystem::path write_span(const StageSpan& span, const std::filesystem::path& folder) const;
  /// Where a unit opens a model; and values for its inputs, by name.
  StageExecutorSettings settings_on(const PlanUnit& unit, const std::vector<TensorId>& inputs) const;
  /// The same for a span as it stands in pipelines of plans: beside sessions of the other units, or as the whole model
  /// alone.
  StageExecutorSettings settings_in_plans(const StageSpan& span, const PlanUnit& unit) const;
  std::vector<SharedTensor> values_of(const std::vector<TensorId>& tensors) const;
  Piece piece_of(const StageSpan& span) const;

  PlanPipeline write(const Plan& plan, const std::filesystem::path& folder) const override;
  /// Beside the reference's. Allowed are 1e-4; where a unit has another runtime than the host 1e-3; where one computes
  /// in less than float32 or is no CPU, and of a model of halves or a quantised one, 2e-2. More is allowed of a model
  /// of which more is left of a rounding: what a millionth changes, four times what halves do, and once what 8 bits do,
  /// whichever the model and the plan's units compute in. Where that is more than a quarter, nothing can be said.
  std::optional<std::vector<BlockNumbers>> check(const Plan& plan, const PlanPipeline& pipeline,
                                                 const PipelineSpec& spec,
                                                 const std::atomic<bool>* stop) const override;

  /// The same of one span that a unit was given the reference's values for, by what it made of them.
  BlockNumbers numbers_of(const StageSpan& span, const PlanUnit& unit, const std::vector<SharedTensor>& outputs) const;

 private:
  void take_reference(const std::filesystem::path& model, const PieceChoiceSettings& settings);
  Coarseness rounding_on(const PlanUnit& unit) const;
  double least_allowed(const PlanUnit& unit) const;
  /// What outputs may differ by; where nothing can be said of one, `untold` gets the reason of the first.
  AllowedDeviation allowed_of(const std::vector<std::string>& outputs, double least, Coarseness rounding,
                              std::string& untold) const;

  OnnxModel model_;
  Graph graph_;
  std::map<std::string, PlanUnit> units_;
  std::string host_runtime_;
  std::uint64_t seed_;
  std::vector<Cut> cuts_;
  std::unique_ptr<const ModelReference> reference_;
  NamedValues values_;  ///< of the first input, in the model's own types
};

}  // namespace takt
