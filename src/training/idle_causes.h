// Why devices did nothing: each instant in which no device works has one cause, the first that applies.
#pragma once

#include "training/steps.h"

namespace takt {

/// Disjoint; together all idle time of the steps. HTA tells "host wait" from "kernel wait"; these say what the host
/// did.
struct IdleCauses {
  Intervals data_wait;        ///< the training loop waited for its next batch
  Intervals allocation;       ///< memory of the device was taken or freed
  Intervals synchronisation;  ///< the program had waited for the device, and its next work was not yet there
  Intervals launch;           ///< the program was giving the device its next work, one by one
  Intervals other;            ///< the program did something else, or nothing

  Intervals all() const;
};

/// Of the time of the steps. Where a trace has no device there is no idle time either.
IdleCauses idle_causes(const Activity& activity, const Steps& steps);

}  // namespace takt
