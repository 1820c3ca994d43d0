// Memory whose bytes are a file's (MappedFile). Where the file becomes shorter while it is read, or its disk fails, the
// system ends the process with SIGBUS; the bytes that are missing read as zeros here instead, and the reader is told.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace takt {

/// From now on no byte of the range ends the process. `descriptor` is of the file and becomes this range's to close.
/// The first call sets a handler of SIGBUS, which leaves all other memory to the handler that was there before it.
/// Thread-safe, as all here.
void guard_mapped(const char* begin, std::size_t size, int descriptor, const std::filesystem::path& file);
/// Before the range is unmapped; nothing where it is not guarded.
void forget_mapped(const char* begin);

/// Throws Error(io) if `text` is of a mapped file that became shorter, or could not be read, since it was mapped: what
/// was read of it may be zeros then.
void check_whole(std::string_view text);

/// What `read` makes of a mapped file's text. Throws Error(io) instead of all else where check_whole() does.
template <typename Read>
auto read_whole(std::string_view text, const Read& read) {
  try {
    auto result = read();
    check_whole(text);
    return result;
  } catch (...) {
    check_whole(text);
    throw;
  }
}

}  // namespace takt
