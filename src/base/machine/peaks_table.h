// Measured peaks as a table.
#pragma once

#include <string>

#include "base/machine/peaks.h"
#include "base/table/table.h"

namespace takt {

/// "peaks": a row per limit and number of threads.
Table peaks_table(const Peaks& peaks);

/// A sentence when the machine was too busy for the figures to be trusted; empty otherwise.
std::string busy_warning(const Peaks& peaks);

TableSchema peaks_schema();

}  // namespace takt
