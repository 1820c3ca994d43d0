// What `takt analyze` printed: its operators as a bar, and the sentence that decides.
#pragma once

#include "report/page/page.h"

namespace takt {

/// Adds the bar, the headline with the operators that take most, and what to do about the longest of them. False: no
/// operator has a time.
bool add_analysis(ReportResult& result);

}  // namespace takt
