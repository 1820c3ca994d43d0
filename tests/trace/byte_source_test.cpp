#include "trace/events/byte_source.h"

#include <gmock/gmock.h>

#include <string>

#include "test_folder.h"
#include "trace/write/trace_output.h"

namespace takt {
namespace {

/// A compressed file of so many mebibytes of blanks, behind `front`.
void write_blanks(const std::filesystem::path& path, const std::string& front, int mebibytes) {
  TraceOutput file(path);
  file.append(front);
  const std::string blanks(1 << 20, ' ');
  for (int i = 0; i < mebibytes; ++i) file.append(blanks);
  file.commit();
}

std::uint64_t unpacked_bytes(ByteSource& source) { return source.skip(std::uint64_t{1} << 40); }

TEST(ByteSource, what_unpacks_without_end_ends_with_a_word_on_it) {
  TestFolder folder;
  write_blanks(folder / "bomb.gz", "[", 1100);
  const auto source = open_source(folder / "bomb.gz");
  EXPECT_LT(unpacked_bytes(*source), (std::uint64_t{1} << 30) + (1 << 20));
  EXPECT_EQ(
      source->damage(),
      "it unpacks to more than 200 times its size and to more than 1 GB, which is unusual for a trace or table; if "
      "this is correct, unpack it with gunzip first");
}

TEST(ByteSource, what_is_small_may_be_packed_as_tightly_as_it_likes) {
  TestFolder folder;
  write_blanks(folder / "blanks.gz", "", 50);
  const auto source = open_source(folder / "blanks.gz");
  EXPECT_EQ(unpacked_bytes(*source), std::uint64_t{50} << 20);
  EXPECT_EQ(source->damage(), "");
}

}  // namespace
}  // namespace takt
