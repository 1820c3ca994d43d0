#include <algorithm>
#include <cctype>

#include "base/basics/error.h"
#include "measure/python_text/regex.h"

namespace takt {

namespace {

// Walks the pattern once and writes what PCRE2 spells otherwise; what PCRE2 knows and Python does not is refused, so
// that a pattern never means one thing here and another there.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  std::string translate() {
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_];
      if (c == '\\')
        escape(false);
      else if (c == '[')
        character_class();
      else if (c == '(')
        group();
      else if (c == '{')
        repeat();
      else
        out_ += pattern_[at_++];
    }
    return out_;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorKind::bad_input,
                "pattern '" + std::string(pattern_) + "': " + what + " (at character " + std::to_string(at_) + ")");
  }

  bool next_is(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }

  void hexadecimal(std::size_t digits) {
    const std::string_view code = pattern_.substr(std::min(at_ + 2, pattern_.size()), digits);
    const bool whole = code.size() == digits &&
                       std::all_of(code.begin(), code.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
    if (!whole) refuse("incomplete escape \\" + std::string(1, pattern_[at_ + 1]));
    out_ += "\\x{" + std::string(code) + "}";
    at_ += 2 + digits;
  }

  static bool octal(char c) { return c >= '0' && c <= '7'; }

  /// \0 and three octal digits are a character, other numbers a group.
  void number(bool in_class) {
    std::string_view digits = pattern_.substr(at_ + 1, 3);
    std::size_t length = 0;
    while (length < digits.size() && octal(digits[length])) ++length;
    if (digits[0] == '0' || length == 3 || (in_class && length > 0)) {
      if (length == 3 && digits[0] > '3') refuse("octal escape \\" + std::string(digits) + " is above \\377");
      out_ += "\\o{" + std::string(digits.substr(0, length)) + "}";
      at_ += 1 + length;
      return;
    }
    if (in_class) refuse("bad escape \\" + std::string(1, digits[0]));
    length = digits.size() > 1 && std::isdigit(static_cast<unsigned char>(digits[1])) ? 2 : 1;
    out_ += "\\g{" + std::string(digits.substr(0, length)) + "}";
    at_ += 1 + length;
  }

  void escape(bool in_class) {
    if (at_ + 1 >= pattern_.size()) refuse("bad escape (end of pattern)");
    const char c = pattern_[at_ + 1];
    if (c == 'x') return hexadecimal(2);
    if (c == 'u') return hexadecimal(4);
    if (c == 'U') return hexadecimal(8);
    if (std::isdigit(static_cast<unsigned char>(c))) return number(in_class);
    const std::string_view known = in_class ? "bdDsSwWafnrtv" : "AbBdDsSwWZafnrtv";
    if (std::isalpha(static_cast<unsigned char>(c)) && known.find(c) == std::string_view::npos)
      refuse("bad escape \\" + std::string(1, c));
    if (c == 'Z')
      out_ += "\\z";
    else if (c == 'v')
      out_ += "\\x0b";
    else
      out_ += pattern_.substr(at_, 2);
    at_ += 2;
  }

  void character_class() {
    out_ += pattern_[at_++];
    if (next_is("^")) out_ += pattern_[at_++];
    if (next_is("]")) out_ += "\\]", ++at_;
    while (at_ < pattern_.size() && pattern_[at_] != ']') {
      if (pattern_[at_] == '\\') {
        escape(true);
      } else if (pattern_[at_] == '[') {
        out_ += "\\[", ++at_;  // Python has no [:alpha:]
      } else {
        out_ += pattern_[at_++];
      }
    }
    if (at_ >= pattern_.size()) refuse("unterminated character set");
    out_ += pattern_[at_++];
  }

  void group() {
    if (next_is("(*")) refuse("nothing to repeat");
    if (!next_is("(?")) {
      out_ += pattern_[at_++];
      return;
    }
    for (const std::string_view opening : {"(?:", "(?P<", "(?P=", "(?#", "(?=", "(?!", "(?<=", "(?<!", "(?>"}) {
      if (!next_is(opening)) continue;
      out_ += opening;
      at_ += opening.size();
      return;
    }
    if (next_is("(?(") && at_ + 3 < pattern_.size() && pattern_[at_ + 3] != '?' && pattern_[at_ + 3] != '*') {
      out_ += "(?(", at_ += 3;
      return;
    }
    flags();
  }

  void flags() {
    const std::size_t end = pattern_.find_first_not_of("aimsux-", at_ + 2);
    if (end == std::string_view::npos || end == at_ + 2 || (pattern_[end] != ')' && pattern_[end] != ':'))
      refuse("unknown extension " + std::string(pattern_.substr(at_, 3)));
    if (pattern_[end] == ')' && at_ != 0) refuse("global flags not at the start of the expression");
    std::string kept;
    for (const char flag : pattern_.substr(at_ + 2, end - at_ - 2))
      if (flag != 'a' && flag != 'u') kept += flag;
    out_ += "(?" + kept + pattern_[end];
    at_ = end + 1;
  }

  /// {,n} counts from zero in Python and is plain text in this PCRE2.
  void repeat() {
    const std::size_t end = pattern_.find('}', at_);
    const std::string_view inside =
        end == std::string_view::npos ? std::string_view() : pattern_.substr(at_ + 1, end - at_ - 1);
    if (inside.starts_with(',') && inside.find_first_not_of("0123456789", 1) == std::string_view::npos)
      out_ += inside.size() == 1 ? "{0," : "{0", at_ += inside.size() == 1 ? 2 : 1;
    else
      out_ += pattern_[at_++];
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string translate_python_pattern(std::string_view pattern) { return Translator(pattern).translate(); }

}  // namespace takt
