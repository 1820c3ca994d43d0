// What the program did between one piece of work that it gave the device and the next; without a device, between one
// operator and the next. Short stretches are the framework's way from call to call. In long ones something else went
// on: the program's own code, an operator that computes on the host, a call that blocks. What comes at the same place
// in most steps belongs to the program; what comes once here and once there is an interruption by the machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "training/steps/steps.h"

namespace takt {

/// A stretch of the program's time, without what it waited for: batches, the device, memory of the device.
struct Stride {
  TimeInterval span;        ///< from a launch or the return of a wait to the next launch or wait
  std::int64_t rest = 0;    ///< of it the program's, in ns
  bool after_wait = false;  ///< the device had run empty when it began
};

/// Long stretches at one place of the step.
struct OwnCode {
  std::string name;                   ///< of what ran: an annotation, a function, an operator, a call; or between what
  Intervals times;                    ///< what the program took
  std::vector<std::int64_t> by_step;  ///< of it, in ns
};

struct HostLine {
  Intervals data, waits;        ///< of the threads that train
  Intervals allocation;         ///< likewise; of a training without a device when large blocks are given back
  Intervals collectives;        ///< beside a device, those that run on the hosts (Gloo, MPI), of any thread
  std::vector<Stride> strides;  ///< by start, within the steps
  std::vector<OwnCode> own;     ///< that most steps have alike, the longest first
  std::vector<OwnCode> seldom;  ///< that few have, or by chance
  Intervals launching;          ///< short stretches, but those that follow a wait
  std::int64_t long_from = 0;   ///< ns: stretches that are longer are long

  Intervals own_times() const;
  Intervals seldom_times() const;
};

/// A call that gives the device work and did not return while the device was busy: its queue was full, or the copy had
/// to wait. By position in Activity::host; sorted.
std::vector<std::size_t> blocked_calls(const Activity& activity);

/// O(n log n).
HostLine host_line(const Trace& trace, const Activity& activity, const Steps& steps);

}  // namespace takt
