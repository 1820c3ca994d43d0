#include "cli/line/explain_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>

#include "base/basics/text.h"
#include "base/table/common_columns.h"

namespace takt {
namespace {

using Place = Explanation::Place;
using FoundColumn = Explanation::FoundColumn;
using FoundRow = Explanation::FoundRow;

constexpr ColumnText command_column{"command", "Command", "The command that prints the table, as typed after takt."};
constexpr ColumnText table_name{"table", "Table", "Name of the table: its key in JSON, and what --table takes."};

constexpr Column<Place> table_columns[] = {
    {command_column, [](const Place& p) -> Cell { return *p.command; }},
    {table_name, [](const Place& p) -> Cell { return p.table->name; }},
    {"sentence", "What it shows", [](const Place& p) -> Cell { return p.table->sentence; },
     "What the table shows, and what one of its rows is."},
};

constexpr Column<FoundColumn> column_columns[] = {
    {command_column, [](const FoundColumn& c) -> Cell { return *c.place.command; }},
    {table_name, [](const FoundColumn& c) -> Cell { return c.place.table->name; }},
    {"column", "Column", [](const FoundColumn& c) -> Cell { return c.column->name; },
     "Key of the column in JSON and CSV; parts in capitals differ from run to run."},
    {"title", "Title", [](const FoundColumn& c) -> Cell { return c.column->title; },
     "Heading of the column in printed tables."},
    {common::meaning, [](const FoundColumn& c) -> Cell { return c.column->meaning; }},
};

constexpr Column<FoundRow> row_columns[] = {
    {command_column, [](const FoundRow& r) -> Cell { return *r.place.command; }},
    {table_name, [](const FoundRow& r) -> Cell { return r.place.table->name; }},
    {"named_row", "Row", [](const FoundRow& r) -> Cell { return std::string(r.row->name); },
     "Name of a special row, which holds a separate value instead of a record."},
    {common::meaning, [](const FoundRow& r) -> Cell { return std::string(r.row->meaning); }},
};

constexpr TableDefinition<Place> tables_definition{
    "tables", "The tables that takt prints or writes: a row per command and table.", table_columns};
constexpr TableDefinition<FoundColumn> columns_definition{
    "columns", "The columns of all tables: a row per command, table and column.", column_columns};
constexpr TableDefinition<FoundRow> rows_definition{
    "named_rows", "Special rows, such as [unattributed]: a row per command, table and such row.", row_columns};

/// "[12 other operators]" and "Other operators" are the same row, "[N other operators]".
std::string bare(std::string_view row) {
  std::string text = lower_case(row);
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  const auto digits = text.find_first_not_of("0123456789");
  if (digits != 0 && digits != text.npos && text[digits] == ' ') return text.substr(digits + 1);
  return text.starts_with("n ") ? text.substr(2) : text;
}

/// A key whose end differs from run to run, "stage_time_us.STAGE", is also meant by "stage_time_us.infer".
bool means(std::string_view word, const ColumnSchema& column) {
  const std::string lower = lower_case(word);
  if (is_meant(column, lower) || lower == lower_case(column.title)) return true;
  const auto point = column.name.find('.');
  return point != std::string::npos && word.starts_with(column.name.substr(0, point + 1));
}

/// "preempted" in "Why runs took longer: preempted (other processes)", and not in "preempted_us".
bool has_word(std::string_view text, std::string_view word) {
  const auto is_of_word = [&](std::size_t at) {
    return at < text.size() && (text[at] == '_' || std::isalnum(static_cast<unsigned char>(text[at])));
  };
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    if ((at == 0 || !is_of_word(at - 1)) && !is_of_word(at + word.size())) return true;
  return false;
}

/// `text` behind `label`, in lines of at most 80 columns that hang by `indent`.
std::string hanging(std::string label, std::string_view text, std::size_t indent) {
  std::string lines = std::move(label);
  std::size_t column = display_width(lines);
  bool first = true;
  for (const auto& word : split(text, ' ')) {
    if (!first && column + 1 + display_width(word) > 80) {
      lines += "\n" + std::string(indent, ' ');
      column = indent, first = true;
    }
    lines += (first ? "" : " ") + word;
    column += (first ? 0 : 1) + display_width(word);
    first = false;
  }
  return lines + "\n";
}

/// "takt run: summary, operators; takt analyze: operators".
std::string where(const std::vector<Place>& places) {
  std::string text;
  const std::string* last = nullptr;
  for (const Place& place : places) {
    text += place.command == last ? ", " : fmt::format("{}takt {}: ", last ? "; " : "", *place.command);
    text += place.table->name;
    last = place.command;
  }
  return text + ".";
}

std::string names_of(const TableSchema& table) {
  std::vector<std::string> names;
  for (const auto& column : table.columns) names.push_back(column.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "Of takt pipeline run, takt pipeline analyze."
std::string commands_of(const std::vector<Place>& places) {
  std::vector<std::string> names;
  for (const Place& place : places) names.push_back("takt " + *place.command);
  return fmt::format("Printed by {}.", fmt::join(names, ", "));
}

struct Entry {
  std::string heading, meaning, columns;  ///< columns: of a table
  std::vector<Place> places;
};

void add(std::vector<Entry>& entries, Entry entry) {
  const auto same = std::find_if(entries.begin(), entries.end(), [&](const Entry& other) {
    return std::tie(other.heading, other.meaning, other.columns) ==
           std::tie(entry.heading, entry.meaning, entry.columns);
  });
  if (same == entries.end())
    entries.push_back(std::move(entry));
  else
    same->places.insert(same->places.end(), entry.places.begin(), entry.places.end());
}

bool same_tables(const CommandTables& a, const CommandTables& b) {
  const auto same = [](const TableSchema& x, const TableSchema& y) {
    return x.name == y.name && x.sentence == y.sentence && names_of(x) == names_of(y);
  };
  return std::equal(a.tables.begin(), a.tables.end(), b.tables.begin(), b.tables.end(), same);
}

}  // namespace

Explanation find_explanation(std::string_view word, const std::vector<CommandTables>& all) {
  Explanation found;
  for (const auto& [name, tables] : all) {
    for (const TableSchema& table : tables) {
      const Place place{&name, &table};
      if (word.empty() || lower_case(word) == table.name) found.tables.push_back(place);
      for (const auto& column : table.columns)
        if (word.empty() || means(word, column)) found.columns.push_back({place, &column});
      for (const auto& row : table.named_rows)
        if (word.empty() || bare(word) == bare(row.name)) found.rows.push_back({place, &row});
    }
  }
  return found;
}

Explanation find_value(std::string_view word, const std::vector<CommandTables>& all) {
  constexpr std::size_t shortest = 4, most_meanings = 3;
  Explanation found;
  if (word.size() < shortest) return found;
  std::set<std::string_view> meanings;
  for (const auto& column : find_explanation("", all).columns)
    if (has_word(column.column->meaning, lower_case(word))) {
      found.columns.push_back(column);
      meanings.insert(column.column->meaning);
    }
  return meanings.size() <= most_meanings ? found : Explanation();
}

std::vector<std::string> explained_words(const std::vector<CommandTables>& all) {
  std::vector<std::string> words;
  const Explanation everything = find_explanation("", all);
  for (const auto& column : everything.columns) words.push_back(column.column->name);
  for (const auto& place : everything.tables) words.push_back(place.table->name);
  for (const auto& row : everything.rows) words.push_back(bare(row.row->name));
  return words;
}

std::vector<Table> tables(const Explanation& found) {
  return {tables_definition.make(found.tables), columns_definition.make(found.columns),
          rows_definition.make(found.rows)};
}

std::vector<TableSchema> explain_schemas() {
  return {tables_definition.schema(), columns_definition.schema(), rows_definition.schema()};
}

std::string to_text(const Explanation& found) {
  std::vector<Entry> entries;
  for (const auto& [place, column] : found.columns)
    add(entries, {fmt::format("{} ({})", column->name, column->title), column->meaning, "", {place}});
  for (const auto& [place, row] : found.rows)
    add(entries, {fmt::format("{} (row)", row->name), std::string(row->meaning), "", {place}});
  for (const Place& place : found.tables)
    add(entries, {fmt::format("{} (table)", place.table->name),
                  place.table->sentence,
                  hanging("  Columns: ", names_of(*place.table) + ".", 4),
                  {place}});
  std::string text;
  for (const Entry& entry : entries)
    text += entry.heading + "\n" + hanging("  ", entry.meaning, 2) + entry.columns +
            (entry.columns.empty() ? hanging("  In ", where(entry.places), 4)
                                   : hanging("  ", commands_of(entry.places), 4));
  return text;
}

std::string overview(const std::vector<CommandTables>& all) {
  std::string text;
  for (auto one = all.begin(); one != all.end();) {
    text += (text.empty() ? "takt " : "\ntakt ") + one->command;
    auto next = one + 1;
    for (; next != all.end() && same_tables(*one, *next); ++next) text += ", takt " + next->command;
    text += "\n";
    for (const TableSchema& table : one->tables) text += hanging("  " + table.name + ": ", names_of(table), 4);
    one = next;
  }
  return text;
}

}  // namespace takt
