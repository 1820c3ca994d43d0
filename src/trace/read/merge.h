// Traces of several hosts or ranks on one time base.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trace/events/trace.h"

namespace takt {

struct MergeInput {
  Trace trace;
  std::string label;                  ///< put before the names of its processes: "node7 rank 3"
  std::string file;                   ///< for messages
  std::optional<Nanoseconds> offset;  ///< added to its times: corrects a clock, or stands for a missing base time
};

/// Time zero is the earliest base time of the inputs, which are shifted to it. Process numbers and flow numbers that
/// two inputs share are replaced in the later one, so that nothing is joined by accident. An input without base time
/// needs an offset, which then counts from time zero; of inputs that all lack one, a single one may do without, being
/// time zero itself. Else throws Error(bad_input) that names it. Properties and provenance that all inputs share are
/// kept; what differs stands by label in the property "mergedTraces".
Trace merge_traces(const std::vector<MergeInput>& inputs);

}  // namespace takt
