// The operators of a profile in the order in which they ran, and what their results hold in memory meanwhile.
#pragma once

#include <string_view>
#include <vector>

#include "report/page/page.h"

namespace takt {

/// Returns the operators that ran, of the text of a profile in JSON: with their times on the device, and the bytes of all
/// results of operators that are still read then, or never (the model's outputs), and with their place in the graph. No
/// bytes where the size of one of them is not known. Empty: the text is none, tells no order, or is larger than 16 MB.
std::vector<ReportStep> execution_of(std::string_view profile);

}  // namespace takt
