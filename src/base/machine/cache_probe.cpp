#include "base/machine/cache_probe.h"

#include <algorithm>
#include <bit>

#include "base/machine/caches.h"

namespace takt {
namespace {

constexpr std::size_t line_bytes = 64, line_words = line_bytes / sizeof(std::uint32_t);
constexpr std::size_t usual_cache = 512 << 10, least_bytes = 4096, most_bytes = 1 << 20;

std::size_t half_of_second_level() {
  for (const CacheLevel& cache : detect_caches())
    if (cache.level == 2) return std::min(static_cast<std::size_t>(cache.bytes) / 2, most_bytes);
  return usual_cache / 2;
}

}  // namespace

CacheProbe::CacheProbe() : CacheProbe(half_of_second_level()) {}

// A linear congruential sequence whose period is the number of lines (Hull and Dobell, 1962): every line once a round,
// in an order that no prefetcher guesses.
CacheProbe::CacheProbe(std::size_t bytes)
    : next_(std::bit_floor(std::max(bytes, least_bytes)) / sizeof(std::uint32_t)) {
  for (std::size_t line = 0; line < lines(); ++line)
    next_[line * line_words] = static_cast<std::uint32_t>((line * 1597 + 1) % lines() * line_words);
}

std::size_t CacheProbe::lines() const { return next_.size() / line_words; }

std::size_t CacheProbe::round() const {
  std::size_t reads = 1;
  for (std::uint32_t at = next_[0]; at != 0 && reads <= lines(); at = next_[at]) ++reads;
  return reads;
}

std::uint32_t CacheProbe::walked(std::size_t reads, std::uint32_t from) const {
  for (std::size_t i = 0; i < reads; ++i) from = next_[from];
  return from;
}

Nanoseconds CacheProbe::walk() {
  at_ = walked(lines(), at_);
  const Nanoseconds begin = steady_now();
  at_ = walked(2 * lines(), at_);
  return steady_now() - begin;
}

}  // namespace takt
