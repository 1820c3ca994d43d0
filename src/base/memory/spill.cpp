#include "base/memory/spill.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>

#include "base/basics/check.h"

namespace takt {
namespace {

const std::size_t page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
constexpr std::size_t address_bytes = std::size_t{1} << 40;  // of addresses, not of memory: no place is used twice

/// A file without a name on a disk; -1: there is none.
int open_nameless_in(const std::filesystem::path& folder) {
  constexpr auto tmpfs = 0x01021994, ramfs = static_cast<int>(0x858458f6);
  std::string name = (folder / "takt-spill-XXXXXX").string();
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return -1;
  ::unlink(name.c_str());
  struct statfs system {};
  if (::fstatfs(file, &system) == 0 && system.f_type != tmpfs && static_cast<int>(system.f_type) != ramfs) return file;
  ::close(file);
  return -1;
}

int open_nameless() {
  std::error_code error;
  const auto usual = std::filesystem::temp_directory_path(error);
  const int file = error ? -1 : open_nameless_in(usual);
  return file >= 0 ? file : open_nameless_in("/var/tmp");
}

/// Bytes of files that are in this process's memory now, the blocks among them; 0: not told.
std::size_t resident_file_bytes() {
  static const int statm = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  char text[128] = {};
  if (statm < 0 || ::pread(statm, text, sizeof(text) - 1, 0) <= 0) return 0;
  char* rest = text;
  std::strtoull(rest, &rest, 10);  // all addresses
  std::strtoull(rest, &rest, 10);  // all that is resident
  return std::strtoull(rest, &rest, 10) * page_bytes;
}

/// Blocks that lie one behind the other in a range of addresses: the first ones in memory, others in a file at the same
/// distances.
class SpillFile {
 public:
  /// False: there is no disk for it.
  bool open() {
    file_ = open_nameless();
    if (file_ < 0) return false;
    void* place = ::mmap(nullptr, address_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) return false;
    begin_ = static_cast<char*>(place);
    others_ = resident_file_bytes();
    return true;
  }

  bool has(const void* block) const { return begin_ && block >= begin_ && block < begin_ + address_bytes; }

  /// nullptr: there is no room.
  void* take(std::size_t wanted) {
    const std::size_t size = (wanted + page_bytes - 1) / page_bytes * page_bytes;
    keep_small();  // the watch may be late on a busy machine
    const std::size_t place = used_.fetch_add(size);
    if (place > address_bytes || size > address_bytes - place) return nullptr;
    char* const block = begin_ + place;
    const bool on_disk = !count_in_memory(size);
    if (!(on_disk ? map_file(block, size) : map_memory(block, size))) {
      if (!on_disk) in_memory_ -= size;
      return nullptr;
    }
    const std::lock_guard lock(mutex_);
    if (on_disk) on_disk_ += size;
    blocks_.emplace(block, Block{size, on_disk});
    return block;
  }

  void give_back(void* address) {
    auto* const begin = static_cast<char*>(address);
    const Block block = forget(begin);
    map_nothing(begin, block.size);
    if (block.on_disk)
      discard(begin, block.size);
    else
      in_memory_ -= block.size;
  }

  /// Lets pages of the file leave memory where there are too many; what they hold is in the file or on its way there.
  void keep_small() {
    if (on_disk_ == 0 || resident_file_bytes() < others_ + spill_resident_bytes) return;
    const std::lock_guard lock(mutex_);
    for (const auto& [begin, block] : blocks_)
      if (block.on_disk) ::madvise(begin, block.size, MADV_DONTNEED);
    // Others touch their pages again while these are let go, so what is left says only in the long run what is not
    // ours.
    others_ = std::min(resident_file_bytes(), others_ + 16 * page_bytes);
  }

  std::size_t bytes_on_disk() const { return on_disk_; }

 private:
  struct Block {
    std::size_t size = 0;
    bool on_disk = false;
  };

  /// False, and nothing was counted: it would be too much.
  bool count_in_memory(std::size_t size) {
    if (in_memory_.fetch_add(size) + size <= spill_memory_bytes) return true;
    in_memory_ -= size;
    return false;
  }

  bool map_memory(char* begin, std::size_t size) {
    return ::mmap(begin, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  }

  /// Room is reserved first: a page that finds none later would end the process. A child must not write into it.
  bool map_file(char* begin, std::size_t size) {
    const off_t place = begin - begin_;
    if (::fallocate(file_, 0, place, static_cast<off_t>(size)) != 0) return false;
    if (::mmap(begin, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_, place) != MAP_FAILED &&
        ::madvise(begin, size, MADV_DONTFORK) == 0)
      return true;
    map_nothing(begin, size);
    discard(begin, size);
    return false;
  }

  void map_nothing(char* begin, std::size_t size) {
    [[maybe_unused]] const void* const there =
        ::mmap(begin, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  }

  void discard(const char* begin, std::size_t size) {
    ::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin - begin_, static_cast<off_t>(size));
  }

  Block forget(char* begin) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(begin);
    TAKT_CHECK(found != blocks_.end());
    const Block block = found->second;
    if (block.on_disk) on_disk_ -= block.size;
    blocks_.erase(found);
    return block;
  }

  int file_ = -1;
  char* begin_ = nullptr;
  std::atomic<std::size_t> used_{0}, in_memory_{0}, on_disk_{0};
  std::mutex mutex_;                    ///< of the blocks; never held while the file changes, which takes milliseconds
  std::atomic<std::size_t> others_{0};  ///< resident bytes of other files: of the program and its libraries
  std::map<char*, Block> blocks_;
};

/// Blocks may be deleted after everything else, so the file is there until the process ends.
SpillFile* spill_file() {
  static auto* const file = new SpillFile;
  static const bool is_open = file->open();
  return is_open ? file : nullptr;
}

std::atomic<SpillFile*> in_use{nullptr};     ///< where new blocks go
std::atomic<SpillFile*> ever_used{nullptr};  ///< where some may lie

/// Looks after the file's share of memory, some thousand times a second.
class Watch {
 public:
  explicit Watch(SpillFile& file) : thread_([this, &file] { run(file); }) {}
  ~Watch() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

 private:
  void run(SpillFile& file) {
    std::unique_lock lock(mutex_);
    constexpr auto often = std::chrono::microseconds(50), seldom = std::chrono::microseconds(1000);
    while (!wake_.wait_for(lock, file.bytes_on_disk() > 0 ? often : seldom, [this] { return ends_; }))
      file.keep_small();
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  bool ends_ = false;
  std::thread thread_;
};

std::optional<Watch>& watch() {
  static std::optional<Watch> one;
  return one;
}

}  // namespace

Spill::Spill() {
  TAKT_CHECK(!in_use.load());
  SpillFile* const file = spill_file();
  if (!file) return;
  watch().emplace(*file);
  ever_used.store(file);
  in_use.store(file);
}

Spill::~Spill() {
  in_use.store(nullptr);
  watch().reset();
}

void* Spill::take(std::size_t size) {
  SpillFile* const file = size < spill_block_bytes ? nullptr : in_use.load(std::memory_order_acquire);
  return file ? file->take(size) : nullptr;
}

bool Spill::give_back(void* block) {
  SpillFile* const file = ever_used.load(std::memory_order_acquire);
  if (!file || !file->has(block)) return false;
  file->give_back(block);
  return true;
}

std::size_t Spill::bytes_on_disk() {
  SpillFile* const file = ever_used.load();
  return file ? file->bytes_on_disk() : 0;
}

}  // namespace takt
