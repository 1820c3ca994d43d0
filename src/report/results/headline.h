// The sentence that decides, the one after it, and the figures below them, from a result's tables.
#pragma once

#include <string>
#include <string_view>

#include "report/page/page.h"

namespace takt {

/// Fills headline, lede and facts of a result whose tables and bars are there; `command` is what printed it ("run").
void add_sentences(ReportResult& result, std::string_view command);

/// "Conv takes 55.6 % of it": the largest part of a bar that is a type of operator; empty: there is none.
std::string largest_share(const ReportBar& bar);

}  // namespace takt
