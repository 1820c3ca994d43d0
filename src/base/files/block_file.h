// A file of binary blocks that only grows, written while something runs that may be killed at any moment.
//
// Each append is one write(), so what it wrote stays when the process dies; a block that is torn all the same (a full
// disk, a power cut) is told by its check sum, and everything before it counts. For what comes by the million: lines of
// JSON that reach the disk one by one are journal.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/files/file.h"

namespace takt {

/// A block as the file has it, after `file`.
void append_block(std::string& file, std::uint32_t type, std::string_view bytes);

/// The writing end. Not thread-safe.
class BlockWriter {
 public:
  /// The file begins with `magic`, which tells its kind and version. One that begins with `family` (a beginning of
  /// magic) or is empty is replaced. Throws Error(io) where it cannot be written, and Error(bad_input) where there is a
  /// file of another kind: a mistyped path must not cost anybody a file.
  BlockWriter(std::filesystem::path path, std::string_view magic, std::string_view family);
  ~BlockWriter();
  BlockWriter(const BlockWriter&) = delete;
  BlockWriter& operator=(const BlockWriter&) = delete;

  /// Adds to the block in the making.
  void add(std::string_view bytes) { block_.append(bytes); }
  /// The block is done; it is in the file after flush().
  void end_block(std::uint32_t type);
  /// Throws Error(io), and then nothing of the blocks since the last flush stays.
  void flush();
  bool is_pending() const { return !done_.empty(); }  ///< blocks since the last flush
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::string block_, done_;
  std::int64_t end_ = 0;  ///< after the last flushed block
};

/// A block as it lies in the file.
struct Block {
  std::uint32_t type = 0;
  std::string_view bytes;
};

/// The reading end, also while somebody still writes. Views live as long as the reader; what was read is not
/// resident until it is looked at again. Not thread-safe.
class BlockReader {
 public:
  /// Throws Error(io) where it cannot be read, Error(bad_input) where it does not begin with `magic`.
  BlockReader(const std::filesystem::path& path, std::string_view magic);
  /// The same of bytes in memory, which must stay. `name` stands for the file in messages.
  BlockReader(std::string_view bytes, std::string_view magic, const std::string& name);
  /// The next one; nullopt: there is none, or it is torn.
  std::optional<Block> next();
  std::size_t offset() const { return offset_; }            ///< after the last block that was given
  bool is_torn() const { return offset_ < bytes_.size(); }  ///< when next() gave nullopt: something follows
  /// When next() gave nullopt: goes on after what is damaged there, at the next block that is whole. False, and
  /// nothing done: none follows, so that the file is cut off here. For files whose blocks mean something without those
  /// before.
  bool skip_damage();

 private:
  std::optional<Block> block_at(std::size_t offset) const;

  std::optional<MappedFile> file_;
  std::string_view bytes_;
  std::size_t offset_ = 0;
  std::size_t given_back_ = 0;  ///< bytes of the file that are not resident any longer
};

/// Does the file begin so? False also where it cannot be read, and of a pipe, from which nothing is taken.
bool begins_with(const std::filesystem::path& path, std::string_view magic);

/// Numbers and texts of a block, one after the other as they lie in memory; what runs over the end is 0 or empty, and
/// then ok() is false.
class BlockFields {
 public:
  explicit BlockFields(std::string_view bytes) : rest_(bytes) {}
  template <typename Number>
  Number number() {
    Number value{};
    const std::string_view bytes = take(sizeof value);
    if (ok_) __builtin_memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string_view text() { return take(number<std::uint32_t>()); }
  std::string_view rest() const { return rest_; }
  bool ok() const { return ok_; }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view take(std::size_t size) {
    ok_ = ok_ && size <= rest_.size();
    if (!ok_) return {};
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::string_view rest_;
  bool ok_ = true;
};

/// What BlockFields reads.
template <typename Number>
void add_number(BlockWriter& writer, Number value) {
  writer.add({reinterpret_cast<const char*>(&value), sizeof value});
}
void add_text(BlockWriter& writer, std::string_view text);

}  // namespace takt
