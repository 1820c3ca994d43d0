// The sentences of plans, sweeps and predictions.
#pragma once

#include <string_view>

#include "report/page/page.h"

namespace takt {

/// Fills headline, lede and facts of a result of `command` ("plan run", "plan search", "sweep", "predict", "evaluate",
/// "fit") whose tables are there. false: it is none of these, or lacks what the sentence is about.
bool add_plan_sentences(ReportResult& result, std::string_view command);

}  // namespace takt
