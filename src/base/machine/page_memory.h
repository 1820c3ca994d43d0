// Memory that begins at a page, for what measures or loads the machine.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace takt {

struct FreePages {
  void operator()(std::byte* bytes) const { ::operator delete[](bytes, std::align_val_t{4096}); }
};
using PageMemory = std::unique_ptr<std::byte[], FreePages>;

/// nullptr: there is not enough.
inline PageMemory allocate_pages(std::size_t bytes) {
  return PageMemory(static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{4096}, std::nothrow)));
}

}  // namespace takt
