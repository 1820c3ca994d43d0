#include "base/memory/mapped_ranges.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

/// Entries are used again and never freed, so a handler may walk along them whatever other threads do.
struct MappedRange {
  std::atomic<std::uintptr_t> begin{0}, end{0};  ///< end 0: free
  std::atomic<bool> missed{false};               ///< a byte was read that was not there
  int descriptor = -1;
  std::filesystem::path file;
  MappedRange* next = nullptr;  ///< set before the entry can be found

  bool has(std::uintptr_t byte) const { return byte >= begin && byte < end; }
};

std::mutex changes_of_ranges;
std::atomic<MappedRange*> mapped_ranges{nullptr};
std::uintptr_t page_size = 4096;
struct sigaction handler_before {};

std::uintptr_t number_of(const char* byte) { return reinterpret_cast<std::uintptr_t>(byte); }

template <typename Fits>
MappedRange* find_range(const Fits& fits) {
  MappedRange* range = mapped_ranges;
  while (range && !fits(*range)) range = range->next;
  return range;
}

/// Zeros from the page of the byte to the end of its range: what comes behind a missing page is missing, too. True: the
/// read can be tried again.
bool put_zeros_at(std::uintptr_t byte) {
  MappedRange* range = find_range([&](const MappedRange& one) { return one.has(byte); });
  if (!range) return false;
  const std::uintptr_t page = byte / page_size * page_size;
  range->missed = true;
  return ::mmap(reinterpret_cast<void*>(page), range->end - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                -1, 0) != MAP_FAILED;
}

void on_missing_byte(int number, siginfo_t* what, void* context) {
  const int error = errno;
  const bool is_done = what->si_code == BUS_ADRERR && put_zeros_at(reinterpret_cast<std::uintptr_t>(what->si_addr));
  errno = error;
  if (is_done) return;
  if ((handler_before.sa_flags & SA_SIGINFO) != 0) return handler_before.sa_sigaction(number, what, context);
  if (handler_before.sa_handler != SIG_DFL && handler_before.sa_handler != SIG_IGN)
    return handler_before.sa_handler(number);
  ::signal(number, SIG_DFL);  // the read is tried again, and ends the process
}

void set_bus_handler() {
  [[maybe_unused]] static const bool is_set = [] {
    page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction handler {};
    handler.sa_sigaction = on_missing_byte;
    handler.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&handler.sa_mask);
    return ::sigaction(SIGBUS, &handler, &handler_before) == 0;
  }();
}

}  // namespace

void guard_mapped(const char* begin, std::size_t size, int descriptor, const std::filesystem::path& file) {
  const std::lock_guard lock(changes_of_ranges);
  set_bus_handler();
  MappedRange* range = find_range([](const MappedRange& one) { return one.end == 0; });
  const bool is_new = range == nullptr;
  if (is_new) range = new MappedRange;
  range->missed = false;
  range->descriptor = descriptor, range->file = file;
  range->begin = number_of(begin);
  range->end = number_of(begin) + size;
  if (!is_new) return;
  range->next = mapped_ranges;
  mapped_ranges = range;
}

void forget_mapped(const char* begin) {
  const std::lock_guard lock(changes_of_ranges);
  MappedRange* range =
      find_range([&](const MappedRange& one) { return one.end != 0 && one.begin == number_of(begin); });
  if (!range) return;
  range->end = 0;
  ::close(range->descriptor);
}

void check_whole(std::string_view text) {
  const std::lock_guard lock(changes_of_ranges);
  const MappedRange* range = find_range([&](const MappedRange& one) { return one.has(number_of(text.data())); });
  if (!range) return;
  struct stat now {};
  const std::uintptr_t size = range->end - range->begin;
  const bool is_there = ::fstat(range->descriptor, &now) == 0 && static_cast<std::uintptr_t>(now.st_size) >= size;
  if (is_there && !range->missed) return;
  throw Error(
      ErrorKind::io,
      fmt::format(
          "cannot read '{}': it became shorter, or its disk failed, while it was read; read it again when no program "
          "writes it",
          printable(range->file.string())));
}

}  // namespace takt
