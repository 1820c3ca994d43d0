// One Trace from the windows that the reader's threads parsed: the same for any number of threads.
#pragma once

#include "trace/chrome/collected_windows.h"
#include "trace/chrome/frame.h"
#include "trace/chrome/reader.h"

namespace takt::chrome {

/// `collected` is emptied on the way. A begin without an end lasts to `last_moment`, or to the trace's own. Adds to
/// `faults` what only the whole file shows.
Trace assemble(CollectedWindows collected, const Frame& frame, const TraceReadSettings& settings,
               std::optional<std::int64_t> last_moment, FaultList& faults);

}  // namespace takt::chrome
