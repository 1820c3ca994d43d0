// Why runs were slow, in sentences for the report of `takt run`.
#pragma once

#include <string>

#include "base/table/terminal.h"
#include "measure/open/run_result.h"

namespace takt {

/// Nothing when no cause is seen: unrest without a cause is noise. "Unstable" only where slow runs are slower than the
/// usual ones by more than noise; a cause that slows all runs alike is said to do so.
std::string instability_text(const RunResult& result, const Screen& screen);

}  // namespace takt
