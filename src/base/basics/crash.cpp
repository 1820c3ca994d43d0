#include "base/basics/crash.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>

#include "base/basics/leftovers.h"

namespace takt {
namespace {

constexpr int most_calls = 64;
constexpr std::size_t stack_bytes = std::size_t{64} << 10;  // a frame with AVX-512 registers takes some 3 kB of it

struct NotedCall {
  std::atomic<bool> taken{false};
  std::atomic<std::int64_t> number{0};  ///< in order of the calls, from 1; 0: not to be read
  std::array<char, 400> where{};
  std::array<char, 60> step{};
};

std::array<NotedCall, most_calls> calls;
std::atomic<std::int64_t> calls_made{0};
thread_local int call_of_this_thread = -1;

std::atomic<bool> told{false}, begun{false};
std::array<char, 200> uncaught{};  // what an exception says that nobody caught
bool dumps_core = false;

template <std::size_t Size>
void copy_to(std::array<char, Size>& to, std::string_view text) noexcept {
  to[text.copy(to.data(), Size - 1)] = '\0';
}

/// A line on standard error, put together without memory from the heap.
class Line {
 public:
  Line& operator<<(std::string_view text) noexcept {
    size_ += text.copy(bytes_.data() + size_, bytes_.size() - size_);
    return *this;
  }
  Line& operator<<(int number) noexcept {
    std::array<char, 12> digits;
    std::size_t first = digits.size();
    do digits[--first] = static_cast<char>('0' + number % 10);
    while ((number /= 10) > 0);
    return *this << std::string_view(digits.data() + first, digits.size() - first);
  }
  void write() const noexcept { static_cast<void>(!::write(STDERR_FILENO, bytes_.data(), size_)); }

 private:
  std::array<char, 1024> bytes_{};
  std::size_t size_ = 0;
};

std::string_view words_for(int signal) noexcept {
  switch (signal) {
    case SIGSEGV:
      return "segmentation fault";
    case SIGBUS:
      return "bus error";
    case SIGILL:
      return "illegal instruction";
    case SIGFPE:
      return "arithmetic error";
    default:
      return "aborted";
  }
}

/// Of the crashed thread; else, on a thread of an SDK, the one that began last.
const NotedCall* call_at_fault() noexcept {
  if (call_of_this_thread >= 0) return &calls[static_cast<std::size_t>(call_of_this_thread)];
  const NotedCall* last = nullptr;
  for (const NotedCall& call : calls)
    if (call.number > 0 && (!last || last->number < call.number)) last = &call;
  return last;
}

void tell(int signal) noexcept {
  Line line;
  line << "takt: ";
  const NotedCall* const call = call_at_fault();
  if (call) line << call->where.data() << ": ";
  line << "crashed (signal " << signal << ", " << words_for(signal);
  if (uncaught[0] != '\0') line << ": " << uncaught.data();
  line << ")";
  if (call && call->step[0] != '\0') line << " while " << call->step.data();
  line << (call ? "; try another runtime, or another version of this one\n"
                : ": a bug in takt or in a library; please report it with the command\n");
  line.write();
}

void end_after_crash(int signal) {
  if (begun.exchange(true))
    for (;;) ::pause();  // another thread tells and ends
  if (!told) tell(signal);
  remove_leftovers();
  if (!dumps_core) ::_exit(1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// What it says is kept for the sentence; the abort comes to the handler. (The library's own would write lines.)
[[noreturn]] void end_uncaught() {
  try {
    if (const auto exception = std::current_exception()) std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    copy_to(uncaught, error.what());
    std::replace(uncaught.begin(), uncaught.end(), '\n', ' ');
  } catch (...) {
    copy_to(uncaught, "an exception of an unknown type");
  }
  std::abort();
}

void use_stack(std::byte* memory) noexcept {
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = stack_bytes;
  stack.ss_flags = memory ? 0 : SS_DISABLE;
  ::sigaltstack(&stack, nullptr);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_watched_by_sanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool is_watched_by_sanitizer = true;
#else
constexpr bool is_watched_by_sanitizer = false;
#endif
#else
constexpr bool is_watched_by_sanitizer = false;
#endif

}  // namespace

ForeignCall::ForeignCall(std::string_view where, std::string_view step, Thread thread) noexcept : thread_(thread) {
  const std::int64_t number = ++calls_made;
  for (std::int64_t tried = 0; tried < most_calls && place_ < 0; ++tried) {
    const auto place = static_cast<std::size_t>((number + tried) % most_calls);
    if (!calls[place].taken.exchange(true)) place_ = static_cast<int>(place);
  }
  if (place_ < 0) return;
  NotedCall& call = calls[static_cast<std::size_t>(place_)];
  copy_to(call.where, where);
  copy_to(call.step, step);
  call.number = number;
  if (thread_ == Thread::any) return;
  before_ = call_of_this_thread;
  call_of_this_thread = place_;
}

ForeignCall::~ForeignCall() {
  if (place_ < 0) return;
  if (thread_ == Thread::this_one) call_of_this_thread = before_;
  NotedCall& call = calls[static_cast<std::size_t>(place_)];
  call.number = 0;
  call.taken = false;
}

void tell_crashes() {
  if (is_watched_by_sanitizer) return;
  static CrashStack stack;
  const char* const wanted = std::getenv("TAKT_CORE_DUMP");
  dumps_core = wanted && std::string_view(wanted) == "1";
  struct sigaction action {};
  action.sa_handler = end_after_crash;
  action.sa_flags = SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) sigaction(signal, &action, nullptr);
  std::set_terminate(end_uncaught);
}

void crash_is_told() noexcept { told = true; }

CrashStack::CrashStack() {
  if (is_watched_by_sanitizer) return;
  memory_ = std::make_unique<std::byte[]>(stack_bytes);
  use_stack(memory_.get());
}

CrashStack::~CrashStack() {
  if (memory_) use_stack(nullptr);
}

}  // namespace takt
