#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/explain_tables.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"

namespace takt {
namespace {

struct ExplainOptions {
  std::string name;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(ExplainOptions& o) {
  CommandLine line("explain", "Explains a column, a table or a row, and lists the commands that print it.",
                   "takt explain share_percent", o.log);
  line.add({.names = "NAME",
            .meaning = "A column's key or title, a table, or a row such as unattributed; without it, all tables are "
                       "listed with their columns"},
           &o.name);
  add_output(line, o.output, table_names("explain"));
  return line;
}

/// "did you mean bubbles, bubble_mean_us or bubble_total_us?": the names that hold the word, else the nearest one.
std::string near_words(const std::string& name, const std::vector<std::string>& words) {
  constexpr std::size_t most = 6, shortest = 4;
  std::vector<std::string> near;
  for (const std::string& word : words)
    if (name.size() >= shortest && word.find(lower_case(name)) != std::string::npos && near.size() < most &&
        std::find(near.begin(), near.end(), word) == near.end())
      near.push_back(word);
  if (near.size() < 2) return suggestion(name, words, "'takt explain' lists them all");
  const std::string last = near.back();
  near.pop_back();
  return fmt::format("did you mean {} or {}?", fmt::join(near, ", "), last);
}

int run(ExplainOptions& o, Arguments arguments) {
  const std::string& name = o.name;
  const auto& all = all_tables();
  Explanation found = find_explanation(name, all);
  if (found.empty()) found = find_value(name, all);
  if (found.empty()) {
    throw UsageError(
        fmt::format("'{}' is not a column, table or row; {}", printable(name), near_words(name, explained_words(all))));
  }
  print(o.output, tables(found), provenance_of("explain", arguments), name.empty() ? overview(all) : to_text(found));
  return 0;
}

}  // namespace

constinit const Command explain_command =
    command<ExplainOptions, declare, run>("explain", "explain a column, table or row");

}  // namespace takt
