// Preloaded by faults_test.py: makes calls that change files fail, one at a time. Only calls on what lies in the folder
// $TAKT_FAULT_FOLDER count, so a runtime's own files do not.
//
//   TAKT_FAULT_LOG    every call that counts is a line in this file: "open PATH", "write PATH", …
//   TAKT_FAULT_AT     the number of the call that fails, from 1; unset: none
//   TAKT_FAULT_ERROR  the errno it fails with; unset: a write takes only half, and any other call goes well
//   TAKT_FAULT_STAYS  set: every call after it fails, too, as on a disk that stays full
//
// The start of a program (posix_spawn) counts as "spawn" on that folder: it fails with the same error.
// A close() counts where something was written, for only then has it anything to report.
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string>

#define TAKT_INTERPOSE extern "C" [[gnu::visibility("default")]]

namespace {

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

long number_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atol(text);
}

struct Settings {
  std::string folder, log;
  long at = number_of("TAKT_FAULT_AT"), error = number_of("TAKT_FAULT_ERROR");
  bool stays = std::getenv("TAKT_FAULT_STAYS") != nullptr;

  Settings() {
    if (const char* text = std::getenv("TAKT_FAULT_FOLDER")) folder = text;
    if (const char* text = std::getenv("TAKT_FAULT_LOG")) log = text;
  }
};

const Settings& settings() {
  static const Settings read;
  return read;
}

std::array<std::atomic<bool>, 4096> written;  // by descriptor
std::atomic<long> counted{0};

std::atomic<bool>* written_of(int descriptor) {
  const auto index = static_cast<std::size_t>(descriptor);
  return descriptor >= 0 && index < written.size() ? &written[index] : nullptr;
}

std::string path_of(int descriptor) {
  char path[PATH_MAX];
  const ssize_t size = ::readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path, sizeof path);
  return size < 0 ? std::string() : std::string(path, static_cast<std::size_t>(size));
}

/// Absolute where `path` is relative to the folder of the process; nothing here opens relative to another folder.
std::string absolute(const char* path) {
  char folder[PATH_MAX];
  if (path[0] == '/' || ::getcwd(folder, sizeof folder) == nullptr) return path;
  return std::string(folder) + "/" + path;
}

