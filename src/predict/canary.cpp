#include "predict/canary.h"

#include <cstdint>
#include <numeric>
#include <vector>

#include "core/units.h"

namespace takt {
namespace {

constexpr std::size_t table_size = 32 * 1024;  // 128 KiB
constexpr int walk_steps = 200'000, walks = 30;

/// Each step needs the one before it; the compiler cannot know where the table leads.
std::uint32_t walk(const std::vector<std::uint32_t>& table) {
  std::uint32_t at = 0, sum = 0;
  for (int i = 0; i < walk_steps; ++i) {
    at = table[(at + sum) % table_size];
    sum += at ^ static_cast<std::uint32_t>(i);
  }
  return sum;
}

}  // namespace

double canary_us() {
  std::vector<std::uint32_t> table(table_size);
  for (std::size_t i = 0; i < table_size; ++i) table[i] = static_cast<std::uint32_t>(i * 40503u % table_size);
  volatile std::uint32_t kept = walk(table);  // the first walk warms up
  Nanoseconds total{};
  for (int i = 0; i < walks; ++i) {
    const Nanoseconds begin = steady_now();
    kept = walk(table);
    total += steady_now() - begin;
  }
  static_cast<void>(kept);
  return Duration(total).count() / walks;
}

}  // namespace takt
