// The program's operator new and delete: large blocks may lie on a disk (core/large_blocks.h). Libraries that the
// program links use these as well, so a block may be made on one side and freed on the other. A sanitizer brings its
// own, which find mistakes; a program built with one leaves this file out, and memory where it is.
#include <cstdlib>
#include <new>

#include "core/large_blocks.h"

void* operator new(std::size_t bytes) {
  if (void* const block = takt::new_large_block(bytes)) return block;
  while (true) {
    if (void* const block = std::malloc(bytes > 0 ? bytes : 1)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* block) noexcept {
  if (!takt::free_large_block(block)) std::free(block);
}

void operator delete(void* block, std::size_t) noexcept { ::operator delete(block); }
