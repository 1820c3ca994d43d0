// Values between stages that compute in different precisions: one hands on halves, the next one takes float32.
#pragma once

#include <vector>

#include "model/runtime/runtime.h"
#include "pipeline/stages/stage_executor.h"

namespace takt {

/// Whether a value of one type is handed to an input of another: both are floats of 16 to 64 bits.
bool hands_on_as(ElementType from, ElementType to);

/// The value itself where it has the type already, else a copy with the nearest numbers; beyond the range of the type
/// infinity. Both types are floats, as above.
SharedTensor in_type(const SharedTensor& value, ElementType type);

/// Puts copies in place of values whose port takes another type. Bytes written; 0: all were fine.
std::int64_t fit_types(StageExecutor::InputValues& values, const std::vector<Port>& inputs);

}  // namespace takt
