// One program at a time changes the files of a folder: for a file that is read, changed and written back, which a
// rename alone does not keep from losing what another program wrote meanwhile.
#pragma once

#include <filesystem>

namespace takt {

/// Waits until no other FolderLock, of this process or another, holds the folder, and holds it until destruction or the
/// death of the process. The folder itself is locked, so no file is left behind. Where the file system locks no folders
/// (some network ones) nothing is held. The folder must exist. Never throws.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace takt
