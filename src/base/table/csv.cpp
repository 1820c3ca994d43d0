#include "base/table/csv.h"

#include <fmt/format.h>

#include "base/basics/error.h"

namespace takt {
namespace {

class CsvReader {
 public:
  CsvReader(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  std::vector<CsvRow> rows() {
    std::vector<CsvRow> rows;
    while (at_ < text_.size()) {
      rows.push_back(row());
      if (rows.back().cells.size() != rows.front().cells.size())
        refuse(rows.back().line, fmt::format("has {} cells, the first line {}; give every row all of the columns",
                                             rows.back().cells.size(), rows.front().cells.size()));
    }
    return rows;
  }

 private:
  [[noreturn]] void refuse(std::size_t line, const std::string& what) const {
    refuse_input(fmt::format("{}:{}: {}", where_, line, what));
  }

  bool is_at_line_end() const {
    return at_ == text_.size() || text_[at_] == '\n' || (text_[at_] == '\r' && text_.substr(at_, 2) == "\r\n");
  }

  CsvRow row() {
    CsvRow row{line_, {}};
    for (;;) {
      row.cells.push_back(text_.substr(at_, 1) == "\"" ? quoted_cell() : plain_cell());
      if (is_at_line_end()) break;
      ++at_;  // the comma
    }
    at_ += at_ == text_.size() ? 0 : text_[at_] == '\r' ? 2 : 1;
    ++line_;
    return row;
  }

  std::string plain_cell() {
    const std::size_t begin = at_;
    while (!is_at_line_end() && text_[at_] != ',') {
      if (text_[at_] == '"') refuse(line_, "a quote is inside a cell; put the whole cell in quotes");
      ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string quoted_cell() {
    const std::size_t first = line_;
    std::string cell;
    for (++at_;; ++at_) {
      if (at_ == text_.size()) refuse(first, "a quote is not closed");
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        cell += text_[at_];
      } else if (text_.substr(at_ + 1, 1) == "\"") {
        cell += text_[at_++];
      } else {
        break;
      }
    }
    ++at_;
    if (!is_at_line_end() && text_[at_] != ',') refuse(line_, "text follows a closing quote; put it inside the quotes");
    return cell;
  }

  std::string_view text_, where_;
  std::size_t at_ = 0, line_ = 1;
};

}  // namespace

std::vector<CsvRow> parse_csv(std::string_view text, std::string_view where) { return CsvReader(text, where).rows(); }

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + "\"";
}

}  // namespace takt
