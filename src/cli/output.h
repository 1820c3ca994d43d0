// Prints tables in the format that was asked for, to stdout or a file.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/provenance.h"
#include "core/table.h"

namespace takt {

struct OutputOptions {
  std::string format = "table";  ///< table, csv, json or markdown
  std::string table;             ///< of CSV: which table; empty: the first
  std::filesystem::path file;    ///< empty: stdout
};

/// Throws UsageError for an unknown format or table, naming the nearest one.
void check(const OutputOptions& options, const std::vector<std::string>& table_names);

/// `text` is used for the format "table"; the others are made from `tables`.
void print(const OutputOptions& options, std::span<const Table> tables, const Provenance& provenance,
           const std::string& text);

}  // namespace takt
