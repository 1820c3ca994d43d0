// Small functions on text that several modules need.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace takt {

std::string lower_case(std::string_view text);  ///< ASCII only
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);  ///< blanks, tabs, line ends off both sides

/// The candidate with the smallest edit distance to `word`, if close enough to be a slip (at most a third of the word,
/// at least 1; two letters swapped count 1); ties go to the first.
std::optional<std::string> nearest_word(std::string_view word, std::span<const std::string> candidates);

/// A JSON string literal with quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_quote(std::string_view text);

/// Characters that a terminal shows (code points; invalid bytes count one each).
std::size_t display_width(std::string_view text);

/// Control characters and invalid UTF-8 replaced, so that a hostile file name cannot drive the terminal.
std::string printable(std::string_view text);

}  // namespace takt
