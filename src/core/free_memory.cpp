#include "core/free_memory.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>  // defines __GLIBC__
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "core/resident.h"

namespace takt {
namespace {

constexpr std::chrono::milliseconds between_looks{5};
constexpr std::int64_t growth = 16 << 20;  // bytes: less is not worth a walk over the free lists

void give_back_as_it_grows(const std::stop_token& stop) {
  for (auto least = resident_bytes(); least && !stop.stop_requested(); std::this_thread::sleep_for(between_looks)) {
    const std::int64_t now = resident_bytes().value_or(*least);
    least = std::min(*least, now);
    if (now < *least + growth) continue;
    give_back_free_memory();
    least = resident_bytes();  // what is still there is in use
  }
}

}  // namespace

void give_back_free_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

FreedMemoryGivenBack::FreedMemoryGivenBack() : thread_(give_back_as_it_grows) {}

}  // namespace takt
