// Scripts by which a shell completes takt's commands, options and values, made from the options' descriptions: `takt
// completion bash`. Pure functions; the shells need nothing of takt while they complete.
#pragma once

#include <string>

#include "cli/command_group.h"

namespace takt {

std::string bash_completion(const CommandGroup& takt);
std::string zsh_completion(const CommandGroup& takt);
std::string fish_completion(const CommandGroup& takt);

/// What follows an option or stands as an argument: one of `words`, a folder, a file, or nothing that could be guessed.
struct Completed {
  enum class By { nothing, words, files, folders } by = By::nothing;
  std::vector<std::string> words;
};
Completed completed(const Option& option);

/// In single quotes, as all three shells and eval read them.
std::string shell_quoted(const std::string& text);

/// Names of the commands that the help lists.
std::vector<std::string> listed_names(const CommandGroup& group);

}  // namespace takt
