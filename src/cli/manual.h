// Man pages, one for each command and each group of commands, made from the options' descriptions: `takt manual DIR`.
#pragma once

#include <string>
#include <vector>

#include "cli/command_group.h"

namespace takt {

struct ManualPage {
  std::string name;  ///< of the file: "takt-trace-info.1"
  std::string text;  ///< roff, macros of man(7)
};

/// takt.1 first. `program_version` stands at the foot of each page.
std::vector<ManualPage> manual_pages(const CommandGroup& takt, const std::string& program_version);

}  // namespace takt
