// A set of small numbers as bits: the lowest and the highest member cost one instruction for the usual pipeline with
// fewer than 64 stages, devices or replicas.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace takt {

class IndexSet {
 public:
  /// An empty set that can hold 0 … size−1; the only call that allocates.
  void resize(int size) { words_.assign(static_cast<std::size_t>(size) / 64 + 1, 0); }

  void insert(int i) { words_[word(i)] |= bit(i); }
  void erase(int i) { words_[word(i)] &= ~bit(i); }
  bool contains(int i) const { return (words_[word(i)] & bit(i)) != 0; }
  /// Both sets have the same size.
  void insert(const IndexSet& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
  }

  /// The lowest member that is at least `from`; -1: none.
  int next(int from = 0) const {
    std::size_t w = word(from);
    if (w >= words_.size()) return -1;
    std::uint64_t rest = words_[w] & (~std::uint64_t{0} << (static_cast<unsigned>(from) % 64));
    while (rest == 0) {
      if (++w == words_.size()) return -1;
      rest = words_[w];
    }
    return static_cast<int>(w * 64) + std::countr_zero(rest);
  }

  /// -1: none.
  int highest() const {
    for (std::size_t w = words_.size(); w-- > 0;) {
      if (words_[w] != 0) return static_cast<int>(w * 64) + 63 - std::countl_zero(words_[w]);
    }
    return -1;
  }

 private:
  static std::size_t word(int i) { return static_cast<std::size_t>(i) / 64; }
  static std::uint64_t bit(int i) { return std::uint64_t{1} << (static_cast<unsigned>(i) % 64); }
  std::vector<std::uint64_t> words_;
};

}  // namespace takt
