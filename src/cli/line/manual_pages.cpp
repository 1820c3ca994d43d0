#include <fmt/format.h>

#include "base/basics/text.h"
#include "cli/line/command_help.h"
#include "cli/line/manual.h"

namespace takt {
namespace {

/// roff reads backslashes, and a dot or an apostrophe at the start of a line; a hyphen that is typed is written \-.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (result.empty() && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '\'')
      result += "\\(aq";
    else if (c == '~')
      result += "\\(ti";
    else if (c == '^')
      result += "\\(ha";
    else
      result += c;
  }
  return result;
}

/// "trace info": "takt-trace-info".
std::string page_of(std::string_view command) {
  std::string name = command.empty() ? "takt" : fmt::format("takt-{}", command);
  for (char& c : name)
    if (c == ' ') c = '-';
  return name;
}

std::string head(std::string_view command, std::string_view program_version, std::string_view summary) {
  const std::string name = page_of(command);
  return fmt::format(".TH \"{}\" 1 \"\" \"takt {}\" \"takt\"\n.nh\n.ad l\n.SH NAME\n{} \\- {}\n",
                     roff(upper_case(name)), roff(program_version), roff(name), roff(summary));
}

std::string entry(std::string_view term, std::string_view text) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(term), roff(text));
}

/// Names in bold, the value in italics.
std::string entry(const Option& option) {
  std::string term;
  if (option.positional()) {
    term = "\\fI" + roff(heading_of(option)) + "\\fR";
  } else {
    for (const auto& spelling : option.spellings())
      term += (term.empty() ? "\\fB" : ", \\fB") + roff(spelling) + "\\fR";
    if (!option.value.empty()) term += " \\fI" + roff(option.value) + "\\fR";
  }
  return fmt::format(".TP\n{}\n{}.\n", term, roff(sentence(option)));
}

std::string end_of(std::string_view example, std::string_view above, const CommandTree& tree) {
  std::string others;
  for (const CommandTree* part : tree.listed_parts())
    if (tree.command) others += fmt::format(",\n.BR {} (1)", roff(page_of(part->name)));
  return fmt::format(
      ".SH EXIT STATUS\n0: done. 1: failed; one line on standard error says why. 2: wrong command line. 3: "
      "inconclusive (compare). 130, 143, 129: stopped by Ctrl-C, SIGTERM or SIGHUP.\n.SH EXAMPLE\n.nf\n{}\n.fi\n.SH "
      "SEE ALSO\n.BR {} (1){}\n",
      roff(example), roff(page_of(above)), others);
}

ManualPage page(const CommandTree& tree, std::string_view above, std::string_view program_version) {
  const CommandDescription command = tree.command->describe();
  std::string text = head(command.name, program_version, tree.summary);
  text += fmt::format(".SH SYNOPSIS\n.B {}\n.SH DESCRIPTION\n{}\n", roff(usage_of(command)), roff(command.summary));
  std::string group = "-";
  for (const Option& option : command.options) {
    const std::string heading = option.positional() ? "Arguments" : option.group.empty() ? "Options" : option.group;
    if (heading != group) text += fmt::format(".SH \"{}\"\n", roff(upper_case(heading)));
    group = heading;
    text += entry(option);
  }
  return {page_of(command.name) + ".1", text + end_of(command.example, above, tree)};
}

/// The page of a group, which is not a command: the list of its parts.
ManualPage list_page(const CommandTree& tree, std::span<const PlainOption> options, std::string_view program_version) {
  const auto colon = tree.title.find(": ");
  std::string text = head(tree.name, program_version, tree.name.empty() ? tree.title.substr(colon + 2) : tree.title);
  text += fmt::format(".SH SYNOPSIS\n.B {} COMMAND [options]\n.SH COMMANDS\n",
                      tree.name.empty() ? "takt" : fmt::format("takt {}", tree.name));
  std::string heading;
  for (const CommandTree* part : tree.listed_parts()) {
    if (part->heading != heading) text += fmt::format(".SS \"{}\"\n", roff(part->heading));
    heading = part->heading;
    text += entry(part->word(), part->summary);
  }
  text += ".SH OPTIONS\n" + entry("-h, --help", "Show the list of commands.");
  for (const PlainOption& option : options) text += entry(option.name, fmt::format("{}.", option.meaning));
  return {page_of(tree.name) + ".1", text + end_of(tree.example, "run", tree)};
}

void add_pages(const CommandTree& tree, std::string_view program_version, std::vector<ManualPage>& pages) {
  for (const CommandTree* part : tree.listed_parts()) {
    pages.push_back(part->command ? page(*part, tree.name, program_version) : list_page(*part, {}, program_version));
    add_pages(*part, program_version, pages);
  }
}

}  // namespace

std::vector<ManualPage> manual_pages(const CommandTree& takt, std::span<const PlainOption> options,
                                     const std::string& program_version) {
  std::vector<ManualPage> pages{list_page(takt, options, program_version)};
  add_pages(takt, program_version, pages);
  return pages;
}

}  // namespace takt
