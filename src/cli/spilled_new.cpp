// The program's own `new`: as the usual one, but for long lists while there is a Spill. Of the program alone, so that
// nobody who links takt's libraries gets it; sanitized builds leave it out, as sanitizers have their own. The forms for
// arrays and those that do not throw come to these; those for aligned memory stay apart.
#include <cstdlib>
#include <new>

#include "base/memory/spill.h"

void* operator new(std::size_t size) {
  if (void* block = takt::Spill::take(size)) return block;
  while (true) {
    if (void* block = std::malloc(size == 0 ? 1 : size)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* block) noexcept {
  if (!takt::Spill::give_back(block)) std::free(block);
}

void operator delete(void* block, std::size_t) noexcept { ::operator delete(block); }
