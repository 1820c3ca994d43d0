// Text tables as the Python package tabulate 0.8.9 draws them.
//
// A column whose cells all read as numbers is aligned at the decimal point and its fractions are written again with
// "%g"; any other column is text, aligned left. Widths count code points, without terminal colours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace takt {

/// A cell: the text Python's str() gives, and what kind of Python value it is. Text may turn out to be a number too.
struct TabulateCell {
  enum class Kind { text, integer, real };
  std::string text;
  Kind kind = Kind::text;
  double value = 0;  ///< of a real

  TabulateCell(std::string words) : text(std::move(words)) {}
  TabulateCell(const char* words) : text(words) {}
  static TabulateCell of_integer(long long number);
  static TabulateCell of_real(double number);
};

enum class TabulateStyle { simple, fancy_grid, orgtbl };

/// `headers` may be empty; every row has as many cells as there are headers (or as the first row). No newline at the
/// end; nothing at all for a table without headers and rows. Thread-safe.
std::string tabulate(const std::vector<std::vector<TabulateCell>>& rows, const std::vector<std::string>& headers,
                     TabulateStyle style);

}  // namespace takt
