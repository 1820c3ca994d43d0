// What a parser may do with wrong input: refuse it in one sentence. Everything else is a fault that the fuzzer reports:
// another exception, an empty message, a crash, a hang, a leak.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/basics/error.h"

namespace takt {

inline std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

/// Runs `parse`; a refusal is fine, provided that it says something.
template <typename Parse>
void may_refuse(const Parse& parse) {
  try {
    parse();
  } catch (const Error& error) {
    if (*error.what() == 0) std::abort();
  } catch (const UsageError& error) {
    if (*error.what() == 0) std::abort();
  }
}

}  // namespace takt
