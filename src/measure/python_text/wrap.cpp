#include <algorithm>

#include "measure/python_text/regex.h"
#include "measure/python_text/text.h"

namespace takt {

namespace {

// The expression `wordsep_re` of Python 3.11's textwrap, with \w, \d spelled out as Unicode properties (Python's \w
// holds letters, numbers and the underscore, no combining marks).
const Regex& word_separator() {
  static const Regex regex(
      "[\\t\\n\\x0b\\x0c\\r ]+"
      "|(?<=[\\p{L}\\p{N}_!\"'&.,?])-{2,}(?=[\\p{L}\\p{N}_])"
      "|[^\\t\\n\\x0b\\x0c\\r ]+?(?:"
      "-(?:(?<=[\\p{L}\\p{Nl}\\p{No}_]{2}-)|(?<=[\\p{L}\\p{Nl}\\p{No}_]-[\\p{L}\\p{Nl}\\p{No}_]-))"
      "(?=[\\p{L}\\p{Nl}\\p{No}_]-?[\\p{L}\\p{Nl}\\p{No}_])"
      "|(?=[\\t\\n\\x0b\\x0c\\r ]|\\z)"
      "|(?<=[\\p{L}\\p{N}_!\"'&.,?])(?=-{2,}[\\p{L}\\p{N}_]))");
  return regex;
}

bool is_ascii_blank(char32_t c) { return c == ' ' || (c >= 0x09 && c <= 0x0D); }

/// expandtabs(8), then every ASCII blank becomes a space. Columns restart at line ends, as str.expandtabs counts them.
std::u32string with_plain_blanks(std::string_view text) {
  std::u32string out;
  std::size_t column = 0;
  for (const char32_t c : to_code_points(text)) {
    if (c == '\t') {
      const std::size_t blanks = 8 - column % 8;
      out.append(blanks, U' ');
      column += blanks;
      continue;
    }
    column = c == '\n' || c == '\r' ? 0 : column + 1;
    out += is_ascii_blank(c) ? U' ' : c;
  }
  return out;
}

std::vector<std::u32string> split_words(std::string_view text) {
  std::vector<std::u32string> chunks;
  const std::string plain = to_utf8(with_plain_blanks(text));
  for (std::size_t at = 0; at < plain.size();) {
    const auto match = word_separator().find(plain, at);
    const std::size_t start = match ? match->start : plain.size(), end = match ? match->end : plain.size();
    if (start > at) chunks.push_back(to_code_points(std::string_view(plain).substr(at, start - at)));
    if (end > start) chunks.push_back(to_code_points(std::string_view(plain).substr(start, end - start)));
    at = end;
  }
  return chunks;
}

bool is_blank(const std::u32string& chunk) { return std::all_of(chunk.begin(), chunk.end(), python_is_space); }

/// Where a chunk that fits on no line is cut: after the last hyphen in reach that follows something else, or at `room`.
std::size_t cut_position(const std::u32string& chunk, std::size_t room) {
  if (room == 0) return room;
  const std::size_t hyphen = chunk.rfind(U'-', room - 1);
  if (hyphen == std::u32string::npos) return room;
  const bool after_text = chunk.find_first_not_of(U'-') < hyphen;
  return after_text ? hyphen + 1 : room;
}

std::size_t total_size(const std::vector<std::u32string>& chunks) {
  std::size_t size = 0;
  for (const auto& chunk : chunks) size += chunk.size();
  return size;
}

}  // namespace

std::vector<std::string> python_wrap(std::string_view text, std::size_t width) {
  std::vector<std::u32string> chunks = split_words(text);
  std::vector<std::string> lines;
  std::size_t next = 0;
  while (next < chunks.size()) {
    std::vector<std::u32string> line;
    std::size_t length = 0;
    if (!lines.empty() && is_blank(chunks[next])) ++next;
    for (; next < chunks.size() && length + chunks[next].size() <= width; ++next) {
      length += chunks[next].size();
      line.push_back(chunks[next]);
    }
    if (next < chunks.size() && chunks[next].size() > width) {
      const std::size_t end = cut_position(chunks[next], width - total_size(line));
      line.push_back(chunks[next].substr(0, end));
      chunks[next].erase(0, end);
    }
    // textwrap drops one trailing blank chunk only, which may be the empty rest of a cut: kept so on purpose.
    if (!line.empty() && is_blank(line.back())) line.pop_back();
    if (line.empty()) continue;
    std::u32string joined;
    for (const auto& chunk : line) joined += chunk;
    lines.push_back(to_utf8(joined));
  }
  return lines;
}

}  // namespace takt
