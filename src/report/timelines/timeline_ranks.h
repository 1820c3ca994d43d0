// Timelines of several traces as one, a rank below the other.
#pragma once

#include <string>
#include <vector>

#include "report/page/page.h"

namespace takt {

/// A trace's timeline, and what its times count from (0: it does not say).
struct RankTimeline {
  std::string file;
  ReportTimeline timeline;
  Nanoseconds base{};
};

/// Returns one timeline with the rows of all, each row named after its rank. Where all traces have a moment in common
/// they lie as their clocks say; else each begins at zero, and the note says so. Of one trace it is that trace's own.
ReportTimeline side_by_side(std::vector<RankTimeline> traces);

}  // namespace takt
