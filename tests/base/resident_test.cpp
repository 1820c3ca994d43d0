#include "base/memory/resident.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "test_folder.h"

namespace takt {
namespace {

constexpr std::int64_t megabyte = 1 << 20;
constexpr std::int64_t uncertain = 2 * megabyte;  // what threads of a test program and the system's own count differ by

/// Resident for as long as it lives, whatever the allocator keeps.
class Pages {
 public:
  explicit Pages(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {
    start_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start_ != MAP_FAILED) std::memset(start_, 1, bytes_);
  }
  ~Pages() {
    if (start_ != MAP_FAILED) ::munmap(start_, bytes_);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

 private:
  std::size_t bytes_;
  void* start_;
};

TEST(Resident, a_peak_stays_when_the_memory_is_gone_and_the_next_one_does_not_know_it) {
  const auto before = resident_bytes();
  const ResidentPeak first;
  if (!before || !first.bytes()) GTEST_SKIP() << "the system does not tell";
  { const Pages pages(64 * megabyte); }
  EXPECT_GT(*first.bytes(), *before + 64 * megabyte - uncertain);
  EXPECT_LT(*resident_bytes(), *before + 32 * megabyte);
  const ResidentPeak second;
  EXPECT_LT(*second.bytes(), *before + 32 * megabyte);
  EXPECT_GT(*first.bytes(), *before + 64 * megabyte - uncertain) << "another one must not make it forget";
  EXPECT_GE(*most_resident_bytes(), *first.bytes());
}

TEST(Resident, of_two_at_a_time_the_later_one_begins_later) {
  if (!ResidentPeak().bytes()) GTEST_SKIP() << "the system does not tell";
  const ResidentPeak outer;
  { const Pages early(48 * megabyte); }
  const ResidentPeak inner;
  const Pages late(16 * megabyte);
  EXPECT_GT(*outer.bytes(), *inner.bytes() + 16 * megabyte);
  EXPECT_GT(*inner.bytes(), *resident_bytes() - uncertain);
}

TEST(Resident, without_the_systems_word_there_is_no_figure) {
  const TestFolder root;
  EXPECT_FALSE(resident_bytes(root.path()));
  EXPECT_FALSE(ResidentPeak(root.path()).bytes());
  std::filesystem::create_directories(root.path() / "proc/self");
  root.write("proc/self/status", "Name:\tVmHWM: 7 kB\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n");
  EXPECT_EQ(resident_bytes(root.path()), 1 << 20);
  EXPECT_FALSE(ResidentPeak(root.path()).bytes()) << "the peak of the whole life is not that of a phase";
  EXPECT_FALSE(std::filesystem::exists(root.path() / "proc/self/clear_refs"));
  root.write("proc/self/clear_refs", "");
  EXPECT_EQ(ResidentPeak(root.path()).bytes(), 2 << 20);
  EXPECT_EQ(read_file(root.path() / "proc/self/clear_refs"), "5") << "the word that begins the peak again";
  const ResidentPeak told_no_longer(root.path());
  root.write("proc/self/status", "VmHWM: 99999999999999999999 kB\n");
  EXPECT_FALSE(told_no_longer.bytes());
  root.write("proc/self/status", "VmHWM: many kB\n");
  EXPECT_FALSE(ResidentPeak(root.path()).bytes());
}

}  // namespace
}  // namespace takt
