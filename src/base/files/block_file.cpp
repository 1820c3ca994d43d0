#include "base/files/block_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file_roles.h"
#include "base/files/raw_write.h"
#include "base/memory/mapped_ranges.h"

namespace takt {
namespace {

struct BlockHead {
  std::uint32_t type, size;
  std::uint64_t sum;
};

/// Eight bytes at a time: blocks are long, and byte by byte this would cost more than all else.
std::uint64_t sum_of(std::uint32_t type, std::string_view bytes) {
  std::uint64_t sum = (std::uint64_t{type} << 32 | bytes.size()) * 0x9E3779B97F4A7C15u;
  const auto mix = [&sum](std::uint64_t word) {
    sum = (sum ^ word) * 0xD6E8FEB86659FD93u;
    sum ^= sum >> 32;
  };
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    mix(word);
  }
  std::uint64_t last = 0;
  if (!bytes.empty()) std::memcpy(&last, bytes.data(), bytes.size());
  mix(last);
  return sum;
}

constexpr std::size_t many_bytes = std::size_t{1} << 20;  // that were read and stay resident meanwhile

[[noreturn]] void cannot_write(const std::filesystem::path& path, int error) {
  throw Error(ErrorKind::io, fmt::format("cannot write '{}': {}", printable(path.string()), reason_of(error)));
}

}  // namespace

void append_block(std::string& file, std::uint32_t type, std::string_view bytes) {
  const BlockHead head{type, static_cast<std::uint32_t>(bytes.size()), sum_of(type, bytes)};
  file.append(reinterpret_cast<const char*>(&head), sizeof head);
  file.append(bytes);
}

BlockWriter::BlockWriter(std::filesystem::path path, std::string_view magic, std::string_view family)
    : path_(std::move(path)) {
  check_may_write(path_);
  std::error_code ignored;
  const auto size = std::filesystem::is_regular_file(path_, ignored) ? std::filesystem::file_size(path_, ignored) : 0;
  if (size > 0 && !begins_with(path_, family))
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: this is a file of another kind; choose another name", printable(path_.string())));
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    const int error = errno;
    if (error == ENOENT)
      throw Error(ErrorKind::io,
                  fmt::format("cannot write '{}': its folder does not exist", printable(path_.string())));
    cannot_write(path_, error);
  }
  done_ = magic;
  try {
    flush();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

BlockWriter::~BlockWriter() { ::close(descriptor_); }

void BlockWriter::end_block(std::uint32_t type) {
  append_block(done_, type, block_);
  block_.clear();
}

void BlockWriter::flush() {
  const bool is_full = static_cast<std::size_t>(end_) + done_.size() > bytes_until_failure();
  const int error = is_full ? ENOSPC : write_all(descriptor_, done_);
  const std::size_t size = done_.size();
  done_.clear();
  if (error == 0) {
    end_ += static_cast<std::int64_t>(size);
    return;
  }
  // Half a block would be told by its sum, but what is appended later must not stand behind it.
  [[maybe_unused]] const int ignored = ::ftruncate(descriptor_, end_);
  ::lseek(descriptor_, end_, SEEK_SET);
  cannot_write(path_, error);
}

BlockReader::BlockReader(const std::filesystem::path& path, std::string_view magic)
    : file_(std::in_place, path), bytes_(file_->text()) {
  if (!bytes_.starts_with(magic))
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: the file does not start with the expected header; it is of another kind or version",
                            printable(path.string())));
  offset_ = magic.size();
}

BlockReader::BlockReader(std::string_view bytes, std::string_view magic, const std::string& name) : bytes_(bytes) {
  if (!bytes_.starts_with(magic))
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: the file does not start with the expected header; it is of another kind or version",
                            printable(name)));
  offset_ = magic.size();
}

std::optional<Block> BlockReader::block_at(std::size_t offset) const {
  BlockHead head;
  const std::string_view rest = bytes_.substr(offset);
  if (rest.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, rest.data(), sizeof head);
  if (head.size > rest.size() - sizeof head) return std::nullopt;
  const std::string_view bytes = rest.substr(sizeof head, head.size);
  if (sum_of(head.type, bytes) != head.sum) return std::nullopt;
  return Block{head.type, bytes};
}

std::optional<Block> BlockReader::next() {
  if (file_ && offset_ - given_back_ > many_bytes) file_->give_back(0, given_back_ = offset_);
  const auto block = block_at(offset_);
  if (block) offset_ += sizeof(BlockHead) + block->bytes.size();
  if (!block && file_) check_whole(bytes_);
  return block;
}

// Where a block begins is not marked, so each byte is tried. Heads of blocks as they are written have few types; of
// bytes that were made to look like many long blocks no more is summed than a few times the file.
bool BlockReader::skip_damage() {
  constexpr std::uint32_t most_types = 256;
  std::size_t budget = 16 * bytes_.size();
  for (std::size_t at = offset_ + 1; at + sizeof(BlockHead) <= bytes_.size(); ++at) {
    BlockHead head;
    std::memcpy(&head, bytes_.data() + at, sizeof head);
    if (head.type >= most_types || head.size > bytes_.size() - at - sizeof head) continue;
    if (head.size > budget) return false;
    budget -= head.size;
    if (!block_at(at)) continue;
    offset_ = at;
    return true;
  }
  return false;
}

bool begins_with(const std::filesystem::path& path, std::string_view magic) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string begin(magic.size(), '\0');
  return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == magic;
}

void add_text(BlockWriter& writer, std::string_view text) {
  add_number(writer, static_cast<std::uint32_t>(text.size()));
  writer.add(text);
}

}  // namespace takt
