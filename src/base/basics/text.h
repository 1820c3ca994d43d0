// Small functions on text that several modules need.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace takt {

std::string lower_case(std::string_view text);  ///< ASCII only
std::string upper_case(std::string_view text);  ///< ASCII only
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);  ///< blanks, tabs, line ends off both sides
/// What follows `start`; all of the text where it begins otherwise.
std::string_view without_start(std::string_view text, std::string_view start);

/// The number that the whole text is; nullopt: it is none, has something before or after it, or does not fit. The
/// same in every locale; no blanks and no plus sign. Of a floating type "inf" and "nan" count as numbers.
template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// The candidate with the smallest edit distance to `word`, if close enough to be a slip (at most a third of the word,
/// at least 1; two letters swapped count 1); ties go to the first.
std::optional<std::string> nearest_word(std::string_view word, std::span<const std::string> candidates);

/// How a message about an unknown word goes on: "did you mean 'x'?", or `otherwise` where nothing known is near.
std::string suggestion(std::string_view word, std::span<const std::string> known, std::string_view otherwise);

/// `text` in lines of at most `width` columns, broken at blanks (a longer word has a line of its own). It stands after
/// `indent` columns that the caller fills, and the lines that follow begin with as many blanks. Line ends in the text
/// are kept.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

/// A JSON string literal with quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_quote(std::string_view text);

/// Characters that a terminal shows (code points; invalid bytes count one each).
std::size_t display_width(std::string_view text);

/// Control characters and invalid UTF-8 replaced, so that a hostile file name cannot drive the terminal.
std::string printable(std::string_view text);

/// 64 bits that tell texts apart, the same on every machine and in every version (FNV-1a): for names of files. Two
/// different texts that meet are less likely than a broken disk, unless somebody wants them to.
std::uint64_t fingerprint(std::string_view text);

}  // namespace takt
