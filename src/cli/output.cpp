#include "cli/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"

namespace takt {
namespace {

void check_word(std::string_view option, const std::string& word, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), word) != words.end()) return;
  auto nearest = nearest_word(word, words);
  throw UsageError(fmt::format("{} '{}': not one of {}{}", option, printable(word), fmt::join(words, ", "),
                               nearest ? fmt::format("; did you mean '{}'?", *nearest) : ""));
}

std::string render(const OutputOptions& options, std::span<const Table> tables, const Provenance& provenance,
                   const std::string& text) {
  if (options.format == "table") return text;
  if (options.format == "json") return to_json(tables, to_json(provenance));
  std::string rendered;
  for (const Table& table : tables) {
    if (options.format == "csv" && (options.table.empty() || options.table == table.name)) return to_csv(table);
    if (options.format == "markdown") rendered += fmt::format("{}\n\n{}\n", table.name, to_markdown(table));
  }
  return rendered;
}

}  // namespace

void check(const OutputOptions& options, const std::vector<std::string>& table_names) {
  check_word("--format", options.format, {"table", "csv", "json", "markdown"});
  if (!options.table.empty()) check_word("--table", options.table, table_names);
}

void print(const OutputOptions& options, std::span<const Table> tables, const Provenance& provenance,
           const std::string& text) {
  std::string rendered = render(options, tables, provenance, text);
  if (options.file.empty())
    std::fwrite(rendered.data(), 1, rendered.size(), stdout);
  else
    write_file_atomically(options.file, rendered);
}

}  // namespace takt
