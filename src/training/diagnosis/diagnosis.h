// Why a training is slow: what each rule says of a trace, most expensive cause first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trace/read/tables.h"
#include "training/diagnosis/verdict.h"

namespace takt {

/// A verdict with its place: which steps pay, and in which stretch of time.
struct PlacedVerdict {
  TrainingVerdict verdict;
  std::vector<std::int64_t> steps;  ///< numbers of those that pay at least half of what the most expensive third pays
  TimeInterval span;                ///< from the first of them to the last
};

/// A rule that could not look, by the cause it is for.
struct Abstention {
  TrainingCause cause{};
  std::string missing;  ///< what the trace lacks
};

/// One piece of communication.
struct Collective {
  std::int64_t time = 0;  ///< ns
  bool is_point_to_point = false;
};

/// Products of matrices in float32 that leave the device's matrix units unused.
struct PlainProducts {
  double share = 0;     ///< of the time of kernels, 0 to 1
  std::string longest;  ///< the kernel that takes most of it
};

struct Diagnosis {
  std::string file;
  std::optional<std::int64_t> rank;  ///< of a distributed training
  Steps steps;
  bool is_xla = false;  ///< of XLA's profiler
  std::string pass;     ///< name of the annotation that the steps are; empty: they are none
  Breakdown breakdown;
  std::vector<std::vector<Collective>> collectives;  ///< by step, each communication of a device, in order
  std::vector<PlacedVerdict> verdicts;               ///< by cost, warm_up last; compute_bound only alone
  std::vector<Abstention> abstentions;
  PlainProducts plain_products;
  double layout_share = 0;  ///< of the time of kernels, 0 to 1, that turns pictures from one layout into the other
  double unexplained = 0;   ///< share of the steps, 0 to 1, in which nothing works and no cause is known

  /// Every rule looked, none found a cause, and little is unexplained.
  bool is_healthy() const;
  /// How much faster steps would be without the cause: T / (T - cost), at most 100.
  double speed_up(const TrainingVerdict& verdict) const;
};

/// A diagnosis per trace, in their order, and per rank of a merged one. Traces of several ranks are also held against
/// each other. Of a trace without steps there is a breakdown of the whole trace as one, and every rule abstains. Throws
/// Error(bad_input) naming the file if a trace has nothing that a training does.
std::vector<Diagnosis> diagnose(const std::vector<NamedTrace>& traces);

/// For one trace, where ranks are nobody's concern.
Diagnosis diagnose(const std::string& file, const Trace& trace);

}  // namespace takt
