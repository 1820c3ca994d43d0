// The limits of a machine for a roofline, from its measured peaks.
#pragma once

#include <vector>

#include "report/page/page.h"

namespace takt {

/// Returns the best rate of each type of number and what each level of memory reads, of a table "peaks" (`takt devices
/// --measure`); `one_thread`: of one thread, else of all. Rows without a rate are left out.
std::vector<ReportRoof> roofs_of(const Table& peaks, bool one_thread);

/// Gives rooflines without roofs those of another of the results: the peaks of a machine of the same name.
void lend_roofs(std::vector<ReportResult>& results);

}  // namespace takt
