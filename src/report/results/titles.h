// The deciding sentence of each view of a page.
#pragma once

#include <string_view>

#include "report/page/page.h"

namespace takt {

/// Fills the titles of a result whose tables, bars, board and answers are there. A view about which there is nothing to
/// say has none, and the page calls it by a noun.
void add_titles(ReportResult& result);

}  // namespace takt
