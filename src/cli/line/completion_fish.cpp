#include <fmt/format.h>

#include "cli/line/completion.h"

namespace takt {
namespace {

constexpr std::string_view fish_functions =
    R"(# Completes takt's commands, options and values in fish. Written by 'takt completion fish'.

# Whether exactly these commands were typed before the word that is being completed.
function __takt_after
    set -l typed (commandline -opc)
    test "$typed[2..]" = "$argv"
end

# Whether the line begins with these commands.
function __takt_in
    set -l typed (commandline -opc)
    set -l last (math (count $argv) + 1)
    test (count $typed) -ge $last; and test "$typed[2..$last]" = "$argv"
end

complete -c takt -f
)";

/// fish reads \' and \\ in single quotes.
std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string fish_arguments(const Option& option) {
  const Completed by = completed(option);
  switch (by.by) {
    case Completed::By::words:
      return " -a " + fish_quoted(fmt::format("{}", fmt::join(by.words, " ")));
    case Completed::By::files:
      return " -F";
    case Completed::By::folders:
      return " -a '(__fish_complete_directories)'";
    case Completed::By::nothing:
      break;
  }
  return "";
}

std::string fish_line(const std::string& in, const Option& option) {
  std::string line = fmt::format("complete -c takt -n '{}'", in);
  if (option.positional()) return line + fish_arguments(option) + "\n";
  for (const auto& spelling : option.spellings())
    line += spelling.starts_with("--") ? " -l " + spelling.substr(2) : " -s " + spelling.substr(1);
  line += " -d " + fish_quoted(sentence(option));
  // -x: nothing but what is named here; -r: a value, which may be a file.
  if (option.takes == Takes::word || option.takes == Takes::words)
    line += completed(option).by == Completed::By::files ? " -r" : " -x";
  return line + (option.takes == Takes::nothing ? "" : fish_arguments(option)) + "\n";
}

/// The words that may follow the tree's name.
std::string fish_words(const CommandTree& tree) {
  std::string text;
  for (const CommandTree* part : tree.listed_parts()) {
    text += fmt::format("complete -c takt -n '__takt_after{}{}' -a {} -d {}\n", tree.name.empty() ? "" : " ", tree.name,
                        part->word(), fish_quoted(part->summary));
    text += fish_words(*part);
  }
  return text;
}

/// The options of the tree's commands; those of a command that has parts hold where none of them is named.
std::string fish_options(const CommandTree& tree) {
  std::string text;
  for (const CommandTree* part : tree.listed_parts()) {
    std::string in = fmt::format("__takt_in {}", part->name);
    for (const CommandTree* inner : part->listed_parts()) in += fmt::format("; and not __takt_in {}", inner->name);
    if (part->command)
      for (const Option& option : part->command->describe().options)
        if (!option.positional() || completed(option).by != Completed::By::nothing) text += fish_line(in, option);
    text += fish_options(*part);
  }
  return text;
}

}  // namespace

std::string fish_completion(const CommandTree& takt, std::span<const PlainOption> options) {
  std::string text = std::string(fish_functions) + fish_words(takt);
  text += "complete -c takt -n __takt_after -l help -d 'Show the list of commands'\n";
  for (const PlainOption& option : options)
    text += fmt::format("complete -c takt -n __takt_after -l {} -d {}\n", option.name.substr(2),
                        fish_quoted(std::string(option.meaning)));
  return text + fish_options(takt);
}

}  // namespace takt
