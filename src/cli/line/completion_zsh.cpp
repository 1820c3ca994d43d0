#include <fmt/format.h>

#include <algorithm>

#include "cli/line/completion.h"

namespace takt {
namespace {

/// Brackets and colons divide a specification of _arguments; a backslash before one makes it text.
std::string zsh_escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_action(const Option& option) {
  const Completed by = completed(option);
  switch (by.by) {
    case Completed::By::words:
      return fmt::format("({})", fmt::join(by.words, " "));
    case Completed::By::files:
      return "_files";
    case Completed::By::folders:
      return "_files -/";
    case Completed::By::nothing:
      break;
  }
  return "";
}

/// One specification for each spelling: '(-o --output)--output=[Write ...]:FILE:_files'.
std::string zsh_lines(const Option& option) {
  if (option.positional())
    return fmt::format(" \\\n        {}", shell_quoted(fmt::format("{}:{}:{}", option.takes == Takes::words ? "*" : "",
                                                                   option.names, zsh_action(option))));
  std::string text;
  const auto spellings = option.spellings();
  for (const auto& spelling : spellings) {
    std::string spec = option.takes == Takes::words ? "*" : fmt::format("({})", fmt::join(spellings, " "));
    spec += spelling;
    if (option.takes != Takes::nothing && spelling.starts_with("--")) spec += "=";
    spec += fmt::format("[{}]", zsh_escaped(sentence(option)));
    if (option.takes != Takes::nothing)
      spec += fmt::format("{}{}:{}", option.takes == Takes::maybe_a_word ? "::" : ":", zsh_escaped(option.value),
                          zsh_action(option));
    text += " \\\n        " + shell_quoted(spec);
  }
  return text;
}

std::string zsh_list(const CommandTree& tree) {
  std::string text = "    local -a commands=(\n";
  for (const CommandTree* part : tree.listed_parts())
    text += fmt::format("      {}\n", shell_quoted(fmt::format("{}:{}", part->word(), zsh_escaped(part->summary))));
  return text + "    )\n    _describe command commands\n" + (tree.command ? "" : "    return\n");
}

/// The word after one that has parts: one of them. A word that is a command itself has options there, too.
std::string zsh_parts(const CommandTree& tree) {
  std::string either = listed_words(tree);
  std::replace(either.begin(), either.end(), ' ', '|');
  return fmt::format(
             "  if [[ $command == {} ]]; then\n    if ((CURRENT > 3)); then\n      case $words[3] in\n"
             "        {}) command+=\" $words[3]\"; shift words; ((CURRENT--)) ;;\n      esac\n    else\n",
             tree.name, either) +
         zsh_list(tree) + "    fi\n  fi\n";
}

}  // namespace

std::string zsh_completion(const CommandTree& takt) {
  std::string text =
      "#compdef takt\n# Completes takt's commands, options and values in zsh. Written by 'takt completion zsh'.\n\n"
      "_takt() {\n  if ((CURRENT == 2)); then\n" +
      zsh_list(takt) + "  fi\n  local command=$words[2]\n";
  for (const CommandTree* part : takt.listed_parts())
    if (!part->parts.empty()) text += zsh_parts(*part);
  text += "  shift words\n  ((CURRENT--))\n  case $command in\n";
  for (const auto& command : descriptions(takt)) {
    text += fmt::format("    {})\n      _arguments -s", shell_quoted(command.name));
    for (const Option& option : command.options) text += zsh_lines(option);
    text += " ;;\n";
  }
  // Autoloaded, the file is the function's body; sourced, it only names the function.
  return text + "  esac\n}\n\nif [[ $funcstack[1] == _takt ]]; then\n  _takt \"$@\"\nelse\n  compdef _takt takt\nfi\n";
}

}  // namespace takt
