// Memory that lies in a file: what is too much to stay resident, and is read from front to back.
//
// A record of millions of batches is walked through a handful of times, each time from one end to the other, by code
// that wants to see a list. So the list stays a list, and its bytes lie in a file without a name, mapped into memory.
// The system keeps of it what it has room for; of this process only what was touched last is resident, a few megabytes,
// because the rest is given back every millisecond as the walk goes on. The alternative, every walk over pieces read
// and written by hand, would have each of those walks know about files.
//
// Nothing of it survives: the file has no name from its beginning, so a program that is killed leaves nothing behind,
// and what is freed is taken out of the file at once. Bytes that are freed soon never reach the disk.
#pragma once

#include <time.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

namespace takt {

/// Thread-safe. Blocks are zeroed, and lie on borders of pages.
class DiskMemory {
 public:
  struct Settings {
    std::size_t resident = std::size_t{4} << 20;  ///< bytes that may be resident, beside what one millisecond touches
    std::size_t space = std::size_t{1} << 40;     ///< bytes of addresses; those of freed blocks are not used again
  };

  /// In the first of `folders` that lies on a disk (a file system in memory would gain nothing), can be written and
  /// takes files without a name. nullptr: none does, or the process may not have so many addresses.
  static std::unique_ptr<DiskMemory> in(std::span<const std::filesystem::path> folders, Settings settings);
  static std::unique_ptr<DiskMemory> in(std::span<const std::filesystem::path> folders) { return in(folders, {}); }

  /// No block may be in use any longer.
  ~DiskMemory();
  DiskMemory(const DiskMemory&) = delete;
  DiskMemory& operator=(const DiskMemory&) = delete;

  /// nullptr: no room, on the disk or among the addresses. What it gives is there for good: a disk that becomes full
  /// later takes nothing back.
  void* allocate(std::size_t bytes) noexcept;
  /// `block` is one of allocate().
  void free(void* block) noexcept;
  bool owns(const void* address) const noexcept {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(begin_) < space_;
  }

  /// Until they are looked at again, no block is resident.
  void give_back() noexcept;
  std::size_t allocated() const;  ///< bytes of all blocks, in whole pages

 private:
  DiskMemory(int file, char* begin, Settings settings);
  static void on_signal(int);
  void begin_timer() noexcept;
  void set_timer(bool on) noexcept;
  void look() noexcept;
  void keep_few_resident();

  const int file_;
  char* const begin_;
  const std::size_t space_, resident_, page_;
  mutable std::mutex mutex_;
  std::atomic<std::size_t> end_{0};  ///< of the addresses in use
  std::size_t allocated_ = 0;        ///< with the page in front of each block
  std::atomic<std::size_t> others_;  ///< resident bytes of files that are no concern of this one
  bool ends_ = false;
  std::optional<timer_t> timer_;
  std::condition_variable wake_;
  std::thread keeper_;
};

}  // namespace takt
