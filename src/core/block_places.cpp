#include "core/block_places.h"

#include <cstdlib>  // defines __GLIBC__
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace takt {

void place_blocks_together() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_ARENA_MAX, 1);  // another thread's heaps are 64 MiB each and begin at the same place of large pages
#endif
}

}  // namespace takt
