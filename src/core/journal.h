// A file that only grows, one JSON object per line: what a long job has done so far.
//
// A job that is killed continues where it stopped, so a line must be on disk once append() has returned, and a line
// that was being written when the process died must not spoil those before it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace takt {

/// The writing end. One process at a time: the file is locked until destruction or death of the process.
/// Thread-safe: appends of several threads never mix, in an order of their own choosing.
/// Each append waits for the disk (milliseconds), so keep it out of measured spans.
class Journal {
 public:
  /// Creates the file, or continues it: a torn last line is cut off. Throws Error(io) when the file cannot be opened or
  /// another Journal has it open, Error(bad_input) when it holds something else (it is left as it was).
  explicit Journal(const std::filesystem::path& path);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Adds one line in a single write and flushes it to disk. The text is a JSON object without its line end; only its
  /// braces are checked. Throws Error(bad_input) for a line end in it or missing braces; Error(io) when the disk is
  /// full, and then no part of the line stays.
  void append(std::string_view json_object_line);

 private:
  [[noreturn]] void undo(int error);
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::int64_t end_ = 0;  ///< behind the last whole line
  std::mutex mutex_;
};

/// The lines of a journal, without line ends, while another process may be appending: a torn last line is left out; one
/// that lacks nothing but its line end counts. An empty file holds none. Throws Error(io) when it cannot be read and
/// Error(bad_input) naming the line that is no JSON object.
std::vector<std::string> read_journal(const std::filesystem::path& path);

}  // namespace takt
