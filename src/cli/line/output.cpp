#include "cli/line/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/system/log.h"
#include "cli/line/tables.h"
#include "report/results/result_file.h"
#include "report/timelines/timeline.h"

namespace takt {
namespace {

/// The command renders it itself.
bool is_text(const OutputOptions& options) {
  const auto& of_tables = output_formats();
  return options.format == "table" || std::find(of_tables.begin(), of_tables.end(), options.format) == of_tables.end();
}

void render(const OutputOptions& options, std::span<const LongTable> tables, const Provenance& provenance,
            const std::string& text, const TableSink& sink) {
  if (is_text(options)) return sink(text);
  if (options.format == "json") return write_json(tables, to_json(provenance), sink);
  for (const LongTable& table : tables) {
    if (options.format == "csv" && (options.table.empty() || options.table == table.name))
      return write_csv(table, sink);
    if (options.format == "markdown")
      sink(fmt::format("{}\n\n{}\n", table.name, to_markdown(table.make(0, table.rows))));
  }
}

/// The page of what --format json would print: the same as `takt report` makes of that.
void write_report(const OutputOptions& options, std::span<const LongTable> tables, const Provenance& provenance,
                  BesideTables beside) {
  std::string json;
  write_json(tables, to_json(provenance), [&](std::string_view piece) { json += piece; });
  const std::string command = fmt::format("{}", fmt::join(provenance.command, " "));
  std::vector<ReportResult> results{parse_result(json, command, tables_of_command, std::move(beside))};
  keep_longest(results);
  write_page(options.report, results, command);
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

void add_report(CommandLine& line, OutputOptions& output) {
  line.add({.names = "--report",
            .value = "FILE",
            .meaning = "Also write the result as a page (HTML) that opens in a browser, as takt report does",
            .makes = Makes::file},
           &output.report);
}

void write_page(const std::filesystem::path& file, const std::vector<ReportResult>& results,
                const std::string& command) {
  write_file_atomically(file, page_html(results, command));
  log_info(fmt::format("wrote page {}", printable(file.string())));
}

Provenance provenance_of(std::string_view command, std::span<const std::string> arguments) {
  std::vector<std::string> words{"takt"};
  for (auto& word : split(command, ' ')) words.push_back(std::move(word));
  words.insert(words.end(), arguments.begin(), arguments.end());
  return make_provenance(std::move(words));
}

std::vector<std::string> printed_tables(const OutputOptions& options, std::span<const std::string> tables) {
  if (!options.report.empty()) return {tables.begin(), tables.end()};
  if (is_text(options)) return {};
  if (options.format != "csv") return {tables.begin(), tables.end()};
  return {options.table.empty() ? tables.front() : options.table};
}

void print(const OutputOptions& options, std::span<const Table> tables, const Provenance& provenance,
           const std::string& text, BesideTables beside) {
  std::vector<LongTable> list;
  for (const Table& table : tables) list.push_back(whole_table(table));
  print(options, list, provenance, text, std::move(beside));
}

void print(const OutputOptions& options, std::span<const LongTable> tables, const Provenance& provenance,
           const std::string& text, BesideTables beside) {
  if (options.file.empty()) {
    render(options, tables, provenance, text,
           [](std::string_view piece) { std::fwrite(piece.data(), 1, piece.size(), stdout); });
  } else {
    AtomicFile file(options.file);
    render(options, tables, provenance, text, [&](std::string_view piece) { file.append(piece); });
    file.commit();
  }
  if (!options.report.empty()) write_report(options, tables, provenance, std::move(beside));
}

}  // namespace takt
