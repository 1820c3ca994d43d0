// Walking over JSON text that may be broken, byte by byte: where a text, a number or any value ends.
//
// simdjson is faster on good documents but refuses a whole one for a single bad byte, and traces in the wild have NaN,
// raw control characters, missing ends and trailing commas. These functions know the end of their input, return nullptr
// where it comes too early or the text is not JSON, and never read beyond `end`, except that 16 bytes after it must be
// readable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/basics/text.h"

namespace takt::json_scan {

inline bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

inline const char* skip_blanks(const char* p, const char* end) {
  while (p < end && is_blank(*p)) ++p;
  return p;
}

/// The first quote, backslash or control character at or after `p`; reads nothing at or after `end`, where it stops.
inline const char* find_special(const char* p, const char* end) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), last_control = _mm_set1_epi8(0x1f);
  while (end - p >= 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i control = _mm_cmpeq_epi8(_mm_max_epu8(bytes, last_control), last_control);
    const __m128i hits =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)), control);
    if (const int mask = _mm_movemask_epi8(hits)) return p + __builtin_ctz(static_cast<unsigned>(mask));
    p += 16;
  }
#endif
  while (p < end && *p != '"' && *p != '\\' && static_cast<unsigned char>(*p) >= 0x20) ++p;
  return p;
}

struct Text {
  std::string_view raw;      ///< between the quotes
  bool has_escapes = false;  ///< raw is not the text itself
  bool has_controls = false;
};

/// `p` is after the opening quote; returns what is after the closing one.
const char* scan_text(const char* p, const char* end, Text& text);

/// A text without escapes and control characters at `p`: returns what is after it. nullptr: something else, or it does
/// not end.
[[gnu::always_inline]] inline const char* scan_plain_text(const char* p, const char* end, std::string_view& text) {
  if (*p != '"') return nullptr;
  const char* const q = find_special(p + 1, end);
  if (q >= end || *q != '"') return nullptr;
  text = std::string_view(p + 1, static_cast<std::size_t>(q - p - 1));
  return q + 1;
}

/// `p` is at a character that starts no text, list or object: a number, true, null, NaN. Ends at a blank, comma, colon,
/// bracket or quote.
inline const char* scan_word(const char* p, const char* end, std::string_view& word) {
  const char* const begin = p;
  while (p < end && !is_blank(*p) && *p != ',' && *p != '}' && *p != ']' && *p != '"' && *p != ':' && *p != '{' &&
         *p != '[') {
    ++p;
  }
  word = std::string_view(begin, static_cast<std::size_t>(p - begin));
  return p == begin ? nullptr : p;
}

/// Appends the text that escapes stand for. Unknown escapes and lone surrogates become U+FFFD.
void unescape(std::string_view raw, std::string& text);

/// A number from text, all of it; false if it is none.
template <typename Number>
bool read_number(std::string_view word, Number& value) {
  const auto number = number_in<Number>(word);
  if (number) value = *number;
  return number.has_value();
}

/// Is `word` a number as JSON defines it?
bool is_number(std::string_view word);

/// Appends any value as strict JSON on one line: blanks removed, NaN and infinities as null, texts made valid.
/// Returns what is after it; nullptr: too early an end, not JSON, or more than 1,000 levels deep.
/// `repaired` is set where something had to be replaced.
const char* copy_value(const char* p, const char* end, std::string& json, bool& repaired);

/// The end of any value, without checking more than quotes and brackets.
const char* skip_value(const char* p, const char* end);

}  // namespace takt::json_scan
