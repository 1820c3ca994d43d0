#include "base/files/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/abandoned_file.h"
#include "base/files/file_roles.h"
#include "base/files/raw_write.h"
#include "base/memory/mapped_ranges.h"

namespace takt {

std::string reason_of(int error) {
  switch (error) {
    case ENOENT:
      return "no such file";
    case EISDIR:
      return "is a folder";
    case ENOTDIR:
      return "a part of the path is not a folder";
    case EACCES:
      return "permission denied";
    case EROFS:
      return "read-only file system";
    case ENOSPC:
      return "no space left on the device";
    case EFBIG:
      return "larger than the system or its limit (ulimit -f) allows";
    case ENAMETOOLONG:
      return "the name is too long";
    default:
      return std::strerror(error);
  }
}

namespace {

[[noreturn]] void cannot(std::string_view verb, const std::filesystem::path& path, int error) {
  throw Error(ErrorKind::io, fmt::format("cannot {} '{}': {}", verb, printable(path.string()), reason_of(error)));
}

std::atomic<FileListener> file_listener{nullptr};

void tell(std::string_view verb, const std::filesystem::path& path, std::size_t bytes) {
  if (const FileListener listener = file_listener.load()) listener(verb, path, bytes);
}

/// An open descriptor of a readable regular file or pipe, and its stat.
class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& path) {
    check_may_read(path);
    number_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (number_ < 0) cannot("read", path, errno);
    if (::fstat(number_, &status_) != 0 || S_ISDIR(status_.st_mode)) {
      int error = S_ISDIR(status_.st_mode) ? EISDIR : errno;
      ::close(number_);
      cannot("read", path, error);
    }
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  bool is_regular() const { return S_ISREG(status_.st_mode); }
  std::size_t size() const { return static_cast<std::size_t>(status_.st_size); }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
  struct stat status_ {};
};

std::string read_all(const Descriptor& file, const std::filesystem::path& path) {
  std::string text;
  text.reserve(file.size());
  char block[1 << 16];
  while (true) {
    ssize_t count = ::read(file.number(), block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) cannot("read", path, errno);
    if (count == 0) return text;
    text.append(block, static_cast<std::size_t>(count));
  }
}

}  // namespace

void listen_to_files(FileListener listener) { file_listener = listener; }

std::string read_file(const std::filesystem::path& path) {
  std::string text = read_all(Descriptor(path), path);
  tell("read", path, text.size());
  return text;
}

void make_folders(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(ErrorKind::io,
                fmt::format("cannot create the folder '{}': {}", printable(folder.string()), reason_of(error.value())));
}

void check_writable_file(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  const bool is_special = exists(status) && !is_regular_file(status) && !is_directory(status);
  if (!is_special)
    AtomicFile probe(path);  // never committed
  else if (::access(path.c_str(), W_OK) != 0)
    cannot("write", path, errno);
}

void check_writable_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  std::filesystem::path folder = std::filesystem::absolute(path, ignored);
  while (!std::filesystem::exists(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
  if (!std::filesystem::is_directory(folder, ignored)) cannot("write to", path, ENOTDIR);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) cannot("write to", path, errno);
}

