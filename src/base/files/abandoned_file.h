// Files that a program needs for a while, and what becomes of those whose program was killed.
//
// As long as a program lives it holds a lock (flock) on such a file; the system lets go of it when the program dies,
// however it dies, and also on another machine of a shared disk. A number of a process in a name tells less: in
// containers and on other machines the same number is somebody else.
#pragma once

#include <filesystem>

namespace takt {

/// The file, open and locked, where nobody needs it any longer; -1: it is to be left alone. It has to be a regular file
/// of this user (links are not followed) that no living program has locked; on a network's file system, where some
/// mounts do not tell each other of locks, also one that nobody wrote for an hour. Never throws. Whoever removes the
/// file closes it afterwards.
int lock_abandoned(const std::filesystem::path& file);

/// A file of a name that nobody has yet, in which contents come to be: FOLDER/.takt-PROCESS-NUMBER.tmp.
struct UnfinishedFile {
  std::filesystem::path path;
  int descriptor = -1;  ///< open for writing and locked until it is closed; -1: not made, and `error` says why
  int error = 0;        ///< errno
};
/// The first time that this process does so in `folder`, what killed programs left there under such names is removed.
/// Thread-safe.
UnfinishedFile make_unfinished_file(const std::filesystem::path& folder);

}  // namespace takt
