// Text as Python's str and textwrap see it: code points, Unicode blanks, line ends and word breaks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace takt {

/// Code points of UTF-8 text; a byte that belongs to none stands for itself.
std::u32string to_code_points(std::string_view text);
std::string to_utf8(std::u32string_view text);

/// len(text).
std::size_t code_point_count(std::string_view text);

/// Whether str.isspace() holds for the character.
bool python_is_space(char32_t c);

std::string_view python_strip(std::string_view text);   ///< text.strip()
std::string_view python_rstrip(std::string_view text);  ///< text.rstrip()

/// text.splitlines(): splits at every line boundary that Python knows; a trailing one opens no further line.
std::vector<std::string> python_split_lines(std::string_view text);

/// textwrap.wrap(text, width) of Python 3.11 with its default settings. Empty text has no lines. Thread-safe.
std::vector<std::string> python_wrap(std::string_view text, std::size_t width);

}  // namespace takt
