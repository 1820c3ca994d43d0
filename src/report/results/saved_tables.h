// Tables of a result that a command printed with --format json, with what the registry says of their columns.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/page/page.h"

namespace takt {

/// The tables of a command ("pipeline run"), as `takt explain` knows them; empty: it has none.
using SchemasOf = std::vector<TableSchema> (*)(std::string_view command);

/// Returns the tables under the key "tables" in the order of the registry; those and columns that this takt does not
/// know come last, under their keys. `where` begins the message of Error(bad_input) for values that no takt writes.
std::vector<ReportTable> saved_tables(const nlohmann::json& tables, const std::vector<TableSchema>& schemas,
                                      const std::string& where);

// What is not there is nullptr, nullopt or empty.
const Table* find_table(const std::vector<ReportTable>& tables, std::string_view name);
const Cell* find_cell(const Table& table, std::size_t row, std::string_view column);
std::optional<double> number_in(const Table& table, std::size_t row, std::string_view column);
std::string text_in(const Table& table, std::size_t row, std::string_view column);

}  // namespace takt
