#include "base/memory/large_pages.h"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <string>

namespace takt {
namespace {

// A hint must not touch what lies there, and may be given for anything.
TEST(LargePages, leave_contents_and_neighbours_alone) {
  std::vector<std::uint64_t> list(3'000'000);
  std::iota(list.begin(), list.end(), 0u);
  prefer_large_pages(list.data() + 1, 8u * 2'999'998);
  for (std::size_t i = 0; i < list.size(); ++i) ASSERT_EQ(list[i], i);
  prefer_large_pages(nullptr, 0);
  prefer_large_pages(list.data(), 100);
}

/// The flags that the system keeps of the memory at this address.
std::string flags_at(const char* address) {
  std::ifstream maps("/proc/self/smaps");
  bool is_it = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2)
      is_it = begin <= reinterpret_cast<std::uintptr_t>(address) && reinterpret_cast<std::uintptr_t>(address) < end;
    if (is_it && line.starts_with("VmFlags:")) return line + " ";
  }
  return "";
}

TEST(LargePages, are_asked_for_in_whole_pages_of_what_is_long) {
  constexpr std::size_t page = 4096, least = std::size_t{4} << 20;
  if (::sysconf(_SC_PAGESIZE) != page) GTEST_SKIP() << "pages of another size";
  auto* const memory =
      static_cast<char*>(::mmap(nullptr, 3 * least, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  const auto is_asked = [](const char* at) { return flags_at(at).find(" hg ") != std::string::npos; };
  prefer_large_pages(memory + 1, least - 1);
  EXPECT_FALSE(is_asked(memory + page)) << "too short";
  prefer_large_pages(memory + 1, least);
  if (!is_asked(memory + page)) GTEST_SKIP() << "the system has no large pages";
  EXPECT_FALSE(is_asked(memory));
  EXPECT_TRUE(is_asked(memory + least - 1));
  EXPECT_FALSE(is_asked(memory + least)) << "one byte of that page is not all of it";
  ::munmap(memory, 3 * least);
}

TEST(LargePages, reserve_makes_room_for_a_list) {
  std::vector<int> list;
  reserve_large(list, 2'000'000);
  EXPECT_TRUE(list.empty());
  EXPECT_GE(list.capacity(), 2'000'000u);
}

}  // namespace
}  // namespace takt
