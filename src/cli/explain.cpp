#include <fmt/format.h>

#include "cli/line/command_line.h"
#include "cli/commands.h"
#include "cli/line/explain_tables.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

struct ExplainOptions {
  std::string name;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(ExplainOptions& o) {
  CommandLine line("explain", "Says what a column, a table or a row means, and which commands have it.",
                   "takt explain share_percent", o.log);
  line.add({.names = "NAME",
            .meaning = "A column's key or title, a table, or a row such as unattributed; without it all tables are "
                       "listed with their columns"},
           &o.name);
  add_output(line, o.output, table_names("explain"));
  return line;
}

}  // namespace

CommandDescription describe_explain() {
  ExplainOptions o;
  return declare(o).description();
}

int run_explain(std::span<const std::string> arguments) {
  ExplainOptions o;
  if (!declare(o).parse(arguments)) return 0;
  const std::string& name = o.name;
  const auto& all = all_tables();
  const Explanation found = find_explanation(name, all);
  if (found.empty()) {
    throw UsageError(fmt::format("'{}' is no column, table or row; {}", printable(name),
                                 suggestion(name, explained_words(all), "'takt explain' lists them all")));
  }
  print(o.output, tables(found), provenance_of("explain", arguments), name.empty() ? overview(all) : to_text(found));
  return 0;
}

}  // namespace takt
