#include "measure/profiles/json_text.h"

#include "base/basics/text.h"
#include "base/basics/utf8.h"
#include "measure/python_text/format.h"

namespace takt {

namespace {

std::string unescape(std::string_view text) {
  static constexpr std::string_view letters = "bfnrt", meanings = "\b\f\n\r\t";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      out += text[at++];
      continue;
    }
    const char c = text[at + 1];
    at += 2;
    if (c == 'u') {
      append_utf8(out, unicode_escape(text, at));
    } else {
      const auto letter = letters.find(c);
      out += letter == std::string_view::npos ? c : meanings[letter];
    }
  }
  return out;
}

class ShapeReader {
 public:
  explicit ShapeReader(std::string_view json) : json_(json) {}

  std::optional<ShapeList> read() {
    if (!take('[')) return std::nullopt;
    ShapeList list;
    if (take(']')) return list;
    do {
      if (take('[')) {
        auto numbers = inner();
        if (!numbers) return std::nullopt;
        list.emplace_back(std::move(*numbers));
      } else if (word() == "null") {
        list.emplace_back(std::nullopt);
      } else {
        return std::nullopt;
      }
    } while (take(','));
    if (!take(']')) return std::nullopt;
    return list;
  }

 private:
  void blanks() { at_ = std::min(json_.find_first_not_of(" \t\r\n", at_), json_.size()); }

  bool take(char c) {
    blanks();
    if (at_ == json_.size() || json_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string_view word() {
    blanks();
    const std::size_t end = std::min(json_.find_first_of(" \t\r\n,[]{}\"", at_), json_.size());
    const std::string_view text = json_.substr(at_, end - at_);
    at_ = end;
    return text;
  }

  std::optional<std::vector<std::string>> inner() {
    std::vector<std::string> numbers;
    if (take(']')) return numbers;
    do {
      const std::string_view text = word();
      const auto number = json_number(text);
      if (!number) return std::nullopt;
      numbers.push_back(number->integral ? std::string(text) : python_repr(number->value));
    } while (take(','));
    if (!take(']')) return std::nullopt;
    return numbers;
  }

  std::string_view json_;
  std::size_t at_ = 0;
};

}  // namespace

std::string_view json_string(const char* begin, std::string_view text, std::deque<std::string>& unescaped) {
  const std::size_t start = begin - text.data();
  std::size_t end = start;
  bool escapes = false;
  while (end < text.size() && text[end] != '"') {
    if (text[end] == '\\') escapes = true, ++end;
    ++end;
  }
  const std::string_view inside = text.substr(start, std::min(end, text.size()) - start);
  return escapes ? std::string_view(unescaped.emplace_back(unescape(inside))) : inside;
}

std::optional<PeerNumber> json_number(std::string_view token) {
  const bool integral =
      !token.empty() && token.find_first_not_of("0123456789", token[0] == '-') == std::string_view::npos;
  if (token.find('_') != std::string_view::npos || token.starts_with('+')) return std::nullopt;
  if (!integral && !token.empty() && token != "NaN" && token != "Infinity" && token != "-Infinity" &&
      token.find_first_not_of("0123456789+-.eE") != std::string_view::npos)
    return std::nullopt;
  const auto value = python_float(token);
  if (!value) return std::nullopt;
  return PeerNumber{*value, integral};
}

std::vector<std::string_view> json_strings(std::string_view array) {
  std::vector<std::string_view> strings;
  for (std::size_t at = array.find('"'); at != std::string_view::npos; at = array.find('"', at + 1)) {
    std::size_t end = at + 1;
    while (end < array.size() && array[end] != '"') end += array[end] == '\\' ? 2 : 1;
    if (end >= array.size()) break;
    strings.push_back(array.substr(at + 1, end - at - 1));
    at = end;
  }
  return strings;
}

std::optional<ShapeList> parse_shapes(std::string_view json) { return ShapeReader(json).read(); }

}  // namespace takt
