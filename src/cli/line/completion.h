// Scripts by which a shell completes takt's commands, options and values, made from the options' descriptions: `takt
// completion bash`. Pure functions; the shells need nothing of takt while they complete.
#pragma once

#include <string>

#include "cli/line/command_tree.h"

namespace takt {

std::string bash_completion(const CommandTree& takt, std::span<const PlainOption> options);
std::string zsh_completion(const CommandTree& takt);
std::string fish_completion(const CommandTree& takt, std::span<const PlainOption> options);

/// The value of an option or argument: one of `words`, a folder, a file, or something that cannot be completed.
struct Completed {
  enum class By { nothing, words, files, folders } by = By::nothing;
  std::vector<std::string> words;
};
Completed completed(const Option& option);

/// In single quotes, as all three shells and eval read them.
std::string shell_quoted(const std::string& text);

/// What may follow the tree's name, as the help lists it: "info convert check".
std::string listed_words(const CommandTree& tree);

}  // namespace takt
