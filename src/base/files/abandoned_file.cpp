#include "base/files/abandoned_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <ctime>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

namespace takt {
namespace {

constexpr std::string_view name_begin = ".takt-", name_end = ".tmp";
constexpr std::time_t long_ago = 3600;  // seconds: nobody takes so long between two pieces of a file

bool is_on_network(int file) {
  constexpr unsigned smb2 = 0xFE534D42, cifs = 0xFF534D42, fuse = 0x65735546;
  struct statfs system {};
  if (::fstatfs(file, &system) != 0) return true;
  const auto type = static_cast<unsigned>(system.f_type);
  return type == NFS_SUPER_MAGIC || type == smb2 || type == cifs || type == fuse || type == SMB_SUPER_MAGIC ||
         type == AFS_SUPER_MAGIC || type == CODA_SUPER_MAGIC || type == V9FS_MAGIC;
}

bool may_be_abandoned(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return false;
  return !is_on_network(file) || std::time(nullptr) - status.st_mtime > long_ago;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Is it .takt-PROCESS-NUMBER.tmp, to the letter?
bool is_unfinished_name(std::string_view name) {
  if (!name.starts_with(name_begin) || !name.ends_with(name_end)) return false;
  name.remove_prefix(name_begin.size());
  name.remove_suffix(name_end.size());
  const std::size_t middle = name.find('-');
  return middle != std::string_view::npos && is_number(name.substr(0, middle)) && is_number(name.substr(middle + 1));
}

void remove_abandoned_in(const std::filesystem::path& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (!is_unfinished_name(entry->path().filename().string())) continue;
    const int file = lock_abandoned(entry->path());
    if (file < 0) continue;
    ::unlink(entry->path().c_str());
    ::close(file);
  }
}

bool is_first_time_in(const std::filesystem::path& folder) {
  static std::mutex mutex;
  static std::set<std::string> known;
  const std::lock_guard lock(mutex);
  return known.insert(folder.string()).second;
}

/// False: somebody who removes what is abandoned was faster, and the file has no name any longer. A file system that
/// locks nothing lets nobody else lock it either.
bool lock_own(int file) {
  struct stat status {};
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  return ::fstat(file, &status) == 0 && status.st_nlink > 0;
}

}  // namespace

int lock_abandoned(const std::filesystem::path& file) {
  // Locks of a network's file system want a file that may be written.
  const int descriptor = ::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return -1;
  if (may_be_abandoned(descriptor) && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

UnfinishedFile make_unfinished_file(const std::filesystem::path& folder) {
  static std::atomic<unsigned> counter{0};
  if (is_first_time_in(folder)) remove_abandoned_in(folder.empty() ? std::filesystem::path(".") : folder);
  while (true) {
    UnfinishedFile made;
    made.path = folder / fmt::format("{}{}-{}{}", name_begin, ::getpid(), counter++, name_end);
    made.descriptor = ::open(made.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (made.descriptor >= 0 && lock_own(made.descriptor)) return made;
    if (made.descriptor >= 0) {
      ::close(made.descriptor);
    } else if (errno != EEXIST) {  // in containers many processes have the same number: then the next name
      made.error = errno;
      return made;
    }
  }
}

}  // namespace takt
