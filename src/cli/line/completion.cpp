#include "cli/line/completion.h"

#include <fmt/format.h>

#include "cli/line/command_line.h"
#include "cli/line/commands.h"

namespace takt {
namespace {

struct CompletionOptions {
  std::string shell;
  LogOptions log;
};

CommandLine declare(CompletionOptions& o) {
  CommandLine line("completion",
                   "Prints a script with which a shell completes takt's commands, options and values. For bash: save "
                   "it as ~/.local/share/bash-completion/completions/takt.",
                   "takt completion bash > ~/.local/share/bash-completion/completions/takt", o.log);
  line.add({.names = "SHELL", .one_of = {"bash", "zsh", "fish"}, .required = true}, &o.shell);
  return line;
}

int run(CompletionOptions& o, Arguments) {
  const CommandTree& takt = takt_commands();
  fmt::print("{}", o.shell == "bash"  ? bash_completion(takt, options_of_takt())
                   : o.shell == "zsh" ? zsh_completion(takt)
                                      : fish_completion(takt, options_of_takt()));
  return 0;
}

}  // namespace

Completed completed(const Option& option) {
  using By = Completed::By;
  if (!option.one_of.empty()) return {By::words, option.one_of};
  if (!option.offered.empty()) return {By::words, option.offered};
  if (option.value == "DIR") return {By::folders, {}};
  return {option.names_a_file ? By::files : By::nothing, {}};
}

std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string listed_words(const CommandTree& tree) {
  std::string words;
  for (const CommandTree* part : tree.listed_parts()) words += (words.empty() ? "" : " ") + part->word();
  return words;
}

constinit const Command completion_command = command<CompletionOptions, declare, run>("completion", "");

}  // namespace takt
