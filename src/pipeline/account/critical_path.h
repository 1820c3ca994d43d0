// The chain of waiting that made the run as long as it was, and what it consists of. See critical_path.cpp.
#pragma once

#include "pipeline/account/account.h"
#include "pipeline/account/binding.h"
#include "pipeline/account/stage_columns.h"
#include "pipeline/account/visit_copies.h"

namespace takt {

/// `run` fits its shape (run_check.h), `sorted` are its columns, sorted. Exact: on the virtual clock the shares add up
/// to the run's length and none of them is a dispatch. `laps` is told of the whole path; what it says at the end is in
/// `binders`. Throws Error(unsupported) for 2^32 − 1 executions and more.
CriticalPath find_critical_path(const PipelineRun& run, RunWindow window, const std::vector<StageColumns>& sorted,
                                const VisitCopies& copies, Laps laps, std::vector<BinderShare>& binders);

}  // namespace takt
