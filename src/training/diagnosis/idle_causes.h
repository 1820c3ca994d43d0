// Why devices did nothing: each instant in which no device works has one cause, the first that applies.
#pragma once

#include "training/diagnosis/host_line.h"

namespace takt {

/// Disjoint sets that together cover all idle time of the steps. HTA distinguishes "host wait" from "kernel wait";
/// these causes describe what the host did.
struct IdleCauses {
  Intervals data_wait;        ///< the training loop waited for its next batch
  Intervals communication;    ///< ranks exchanged data on their hosts
  Intervals allocation;       ///< memory of the device was allocated or freed
  Intervals queued;           ///< work was launched before, and the device did not begin it
  Intervals own;              ///< the program's own code ran, at one place of most steps
  Intervals seldom;           ///< so it did, at changing places
  Intervals synchronisation;  ///< the program had waited for the device, and its next work was not yet there
  Intervals launch;           ///< the program was giving the device its next work, one by one
  Intervals other;            ///< the program did something else, or nothing

  Intervals all() const;
};

/// Returns the idle time of devices within the steps, by cause. All empty if the trace has no device.
IdleCauses idle_causes(const Activity& activity, const Steps& steps, const HostLine& line = {});

}  // namespace takt
