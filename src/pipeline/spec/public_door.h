// The door between takt and programs that use it as a library (include/takt): whatever goes wrong behind it comes out
// as an Error, in the words of settings and not of a command line.
#pragma once

#include <string>
#include <string_view>

namespace takt {

/// Options by the names that settings have: "--input 'x:1'" → "input 'x:1'", "--batch-size 4" → "batch_size 4".
std::string in_words_of_settings(std::string_view message);

/// In a handler: throws what is handled, as an Error.
[[noreturn]] void rethrow_as_error();

/// What `call` returns. Throws Error.
template <typename Call>
decltype(auto) at_the_door(const Call& call) {
  try {
    return call();
  } catch (...) {
    rethrow_as_error();
  }
}

}  // namespace takt
