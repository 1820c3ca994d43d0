#include "base/system/interrupt.h"

#include <fmt/format.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/files/sudden_end.h"
#include "base/system/log.h"
#include "base/system/watched_work.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

// After the first signal. Most runs end by themselves before anything is said.
constexpr Nanoseconds told_after = 250ms, cancelled_after = 500ms, left_after = 1s;
constexpr Nanoseconds same_wish = 100ms;  // a signal so soon after the one before
constexpr int most_patience = 2;          // signals; the next one ends the process by itself, whatever hangs
constexpr std::size_t stack_bytes = std::size_t{512} * 1024;

// Set and read by a signal handler.
std::atomic<bool> asked_to_stop{false};
std::atomic<int> first_signal{0}, signals{0};
std::atomic<std::int64_t> last_wish{0};  ///< steady clock
sem_t signalled;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

std::atomic<int> holders{0};  ///< Interrupts that live
std::atomic<bool> is_watched{false}, is_work_over{false}, is_usual_end{false};
std::atomic<int> last_code{0};             ///< what main() returned
std::atomic<std::int64_t> returned_at{0};  ///< when, steady clock; 0: not yet

struct Cancels {
  std::mutex mutex;
  std::list<std::function<void()>> all;
};

/// Never destroyed: sessions may be destroyed after everything else.
Cancels& cancels() {
  static auto& instance = *new Cancels;
  return instance;
}

/// `timeout` sends its signal twice, to the program and to its group; that is one wish to end.
bool is_same_wish() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t at = now.tv_sec * 1'000'000'000LL + now.tv_nsec;
  const std::int64_t before = last_wish;
  if (before != 0 && at - before < same_wish.count()) return true;
  last_wish = at;
  return false;
}

void note_signal(int number) {
  const int before = errno;
  if (is_same_wish()) {
    errno = before;
    return;
  }
  int none = 0;
  first_signal.compare_exchange_strong(none, number);
  asked_to_stop = true;
  const int most = is_watched ? most_patience : 1;
  if (++signals > most) {
    std::signal(number, SIG_DFL);
    ::raise(number);
  }
  sem_post(&signalled);
  errno = before;
}

/// Until the next signal; false: none came before `deadline`, of the steady clock.
bool next_signal(std::optional<Nanoseconds> deadline = {}) {
  if (!deadline) {
    while (sem_wait(&signalled) != 0) {
    }
    return true;
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*deadline);
  const timespec until{static_cast<time_t>(seconds.count()), static_cast<long>((*deadline - seconds).count())};
  for (;;) {
    if (sem_clockwait(&signalled, CLOCK_MONOTONIC, &until) == 0) return true;
    if (errno != EINTR) return false;
  }
}

/// Not by the streams of the library, which a thread that hangs may hold.
void say(const std::string& text) {
  const std::string_view bar_away = ::isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : "";
  const std::string line = fmt::format("{}takt: {}\n", bar_away, text);
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;  // nobody listens
}

[[noreturn]] void end_now(const std::string& why) {
  if (returned_at != 0) end_suddenly(last_code);
  say(why);
  log_failure(why);
  end_suddenly(is_usual_end ? 0 : 128 + first_signal);
}

/// The command is told to end, and how it is ended at once.
std::string ending() {
  return fmt::format("stopping after this run; {} stops it immediately",
                     first_signal == SIGINT ? "Ctrl-C again" : "a second signal");
}

std::string left_behind() {
  const std::string step = begun_step();
  return fmt::format("interrupted{}{}: it did not return within a second and was abandoned", step.empty() ? "" : " at ",
                     step);
}

/// On a thread of its own: what cancels may hang as well.
void* cancel_all(void*) {
  const std::lock_guard lock(cancels().mutex);
  for (const auto& cancel : cancels().all) cancel();
  return nullptr;
}

/// Without signals of its own: they are for the threads that work. False: there is none to be had.
bool start_thread(void* (*body)(void*)) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const bool starts = pthread_create(&thread, &attributes, body, nullptr) == 0;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return starts;
}

/// The process ends by itself where it can: main() returns while this waits.
void* watch_over_end(void*) {
  next_signal();
  const Nanoseconds began = steady_now();
  if (holders == 0) end_now("interrupted");
  if (next_signal(began + told_after)) end_now("interrupted");
  if (holders > 0 && !is_work_over) say(ending());
  if (next_signal(began + cancelled_after)) end_now("interrupted");
  if (!is_work_over) start_thread(cancel_all);
  if (!next_signal(began + left_after) && holders > 0 && !is_work_over) end_now(left_behind());
  const auto hangs_at_exit = [] { return returned_at != 0 && steady_now() - Nanoseconds(returned_at) > left_after; };
  while (signals < most_patience && !hangs_at_exit()) next_signal(steady_now() + told_after);
  end_now("interrupted");
}

bool is_ignored(int number) {
  struct sigaction now {};
  return sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

void end_by_signals() {
  sem_init(&signalled, 0, 0);
  is_watched = start_thread(watch_over_end);
  struct sigaction wanted {};
  wanted.sa_handler = note_signal;
  wanted.sa_flags = SA_RESTART;
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    if (number != SIGHUP || !is_ignored(number)) sigaction(number, &wanted, nullptr);
}

int exit_code(int own) {
  const int code = first_signal == 0 || is_usual_end ? own : 128 + first_signal;
  last_code = code;
  returned_at = steady_now().count();
  return code;
}

Interrupt::Interrupt(Means means) {
  is_work_over = false;
  is_usual_end = means == Means::done;
  ++holders;
}

Interrupt::~Interrupt() { --holders; }

const std::atomic<bool>& Interrupt::requested() const { return asked_to_stop; }

void Interrupt::work_is_over() const { is_work_over = true; }

CancelledByInterrupt::CancelledByInterrupt(std::function<void()> cancel) {
  const std::lock_guard lock(cancels().mutex);
  place_ = cancels().all.insert(cancels().all.end(), std::move(cancel));
}

CancelledByInterrupt::~CancelledByInterrupt() {
  const std::lock_guard lock(cancels().mutex);
  cancels().all.erase(place_);
}

}  // namespace takt
