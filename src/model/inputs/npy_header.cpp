#include "model/inputs/npy_header.h"

#include <fmt/format.h>

#include <charconv>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

constexpr std::size_t most_dimensions = 64;  // NumPy's own limit

class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr")
        has_descr_ = true, descr();
      else if (key == "fortran_order")
        has_order_ = true, header_.is_fortran = boolean();
      else if (key == "shape")
        has_shape_ = true, shape();
      else
        fail(fmt::format("its header has an unknown key '{}'", printable(key)));
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!blanks_off().empty()) fail("its header has something after its end");
    if (!has_descr_ || !has_order_ || !has_shape_) fail("its header is missing one of descr, fortran_order and shape");
    return header_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::bad_input, fmt::format("{}: {}; save the array again with numpy.save", where_, what));
  }

  std::string_view blanks_off() { return text_ = trim(text_); }

  bool accept(char c) {
    if (!blanks_off().starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("its header is damaged: there is no '{}'", c));
  }

  std::string_view quoted() {
    const char quote = blanks_off().starts_with('"') ? '"' : '\'';
    expect(quote);
    const auto end = text_.find(quote);
    if (end == std::string_view::npos) fail("its header is damaged: a quote is not closed");
    const auto content = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return content;
  }

  bool boolean() {
    const bool is_true = blanks_off().starts_with("True");
    if (!is_true && !text_.starts_with("False")) fail("its header is damaged: fortran_order is neither True nor False");
    text_.remove_prefix(is_true ? 4 : 5);
    return is_true;
  }

  std::int64_t integer() {
    std::int64_t value = 0;
    blanks_off();
    const auto [end, code] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (code != std::errc() || value < 0) fail("its header has an invalid shape");
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    if (text_.starts_with('L')) text_.remove_prefix(1);  // Python 2 wrote long integers so
    return value;
  }

  void shape() {
    header_.shape.clear();
    expect('(');
    while (!accept(')')) {
      if (header_.shape.size() == most_dimensions) fail("its header has too many dimensions");
      header_.shape.push_back(integer());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }

  void descr() {
    if (blanks_off().starts_with('[')) refuse_type("records of several fields");
    const std::string_view descr = quoted();
    std::string_view rest = descr;
    header_.byte_order = '|';
    if (!rest.empty() && std::string_view("<>|=").find(rest.front()) != std::string_view::npos) {
      header_.byte_order = rest.front() == '=' ? '<' : rest.front();
      rest.remove_prefix(1);
    }
    if (rest.empty()) fail("its header has no type");
    header_.kind = rest.front();
    rest.remove_prefix(1);
    const auto size = number_in<std::size_t>(rest);
    if (header_.kind == 'O') refuse_type("Python objects");
    if (!size || !is_known(header_.kind, *size)) refuse_type(fmt::format("values of type '{}'", printable(descr)));
    header_.size = *size;
  }

  static bool is_known(char kind, std::size_t size) {
    constexpr std::size_t longest_text = std::size_t{1} << 40;
    switch (kind) {
      case 'f':
        return size == 2 || size == 4 || size == 8;
      case 'i':
      case 'u':
        return size == 1 || size == 2 || size == 4 || size == 8;
      case 'b':
        return size == 1;
      case 'S':
      case 'U':
        return size <= longest_text;
      default:
        return false;
    }
  }

  [[noreturn]] void refuse_type(const std::string& what) const {
    throw Error(ErrorKind::bad_input, fmt::format("{}: holds {}, which cannot be read; convert the array with astype() "
                                                  "to a float, integer, bool or string type",
                                                  where_, what));
  }

  std::string_view text_, where_;
  NpyHeader header_;
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view header, std::string_view where) {
  return HeaderParser(header, where).parse();
}

}  // namespace takt
