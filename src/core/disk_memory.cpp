#include "core/disk_memory.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace takt {
namespace {

constexpr auto look_every = std::chrono::milliseconds(1);

std::atomic<DiskMemory*> looked_after{nullptr};  // by the signal handler; one in a program

std::size_t page_size() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

bool is_in_memory(int file) {
  struct statfs system {};
  if (::fstatfs(file, &system) != 0) return false;
  return system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC;
}

/// -1: no file without a name can be made there, or it would lie in memory.
int unnamed_file(const std::filesystem::path& folder) {
  int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) {  // not every file system has such files
    std::string name = (folder / ".takt-XXXXXX").string();
    file = ::mkostemp(name.data(), O_CLOEXEC);
    if (file >= 0) ::unlink(name.c_str());
  }
  if (file >= 0 && is_in_memory(file)) ::close(std::exchange(file, -1));
  return file;
}

constexpr int no_room = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;

/// Room on the disk, or with `no_room` none any longer. False: there is too little.
bool set_room(int file, int mode, std::size_t offset, std::size_t size) {
  int result = 0;
  do result = ::fallocate(file, mode, static_cast<off_t>(offset), static_cast<off_t>(size));
  while (result != 0 && errno == EINTR);
  return result == 0;
}

/// Addresses without memory.
char* reserve(char* at, std::size_t bytes) {
  constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const begin = ::mmap(at, bytes, PROT_NONE, at == nullptr ? kind : kind | MAP_FIXED, -1, 0);
  return begin == MAP_FAILED ? nullptr : static_cast<char*>(begin);
}

/// Bytes of files that are resident in this process, libraries too; nullopt: the system does not tell.
std::optional<std::size_t> resident_of_files() {
  static const int statm = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);  // "size resident shared …", in pages
  std::array<char, 128> text;
  const ssize_t size = statm < 0 ? -1 : ::pread(statm, text.data(), text.size(), 0);
  if (size <= 0) return std::nullopt;
  std::string_view rest(text.data(), static_cast<std::size_t>(size));
  for (int skipped = 0; skipped < 2; ++skipped) rest.remove_prefix(std::min(rest.find(' '), rest.size() - 1) + 1);
  std::size_t pages = 0;
  if (std::from_chars(rest.data(), rest.data() + rest.size(), pages).ec != std::errc()) return std::nullopt;
  return pages * page_size();
}

}  // namespace

std::unique_ptr<DiskMemory> DiskMemory::in(std::span<const std::filesystem::path> folders, Settings settings) {
  for (const auto& folder : folders) {
    const int file = unnamed_file(folder);
    if (file < 0) continue;
    char* const begin = reserve(nullptr, settings.space);
    try {
      if (begin != nullptr) return std::unique_ptr<DiskMemory>(new DiskMemory(file, begin, settings));
    } catch (const std::system_error&) {  // the process may have no more threads
      ::munmap(begin, settings.space);
    }
    ::close(file);
    return nullptr;
  }
  return nullptr;
}

DiskMemory::DiskMemory(int file, char* begin, Settings settings)
    : file_(file),
      begin_(begin),
      space_(settings.space),
      resident_(settings.resident),
      page_(page_size()),
      others_(resident_of_files().value_or(0)) {
  keeper_ = std::thread([this] { keep_few_resident(); });
  begin_timer();
}

// The keeper alone is late where other programs want the processor: this thread goes on walking while the keeper waits
// for its turn. A signal comes between two instructions of the thread that walks, so it is never late.
void DiskMemory::begin_timer() noexcept {
  DiskMemory* none = nullptr;
  if (!looked_after.compare_exchange_strong(none, this)) return;
  const int number = SIGRTMIN + 4;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = number;
  event._sigev_un._tid = static_cast<pid_t>(::syscall(SYS_gettid));
  timer_t timer{};
  if (::sigaction(number, &action, nullptr) == 0 && ::timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
    timer_ = timer;
}

void DiskMemory::on_signal(int) {
  const int error = errno;
  if (DiskMemory* const memory = looked_after.load()) memory->look();
  errno = error;
}

void DiskMemory::set_timer(bool on) noexcept {
  if (!timer_) return;
  itimerspec times{};
  if (on) times.it_value.tv_nsec = times.it_interval.tv_nsec = std::chrono::nanoseconds(look_every).count();
  ::timer_settime(*timer_, 0, &times, nullptr);
}

DiskMemory::~DiskMemory() {
  if (timer_) ::timer_delete(*timer_);
  DiskMemory* self = this;
  looked_after.compare_exchange_strong(self, nullptr);
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  keeper_.join();
  ::munmap(begin_, space_);
  ::close(file_);
}

// The page in front of a block has its size. Room on the disk is taken now, because a page of a mapped file that finds
// none when it is written to ends the program.
void* DiskMemory::allocate(std::size_t bytes) noexcept {
  if (bytes > space_ - 2 * page_) return nullptr;
  const std::size_t size = (bytes + page_ - 1) / page_ * page_ + page_;
  const std::lock_guard lock(mutex_);
  const std::size_t offset = end_;
  if (size > space_ - offset || !set_room(file_, 0, offset, size)) return nullptr;
  char* const place = begin_ + offset;
  if (::mmap(place, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_, static_cast<off_t>(offset)) ==
      MAP_FAILED) {
    set_room(file_, no_room, offset, size);
    return nullptr;
  }
  std::memcpy(place, &size, sizeof size);
  end_ = offset + size;
  look();
  if (allocated_ == 0) {
    wake_.notify_one();
    set_timer(true);
  }
  allocated_ += size;
  return place + page_;
}

void DiskMemory::free(void* block) noexcept {
  char* const place = static_cast<char*>(block) - page_;
  std::size_t size = 0;
  std::memcpy(&size, place, sizeof size);
  const auto offset = static_cast<std::size_t>(place - begin_);
  const std::lock_guard lock(mutex_);
  reserve(place, size);
  set_room(file_, no_room, offset, size);
  if (offset + size == end_) end_ = offset;
  allocated_ -= size;
  if (allocated_ == 0) set_timer(false);
}

void DiskMemory::give_back() noexcept {
  const std::lock_guard lock(mutex_);
  ::madvise(begin_, end_, MADV_DONTNEED);  // of a shared mapping: what was written stays, in the file
}

std::size_t DiskMemory::allocated() const {
  const std::lock_guard lock(mutex_);
  return allocated_;
}

// Called by the handler of a signal, too: nothing here takes a lock.
void DiskMemory::look() noexcept {
  const auto now = resident_of_files();
  const std::size_t others = std::min(others_.load(), now.value_or(SIZE_MAX));
  others_ = others;
  if (now && *now - others < resident_) return;
  ::madvise(begin_, end_, MADV_DONTNEED);
  others_ = resident_of_files().value_or(0);
}

/// Looks again and again how much is resident: a walk says nowhere how far it has come.
void DiskMemory::keep_few_resident() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    if (allocated_ == 0)
      wake_.wait(lock, [this] { return ends_ || allocated_ > 0; });
    else
      wake_.wait_for(lock, look_every, [this] { return ends_; });
    look();
  }
}

}  // namespace takt
