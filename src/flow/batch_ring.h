// A queue whose front is the lowest entry. Batches come nearly in order, so an entry finds its place next to the back.
#pragma once

#include <cstdint>
#include <vector>

namespace takt {

/// Grows when it is full and then keeps its memory: a queue of bounded length allocates only while it first fills up.
template <typename Entry>
class BatchRing {
 public:
  std::int64_t size() const { return static_cast<std::int64_t>(size_); }
  bool empty() const { return size_ == 0; }
  const Entry& front() const { return entries_[head_]; }

  void pop_front() {
    head_ = (head_ + 1) & (entries_.size() - 1);
    --size_;
  }

  void push_back(const Entry& entry) {
    if (size_ == entries_.size()) grow();
    entries_[place(size_++)] = entry;
  }

  /// Behind the last entry that is not greater.
  void push_in_order(const Entry& entry) {
    push_back(entry);
    for (std::size_t i = size_ - 1; i > 0 && entry < entries_[place(i - 1)]; --i) {
      entries_[place(i)] = entries_[place(i - 1)];
      entries_[place(i - 1)] = entry;
    }
  }

 private:
  std::size_t place(std::size_t i) const { return (head_ + i) & (entries_.size() - 1); }

  void grow() {
    std::vector<Entry> larger(entries_.empty() ? 4 : 2 * entries_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = entries_[place(i)];
    entries_ = std::move(larger);
    head_ = 0;
  }

  std::vector<Entry> entries_;  ///< a power of two of them, or none
  std::size_t head_ = 0, size_ = 0;
};

}  // namespace takt
