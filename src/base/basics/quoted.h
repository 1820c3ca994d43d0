// Foreign text in sentences: what a file or a command line holds may be of any length, the sentence about it is not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace takt {

/// Of a text of more than `most` bytes its beginning and its end, with "..." between them and no character cut.
std::string without_middle(std::string_view text, std::size_t most);

/// As a sentence quotes it: printable and short.
std::string quoted_part(std::string_view text, std::size_t most = 60);

}  // namespace takt
