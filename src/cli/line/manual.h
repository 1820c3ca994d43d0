// Man pages, one for each command and each group of commands, made from the options' descriptions: `takt manual DIR`.
#pragma once

#include <string>
#include <vector>

#include "cli/line/command_tree.h"

namespace takt {

struct ManualPage {
  std::string name;  ///< of the file: "takt-trace-info.1"
  std::string text;  ///< roff, macros of man(7)
};

/// takt.1 first. `program_version` is printed at the foot of each page.
std::vector<ManualPage> manual_pages(const CommandTree& takt, std::span<const PlainOption> options,
                                     const std::string& program_version);

}  // namespace takt