void write_file_atomically(const std::filesystem::path& path, std::string_view contents) {
  AtomicFile file(path);
  file.append(contents);
  file.commit();
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ignored;
  if (path_.filename().empty()) cannot("write", path_, ENOENT);
  check_may_write(path_);
  if (std::filesystem::is_directory(path_, ignored)) cannot("write", path_, EISDIR);
  // A special file (/dev/stdout, a pipe) cannot be replaced by a rename; it is written in place.
  if (std::filesystem::exists(path_, ignored) && !std::filesystem::is_regular_file(path_, ignored)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) cannot("write", path_, errno);
    return;
  }
  // A link is followed, so that the file it names is replaced and the link stays.
  if (std::filesystem::is_symlink(path_, ignored)) path_ = std::filesystem::weakly_canonical(path_);
  const UnfinishedFile made = make_unfinished_file(path_.parent_path());
  descriptor_ = made.descriptor;
  if (descriptor_ < 0 && made.error == ENOENT)
    throw Error(ErrorKind::io, fmt::format("cannot write '{}': its folder does not exist", printable(path_.string())));
  if (descriptor_ < 0) cannot("write", path_, made.error);
  temporary_ = made.path;
  leftover_.note(temporary_);
  struct stat old {};  // an existing file keeps its permissions, and one that refuses writing is not replaced
  if (::stat(path_.c_str(), &old) == 0) {
    if (::access(path_.c_str(), W_OK) != 0) fail(errno);
    ::fchmod(descriptor_, old.st_mode & 07777);
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(int error) {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  cannot("write", path_, error);
}

void AtomicFile::append(std::string_view bytes) {
  const std::size_t limit = bytes_until_failure();
  while (!bytes.empty()) {
    if (written_ + bytes.size() > limit) fail(ENOSPC);
    ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    written_ += static_cast<std::size_t>(count);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void AtomicFile::commit() {
  if (!temporary_.empty() && ::fsync(descriptor_) != 0) fail(errno);
  // Another descriptor keeps the lock until the file has its name, so that nobody takes it for that of a killed
  // program.
  const int lock = temporary_.empty() ? -1 : ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  int error = ::close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno;
  if (error == 0 && !temporary_.empty() && ::rename(temporary_.c_str(), path_.c_str()) != 0) error = errno;
  if (lock >= 0) ::close(lock);
  if (error != 0) fail(error);
  leftover_.forget();
  temporary_.clear();
  tell("wrote", path_, written_);
}

InputFile::InputFile(const std::filesystem::path& path) : path_(path), descriptor_(Descriptor(path).release()) {}

InputFile::~InputFile() { ::close(descriptor_); }

std::size_t InputFile::read(std::span<char> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    ssize_t count = ::read(descriptor_, buffer.data() + filled, buffer.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) cannot("read", path_, errno);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

bool InputFile::skip(std::uint64_t bytes) { return ::lseek(descriptor_, static_cast<off_t>(bytes), SEEK_CUR) >= 0; }

bool InputFile::rewind() { return ::lseek(descriptor_, 0, SEEK_SET) == 0; }

std::optional<std::size_t> InputFile::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return static_cast<std::size_t>(status.st_size);
}

// The file is mapped over an anonymous reservation one page longer, so that the bytes after its end are readable zeros
// even when it ends exactly on a page border.
MappedFile::MappedFile(const std::filesystem::path& path) {
  Descriptor file(path);
  auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::string piped = file.is_regular() ? std::string() : read_all(file, path);
  size_ = file.is_regular() ? file.size() : piped.size();
  mapped_ = (size_ + page - 1) / page * page + page;
  void* base = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) cannot("read", path, errno);
  data_ = static_cast<const char*>(base);
  if (!file.is_regular()) {
    std::memcpy(base, piped.data(), piped.size());
  } else if (size_ > 0 && ::mmap(base, size_, PROT_READ, MAP_PRIVATE | MAP_FIXED, file.number(), 0) == MAP_FAILED) {
    int error = errno;
    ::munmap(base, mapped_);
    cannot("read", path, error);
  }
  backed_by_file_ = file.is_regular() && size_ > 0;
  if (backed_by_file_) guard_mapped(data_, size_, file.release(), path);
  tell("read", path, size_);
}

void MappedFile::give_back(std::size_t begin, std::size_t end) const {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  begin = (begin + page - 1) / page * page;
  end = end / page * page;
  // Contents of a pipe have no file to come back from.
  if (backed_by_file_ && begin < end) ::madvise(const_cast<char*>(data_) + begin, end - begin, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  forget_mapped(data_);
  ::munmap(const_cast<char*>(data_), mapped_);
}

}  // namespace takt
