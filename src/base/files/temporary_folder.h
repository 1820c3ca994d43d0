// Folders for files that are needed for a while, and what becomes of them where a program was killed.
#pragma once

#include <filesystem>
#include <string>

#include "base/basics/leftovers.h"

namespace takt {

/// A new folder; removed with everything in it. What killed programs of this user left behind under the same prefix is
/// removed when the next one is made: as long as a program lives it locks the file FOLDER.held beside its folder. Where
/// the file system locks nothing there is no such file, and what is left behind stays. Throws Error(io).
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;  ///< the open file
  Leftover folder_left_, lock_left_;
};

/// "; the folder for temporary files, /tmp, is full: …", the end of a sentence about a failure; empty: there is room.
std::string full_temporary_folder();

}  // namespace takt
