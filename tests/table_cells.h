// What stands in which cell: a whole table against values worked out by hand, in every form in which tables are
// written.
//
// A test of a table fills its record with numbers that are all different, and has a row of everything that may be
// missing. Then a function of a column that takes the field beside, another unit or the wrong word shows. It is
// named Cells.of_COMMAND_TABLE, by which tests/cli/cells_test.py knows that the table has one.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/basics/text.h"
#include "base/table/csv.h"
#include "base/table/table.h"

namespace takt {

/// A text without a character, which is another thing than a missing cell.
inline const std::string blank = "(blank)";

/// A column with its cells as CSV has them, row by row; an empty one is missing.
struct ColumnCells {
  std::string key;
  std::vector<std::string> cells;
};

namespace cells {

/// The number that people read: "12.5 ms" of a time is 12500. `last_digit` is what one in its last digit is worth.
inline double shown_number(std::string shown, double& last_digit) {
  static const std::map<std::string, double> units{{"", 1},    {"ns", 1e-3}, {"µs", 1},  {"ms", 1e3}, {"s", 1e6},
                                                   {"k", 1e3}, {"M", 1e6},   {"G", 1e9}, {"T", 1e12}, {"P", 1e15}};
  std::erase(shown, ',');
  char* rest = nullptr;
  const double number = std::strtod(shown.c_str(), &rest);
  const std::string digits = shown.substr(0, static_cast<std::size_t>(rest - shown.c_str()));
  const auto unit = units.find(std::string(trim(rest)));
  if (unit == units.end() || digits.empty()) return NAN;
  const auto point = digits.find('.'), exponent = digits.find('e');
  const auto decimals = point == std::string::npos ? 0 : std::min(digits.size(), exponent) - point - 1;
  last_digit = std::pow(10, -static_cast<double>(decimals)) * unit->second;
  if (exponent != std::string::npos) last_digit *= std::pow(10, std::atof(digits.c_str() + exponent + 1));
  return number * unit->second;
}

/// "12.5" of a number, "\"yes\"" of a word, null of what is missing.
inline std::string json_of(const Cell& cell, const std::string& csv) {
  if (std::holds_alternative<std::string>(cell)) return json_quote(csv);
  return csv.empty() ? "null" : csv;
}

/// Of a number with digits behind its point as many as the test has worked out; everything else exactly.
inline bool is_expected(const Cell& cell, const std::string& csv, const std::string& expected) {
  if (expected == blank) return csv.empty() && std::holds_alternative<std::string>(cell);
  if (expected.empty() || csv.empty()) return expected == csv && std::holds_alternative<std::monostate>(cell);
  if (!std::holds_alternative<double>(cell) && !std::holds_alternative<Duration>(cell)) return csv == expected;
  const double number = std::atof(csv.c_str()), wanted = std::atof(expected.c_str());
  return std::abs(number - wanted) <= 1e-9 * std::abs(wanted);
}

inline void expect_shown(const Cell& cell, const std::string& csv, const std::string& shown, const std::string& where) {
  if (std::holds_alternative<std::monostate>(cell)) {
    EXPECT_EQ(shown, "–") << where << ": missing is a dash in text";
  } else if (std::holds_alternative<std::string>(cell)) {
    EXPECT_EQ(shown, csv) << where << ", in text";
  } else {
    double last_digit = 0;
    const double number = shown_number(shown, last_digit);
    EXPECT_NEAR(number, std::atof(csv.c_str()), last_digit * 0.5001) << where << ", in text: " << shown;
  }
}

/// Of columns that are alike in all rows one could stand in the other's place and nobody would see it.
inline void expect_that_columns_differ(const std::vector<ColumnCells>& columns) {
  std::map<std::vector<std::string>, std::string> seen;
  for (const auto& [key, cells] : columns) {
    const auto [other, is_new] = seen.emplace(cells, key);
    EXPECT_TRUE(is_new) << "give " << key << " and " << other->second << " different values in some row";
  }
}

/// Of a test Cells.of_run_summary: that it is of a table "summary".
inline void expect_test_of(const std::string& table) {
  const std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  EXPECT_TRUE(test.starts_with("of_") && test.ends_with("_" + table)) << "name the test of_COMMAND_" << table;
}

}  // namespace cells

/// All columns in their order, every cell in CSV, JSON and text.
inline void expect_cells(const Table& table, const std::vector<ColumnCells>& columns) {
  cells::expect_test_of(table.name);
  cells::expect_that_columns_differ(columns);
  const auto csv = parse_csv(to_csv(table), "csv");
  const auto shown = shown_cells(table);
  const std::string json = to_json(std::span(&table, 1), "{}");
  ASSERT_EQ(csv.size(), columns.front().cells.size() + 1) << to_csv(table);
  std::vector<std::string> keys;
  for (const ColumnCells& column : columns) keys.push_back(column.key);
  ASSERT_EQ(csv[0].cells, keys);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    std::string object;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Cell& cell = table.rows[r][c];
      const std::string &text = csv[r + 1].cells[c], expected = columns[c].cells.at(r);
      const std::string where = table.name + "." + columns[c].key + ", row " + std::to_string(r);
      EXPECT_TRUE(cells::is_expected(cell, text, expected))
          << where << " is '" << text << "', not '" << expected << "'";
      cells::expect_shown(cell, text, shown[r][c], where);
      object += (c ? ", " : "{") + json_quote(columns[c].key) + ": " + cells::json_of(cell, text);
    }
    EXPECT_NE(json.find("\n      " + object + "}"), std::string::npos) << "no row " << object << "} in\n" << json;
  }
}

}  // namespace takt
