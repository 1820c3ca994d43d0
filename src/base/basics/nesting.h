// How deep JSON is nested. Parsers of this program do not care, but what copies, compares or writes a value calls
// itself for each list and object within another: 100,000 of them overflow the stack.
#pragma once

#include <cstddef>
#include <string_view>

namespace takt {

/// Has the text more than so many lists and objects within each other? A walk over its bytes. Of text that is no JSON
/// any answer may come.
bool nests_deeper(std::string_view json, std::size_t most = 100);

}  // namespace takt
