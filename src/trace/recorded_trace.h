// What a recorder has recorded, as takt's own tools see it.
#pragma once

#include "takt/recorder.h"
#include "trace/trace.h"

namespace takt {

/// Everything so far; times count from the recorder's construction.
Trace recorded_trace(Recorder& recorder);

}  // namespace takt
