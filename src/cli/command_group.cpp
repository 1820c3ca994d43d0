#include "cli/command_group.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

std::string called(const CommandGroup& group) {
  return group.name.empty() ? "takt" : fmt::format("takt {}", group.name);
}

[[noreturn]] void refuse(const CommandGroup& group, const std::string& word) {
  std::vector<std::string> names, meant;
  for (const auto& command : group.commands)
    if (!command.summary.empty()) names.emplace_back(command.name);
  // "comp" is a beginning, not a slip.
  if (word.size() > 1)
    std::copy_if(names.begin(), names.end(), std::back_inserter(meant),
                 [&](const auto& n) { return n.starts_with(word); });
  names.emplace_back("--help");
  for (const auto& option : group.options) names.emplace_back(option.name);
  if (const auto nearest = nearest_word(word, names); nearest && meant.empty()) meant = {*nearest};
  throw UsageError(fmt::format("'{}' is not a command{}; {}", printable(word),
                               group.name.empty() ? "" : fmt::format(" of '{}'", called(group)),
                               meant.empty() ? fmt::format("see '{} --help'", called(group))
                                             : fmt::format("did you mean '{}'?", fmt::join(meant, "' or '"))));
}

}  // namespace

std::string help_of(const CommandGroup& group) {
  std::string text = fmt::format("{}\n\nUsage: {} {}\n\nCommands:\n", group.summary, called(group), group.usage);
  std::size_t width = 0;
  for (const auto& command : group.commands)
    if (!command.summary.empty()) width = std::max(width, command.name.size());
  for (const auto& command : group.commands)
    if (!command.summary.empty()) text += fmt::format("  {:<{}}  {}\n", command.name, width, command.summary);
  text +=
      fmt::format("\nOptions:\n  -h, --help  Show this text; '{} COMMAND --help' shows its options\n", called(group));
  for (const auto& option : group.options) text += fmt::format("  {:<10}  {}\n", option.name, option.meaning);
  return text + fmt::format("\nExample:\n  {}\n{}", group.example, group.end);
}

int dispatch(const CommandGroup& group, std::span<const std::string> arguments) {
  if (arguments.empty() || arguments.front() == "--help" || arguments.front() == "-h") {
    fmt::print("{}", help_of(group));
    return arguments.empty() ? 2 : 0;
  }
  for (const auto& command : group.commands) {
    if (arguments.front() != command.name) continue;
    const auto rest = arguments.subspan(1);
    return command.group ? dispatch(*command.group, rest) : command.run(rest);
  }
  refuse(group, arguments.front());
}

std::vector<CommandDescription> descriptions(const CommandGroup& group) {
  std::vector<CommandDescription> all;
  for (const auto& command : group.commands) {
    if (command.summary.empty()) continue;
    if (!command.group)
      all.push_back(command.describe());
    else
      for (auto& inner : descriptions(*command.group)) all.push_back(std::move(inner));
  }
  return all;
}

}  // namespace takt
