#include "base/memory/large_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace takt {

void prefer_large_pages(const void* memory, std::size_t bytes) {
  constexpr std::size_t least = std::size_t{4} << 20;
  if (bytes < least) return;
#if defined(MADV_HUGEPAGE)
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (address + page - 1) / page * page, end = (address + bytes) / page * page;
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace takt
