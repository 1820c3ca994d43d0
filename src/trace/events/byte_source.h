// The bytes of a file or of a text, decompressed on the way if they are gzip.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace takt {

/// Not thread-safe.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills `buffer` as far as there are bytes; less than its size, and only then: the end was reached.
  virtual std::size_t read(std::span<char> buffer) = 0;
  /// Passes over as many bytes, or over those that there are; returns how many.
  virtual std::uint64_t skip(std::uint64_t bytes);
  /// Back to the front; false: a pipe, which cannot.
  virtual bool rewind() = 0;
  /// About how many bytes there are in all; nullopt: not known.
  virtual std::optional<std::size_t> expected_size() const { return std::nullopt; }
  /// What is wrong with the compressed data, which then ended at the damage; empty: nothing.
  virtual std::string damage() const { return {}; }
};

/// All that is left of it, in memory.
std::string read_rest(ByteSource& source);

/// Up to `bytes` from the front, which the source then gives again.
std::string look_ahead(std::unique_ptr<ByteSource>& source, std::size_t bytes);

/// Looks at the first bytes to see if the file is compressed, whatever its name. Throws Error(io).
std::unique_ptr<ByteSource> open_source(const std::filesystem::path& path);
/// `text` must outlive the source.
std::unique_ptr<ByteSource> text_source(std::string_view text);

}  // namespace takt
