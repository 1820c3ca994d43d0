#include "base/system/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "base/basics/check.h"
#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/raw_write.h"
#include "base/files/sudden_end.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

/// Read before main(): a parent that dies while the command line is read would leave this process to another one.
const pid_t parent_at_start = ::getppid();

[[noreturn]] void cannot_start(std::string_view program, int error) {
  throw Error(ErrorKind::io, fmt::format("cannot start '{}': {}", printable(program), reason_of(error)));
}

/// A file in memory that a child reads or writes; closed in other children.
int memory_file(const char* name) { return ::memfd_create(name, MFD_CLOEXEC); }

/// Without a signal for a reader that is gone.
bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// Descriptors that are closed when the start of a child fails half way.
struct Descriptors {
  int input = -1, more_input = -1, errors = -1;
  std::array<int, 2> output{-1, -1};

  bool open_input(std::string_view bytes, ChildProcess::Input kind) {
    if (kind == ChildProcess::Input::whole) {
      input = memory_file("input");
      return input >= 0 && write_all(input, bytes) == 0 && ::lseek(input, 0, SEEK_SET) == 0;
    }
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
    more_input = ends[0], input = ends[1];
    return send_all(more_input, bytes);
  }

  void close_all() {
    for (int* one : {&input, &more_input, &errors, &output[0], &output[1]})
      if (*one >= 0) ::close(*one), *one = -1;
  }
};

/// Signals as a new program expects them: this one may have chosen to ignore some.
int spawn(const std::vector<std::string>& command, const Descriptors& files, pid_t& id) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, files.input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, files.output[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, files.errors, STDERR_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  // A process group of its own: Ctrl-C in the terminal is for the parent, which ends its children in order.
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int error = ::posix_spawn(&id, words.front(), &actions, &attributes, words.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

ChildProcess::End end_of(int status) {
  if (WIFSIGNALED(status)) return {std::nullopt, WTERMSIG(status)};
  return {WEXITSTATUS(status), std::nullopt};
}

/// What it ended with, or nullopt: it still runs at the end of the limit.
std::optional<ChildProcess::End> reaped(pid_t id, Nanoseconds limit) {
  const Nanoseconds deadline = steady_now() + limit;
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(id, &status, WNOHANG);
    if (ended == id) return end_of(status);
    if (ended < 0 && errno != EINTR) return ChildProcess::End{};  // somebody else has reaped it
    if (steady_now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(1ms);
  }
}

/// The child and whatever it started. A program of takt's own removes its temporary files when it is asked to end; what
/// does not listen is killed. nullopt: not even that has ended it within the limit.
std::optional<ChildProcess::End> killed(pid_t id, Nanoseconds limit) {
  constexpr Nanoseconds listens_within = 200ms;
  ::kill(-id, SIGTERM);
  ::kill(-id, SIGCONT);
  auto end = reaped(id, listens_within);
  ::kill(-id, SIGKILL);
  if (end) return end;
  ::kill(id, SIGKILL);
  return reaped(id, limit);
}

/// Those that run. A sudden end kills them and lets nobody start more.
class Children {
 public:
  Children() {
    at_sudden_end([this] {
      mutex_.lock();  // for good
      for (const pid_t id : running_) killed(id, 500ms);
    });
  }
  void add(pid_t id) {
    const std::lock_guard lock(mutex_);
    running_.insert(id);
  }
  void remove(pid_t id) {
    const std::lock_guard lock(mutex_);
    running_.erase(id);
  }

 private:
  std::mutex mutex_;
  std::set<pid_t> running_;
};

/// Never destroyed: a process may end suddenly while its statics are.
Children& children() {
  static auto& instance = *new Children;
  return instance;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command, std::string_view input, Input kind) {
  Descriptors files;
  files.errors = memory_file("errors");
  int error = 0;
  if (files.errors < 0 || ::pipe2(files.output.data(), O_CLOEXEC) != 0 || !files.open_input(input, kind)) error = errno;
  if (error == 0) error = spawn(command, files, id_);
  if (error != 0) {
    files.close_all();
    cannot_start(command.front(), error);
  }
  children().add(id_);
  std::swap(input_, files.more_input);
  std::swap(output_, files.output[0]);
  std::swap(errors_, files.errors);
  files.close_all();
}

ChildProcess::~ChildProcess() {
  kill_and_reap();
  if (input_ >= 0) ::close(input_);
  ::close(output_);
  ::close(errors_);
}

ChildProcess::Answer ChildProcess::next(std::string& text, Nanoseconds limit, const std::atomic<bool>* stop) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (;;) {
    if (const auto line_end = pending_.find('\n'); line_end != pending_.npos) {
      text = pending_.substr(0, line_end);
      pending_.erase(0, line_end + 1);
      return Answer::line;
    }
    if (stop && *stop) return Answer::stopped;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left <= 0ms) return Answer::late;
    pollfd ready{output_, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(std::min(left, 100ms).count())) <= 0) continue;
    std::array<char, 65536> bytes;
    const ssize_t count = ::read(output_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Answer::ended;  // a torn last line is no answer
    pending_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

void ChildProcess::tell(std::string_view line) {
  TAKT_CHECK(input_ >= 0);
  send_all(input_, std::string(line) + '\n');
}

ChildProcess::End ChildProcess::end() {
  if (!end_) {
    end_ = reaped(id_, 500ms);
    if (end_) children().remove(id_);
  }
  kill_and_reap();
  return *end_;
}

void ChildProcess::kill_and_reap() {
  if (end_ || id_ < 0) return;
  end_ = killed(id_, std::chrono::hours(24 * 365));
  if (!end_) end_ = End{};
  children().remove(id_);
}

std::string ChildProcess::last_words() const {
  constexpr off_t most = 4096;
  const off_t size = ::lseek(errors_, 0, SEEK_END);
  const off_t from = std::max<off_t>(0, size - most);
  std::string text(static_cast<std::size_t>(std::max<off_t>(0, size - from)), '\0');
  const ssize_t count = ::pread(errors_, text.data(), text.size(), from);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, count)));
  std::string last;
  for (const std::string& line : split(text, '\n'))
    if (!trim(line).empty()) last = trim(line);
  return last;
}

std::string to_string(const ChildProcess::End& end) {
  if (end.signal) return fmt::format("signal {} ({})", *end.signal, ::strsignal(*end.signal));
  return fmt::format("exit code {}", end.code.value_or(0));
}

std::string reason_of_end(ChildProcess& child, std::string_view what) {
  constexpr std::string_view own = "takt: ";
  const ChildProcess::End end = child.end();
  const std::string words = child.last_words();
  if (end.code == 1 && words.starts_with(own)) return printable(words.substr(own.size()));
  return fmt::format("{} ended with {}{}{}", what, to_string(end), words.empty() ? "" : ": ", printable(words));
}

void end_with_parent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before
}

void watch_parent() {
  std::thread([] {
    while (::getppid() == parent_at_start) std::this_thread::sleep_for(20ms);
    ::_exit(1);  // at once, whatever the other threads wait for
  }).detach();
}

std::string path_of_this_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace takt
