#include "cli/line/command_tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/system/child_process.h"

namespace takt {
namespace {

std::string called(const CommandTree& tree) { return tree.name.empty() ? "takt" : fmt::format("takt {}", tree.name); }

/// "plan search": "plan"; empty where the name is one word.
std::string_view first_word(std::string_view name) {
  const auto space = name.find(' ');
  return space == name.npos ? std::string_view() : name.substr(0, space);
}

/// Names below `tree` whose last word it is: who types `takt whatif` means `takt pipeline whatif`.
void add_called(const std::string& word, const CommandTree& tree, std::vector<std::string>& names) {
  for (const CommandTree* part : tree.listed_parts()) {
    if (part->word() == word) names.push_back(called(*part));
    add_called(word, *part, names);
  }
}

[[noreturn]] void refuse(const CommandTree& tree, const std::string& word) {
  std::vector<std::string> names, meant;
  for (const CommandTree* part : tree.listed_parts()) names.push_back(part->word());
  // "comp" is a beginning, not a slip.
  if (word.size() > 1)
    std::copy_if(names.begin(), names.end(), std::back_inserter(meant),
                 [&](const auto& n) { return n.starts_with(word); });
  if (meant.empty()) add_called(word, tree, meant);
  names.emplace_back("--help");
  if (tree.name.empty()) names.emplace_back("--version");
  if (const auto nearest = nearest_word(word, names); nearest && meant.empty()) meant = {*nearest};
  for (std::string& name : meant) name = fmt::format("'{}'", name);
  throw UsageError(fmt::format(
      "'{}' is not a command{}; {}", printable(word), tree.name.empty() ? "" : fmt::format(" of '{}'", called(tree)),
      meant.empty() ? fmt::format("see '{} --help'", called(tree)) : fmt::format("did you mean {}?", one_of(meant))));
}

bool asks_for_help(Arguments arguments) {
  return !arguments.empty() && (arguments.front() == "--help" || arguments.front() == "-h");
}

std::string list_of(const CommandTree& tree) {
  const auto parts = tree.listed_parts();
  std::size_t width = 0;
  for (const CommandTree* part : parts) width = std::max(width, part->word().size());
  std::string text, heading;
  for (const CommandTree* part : parts) {
    const std::string under = part->heading.empty() ? "Commands:" : part->heading;
    if (under != heading) text += fmt::format("\n{}\n", under);
    heading = under;
    text += fmt::format("  {:<{}}  {}\n", part->word(), width, part->summary);
  }
  return text;
}

}  // namespace

std::string CommandTree::word() const { return name.substr(name.rfind(' ') + 1); }

std::vector<const CommandTree*> CommandTree::listed_parts() const {
  std::vector<const CommandTree*> listed;
  for (const CommandTree& part : parts)
    if (!part.summary.empty()) listed.push_back(&part);
  return listed;
}

CommandTree tree_of(std::span<const ListedCommand> commands, std::span<const CommandGroup> groups) {
  CommandTree takt;
  const auto part_named = [&](std::string_view name) {
    return std::find_if(takt.parts.begin(), takt.parts.end(),
                        [&](const CommandTree& part) { return part.name == name; });
  };
  for (const auto& [command, heading] : commands) {
    CommandTree leaf{
        std::string(command->name), std::string(heading), std::string(command->summary), {}, {}, command, {}};
    const std::string_view first = first_word(command->name);
    if (first.empty()) {
      takt.parts.push_back(std::move(leaf));
      continue;
    }
    if (part_named(first) == takt.parts.end()) {
      CommandTree group{std::string(first), std::string(heading), {}, {}, {}, nullptr, {}};
      for (const CommandGroup& one : groups)
        if (one.name == first) group.summary = one.summary, group.title = one.title, group.example = one.example;
      takt.parts.push_back(std::move(group));
    }
    leaf.heading.clear();
    part_named(first)->parts.push_back(std::move(leaf));
  }
  return takt;
}

std::string help_of(const CommandTree& tree, std::span<const PlainOption> options, std::string_view end) {
  std::string text = fmt::format("{}\n\nUsage: {} COMMAND [options]\n{}", tree.title, called(tree), list_of(tree));
  text +=
      fmt::format("\nOptions:\n  -h, --help  Show this text; '{} COMMAND --help' shows its options\n", called(tree));
  for (const PlainOption& option : options) text += fmt::format("  {:<10}  {}\n", option.name, option.meaning);
  return text + fmt::format("\nExample:\n  {}\n{}", tree.example, end);
}

int dispatch(const CommandTree& tree, Arguments arguments) {
  if (!arguments.empty())
    for (const CommandTree& part : tree.parts)
      if (part.word() == arguments.front() && (part.command || !part.summary.empty() || arguments.size() > 1))
        return dispatch(part, arguments.subspan(1));
  if (tree.command) {
    const int code = tree.command->run(arguments);
    if (asks_for_help(arguments)) fmt::print("{}", list_of(tree));
    return code;
  }
  if (!arguments.empty() && !asks_for_help(arguments)) refuse(tree, arguments.front());
  fmt::print("{}", help_of(tree));
  return arguments.empty() ? 2 : 0;
}

std::vector<CommandDescription> descriptions(const CommandTree& tree) {
  std::vector<CommandDescription> all;
  for (const CommandTree* part : tree.listed_parts()) {
    if (part->command) all.push_back(part->command->describe());
    for (CommandDescription& inner : descriptions(*part)) all.push_back(std::move(inner));
  }
  return all;
}

std::vector<std::string> words_of(const Command& command) {
  std::vector<std::string> words{path_of_this_program()};
  for (const std::string& word : split(command.name, ' ')) words.push_back(word);
  return words;
}

}  // namespace takt
