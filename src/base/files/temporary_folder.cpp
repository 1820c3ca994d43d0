#include "base/files/temporary_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/basics/error.h"
#include "base/files/abandoned_file.h"

namespace takt {
namespace {

constexpr std::string_view held = ".held";  // behind a folder's name: the file that its program has locked

std::filesystem::path with_ending(std::filesystem::path path, std::string_view ending) { return path += ending; }

void remove_if_abandoned(const std::filesystem::path& lock) {
  const int file = lock_abandoned(lock);
  if (file < 0) return;
  std::error_code ignored;
  auto folder = lock;
  std::filesystem::remove_all(folder.replace_extension(), ignored);
  std::filesystem::remove(lock, ignored);
  ::close(file);
}

void remove_abandoned(const std::filesystem::path& parent, const std::string& prefix) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(prefix + "-") && name.ends_with(held)) remove_if_abandoned(entry->path());
  }
}

/// The folder's lock until it is closed; -1: nothing can be locked here, and nobody takes the folder for abandoned. The
/// file has its name only once it is locked.
int lock(const std::filesystem::path& folder) {
  const auto made = with_ending(folder, ".new"), name = with_ending(folder, held);
  const int file = ::open(made.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  if (::flock(file, LOCK_EX | LOCK_NB) == 0 && ::rename(made.c_str(), name.c_str()) == 0) return file;
  ::unlink(made.c_str());
  ::close(file);
  return -1;
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::string& prefix) {
  std::error_code error;
  auto folder = std::filesystem::temp_directory_path(error);
  if (error) folder = "/tmp";
  remove_abandoned(folder, prefix);
  std::string name = (folder / (prefix + "-XXXXXX")).string();
  if (!::mkdtemp(name.data()))
    throw Error(ErrorKind::io,
                fmt::format("{}: cannot be created: {}; set TMPDIR to a writable folder", name, std::strerror(errno)));
  path_ = name;
  folder_left_.note(path_);
  lock_ = lock(path_);
  if (lock_ >= 0) lock_left_.note(with_ending(path_, held));
}

std::string full_temporary_folder() {
  constexpr std::uintmax_t room = 1 << 16;
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  if (error) return "";
  const auto space = std::filesystem::space(folder, error);
  if (error || space.available >= room) return "";
  return fmt::format("; the folder for temporary files, {}, is full: free space there, or set TMPDIR to another one",
                     folder.string());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // what is left over is removed with the next one
  std::filesystem::remove_all(path_, ignored);
  if (lock_ < 0) return;
  std::filesystem::remove(with_ending(path_, held), ignored);
  ::close(lock_);
}

}  // namespace takt
