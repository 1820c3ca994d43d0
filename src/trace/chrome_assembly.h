// One Trace from the windows that the reader's threads parsed: the same for any number of threads.
#pragma once

#include "trace/chrome_frame.h"
#include "trace/chrome_reader.h"
#include "trace/collected_windows.h"

namespace takt::chrome {

/// `collected` is emptied on the way. Adds to `faults` what only the whole file shows.
Trace assemble(CollectedWindows collected, const Frame& frame, const TraceReadSettings& settings, FaultList& faults);

}  // namespace takt::chrome
