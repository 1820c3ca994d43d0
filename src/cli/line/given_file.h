// What a file on the command line is that a command could not read: the command that it is for.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace takt {

/// "; it describes a pipeline: 'takt pipeline run FILE' runs it", if `message` begins with the name of a file among
/// `arguments` that another command reads, and does not say so itself. Empty otherwise, and if the file cannot be read
/// again.
std::string other_use(std::string_view message, std::span<const std::string> arguments);

}  // namespace takt
