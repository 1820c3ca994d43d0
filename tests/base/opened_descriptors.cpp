#include "base/opened_descriptors.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdlib>
#include <filesystem>
#include <set>

namespace takt {
namespace {

std::atomic<OpenedDescriptors*> listening{nullptr};

bool is_inherited(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFD);
  return flags >= 0 && (flags & FD_CLOEXEC) == 0;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::set<int> inheritable_now() {
  std::set<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    if (const int number = std::atoi(entry.path().filename().c_str()); number > 2 && is_inherited(number))
      found.insert(number);
  return found;
}

const std::set<int> at_the_beginning = inheritable_now();

/// The function of the C library.
template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

int told(const char* function, const std::string& what, int descriptor) {
  const int error = errno;
  if (OpenedDescriptors* const list = listening.load(); list && descriptor >= 0)
    list->add(function, what, is_inherited(descriptor));
  errno = error;
  return descriptor;
}

int told_both(const char* function, int status, const int* ends) {
  if (status == 0)
    for (const int end : {ends[0], ends[1]}) told(function, "", end);
  return status;
}

}  // namespace

OpenedDescriptors::OpenedDescriptors() { listening = this; }
OpenedDescriptors::~OpenedDescriptors() { listening = nullptr; }

void OpenedDescriptors::add(const std::string& function, const std::string& what, bool inherits) {
  const std::lock_guard lock(mutex_);
  functions_.push_back(function);
  if (inherits) inherited_.push_back(function + "(" + what + ")");
}

std::string OpenedDescriptors::functions() const {
  const std::lock_guard lock(mutex_);
  return joined(functions_);
}

std::string OpenedDescriptors::inherited() const {
  const std::lock_guard lock(mutex_);
  return joined(inherited_);
}

std::string inheritable_descriptors() {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const int number : inheritable_now())
    if (!at_the_beginning.contains(number))
      found.push_back(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(number), ignored).string());
  return joined(found);
}

}  // namespace takt

/// In the place of the C library's.
extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  static auto* const next = takt::real<int(const char*, int, ...)>("open");
  return takt::told("open", path, next(path, flags, mode));
}

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  static auto* const next = takt::real<int(int, const char*, int, ...)>("openat");
  return takt::told("openat", path, next(folder, path, flags, mode));
}

int mkostemp(char* path, int flags) {
  static auto* const next = takt::real<int(char*, int)>("mkostemp");
  return takt::told("mkostemp", path, next(path, flags));
}

int memfd_create(const char* name, unsigned flags) noexcept {
  static auto* const next = takt::real<int(const char*, unsigned)>("memfd_create");
  return takt::told("memfd_create", name, next(name, flags));
}

int socket(int domain, int type, int protocol) noexcept {
  static auto* const next = takt::real<int(int, int, int)>("socket");
  return takt::told("socket", "", next(domain, type, protocol));
}

int accept4(int listener, sockaddr* name, socklen_t* size, int flags) {
  static auto* const next = takt::real<int(int, sockaddr*, socklen_t*, int)>("accept4");
  return takt::told("accept4", "", next(listener, name, size, flags));
}

int pipe2(int* ends, int flags) noexcept {
  static auto* const next = takt::real<int(int*, int)>("pipe2");
  return takt::told_both("pipe2", next(ends, flags), ends);
}

int socketpair(int domain, int type, int protocol, int* ends) noexcept {
  static auto* const next = takt::real<int(int, int, int, int*)>("socketpair");
  return takt::told_both("socketpair", next(domain, type, protocol, ends), ends);
}

int fcntl(int descriptor, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  static auto* const next = takt::real<int(int, int, ...)>("fcntl");
  const int result = next(descriptor, command, argument);
  if (command != F_DUPFD && command != F_DUPFD_CLOEXEC) return result;
  return takt::told("fcntl", "a second of " + std::to_string(descriptor), result);
}

}  // extern "C"
