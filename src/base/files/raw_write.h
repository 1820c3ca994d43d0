// Bytes into an open file, past every interruption.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/basics/text.h"

namespace takt {

/// Writes all of it. Returns 0, or the errno of the call that failed.
inline int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : EIO;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

/// Fault injection for tests: the number of bytes after which writes fail with ENOSPC.
inline std::size_t bytes_until_failure() {
  const char* text = std::getenv("TAKT_FAIL_WRITE_AFTER");
  return text == nullptr ? SIZE_MAX : number_in<std::size_t>(text).value_or(SIZE_MAX);
}

}  // namespace takt
