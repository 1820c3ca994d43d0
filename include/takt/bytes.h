// The bytes of a value: in separate memory, or in memory that is shared with other owners. A tensor can thus pass from
// the runtime that wrote it to the one that reads it without a copy, and a part of a tensor can be a tensor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace takt {

/// A value type: a change through one object is not visible through another. Copies of an object with shared memory
/// share that memory; other copies are deep. As thread-safe as a std::vector.
class Bytes {
 public:
  using value_type = std::byte;
  using const_iterator = const std::byte*;

  Bytes() = default;
  Bytes(std::vector<std::byte> own) : own_(std::move(own)) {}  // NOLINT(google-explicit-constructor): a plain value
  /// Refers to `size` bytes at `data` without copying them: `owner` keeps them alive and is released with the last copy
  /// of this object. The bytes must not change until then. `owner` must not be null.
  Bytes(std::shared_ptr<const void> owner, const std::byte* data, std::size_t size)
      : owner_(std::move(owner)), shared_(data), shared_size_(size) {}

  const std::byte* data() const { return owner_ ? shared_ : own_.data(); }
  std::size_t size() const { return owner_ ? shared_size_ : own_.size(); }
  bool empty() const { return size() == 0; }
  const std::byte* begin() const { return data(); }
  const std::byte* end() const { return data() + size(); }
  const std::byte& operator[](std::size_t i) const { return data()[i]; }
  /// Returns whether the memory is shared with other owners.
  bool is_shared() const { return owner_ != nullptr; }
  /// Returns the owner that keeps shared memory alive; null if the memory is not shared.
  const std::shared_ptr<const void>& owner() const { return owner_; }

  /// Returns the bytes for writing. Shared memory is copied first.
  std::byte* data() {
    make_own();
    return own_.data();
  }
  std::byte& operator[](std::size_t i) { return data()[i]; }
  void reserve(std::size_t size) {
    make_own();
    own_.reserve(size);
  }
  void push_back(std::byte byte) {
    make_own();
    own_.push_back(byte);
  }
  /// New bytes at the end are zero.
  void resize(std::size_t size) {
    make_own();
    own_.resize(size);
  }

  friend bool operator==(const Bytes& a, const Bytes& b) {
    return a.size() == b.size() && (a.data() == b.data() || std::equal(a.begin(), a.end(), b.begin()));
  }

 private:
  void make_own() {
    if (!owner_) return;
    own_.assign(shared_, shared_ + shared_size_);
    owner_.reset();
  }

  std::vector<std::byte> own_;
  std::shared_ptr<const void> owner_;  ///< not null: the bytes are the shared ones
  const std::byte* shared_ = nullptr;
  std::size_t shared_size_ = 0;
};

}  // namespace takt
