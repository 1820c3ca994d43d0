// One Trace from the windows that the reader's threads parsed: the same for any number of threads.
#pragma once

#include <memory>
#include <vector>

#include "trace/chrome_events.h"
#include "trace/chrome_frame.h"
#include "trace/chrome_reader.h"

namespace takt::chrome {

struct ParsedWindow {
  const EventParser* parser = nullptr;
  Window window;
};

/// `windows` by number; they are emptied on the way, so that no event is in memory twice. Adds to `faults` what only
/// the whole file shows.
Trace assemble(std::vector<ParsedWindow>& windows, const Frame& frame, const TraceReadSettings& settings,
               FaultList& faults);

}  // namespace takt::chrome
