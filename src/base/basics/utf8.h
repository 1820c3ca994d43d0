// UTF-8 by hand (RFC 3629), for text that other programs wrote: any bytes may come.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace takt {

/// What stands for a character that cannot be told.
inline constexpr char32_t replacement_character = 0xFFFD;

/// Bytes of the well-formed sequence that `text` begins with (no overlong forms, no surrogates); 0: there is none.
std::size_t utf8_length(std::string_view text);

/// The code point of such a sequence; `length` is what utf8_length() gave, not 0.
char32_t utf8_value(std::string_view text, std::size_t length);

/// Half a surrogate pair and what lies beyond Unicode become the replacement character.
void append_utf8(std::string& text, char32_t code);

/// JSON's \uXXXX: `at` is after the "\u" and moves over what belongs to it, the second half of a pair included. Half
/// a pair, and what is not four hex digits (then `at` stays), is the replacement character.
char32_t unicode_escape(std::string_view text, std::size_t& at);

}  // namespace takt
