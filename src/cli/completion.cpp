#include "cli/completion.h"

#include <fmt/format.h>

#include "cli/line/command_line.h"
#include "cli/commands.h"

namespace takt {
namespace {

struct CompletionOptions {
  std::string shell;
  LogOptions log;
};

CommandLine declare(CompletionOptions& o) {
  CommandLine line("completion",
                   "Prints a script by which a shell completes takt's commands, options and values. For bash: put its "
                   "output into a file takt in the folder bash-completion/completions of ~/.local/share.",
                   "takt completion bash > ~/.local/share/bash-completion/completions/takt", o.log);
  line.add({.names = "SHELL", .one_of = {"bash", "zsh", "fish"}, .required = true}, &o.shell);
  return line;
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

std::vector<std::string> listed_names(const CommandGroup& group) {
  std::vector<std::string> names;
  for (const auto& command : group.commands)
    if (!command.summary.empty()) names.emplace_back(command.name);
  return names;
}

int run_completion(std::span<const std::string> arguments) {
  CompletionOptions o;
  if (!declare(o).parse(arguments)) return 0;
  const CommandGroup& takt = takt_commands();
  fmt::print("{}", o.shell == "bash"  ? bash_completion(takt)
                   : o.shell == "zsh" ? zsh_completion(takt)
                                      : fish_completion(takt));
  return 0;
}

}  // namespace takt
