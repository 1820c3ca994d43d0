// A set of small numbers as bits: the lowest and the highest member cost one instruction for the usual pipeline with
// fewer than 64 stages, devices or replicas.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace takt {

class IndexSet {
 public:
  /// An empty set that can hold 0 … size−1; the only call that allocates, and only above 64.
  void resize(int size) {
    first_ = 0;
    more_.assign(size > 64 ? (static_cast<std::size_t>(size) - 1) / 64 : 0, 0);
  }

  void insert(int i) { word(i) |= bit(i); }
  void erase(int i) { word(i) &= ~bit(i); }
  /// Both sets have the same size.
  void insert(const IndexSet& other) {
    first_ |= other.first_;
    for (std::size_t w = 0; w < more_.size(); ++w) more_[w] |= other.more_[w];
  }

  bool empty() const {
    if (first_ != 0) return false;
    for (const std::uint64_t word : more_) {
      if (word != 0) return false;
    }
    return true;
  }

  /// The lowest member that is at least `from`; -1: none.
  int next(int from = 0) const {
    if (from < 64) {
      const std::uint64_t rest = from <= 0 ? first_ : first_ & (~std::uint64_t{0} << from);
      if (rest != 0) return std::countr_zero(rest);
    }
    return more_.empty() ? -1 : next_of_more(from < 64 ? 64 : from);
  }

  /// -1: none.
  int highest() const {
    for (std::size_t w = more_.size(); w-- > 0;) {
      if (more_[w] != 0) return static_cast<int>(w * 64) + 127 - std::countl_zero(more_[w]);
    }
    return 63 - std::countl_zero(first_);
  }

 private:
  int next_of_more(int from) const {
    std::size_t w = static_cast<std::size_t>(from) / 64 - 1;
    if (w >= more_.size()) return -1;
    std::uint64_t rest = more_[w] & (~std::uint64_t{0} << (static_cast<unsigned>(from) % 64));
    while (rest == 0) {
      if (++w == more_.size()) return -1;
      rest = more_[w];
    }
    return static_cast<int>(w * 64) + 64 + std::countr_zero(rest);
  }

  std::uint64_t& word(int i) { return i < 64 ? first_ : more_[static_cast<std::size_t>(i) / 64 - 1]; }
  static std::uint64_t bit(int i) { return std::uint64_t{1} << (static_cast<unsigned>(i) % 64); }

  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> more_;
};

}  // namespace takt
