// A file that only grows, one JSON object per line: what a long job has done so far.
//
// A job that is killed continues where it stopped, so a line must be on disk once append() has returned, and a line
// that was being written when the process died must not spoil those before it. A line that a disk spoilt later costs
// itself and no other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
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
  /// Creates the file, or continues it: a torn last line is cut off, also one of NUL bytes as a power cut leaves it;
  /// damaged lines stay. Throws Error(io) when the file cannot be opened or another Journal has it open,
  /// Error(bad_input) when it holds something else (it is left as it was).
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
  std::int64_t end_ = 0;  ///< after the last whole line
  std::mutex mutex_;
};

struct JournalLine {
  std::string_view text;   ///< an object of JSON as far as its braces tell, without its line end
  std::size_t number = 0;  ///< from 1
  std::string place;       ///< "FILE:NUMBER", as messages begin
};

/// Lines in the middle of a journal that are no JSON, which no killed run leaves: a disk or a hand did that.
struct JournalDamage {
  std::size_t lines = 0;
  std::size_t first = 0;  ///< number of the first of them

  /// A warning: "FILE: line 17 is damaged and left out; ...". Empty: nothing is damaged.
  std::string to_text(const std::filesystem::path& path) const;
};

/// Gives every line of a journal to `take`, while another process may be appending: a torn last line is left out; one
/// that lacks nothing but its line end counts. An empty file has none. An Error of `take` is thrown on unless the line
/// is no JSON: then it is damaged, and the next one follows. The first line, which says what the others are, is never
/// passed over. Throws Error(io) when it cannot be read and Error(bad_input) when it does not begin as a journal.
JournalDamage read_journal(const std::filesystem::path& path, const std::function<void(const JournalLine&)>& take);

}  // namespace takt
