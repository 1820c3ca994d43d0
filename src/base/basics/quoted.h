// Foreign text in sentences: what a file or a command line holds may be of any length, the sentence about it is not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace takt {

/// Returns `text`, or, if it has more than `most` bytes, its beginning and its end with "..." between them. No
/// character is cut.
std::string without_middle(std::string_view text, std::size_t most);

/// Returns `text` as a sentence quotes it: printable and at most `most` bytes long.
std::string quoted_part(std::string_view text, std::size_t most = 60);

}  // namespace takt
