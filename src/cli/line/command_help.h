// What `takt COMMAND --help` prints, made from the command's description; 80 columns.
#pragma once

#include <string>
#include <string_view>

#include "cli/line/option.h"

namespace takt {

std::string help_of(const CommandDescription& command);

/// "takt run MODEL [options]": positional options and required ones.
std::string usage_of(const CommandDescription& command);

}  // namespace takt
