#include "base/files/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/file_roles.h"

namespace takt {
namespace {

[[noreturn]] void cannot_append(const std::filesystem::path& path, const std::string& why) {
  throw Error(ErrorKind::io, fmt::format("cannot append to '{}': {}", printable(path.string()), why));
}

bool looks_like_object(std::string_view line) { return line.size() > 1 && line.front() == '{' && line.back() == '}'; }

/// Blocks of a file that a power cut kept from the disk read as NUL bytes.
std::string_view without_nuls(std::string_view line) {
  const std::size_t first = line.find_first_not_of('\0');
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of('\0') - first + 1);
}

struct FoundLine {
  std::string_view text;
  std::size_t number = 0;
  bool is_damaged = false;  ///< it is no object, or NUL bytes stand around it
};

struct Contents {
  std::vector<FoundLine> lines;
  std::size_t end = 0;          ///< behind the last line that counts
  bool lacks_line_end = false;  ///< of that line
};

[[noreturn]] void refuse_no_journal(const std::filesystem::path& path) {
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: line 1 is not a JSON object, so this is not a journal; choose another file",
                          printable(path.string())));
}

/// A file whose first line is no object is refused rather than cut: a mistyped path must not cost anybody a file. No
/// proper prefix of an object is an object, so a last line that parses lacks only its end, and one that does not is
/// torn.
Contents parse(std::string_view text, const std::filesystem::path& path) {
  Contents contents;
  std::size_t at = 0, number = 0;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at), all = rest.substr(0, rest.find('\n'));
    const bool is_whole = all.size() < rest.size();
    const std::string_view line = without_nuls(all);
    ++number;
    if (number == 1 && !line.empty() && (is_whole ? !looks_like_object(line) : line.front() != '{'))
      refuse_no_journal(path);
    const bool begins = !line.empty() && line.front() == '{';
    if (!is_whole && (line.empty() || (begins && !nlohmann::json::accept(line)))) break;
    contents.lines.push_back({line, number, !looks_like_object(line) || (is_whole && line.size() != all.size())});
    at += all.size() + 1;
    contents.lacks_line_end = !is_whole;
    contents.end = is_whole ? at : static_cast<std::size_t>(line.data() - text.data()) + line.size();
  }
  return contents;
}

/// A new name survives a power cut only after its folder is flushed. A folder that cannot be opened, or a file system
/// that flushes none (EINVAL), is no failure of the disk.
void flush_folder(const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (error == EIO || error == ENOSPC || error == EDQUOT) cannot_append(path, reason_of(error));
}

/// Opened for appending and locked.
int open_locked(const std::filesystem::path& path) {
  check_may_write(path);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
  if (descriptor < 0) {
    const int error = errno;
    cannot_append(path, error == ENOENT ? "its folder does not exist" : reason_of(error));
  }
  struct stat status {};
  std::string why;
  if (::fstat(descriptor, &status) != 0)
    why = reason_of(errno);
  else if (!S_ISREG(status.st_mode))
    why = "it is not a regular file";
  else if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    why = errno == EWOULDBLOCK ? "another run is writing it; wait for its end or choose another file"
                               : "it cannot be locked: " + reason_of(errno);
  if (why.empty()) return descriptor;
  ::close(descriptor);
  cannot_append(path, why);
}

}  // namespace

Journal::Journal(const std::filesystem::path& path) : path_(path), descriptor_(open_locked(path)) {
  try {
    const std::string text = read_file(path_);
    const Contents contents = parse(text, path_);
    end_ = static_cast<std::int64_t>(contents.end);
    if (contents.end < text.size() && ::ftruncate(descriptor_, end_) != 0) cannot_append(path_, reason_of(errno));
    if (contents.lacks_line_end) {
      const ssize_t count = ::write(descriptor_, "\n", 1);
      if (count != 1) cannot_append(path_, reason_of(count < 0 ? errno : ENOSPC));
      ++end_;
    }
    if (text.empty()) flush_folder(path_);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

Journal::~Journal() { ::close(descriptor_); }

void Journal::undo(int error) {
  // Even if this fails the next append() cuts again, so half a line never stands before a whole one.
  [[maybe_unused]] const int ignored = ::ftruncate(descriptor_, end_);
  cannot_append(path_, reason_of(error == 0 ? ENOSPC : error));
}

void Journal::append(std::string_view json_object_line) {
  if (json_object_line.find_first_of("\r\n") != std::string_view::npos || !looks_like_object(json_object_line))
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: a journal takes JSON objects of one line, not '{}'", printable(path_.string()),
                            printable(json_object_line.substr(0, 60))));
  const std::string line = std::string(json_object_line) + '\n';
  const std::lock_guard lock(mutex_);
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) cannot_append(path_, reason_of(errno));
  if (status.st_size > end_ && ::ftruncate(descriptor_, end_) != 0) cannot_append(path_, reason_of(errno));
  ssize_t count = -1;
  do count = ::write(descriptor_, line.data(), line.size());
  while (count < 0 && errno == EINTR);
  if (count != static_cast<ssize_t>(line.size())) undo(count < 0 ? errno : 0);
  if (::fdatasync(descriptor_) != 0) undo(errno);
  end_ += count;
}

std::string JournalDamage::to_text(const std::filesystem::path& path) const {
  if (lines == 0) return "";
  const std::string name = printable(path.string());
  if (lines == 1) return fmt::format("{}: line {} is damaged and ignored", name, first);
  return fmt::format("{}: {} lines are damaged and ignored, the first of them line {}", name, lines, first);
}

JournalDamage read_journal(const std::filesystem::path& path, const std::function<void(const JournalLine&)>& take) {
  const std::string text = read_file(path), name = printable(path.string());
  JournalDamage damage;
  for (const FoundLine& line : parse(text, path).lines) {
    bool is_damaged = line.is_damaged;
    if (looks_like_object(line.text)) try {
        take({line.text, line.number, fmt::format("{}:{}", name, line.number)});
      } catch (const Error&) {
        is_damaged = !nlohmann::json::accept(line.text);
        if (!is_damaged || line.number == 1) throw;
      }
    if (is_damaged && damage.lines++ == 0) damage.first = line.number;
  }
  return damage;
}

}  // namespace takt
