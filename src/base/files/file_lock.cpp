#include "base/files/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"

namespace takt {

FileLock::FileLock(const std::filesystem::path& path)
    : descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) {
    const int error = errno;
    throw Error(ErrorKind::io, fmt::format("cannot write '{}': {}", printable(path.string()), reason_of(error)));
  }
  int failed = 0;
  do failed = ::flock(descriptor_, LOCK_EX | LOCK_NB);
  while (failed != 0 && errno == EINTR);
  is_held_ = failed == 0 || errno != EWOULDBLOCK;
}

FileLock::~FileLock() { ::close(descriptor_); }

}  // namespace takt
