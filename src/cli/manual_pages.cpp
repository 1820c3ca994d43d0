#include <fmt/format.h>

#include "cli/line/command_help.h"
#include "cli/manual.h"
#include "base/basics/text.h"

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

std::string end_of(std::string_view example, std::string_view above) {
  return fmt::format(
      ".SH EXIT STATUS\n0: done. 1: failed; one line on standard error says why. 2: wrong command line. "
      "3: what was measured cannot tell (a gate of compare). 130, 143, 129: ended by Ctrl-C, SIGTERM or SIGHUP.\n"
      ".SH EXAMPLE\n.nf\n{}\n.fi\n.SH SEE ALSO\n.BR {} (1)\n",
      roff(example), roff(page_of(above)));
}

ManualPage page(const CommandDescription& command, std::string_view summary, std::string_view above,
                std::string_view program_version) {
  std::string text = head(command.name, program_version, summary);
  text += fmt::format(".SH SYNOPSIS\n.B {}\n.SH DESCRIPTION\n{}\n", roff(usage_of(command)), roff(command.summary));
  std::string group = "-";
  for (const Option& option : command.options) {
    const std::string heading = option.positional() ? "Arguments" : option.group.empty() ? "Options" : option.group;
    if (heading != group) text += fmt::format(".SH \"{}\"\n", roff(upper_case(heading)));
    group = heading;
    text += entry(option);
  }
  return {page_of(command.name) + ".1", text + end_of(command.example, above)};
}

void add_pages(const CommandGroup& group, std::string_view program_version, std::vector<ManualPage>& pages) {
  const auto colon = group.summary.find(": ");
  std::string text =
      head(group.name, program_version, group.name.empty() ? group.summary.substr(colon + 2) : group.summary);
  text += fmt::format(".SH SYNOPSIS\n.B {} {}\n.SH COMMANDS\n",
                      group.name.empty() ? "takt" : fmt::format("takt {}", group.name), roff(group.usage));
  const std::size_t own = pages.size();
  pages.push_back({page_of(group.name) + ".1", ""});
  for (const auto& command : group.commands) {
    if (command.summary.empty()) continue;
    text += entry(command.name, command.summary);
    if (command.group)
      add_pages(*command.group, program_version, pages);
    else
      pages.push_back(page(command.describe(), command.summary, group.name, program_version));
  }
  text += ".SH OPTIONS\n" + entry("-h, --help", "Show the list of commands.");
  for (const auto& option : group.options) text += entry(option.name, fmt::format("{}.", option.meaning));
  pages[own].text = text + end_of(group.example, "run");
}

}  // namespace

std::vector<ManualPage> manual_pages(const CommandGroup& takt, const std::string& program_version) {
  std::vector<ManualPage> pages;
  add_pages(takt, program_version, pages);
  return pages;
}

}  // namespace takt
