#include "cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "core/file.h"
#include "core/text.h"

namespace takt {
namespace {

std::string render(const OutputOptions& options, std::span<const Table> tables, const Provenance& provenance,
                   const std::string& text) {
  const auto& of_tables = output_formats();
  const bool is_own = std::find(of_tables.begin(), of_tables.end(), options.format) == of_tables.end();
  if (options.format == "table" || is_own) return text;
  if (options.format == "json") return to_json(tables, to_json(provenance));
  std::string rendered;
  for (const Table& table : tables) {
    if (options.format == "csv" && (options.table.empty() || options.table == table.name)) return to_csv(table);
    if (options.format == "markdown") rendered += fmt::format("{}\n\n{}\n", table.name, to_markdown(table));
  }
  return rendered;
}

}  // namespace

Screen OutputOptions::screen() const { return file.empty() ? screen_of(STDOUT_FILENO) : Screen{}; }

const std::vector<std::string>& output_formats() {
  static const std::vector<std::string> formats{"table", "csv", "json", "markdown"};
  return formats;
}

void add_output_format(CommandLine& line, OutputOptions& output, const std::vector<std::string>& tables,
                       const std::vector<std::string>& own_formats) {
  std::vector<std::string> formats = output_formats();
  formats.insert(formats.end(), own_formats.begin(), own_formats.end());
  line.add({.names = "--format", .value = "FORMAT", .fallback = "table", .one_of = formats}, &output.format);
  if (tables.size() > 1)
    line.add({.names = "--table",
              .value = "NAME",
              .meaning = "With csv: the table to print",
              .fallback = tables.front(),
              .one_of = tables},
             &output.table);
}

void add_output(CommandLine& line, OutputOptions& output, const std::vector<std::string>& tables,
                const std::vector<std::string>& own_formats) {
  add_output_format(line, output, tables, own_formats);
  line.add({.names = "-o,--output",
            .value = "FILE",
            .meaning = "Write the result to this file instead of stdout",
            .makes = Makes::file},
           &output.file);
}

Provenance provenance_of(std::string_view command, std::span<const std::string> arguments) {
  std::vector<std::string> words{"takt"};
  for (auto& word : split(command, ' ')) words.push_back(std::move(word));
  words.insert(words.end(), arguments.begin(), arguments.end());
  return make_provenance(std::move(words));
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
