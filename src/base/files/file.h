// Reading and writing files: whole reads, and writes that are seen whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/basics/leftovers.h"

namespace takt {

/// Why the operating system refused, from its `errno`: "no such file", "permission denied".
std::string reason_of(int error);

/// The whole file. Throws Error(io) naming the path and the reason ("no such file", "is a folder").
std::string read_file(const std::filesystem::path& path);

/// Writes to a temporary name beside `path`, flushes it to disk and renames: a reader sees the old file or the new one.
/// The temporary file is removed on failure; that of a killed program (abandoned_file.h) by the next one that writes in
/// its folder. Throws Error(io) naming path and reason.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents);

/// The folder and those above it, where they are not there. Throws Error(io) naming path and reason.
void make_folders(const std::filesystem::path& folder);

/// Throw what writing there would, so that hours of work are not done for nothing. They leave nothing behind. What is
/// neither a file nor a folder (a pipe, /dev/stdout) is only asked for its permissions. A folder need not exist.
void check_writable_file(const std::filesystem::path& path);
void check_writable_folder(const std::filesystem::path& path);

/// Told of every file that was read or written as a whole: "read" or "wrote", which, how many bytes. One listener for
/// the program (the log); nullptr: none. Thread-safe as far as the listener is.
using FileListener = void (*)(std::string_view verb, const std::filesystem::path& path, std::size_t bytes);
void listen_to_files(FileListener listener);

/// The same for contents that arrive in pieces: append(), then commit(); destroyed before commit() leaves nothing.
/// Not thread-safe. TAKT_FAIL_WRITE_AFTER=BYTES in the environment makes writes fail after so many bytes (fault tests).
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void append(std::string_view bytes);
  void commit();

 private:
  [[noreturn]] void fail(int error);
  std::filesystem::path path_, temporary_;
  Leftover leftover_;  ///< the temporary file
  int descriptor_ = -1;
  std::size_t written_ = 0;
};

/// A file or pipe read from front to back in pieces. Throws like read_file. Not thread-safe.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Fills `buffer` as far as the file goes; less than its size, and only then: the end was reached.
  std::size_t read(std::span<char> buffer);
  /// Back to the front; false: a pipe, which cannot.
  bool rewind();
  /// Goes on `bytes` later, which may be after the end; false, and nothing done: a pipe, which cannot.
  bool skip(std::uint64_t bytes);
  /// Bytes; nullopt: a pipe.
  std::optional<std::size_t> size() const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// A file mapped read-only, followed by at least 64 zero bytes (parsers may read past the end). Throws like read_file.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::string_view text() const { return {data_, size_}; }

  /// Says that the bytes between these offsets are hardly needed again: they take no memory until they are.
  /// Thread-safe.
  void give_back(std::size_t begin, std::size_t end) const;

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0, mapped_ = 0;
  bool backed_by_file_ = false;
};

}  // namespace takt
