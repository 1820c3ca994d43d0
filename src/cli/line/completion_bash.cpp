#include <fmt/format.h>

#include "cli/completion.h"

namespace takt {
namespace {

constexpr std::string_view bash_functions =
    R"(# Completes takt's commands, options and values in bash. Written by 'takt completion bash'.

_takt_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word"); }
_takt_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); }
_takt_folders() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$word"); }

_takt() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  COMPREPLY=()
  # --format=csv comes as three words.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
)";

std::string bash_action(const Option& option) {
  const Completed by = completed(option);
  switch (by.by) {
    case Completed::By::words:
      return fmt::format("_takt_words {}", shell_quoted(fmt::format("{}", fmt::join(by.words, " "))));
    case Completed::By::files:
      return "_takt_files";
    case Completed::By::folders:
      return "_takt_folders";
    case Completed::By::nothing:
      break;
  }
  return "";
}

/// The options that take a value: what completes it. Then names of options, or the argument.
std::string bash_lines(const CommandDescription& command) {
  std::string values, argument;
  std::vector<std::string> names;
  for (const Option& option : command.options) {
    if (option.positional()) {
      argument = bash_action(option);
      continue;
    }
    for (const auto& name : option.spellings()) names.push_back(name);
    if (option.takes == Takes::nothing) continue;
    values += fmt::format("        {}) {}; return ;;\n", fmt::join(option.spellings(), "|"),
                          bash_action(option).empty() ? ":" : bash_action(option));
  }
  std::string text = fmt::format("    {})\n", shell_quoted(command.name));
  if (!values.empty()) text += "      case $before in\n" + values + "      esac\n";
  text += fmt::format("      if [[ $word == -* ]]; then\n        _takt_words {}\n",
                      shell_quoted(fmt::format("{}", fmt::join(names, " "))));
  if (!argument.empty()) text += "      else\n        " + argument + "\n";
  return text + "      fi ;;\n";
}

}  // namespace

std::string bash_completion(const CommandGroup& takt) {
  std::string text(bash_functions);
  const auto names = [](const CommandGroup& group) { return fmt::format("{}", fmt::join(listed_names(group), " ")); };
  std::string options = " --help";
  for (const auto& option : takt.options) options += fmt::format(" {}", option.name);
  text += fmt::format("  if ((COMP_CWORD == 1)); then\n    _takt_words {}\n    return\n  fi\n",
                      shell_quoted(names(takt) + options));
  text += "  case $command in\n";
  for (const auto& command : takt.commands)
    if (command.group)
      text += fmt::format(
          "    {})\n      if ((COMP_CWORD == 2)); then\n        _takt_words {}\n        return\n      fi\n"
          "      command+=\" ${{COMP_WORDS[2]}}\" ;;\n",
          command.name, shell_quoted(names(*command.group) + " --help"));
  text += "  esac\n  case $command in\n";
  for (const auto& command : descriptions(takt)) text += bash_lines(command);
  return text + "  esac\n}\n\ncomplete -F _takt takt\n";
}

}  // namespace takt
