// The profiled runs as a trace: one row for the runs, one for the operators inside them.
#pragma once

#include "base/system/provenance.h"
#include "measure/open/run_result.h"
#include "measure/operators/op_profile.h"
#include "trace/events/trace.h"

namespace takt {

/// Needs `result.profiled`, of which `profile` is. Every measured run and every operator of it is an event, named as
/// the row of the operators table that counts it; times from the first run.
Trace make_trace(const RunResult& result, const OpProfile& profile, const Provenance& provenance);

}  // namespace takt
