#include "base/memory/block_places.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <thread>

#include "places.h"

namespace takt {
namespace {

constexpr std::size_t size = 40 << 20;

using Block = std::unique_ptr<char[]>;
Block block() { return Block(new char[size]); }
std::int64_t apart(const Block& a, const Block& b) { return std::abs(b.get() - a.get()); }

long page_faults() {
  ::rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

/// In processes of their own, as it holds for the rest of them.
class BlockPlacesDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    if (is_sanitized()) GTEST_SKIP() << "a sanitizer has a heap of its own";
#ifndef __GLIBC__
    GTEST_SKIP() << "another C library";
#endif
  }
};

TEST_F(BlockPlacesDeathTest, large_blocks_of_all_threads_lie_one_behind_the_other) {
  const auto places_blocks = [] {
    place_blocks_together();
    const Block first = block();
    Block second;
    std::thread([&] { second = block(); }).join();
    const Block third = block();
    const auto is_next = [](std::int64_t bytes) { return bytes >= 0 && static_cast<std::size_t>(bytes) < size + 4096; };
    std::exit(is_next(apart(first, second)) && is_next(apart(second, third)) ? 0 : 1);
  };
  EXPECT_EXIT(places_blocks(), testing::ExitedWithCode(0), "");
}

/// As operators ask for room in each run and free it at its end.
TEST_F(BlockPlacesDeathTest, what_was_freed_is_not_cleared_anew) {
  const auto asks_again = [] {
    place_blocks_together();
    const auto use = [] { std::fill_n(block().get(), size, 'a'); };
    use();
    const long before = page_faults();
    for (int i = 0; i < 5; ++i) use();
    std::exit(page_faults() - before < 20 ? 0 : 1);  // else 20 of each block even with pages of 2 MiB
  };
  EXPECT_EXIT(asks_again(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace takt
