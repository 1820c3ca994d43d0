#include "base/memory/free_memory.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>  // defines __GLIBC__
#include <mutex>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/memory/resident.h"

namespace takt {
namespace {

constexpr std::chrono::milliseconds between_looks{5};
constexpr std::int64_t growth = 16 << 20;  // bytes: less is not worth a walk over the free lists

void give_back_as_it_grows(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any looks;
  std::unique_lock lock(mutex);
  const auto is_over = [&] { return stop.stop_requested(); };
  // The end does not wait for the next look: how long a model takes to open is measured.
  for (auto least = resident_bytes(); least && !looks.wait_for(lock, stop, between_looks, is_over);) {
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
