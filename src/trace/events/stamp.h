// A text that is written a million times: copied in blocks of a fixed size, which costs a fraction of a copy of the
// exact length.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

namespace takt {

class Stamp {
 public:
  static constexpr std::size_t block = 16;

  Stamp() = default;
  explicit Stamp(std::string_view text) : size_(text.size()) {
    padded_.reserve(text.size() + block);
    padded_.append(text).append(block, '\0');
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view text() const { return std::string_view(padded_).substr(0, size_); }

  /// Returns what is after the text. Up to `block` bytes after that are written too.
  char* put(char* p) const {
    const char* from = padded_.data();
    for (std::size_t done = 0; done < size_; done += block) std::memcpy(p + done, from + done, block);
    return p + size_;
  }

 private:
  std::string padded_;  // zeros after the text
  std::size_t size_ = 0;
};

}  // namespace takt
