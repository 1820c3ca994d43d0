// Text put together piece by piece and handed on in large blocks: what makes writing millions of events cheap.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

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

  void add_integer(std::uint64_t value) {
    std::array<char, 20> digits;
    char* p = digits.data() + digits.size();
    while (value >= 100) {
      p -= 2;
      std::memcpy(p, &pairs[2 * (value % 100)], 2);
      value /= 100;
    }
    if (value >= 10) {
      p -= 2;
      std::memcpy(p, &pairs[2 * value], 2);
    } else {
      *--p = static_cast<char>('0' + value);
    }
    add({p, static_cast<std::size_t>(digits.data() + digits.size() - p)});
  }
  void add_signed(std::int64_t value) {
    if (value < 0) add('-');
    add_integer(value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value));
  }
  /// Microseconds with three decimals, of nanoseconds that are not negative.
  void add_micros(std::int64_t nanoseconds) {
    const auto value = static_cast<std::uint64_t>(nanoseconds);
    add_integer(value / 1000);
    const auto fraction = static_cast<unsigned>(value % 1000);
    if (memory_.size() - used_ < 4) make_room(4);
    char* const p = memory_.data() + used_;
    p[0] = '.';
    p[1] = static_cast<char>('0' + fraction / 100);
    std::memcpy(p + 2, &pairs[std::size_t{2} * (fraction % 100)], 2);
    used_ += 4;
  }

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
  static constexpr std::array<char, 200> pairs = [] {
    std::array<char, 200> table{};
    for (std::size_t i = 0; i < 100; ++i) {
      table[2 * i] = static_cast<char>('0' + i / 10);
      table[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
    return table;
  }();

  Sink sink_;
  std::vector<char> memory_;
  std::size_t used_ = 0;
};

}  // namespace takt
