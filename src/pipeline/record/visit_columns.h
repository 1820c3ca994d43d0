// The times of visits and batches as columns, without those that follow from other records of the run.
//
// A batch normally enters a stage when it leaves the one before, starts when its execution starts, and so on: of nine
// times per visit one is news. A column that follows from the others in every row is left out of a file and derived
// again when it is read; one that does not (a measured run may stamp a hand-over twice) is kept whole. So nothing is
// lost, and a file does not say everything twice.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "flow/flow_shape.h"
#include "flow/simulate.h"

namespace takt {

/// By name; "admitted", "arrived", "delivered" by batch, the others by batch · stages + stage.
using ScheduleColumns = std::map<std::string, std::vector<std::int64_t>>;

/// Returns the columns of the schedule's visits and batches. `shape` is the shape of the schedule.
ScheduleColumns columns_of(const Schedule& schedule, const FlowShape& shape);

/// Makes visits and batches of `schedule`, which has its executions, from the columns. False if a column that is needed
/// is missing, has another length than the others or names a replica that cannot be; `schedule` is worthless then.
bool restore(Schedule& schedule, const FlowShape& shape, const ScheduleColumns& columns);

}  // namespace takt
