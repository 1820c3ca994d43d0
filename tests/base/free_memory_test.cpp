#include "base/memory/free_memory.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "base/memory/resident.h"
#include "places.h"

namespace takt {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;

TEST(FreedMemoryGivenBack, gives_back_holes_of_a_heap_while_the_process_grows) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer has a heap of its own";
  const auto before = resident_bytes();
  if (!before) GTEST_SKIP() << "the system does not tell";
  std::vector<std::unique_ptr<char[]>> kept;
  const auto fill = [&](std::size_t bytes) {
    for (std::size_t i = 0; i < 64 * mebibyte / bytes; ++i)
      std::memset(kept.emplace_back(new char[bytes]).get(), 1, bytes);
  };
  fill(64 << 10);
  for (std::size_t i = 0; i < kept.size(); i += 2) kept[i].reset();  // 32 MiB of holes that nothing larger fits into
  EXPECT_GT(*resident_bytes(), *before + 56 * mebibyte);
  const FreedMemoryGivenBack freed;
  fill(96 << 10);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (*resident_bytes() > *before + 112 * mebibyte && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_LT(*resident_bytes(), *before + 112 * mebibyte);
}

}  // namespace
}  // namespace takt