bool counts(const std::string& path) {
  const std::string& folder = settings().folder;
  return !folder.empty() && path.compare(0, folder.size(), folder) == 0 &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

void note(const char* call, const std::string& path) {
  static const auto open_file = real<int (*)(const char*, int, ...)>("open");
  static const auto write_file = real<ssize_t (*)(int, const void*, std::size_t)>("write");
  static const auto close_file = real<int (*)(int)>("close");
  if (settings().log.empty()) return;
  const int log = open_file(settings().log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const std::string line = std::string(call) + " " + path + "\n";
  if (log < 0 || write_file(log, line.data(), line.size()) < 0) std::abort();
  close_file(log);
}

enum class Fate { goes_well, fails, is_cut_short };

/// Counts one call on `path`; a failing one has its errno set.
Fate fate_of(const char* call, const std::string& path) {
  if (!counts(path)) return Fate::goes_well;
  note(call, path);
  const long number = ++counted;
  const Settings& wanted = settings();
  if (wanted.at == 0 || number < wanted.at || (number > wanted.at && !wanted.stays)) return Fate::goes_well;
  if (wanted.error == 0) return Fate::is_cut_short;
  errno = static_cast<int>(wanted.error);
  return Fate::fails;
}

bool fails(const char* call, const std::string& path) { return fate_of(call, path) == Fate::fails; }

template <class Open, class... Arguments>
int open_with(Open open_file, const std::string& path, int flags, Arguments... arguments) {
  const bool is_for_writing = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0;
  if (is_for_writing && fails("open", path)) return -1;
  const int descriptor = open_file(arguments...);
  if (auto* is_written = written_of(descriptor)) *is_written = false;
  return descriptor;
}

mode_t mode_of(int flags, va_list arguments) { return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0; }

void mark_written(int descriptor) {
  if (auto* is_written = written_of(descriptor)) *is_written = true;
}

}  // namespace

#define TAKT_INTERPOSE_OPEN(name)                                                 \
  TAKT_INTERPOSE int name(const char* path, int flags, ...) {                     \
    va_list arguments;                                                            \
    va_start(arguments, flags);                                                   \
    const mode_t mode = mode_of(flags, arguments);                                \
    va_end(arguments);                                                            \
    static const auto open_file = real<int (*)(const char*, int, mode_t)>(#name); \
    return open_with(open_file, absolute(path), flags, path, flags, mode);        \
  }                                                                               \
  static_assert(true)

#define TAKT_INTERPOSE_OPENAT(name)                                                    \
  TAKT_INTERPOSE int name(int folder, const char* path, int flags, ...) {              \
    va_list arguments;                                                                 \
    va_start(arguments, flags);                                                        \
    const mode_t mode = mode_of(flags, arguments);                                     \
    va_end(arguments);                                                                 \
    static const auto open_file = real<int (*)(int, const char*, int, mode_t)>(#name); \
    return open_with(open_file, absolute(path), flags, folder, path, flags, mode);     \
  }                                                                                    \
  static_assert(true)

TAKT_INTERPOSE_OPEN(open);
TAKT_INTERPOSE_OPEN(open64);
TAKT_INTERPOSE_OPENAT(openat);
TAKT_INTERPOSE_OPENAT(openat64);

TAKT_INTERPOSE ssize_t write(int descriptor, const void* bytes, std::size_t size) {
  static const auto write_file = real<ssize_t (*)(int, const void*, std::size_t)>("write");
  const Fate fate = fate_of("write", path_of(descriptor));
  if (fate == Fate::fails) return -1;
  mark_written(descriptor);
  return write_file(descriptor, bytes, fate == Fate::is_cut_short ? size / 2 : size);
}

TAKT_INTERPOSE ssize_t writev(int descriptor, const iovec* parts, int count) {
  static const auto write_file = real<ssize_t (*)(int, const iovec*, int)>("writev");
  const Fate fate = fate_of("writev", path_of(descriptor));
  if (fate == Fate::fails) return -1;
  mark_written(descriptor);
  return write_file(descriptor, parts, fate == Fate::is_cut_short ? 1 : count);
}

#define TAKT_INTERPOSE_PWRITE(name)                                                                \
  TAKT_INTERPOSE ssize_t name(int descriptor, const void* bytes, std::size_t size, off_t offset) { \
    static const auto write_file = real<ssize_t (*)(int, const void*, std::size_t, off_t)>(#name); \
    const Fate fate = fate_of("pwrite", path_of(descriptor));                                      \
    if (fate == Fate::fails) return -1;                                                            \
    mark_written(descriptor);                                                                      \
    return write_file(descriptor, bytes, fate == Fate::is_cut_short ? size / 2 : size, offset);    \
  }                                                                                                \
  static_assert(true)

TAKT_INTERPOSE_PWRITE(pwrite);
TAKT_INTERPOSE_PWRITE(pwrite64);

TAKT_INTERPOSE int fsync(int descriptor) {
  static const auto flush = real<int (*)(int)>("fsync");
  return fails("fsync", path_of(descriptor)) ? -1 : flush(descriptor);
}

TAKT_INTERPOSE int fdatasync(int descriptor) {
  static const auto flush = real<int (*)(int)>("fdatasync");
  return fails("fdatasync", path_of(descriptor)) ? -1 : flush(descriptor);
}

#define TAKT_INTERPOSE_FTRUNCATE(name)                                           \
  TAKT_INTERPOSE int name(int descriptor, off_t size) noexcept {                 \
    static const auto cut = real<int (*)(int, off_t)>(#name);                    \
    return fails("ftruncate", path_of(descriptor)) ? -1 : cut(descriptor, size); \
  }                                                                              \
  static_assert(true)

TAKT_INTERPOSE_FTRUNCATE(ftruncate);
TAKT_INTERPOSE_FTRUNCATE(ftruncate64);

/// The descriptor is closed either way, as Linux does it.
TAKT_INTERPOSE int close(int descriptor) {
  static const auto close_file = real<int (*)(int)>("close");
  auto* is_written = written_of(descriptor);
  const bool failed = is_written != nullptr && is_written->exchange(false) && fails("close", path_of(descriptor));
  const int error = errno;
  const int done = close_file(descriptor);
  if (failed) errno = error;
  return failed ? -1 : done;
}

TAKT_INTERPOSE int rename(const char* from, const char* to) noexcept {
  static const auto rename_file = real<int (*)(const char*, const char*)>("rename");
  return fails("rename", absolute(to)) ? -1 : rename_file(from, to);
}

TAKT_INTERPOSE int mkdir(const char* path, mode_t mode) noexcept {
  static const auto make = real<int (*)(const char*, mode_t)>("mkdir");
  return fails("mkdir", absolute(path)) ? -1 : make(path, mode);
}

TAKT_INTERPOSE int posix_spawn(pid_t* id, const char* path, const posix_spawn_file_actions_t* actions,
                               const posix_spawnattr_t* attributes, char* const words[], char* const variables[]) {
  static const auto spawn = real<decltype(&::posix_spawn)>("posix_spawn");
  return fails("spawn", settings().folder) ? errno : spawn(id, path, actions, attributes, words, variables);
}
