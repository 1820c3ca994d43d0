#include "base/system/apart.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <exception>
#include <mutex>
#include <utility>

#include "base/files/file.h"
#include "base/files/raw_write.h"
#include "base/system/child_process.h"

namespace takt {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;
constexpr int refused = 1;  ///< exit code of a copy whose answer is the message of what was thrown

/// As a program of its own that nobody listens to; its crashes are told by this process alone.
void become_a_copy(pid_t parent) {
  ::setpgid(0, 0);  // Ctrl-C is for the process that it is a copy of
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(refused);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
  listen_to_files(nullptr);
}

/// Ends by _exit: what this process would do at its end is not the copy's to do.
[[noreturn]] void work_as_copy(const std::function<std::string()>& work, int answers) {
  std::string answer;
  int code = 0;
  try {
    answer = work();
  } catch (const std::exception& error) {
    answer = error.what(), code = refused;
  } catch (...) {
    answer = "an exception of an unknown type", code = refused;
  }
  ::_exit(write_all(answers, answer) == 0 ? code : refused);
}

struct Copy {
  pid_t id = -1;
  int answers = -1;  ///< to be read, and closed
  int error = 0;     ///< why there is none
};

Copy start_copy(const std::function<std::string()>& work) {
  // A copy that another thread starts meanwhile would hold the end that this one writes to.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {.error = errno};
  const pid_t parent = ::getpid();
  const pid_t id = ::fork();
  if (id == 0) {
    become_a_copy(parent);
    work_as_copy(work, ends[1]);
  }
  const int error = id < 0 ? errno : 0;
  ::close(ends[1]);
  if (id < 0) ::close(ends[0]);
  return {id, ends[0], error};
}

/// Until its end is reached; false: not within the limits.
bool read_all(int answers, std::string& text, Nanoseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  std::array<char, 65536> bytes;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0 || text.size() > most_bytes) return false;
    pollfd ready{answers, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left, 1000))) <= 0) continue;
    const ssize_t count = ::read(answers, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    text.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

ChildProcess::End reap(pid_t id) {
  int status = 0;
  while (::waitpid(id, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return {std::nullopt, WTERMSIG(status)};
  return {WEXITSTATUS(status), std::nullopt};
}

}  // namespace

DoneApart do_apart(const std::function<std::string()>& work, Nanoseconds limit) {
  const Copy copy = start_copy(work);
  using End = DoneApart::End;
  if (copy.error != 0) return {End::crashed, "", reason_of(copy.error)};
  std::string text;
  const bool is_whole = read_all(copy.answers, text, limit);
  if (!is_whole) ::kill(copy.id, SIGKILL);
  ::close(copy.answers);
  const ChildProcess::End end = reap(copy.id);
  if (!is_whole) return {End::late, "", fmt::format("no answer within {}", format_duration(limit))};
  if (end.code == 0) return {End::answered, std::move(text), ""};
  if (end.code && !text.empty()) return {End::refused, "", std::move(text)};
  return {End::crashed, "", to_string(end)};
}

}  // namespace takt
