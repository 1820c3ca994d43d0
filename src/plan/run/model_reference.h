// What a model should give: the undivided model in float32, its operators one by one as they are written, on the host.
//
// A model of halves is taken in float32 (model/onnx/in_float32.h), so that what is compared with it owes nothing to
// where a runtime happens to round. It runs on two inputs, one of which others than the first: what a unit keeps from
// the batch before shows only then.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/cuts/cuts.h"
#include "model/onnx/onnx.h"
#include "plan/estimate/rounding.h"
#include "plan/run/check.h"

namespace takt {

struct ReferenceModel {
  const OnnxModel* model = nullptr;  ///< as it was read; only looked at by the constructor
  const Graph* graph = nullptr;      ///< the same with shapes
  std::vector<Cut> cuts;             ///< tensors that cross them are known, too
  std::string runtime;               ///< of the host
  std::uint64_t seed = 1;            ///< of roundings
};

/// Thread-safe to read.
class ModelReference {
 public:
  /// Runs the model on each of `inputs`, by name and in the model's own types. What the model does not take but for the
  /// first is left out, as is an input for which its tensors have other shapes. Throws Error as Runtime::open() and
  /// Session::run() do, and Error(runtime) where the pieces between the cuts, one after another, give other values than
  /// the whole, by more than rounding does.
  ModelReference(const ReferenceModel& of, const std::vector<NamedValues>& inputs);
  ~ModelReference();
  ModelReference(const ModelReference&) = delete;
  ModelReference& operator=(const ModelReference&) = delete;

  std::size_t inputs() const { return runs_.size(); }  ///< 1 or 2
  /// Inputs, tensors that cross the cuts, and outputs; floats in float32 or float64.
  const NamedValues& values(std::size_t input) const { return runs_[input]; }
  Coarseness rounding() const { return rounding_; }  ///< of the model itself

  /// By how much a tensor changes at most, as distance_of() says it, where the values between the model's operators are
  /// rounded otherwise (rounded_otherwise) at up to sixteen places. Takes some runs of the model at the first call for
  /// a rounding. Throws Error(runtime) where the host fails.
  double effect_on(const std::string& tensor, Coarseness rounding) const;

  /// Why nothing can be said of a tensor whatever rounding does: the operator that draws random numbers for it, or that
  /// it has no numbers at all. nullopt: something can.
  std::optional<std::string> why_untold(const std::string& tensor) const;

 private:
  class Pieces;
  void run_whole(std::vector<NamedValues> inputs);
  void check_pieces() const;
  std::map<std::string, double> effects_of(Coarseness rounding) const;

  OnnxModel model_;  ///< in float32
  Graph graph_;
  std::vector<Cut> cuts_;
  std::string runtime_;
  std::uint64_t seed_;
  Coarseness rounding_;
  std::vector<NamedValues> runs_;
  std::string drawing_;          ///< an operator that may draw random numbers; empty: none
  std::set<std::string> drawn_;  ///< tensors that were others in a second run
  mutable std::mutex mutex_;
  mutable std::map<Coarseness, std::map<std::string, double>> effects_;
};

}  // namespace takt
