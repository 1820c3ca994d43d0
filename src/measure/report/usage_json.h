// What a process used in each run, as it stands in a profile (docs/formats.md, "Usage").
#pragma once

#include <string>

#include "measure/open/run_result.h"

namespace takt {

/// An object of lists, one entry per span of runs; null where the system did not tell.
std::string usage_json(const RunPass& pass);

}  // namespace takt
