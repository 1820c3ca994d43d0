// What commands print: the options that say how, told once, and the tables in the format that was asked for.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/provenance.h"
#include "base/table/long_table.h"
#include "base/table/table.h"
#include "base/table/terminal.h"
#include "cli/line/command_line.h"
#include "report/page/page.h"
#include "report/results/result_file.h"

namespace takt {

struct OutputOptions {
  std::string format = "table";  ///< table, csv, json or markdown, or one of the command's own
  std::string table;             ///< the table that CSV prints; empty: the first
  std::filesystem::path file;    ///< empty: stdout
  std::filesystem::path report;  ///< the page (HTML) of the same result; empty: none

  bool is_text_on_screen() const { return format == "table" && file.empty(); }
  /// Returns what standard output can show; a file is 80 columns wide.
  Screen screen() const;
  TextStyle style() const { return {.width = screen().width, .colour = screen().colour}; }
};

/// The names of the formats.
const std::vector<std::string>& output_formats();

/// Adds --format, with `own_formats` that the command renders itself, -o, and, if there are several `tables`, --table,
/// whose default is the first.
void add_output(CommandLine& line, OutputOptions& output, const std::vector<std::string>& tables,
                const std::vector<std::string>& own_formats = {});

/// Adds --format and --table only, for commands whose -o names their own output.
void add_output_format(CommandLine& line, OutputOptions& output, const std::vector<std::string>& tables,
                       const std::vector<std::string>& own_formats = {});

/// Adds --report, which writes the page that `takt report` makes of the result.
void add_report(CommandLine& line, OutputOptions& output);

/// Writes the page and says so; `command` is what made it, as typed. Throws Error(io) naming path and reason.
void write_page(const std::filesystem::path& file, const std::vector<ReportResult>& results,
                const std::string& command);

/// Returns the origin of a result of `command` ("trace info").
Provenance provenance_of(std::string_view command, std::span<const std::string> arguments);

/// Returns those of a command's tables that print() needs: all for a page, none for the format "table" and the command's
/// own formats.
std::vector<std::string> printed_tables(const OutputOptions& options, std::span<const std::string> tables);

/// Prints `text` for the format "table" and the command's own formats, else `tables`; then writes the page of --report.
void print(const OutputOptions& options, std::span<const Table> tables, const Provenance& provenance,
           const std::string& text, BesideTables beside = {});
/// The same for tables with more rows than memory should hold. `beside`: for the page.
void print(const OutputOptions& options, std::span<const LongTable> tables, const Provenance& provenance,
           const std::string& text, BesideTables beside = {});

}  // namespace takt
