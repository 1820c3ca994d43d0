#include "model/inputs/literal.h"

#include <fmt/format.h>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "model/inputs/nested_values.h"

namespace takt {
namespace {

class LiteralParser {
 public:
  LiteralParser(std::string_view text, std::string_view where) : text_(trim(text)), values_(where) {}

  GivenTensor parse() {
    const bool bare = has_bare_comma();
    if (bare) values_.open();
    item();
    while (!text_.empty()) {
      if (text_.front() == ']') {
        take();
        if (--depth_ < 0) values_.fail("there is a ']' without its '['");
        values_.close();
      } else if (text_.front() == ',') {
        take();
        item();
      } else {
        values_.fail(fmt::format("there is no comma before '{}'", printable(text_.substr(0, 20))));
      }
    }
    if (depth_ != 0) values_.fail("a '[' has no ']'");
    if (bare) values_.close();
    return std::move(values_).take();
  }

 private:
  /// Whether the outermost values stand in no brackets: 1,2,3.
  bool has_bare_comma() const {
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (quoted && c == '\\') ++i;
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      depth += c == '[' ? 1 : c == ']' ? -1 : 0;
      if (c == ',' && depth == 0) return true;
    }
    return false;
  }

  void take() { text_ = trim(text_.substr(1)); }

  /// A value, or the opening brackets and the first value behind them.
  void item() {
    while (text_.starts_with('[')) {
      take();
      values_.open();
      ++depth_;
      if (text_.starts_with(']')) return;  // an empty list
    }
    if (text_.starts_with('"')) return string();
    const auto end = std::min(text_.find_first_of(",[]\""), text_.size());
    const auto word = trim(text_.substr(0, end));
    if (word.empty()) values_.fail("a value is missing");
    values_.add_word(word);
    text_ = text_.substr(end);
  }

  void string() {
    std::string value;
    std::size_t i = 1;
    for (; i < text_.size() && text_[i] != '"'; ++i) {
      if (text_[i] != '\\') {
        value += text_[i];
        continue;
      }
      const char next = ++i < text_.size() ? text_[i] : '\0';
      if (next != '"' && next != '\\' && next != 'n' && next != 't')
        values_.fail(R"(after '\' in a string there must be one of " \ n t)");
      value += next == 'n' ? '\n' : next == 't' ? '\t' : next;
    }
    if (i >= text_.size()) values_.fail("a string has no closing quote");
    text_ = trim(text_.substr(i + 1));
    values_.add(std::move(value));
  }

  std::string_view text_;
  NestedValues values_;
  int depth_ = 0;  ///< brackets that are open in the text
};

}  // namespace

GivenTensor parse_literal(std::string_view text, std::string_view where) { return LiteralParser(text, where).parse(); }

}  // namespace takt
