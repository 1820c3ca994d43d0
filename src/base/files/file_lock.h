// One writer to a file that is written over a long time.
#pragma once

#include <filesystem>

namespace takt {

/// Held until destruction or the death of the process.
class FileLock {
 public:
  /// Creates an empty file where there is none. Does not wait: is_held() is false where another FileLock, of this
  /// process or another, holds the file. Where the file system locks no files (some network ones) it counts as held.
  /// Throws Error(io) where the file cannot be written.
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  bool is_held() const { return is_held_; }

 private:
  int descriptor_ = -1;
  bool is_held_ = false;
};

}  // namespace takt
