#include "core/large_blocks.h"

#include <atomic>
#include <system_error>

#include "core/disk_memory.h"

namespace takt {
namespace {

constexpr std::size_t one_by_one = std::size_t{128} << 10;  // what the C library takes from the system block by block
constexpr std::size_t not_worth_a_file = std::size_t{8} << 20;  // of all blocks of a small job together

std::atomic<DiskMemory*> on_disk{nullptr};  // stays for good: blocks live until the program's last line
std::atomic<std::size_t> asked_for{0};      // bytes of all large blocks, those that were freed too

}  // namespace

void keep_large_blocks_on_disk(std::span<const std::filesystem::path> folders) {
  if (on_disk.load() == nullptr) on_disk = DiskMemory::in(folders).release();
}

std::vector<std::filesystem::path> folders_for_large_blocks(const std::filesystem::path& own) {
  std::vector<std::filesystem::path> folders;
  if (!own.empty()) folders.push_back(own);
  std::error_code error;
  if (auto usual = std::filesystem::temp_directory_path(error); !error) folders.push_back(std::move(usual));
  folders.emplace_back("/var/tmp");  // on a disk also where /tmp is in memory
  return folders;
}

void* new_large_block(std::size_t bytes) noexcept {
  if (bytes < one_by_one) return nullptr;
  DiskMemory* const memory = on_disk.load(std::memory_order_acquire);
  if (memory == nullptr || asked_for.fetch_add(bytes, std::memory_order_relaxed) < not_worth_a_file) return nullptr;
  return memory->allocate(bytes);
}

bool free_large_block(void* block) noexcept {
  DiskMemory* const memory = on_disk.load(std::memory_order_acquire);
  if (memory == nullptr || !memory->owns(block)) return false;
  memory->free(block);
  return true;
}

}  // namespace takt
