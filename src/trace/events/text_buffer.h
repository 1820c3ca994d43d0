// Text put together piece by piece and handed on in large blocks: what makes writing millions of events cheap.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/events/digits.h"

namespace takt {

/// Not thread-safe. flush() must be called at the end.
class TextBuffer {
 public:
  using Sink = std::function<void(std::string_view)>;
  explicit TextBuffer(Sink sink) : sink_(std::move(sink)), memory_(block_bytes) {}

  void add(std::string_view text) {
    if (text.size() > memory_.size() - used_) make_room(text.size());
    std::memcpy(memory_.data() + used_, text.data(), text.size());
    used_ += text.size();
  }
  void add(char c) {
    if (used_ == memory_.size()) make_room(1);
    memory_[used_++] = c;
  }

  void add_integer(std::uint64_t value) { take(digits::put_integer(room(digits::longest), value)); }
  void add_signed(std::int64_t value) {
    if (value < 0) add('-');
    add_integer(value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value));
  }
  /// Microseconds with three decimals, of nanoseconds that are not negative.
  void add_micros(std::int64_t nanoseconds) { take(digits::put_micros(room(digits::longest), nanoseconds)); }

  /// Room for `size` bytes, of which take() keeps those up to `end`.
  char* room(std::size_t size) {
    if (size > memory_.size() - used_) make_room(size);
    return memory_.data() + used_;
  }
  void take(const char* end) { used_ = static_cast<std::size_t>(end - memory_.data()); }

  void flush() {
    if (used_ > 0) sink_({memory_.data(), used_});
    used_ = 0;
  }

 private:
  void make_room(std::size_t size) {
    flush();
    if (size > memory_.size()) memory_.resize(size);
  }

  static constexpr std::size_t block_bytes = std::size_t{1} << 18;

  Sink sink_;
  std::vector<char> memory_;
  std::size_t used_ = 0;
};

}  // namespace takt
