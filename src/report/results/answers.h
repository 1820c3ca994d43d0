// The sentences of commands whose answer is a line: what a change brings, what a trace breaks, how busy a machine is.
#pragma once

#include <string_view>

#include "report/page/page.h"

namespace takt {

/// Fills headline, lede and facts for the commands "pipeline whatif", "trace check", "devices" and "load"; false: for
/// others, or where the tables lack what decides.
bool add_answer(ReportResult& result, std::string_view command);

}  // namespace takt
