// What commands print: the options that say how, told once, and the tables in the format that was asked for.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/line/command_line.h"
#include "base/table/long_table.h"
#include "base/system/provenance.h"
#include "base/table/table.h"
#include "core/terminal.h"

namespace takt {

struct OutputOptions {
  std::string format = "table";  ///< table, csv, json or markdown, or one of the command's own
  std::string table;             ///< of CSV: which table; empty: the first
  std::filesystem::path file;    ///< empty: stdout

  bool is_text_on_screen() const { return format == "table" && file.empty(); }
  /// Of standard output; a file is 80 columns wide.
  Screen screen() const;
  TextStyle style() const { return {.width = screen().width, .colour = screen().colour}; }
};

/// The names of the formats.
const std::vector<std::string>& output_formats();

/// --format, with `own_formats` that the command renders itself, -o, and --table where there is more than one of
/// `tables`, the first of which is the default.
void add_output(CommandLine& line, OutputOptions& output, const std::vector<std::string>& tables,
                const std::vector<std::string>& own_formats = {});

/// --format and --table alone, of commands whose -o names what they make.
void add_output_format(CommandLine& line, OutputOptions& output, const std::vector<std::string>& tables,
                       const std::vector<std::string>& own_formats = {});

/// Where a result of `command` ("trace info") comes from.
Provenance provenance_of(std::string_view command, std::span<const std::string> arguments);

/// Those of a command's tables that print() will look at: none for the format "table" and the command's own.
std::vector<std::string> printed_tables(const OutputOptions& options, std::span<const std::string> tables);

/// `text` is used for the format "table" and those of the command's own; the others are made from `tables`.
void print(const OutputOptions& options, std::span<const Table> tables, const Provenance& provenance,
           const std::string& text);
/// The same of tables some of which have more rows than should be in memory at once.
void print(const OutputOptions& options, std::span<const LongTable> tables, const Provenance& provenance,
           const std::string& text);

}  // namespace takt
