#include "base/basics/utf8.h"

#include <charconv>
#include <optional>

namespace takt {
namespace {

constexpr char32_t first_high = 0xD800, first_low = 0xDC00, last_low = 0xDFFF, last_code = 0x10FFFF;

std::optional<char32_t> four_hex_digits(std::string_view text, std::size_t at) {
  if (at > text.size() || text.size() - at < 4) return std::nullopt;
  unsigned value = 0;
  const char* const begin = text.data() + at;
  if (std::from_chars(begin, begin + 4, value, 16).ptr != begin + 4) return std::nullopt;
  return value;
}

bool is_surrogate(char32_t code) { return code >= first_high && code <= last_low; }

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  if (text.empty()) return 0;
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!continues(1) || !continues(2)) return 0;
    const bool overlong = lead == 0xE0 && byte(1) < 0xA0, surrogate = lead == 0xED && byte(1) > 0x9F;
    return overlong || surrogate ? 0 : 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    const bool overlong = lead == 0xF0 && byte(1) < 0x90, beyond = lead == 0xF4 && byte(1) > 0x8F;
    return overlong || beyond ? 0 : 4;
  }
  return 0;
}

char32_t utf8_value(std::string_view text, std::size_t length) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (length == 1) return byte(0);
  char32_t value = byte(0) & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) value = value << 6 | (byte(i) & 0x3Fu);
  return value;
}

void append_utf8(std::string& text, char32_t code) {
  if (code > last_code || is_surrogate(code)) code = replacement_character;
  const auto put = [&](char32_t bits) { text += static_cast<char>(bits); };
  const auto rest = [&](unsigned shift) { put(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) return put(0xC0 | code >> 6), rest(0);
  if (code < 0x10000) return put(0xE0 | code >> 12), rest(6), rest(0);
  put(0xF0 | code >> 18), rest(12), rest(6), rest(0);
}

char32_t unicode_escape(std::string_view text, std::size_t& at) {
  const auto high = four_hex_digits(text, at);
  if (!high) return replacement_character;
  at += 4;
  if (!is_surrogate(*high)) return *high;
  if (*high >= first_low || !text.substr(at).starts_with("\\u")) return replacement_character;
  const auto low = four_hex_digits(text, at + 2);
  if (!low || *low < first_low || *low > last_low) return replacement_character;
  at += 6;
  return 0x10000 + ((*high - first_high) << 10) + (*low - first_low);
}

}  // namespace takt
