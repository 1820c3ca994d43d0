#include "cli/line/command_help.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/text.h"

namespace takt {
namespace {

constexpr std::size_t columns = 80, first_column = 26;  // the option, then why one would use it

std::string lines_of(const Option& option) {
  std::string left = "  " + heading_of(option);
  left += left.size() + 1 < first_column ? std::string(first_column - left.size(), ' ')
                                         : "\n" + std::string(first_column, ' ');
  return left + wrapped(sentence(option), columns - 1, first_column) + "\n";
}

/// The headings in the order of their first option.
std::vector<std::string> groups_of(const CommandDescription& command) {
  std::vector<std::string> groups;
  for (const Option& option : command.options)
    if (!option.positional() && std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  return groups;
}

}  // namespace

std::string usage_of(const CommandDescription& command) {
  std::string usage = "takt " + command.name;
  for (const Option& option : command.options) {
    if (option.positional())
      usage += option.required ? " " + heading_of(option) : " [" + heading_of(option) + "]";
    else if (option.required)
      usage += fmt::format(" {} {}", option.spellings().front(), option.value);
  }
  return usage + " [options]";
}

std::string help_of(const CommandDescription& command) {
  std::string text = wrapped(command.summary, columns) + "\n\nUsage: " + usage_of(command) + "\n";
  std::string arguments;
  for (const Option& option : command.options)
    if (option.positional()) arguments += lines_of(option);
  if (!arguments.empty()) text += "\nArguments:\n" + arguments;
  for (const auto& group : groups_of(command)) {
    text += fmt::format("\n{}:\n", group.empty() ? "Options" : group);
    for (const Option& option : command.options)
      if (!option.positional() && option.group == group) text += lines_of(option);
  }
  return text + "\nExample:\n  " + command.example + "\n";
}

}  // namespace takt
