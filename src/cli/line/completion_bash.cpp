#include <fmt/format.h>

#include <algorithm>

#include "cli/line/completion.h"

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

/// The word after one that has parts: one of them. A word that is a command itself has options there, too.
std::string bash_parts(const CommandTree& tree) {
  const std::string words = listed_words(tree);
  std::string either = words;
  std::replace(either.begin(), either.end(), ' ', '|');
  const std::string offered = fmt::format("_takt_words {}", shell_quoted(tree.command ? words : words + " --help"));
  const std::string_view enough = tree.command ? "((${#COMPREPLY[@]})) && return" : "return";
  return fmt::format(
      "    {})\n      if ((COMP_CWORD == 2)); then\n        {}\n        {}\n      fi\n"
      "      case ${{COMP_WORDS[2]}} in\n        {}) command+=\" ${{COMP_WORDS[2]}}\" ;;\n      esac ;;\n",
      tree.name, offered, enough, either);
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

std::string bash_completion(const CommandTree& takt, std::span<const PlainOption> options) {
  std::string text(bash_functions), first = listed_words(takt) + " --help";
  for (const PlainOption& option : options) first += fmt::format(" {}", option.name);
  text += fmt::format("  if ((COMP_CWORD == 1)); then\n    _takt_words {}\n    return\n  fi\n", shell_quoted(first));
  text += "  case $command in\n";
  for (const CommandTree* part : takt.listed_parts())
    if (!part->parts.empty()) text += bash_parts(*part);
  text += "  esac\n  case $command in\n";
  for (const auto& command : descriptions(takt)) text += bash_lines(command);
  return text + "  esac\n}\n\ncomplete -F _takt takt\n";
}

}  // namespace takt
