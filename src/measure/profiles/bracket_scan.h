// Where an object or array of a large JSON text ends, found at memory speed: only quotes, backslashes and brackets are
// looked at, 64 bytes at a time. What lies inside is not validated beyond that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace takt {

/// Brackets of 64 bytes outside strings, a bit per byte, and their number.
struct ScanBlock {
  std::uint64_t open = 0, close = 0;
  std::uint32_t opens = 0, closes = 0;
};

/// What one block hands to the next, and what was seen so far.
struct ScanState {
  std::uint64_t in_string = 0;  ///< all bits set: the block begins inside a string
  std::uint64_t escaped = 0;    ///< 1: its first byte stands behind a backslash
  std::uint64_t flaws = 0;      ///< not 0: a control character inside a string, or a backslash outside
  std::uint64_t beyond_ascii = 0;
};

/// Fills `blocks` entries of `out` from 64 * `blocks` bytes of text.
using ScanKernel = void (*)(const char* text, std::size_t blocks, ScanState& state, ScanBlock* out);

void scan_portable(const char* text, std::size_t blocks, ScanState& state, ScanBlock* out);

/// The fastest kernel of this processor.
ScanKernel best_scan_kernel();

/// Not thread-safe; the text must stay readable for 64 bytes behind its end.
class JsonScanner {
 public:
  using PieceSink = std::function<void(std::size_t begin, std::size_t end)>;

  explicit JsonScanner(std::string_view padded_text, ScanKernel kernel = best_scan_kernel())
      : text_(padded_text), kernel_(kernel) {}

  /// The offset behind the object or array that begins at `begin`; nullopt: it does not end, or holds control
  /// characters in strings or backslashes outside. Meanwhile `sink` gets what is between its brackets in pieces of at
  /// least `piece_size` bytes, but for the last; each but the last ends behind an element that has brackets itself.
  std::optional<std::size_t> end_of(std::size_t begin, std::size_t piece_size, const PieceSink& sink);

  /// Whether bytes above 127 were passed: only then need UTF-8 be validated.
  bool beyond_ascii() const { return beyond_ascii_; }

 private:
  std::string_view text_;
  ScanKernel kernel_;
  bool beyond_ascii_ = false;
};

}  // namespace takt
