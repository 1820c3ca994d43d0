// Floating-point operations of a training's operators, from the shapes that the profiler recorded (record_shapes=True).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "training/steps/activity.h"

namespace takt {

/// Returns the operations of one call, an addition and a multiplication each counted as one: products of matrices,
/// convolutions, attention, forward and backward. `dims` is the profiler's list of input shapes as JSON, `concrete` that
/// of its other arguments, empty where not recorded. nullopt: another operator, or its arguments do not tell. An
/// operator whose work another operator inside of it is counted for (aten::linear) has none.
///
/// Formulas: m x k by k x n takes 2mkn; a convolution 2 x outputs x inputs per group x kernel; its backward pass the same
/// for each of the two gradients that are asked for; attention the two products, its backward pass five (it computes
/// the scores again), as PyTorch's own FlopCounterMode has it.
std::optional<double> flops_of_call(std::string_view op, std::string_view dims, std::string_view concrete);

/// The same of operators of a trace. Not thread-safe; `trace` outlives it.
class FlopCount {
 public:
  explicit FlopCount(const Trace& trace);
  std::optional<double> of(const HostSpan& op) const;

 private:
  const Trace& trace_;
  std::optional<StringId> dims_, concrete_;
  mutable std::unordered_map<StringId, bool> counted_;  ///< by name of the operator
};

}  // namespace takt
