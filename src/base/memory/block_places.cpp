#include "base/memory/block_places.h"

#include <cstdlib>  // defines __GLIBC__
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace takt {

void place_blocks_together() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_ARENA_MAX, 1);  // another thread's heaps are 64 MiB each and begin at the same place of large pages
  // Without mapped blocks the library gives the heap's end back wherever 128 KiB of it are free and never learns
  // better: operators that ask for room in each run would find new pages in each.
  ::mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

}  // namespace takt
