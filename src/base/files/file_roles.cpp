#include "base/files/file_roles.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

/// A file, and not only its number, which the next file may have once it is gone.
struct FileStamp {
  dev_t device = 0;
  ino_t number = 0;
  off_t size = 0;
  time_t seconds = 0;
  long nanoseconds = 0;
  bool operator==(const FileStamp&) const = default;

  bool is_file_of(const FileStamp& other) const { return device == other.device && number == other.number; }
};

std::optional<FileStamp> stamp_of(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileStamp{status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

struct KeptFile {
  FileStamp stamp;
  std::string option;
};

std::vector<KeptFile>& kept_from_reading() {
  static std::vector<KeptFile> list;
  return list;
}
std::vector<KeptFile>& kept_from_writing() {
  static std::vector<KeptFile> list;
  return list;
}

/// The option that keeps the file; nullptr: none.
const std::string* keeper(const std::vector<KeptFile>& list, const std::filesystem::path& path) {
  if (list.empty()) return nullptr;
  const auto stamp = stamp_of(path);
  const auto found = std::find_if(list.begin(), list.end(), [&](const KeptFile& one) { return one.stamp == stamp; });
  return found != list.end() ? &found->option : nullptr;
}

/// Where a file of this name would be made, over links that lead nowhere yet.
std::filesystem::path place_of(std::filesystem::path path) {
  std::error_code error;
  for (int links = 0; links < 40 && std::filesystem::is_symlink(path, error); ++links) {
    const auto aim = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / aim;
  }
  const auto place = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  return error ? path : place;
}

}  // namespace

bool is_one_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code ignored;
  const bool a_is_there = std::filesystem::exists(a, ignored), b_is_there = std::filesystem::exists(b, ignored);
  if (a_is_there != b_is_there) return false;
  if (!a_is_there) return place_of(a) == place_of(b);
  const auto first = stamp_of(a), second = stamp_of(b);
  return first && second && first->is_file_of(*second);
}

void keep_from_reading(const std::filesystem::path& path, std::string option) {
  if (const auto stamp = stamp_of(path)) kept_from_reading().push_back({*stamp, std::move(option)});
}

void keep_from_writing(const std::filesystem::path& path, std::string option) {
  if (const auto stamp = stamp_of(path)) kept_from_writing().push_back({*stamp, std::move(option)});
}

void forget_file_roles() {
  kept_from_reading().clear();
  kept_from_writing().clear();
}

void check_may_read(const std::filesystem::path& path) {
  if (const std::string* option = keeper(kept_from_reading(), path))
    throw Error(ErrorKind::bad_input, fmt::format("'{}' is read, and {} would overwrite it; give {} another file",
                                                  printable(path.string()), *option, *option));
}

void check_may_write(const std::filesystem::path& path) {
  if (const std::string* option = keeper(kept_from_writing(), path))
    throw Error(ErrorKind::bad_input, fmt::format("'{}' would be overwritten, and {} reads it; choose another path",
                                                  printable(path.string()), *option));
}

}  // namespace takt
