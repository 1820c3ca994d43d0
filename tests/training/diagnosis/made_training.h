// Traces of trainings that never ran, with a cause of slowness planted in them: a program that launches kernels on a
// device (or computes itself), told on two clocks that wait for each other as real ones do.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "trace/events/trace.h"
#include "training/diagnosis/verdict.h"

namespace takt {

enum class Strength : std::uint8_t { mild, strong };

struct MadeTraining {
  std::optional<TrainingCause> cause{};  ///< nullopt: nothing is wrong
  Strength strength = Strength::mild;
  std::uint64_t seed = 1;
  int steps = 8;
  bool has_device = true;
  double time_scale = 1;     ///< of everything: a rank that is slower
  bool tells_ranks = false;  ///< has communication and says so
};

Trace made_training(const MadeTraining& made);

/// A copy without the events that `drops` names; arguments stay.
Trace without(const Trace& trace, const std::function<bool(const Trace&, const TraceEvent&)>& drops);
Trace without_names(const Trace& trace, const std::string& part);
Trace without_argument(const Trace& trace, const std::string& key);

}  // namespace takt
