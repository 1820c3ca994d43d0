// Text as a page carries it: deflated, in letters that can end no element of HTML.
#pragma once

#include <string>
#include <string_view>

namespace takt {

/// Returns `text` as a raw deflate stream in base64; a browser's DecompressionStream("deflate-raw") reads it.
std::string packed(std::string_view text);

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace takt
