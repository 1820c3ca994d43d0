// Regular expressions: Python's `re` syntax translated to that of PCRE2.
#pragma once

#include <string>
#include <string_view>

#include "base/basics/regex.h"

namespace takt {

/// The PCRE2 pattern that means the same as the Python 3.11 pattern. Throws Error(bad_input) for what Python refuses.
std::string translate_python_pattern(std::string_view pattern);

}  // namespace takt
