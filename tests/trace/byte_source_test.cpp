#include "trace/events/byte_source.h"

#include <gmock/gmock.h>

#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "base/files/file.h"
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

std::unique_ptr<ByteSource> pipe_with(const std::string& text) {
  int ends[2];
  if (::pipe(ends) != 0 || ::write(ends[1], text.data(), text.size()) < 0) throw std::runtime_error("no pipe");
  ::close(ends[1]);
  auto source = open_source("/dev/fd/" + std::to_string(ends[0]));
  ::close(ends[0]);
  return source;
}

TEST(ByteSource, is_read_skipped_and_begun_again_whatever_it_is) {
  TestFolder folder;
  folder.write("plain", "0123456789");
  {
    TraceOutput file(folder / "packed.gz");
    file.append("0123456789");
    file.commit();
  }
  const std::string text = "0123456789";
  for (const char* kind : {"plain", "packed.gz", "text", "pipe"}) {
    auto source = kind == std::string("text")   ? text_source(text)
                  : kind == std::string("pipe") ? pipe_with(text)
                                                : open_source(folder / kind);
    EXPECT_EQ(look_ahead(source, 3), "012") << kind;
    EXPECT_EQ(look_ahead(source, 20), text) << kind;
    std::string two(2, '#');
    EXPECT_EQ(source->read(two), 2u) << kind;
    EXPECT_EQ(two, "01") << kind;
    EXPECT_EQ(source->skip(3), 3u) << kind;
    EXPECT_EQ(read_rest(*source), "56789") << kind;
    EXPECT_EQ(source->read(two), 0u) << kind;
    const bool is_pipe = kind == std::string("pipe");
    EXPECT_EQ(source->rewind(), !is_pipe) << kind;
    EXPECT_EQ(read_rest(*source), is_pipe ? "" : text) << kind;
    EXPECT_EQ(source->damage(), "") << kind;
    if (!is_pipe) {
      EXPECT_EQ(source->expected_size(), 10u) << kind;
    }
  }
}

TEST(ByteSource, of_several_packed_members_and_zeros_behind_them_is_one) {
  TestFolder folder;
  const auto packed = [&](const std::string& text) {
    TraceOutput file(folder / "one.gz");
    file.append(text);
    file.commit();
    return read_file(folder / "one.gz");
  };
  const std::string first = packed("one "), second = packed("two");
  const auto unpacked = [](const std::string& bytes) {
    const auto source = text_source(bytes);
    const std::string text = read_rest(*source);
    return text + "|" + source->damage();
  };
  EXPECT_EQ(unpacked(first + second), "one two|");
  EXPECT_EQ(unpacked(first + std::string(3, '\0') + second + std::string(5, '\0')), "one two|");
  EXPECT_EQ(unpacked(first + second.substr(0, second.size() - 1)), "one two|the compressed data is truncated");
  EXPECT_EQ(unpacked(first + "rubbish that is none"), "one |the compressed data is damaged");
  std::string damaged = first;
  damaged[damaged.size() - 8] ^= 1;  // of the check sum
  EXPECT_EQ(unpacked(damaged).substr(4), "|the compressed data is damaged");
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
