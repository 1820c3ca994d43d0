// Texts of one parsing thread by number: faster than StringTable, and without its promises to readers.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace takt {

/// Open addressing over texts in large blocks. Numbers follow first use; 0 is the empty text. Not thread-safe.
class Interner {
 public:
  Interner() : slots_(1024) { intern("", 0); }

  /// `order` is remembered for a new text: where in the file it was first seen.
  std::uint32_t intern(std::string_view text, std::uint64_t order) {
    const std::uint32_t hash = hash_of(text);
    std::size_t slot = hash & (slots_.size() - 1);
    while (slots_[slot].number != 0) {
      if (slots_[slot].hash == hash) {
        const std::string_view known = entries_[slots_[slot].number - 1].text;
        if (is_same(known, text)) return slots_[slot].number - 1;
      }
      slot = (slot + 1) & (slots_.size() - 1);
    }
    entries_.push_back({keep(text), order});
    slots_[slot] = {hash, static_cast<std::uint32_t>(entries_.size())};
    if (entries_.size() * 2 > slots_.size()) grow();
    return static_cast<std::uint32_t>(entries_.size() - 1);
  }
  std::string_view text(std::uint32_t number) const { return entries_[number].text; }
  std::uint64_t order(std::uint32_t number) const { return entries_[number].order; }
  std::size_t size() const { return entries_.size(); }

 private:
  struct Slot {
    std::uint32_t hash = 0, number = 0;  // number is one more than the text's; 0: free
  };
  struct Entry {
    std::string_view text;
    std::uint64_t order;
  };

  template <typename Word>
  static std::uint64_t load(const char* p) {
    Word word;
    std::memcpy(&word, p, sizeof word);
    return word;
  }

  /// Texts are short: a call of memcmp() would take longer.
  static bool is_same(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    if (a.size() < 8) return a == b;
    const std::size_t last = a.size() - 8;
    for (std::size_t i = 0; i < last; i += 8) {
      if (load<std::uint64_t>(a.data() + i) != load<std::uint64_t>(b.data() + i)) return false;
    }
    return load<std::uint64_t>(a.data() + last) == load<std::uint64_t>(b.data() + last);
  }

  /// Eight bytes at a time, multiplied and folded; the last eight may overlap those before.
  static std::uint32_t hash_of(std::string_view text) {
    std::uint64_t hash = text.size() * 0x9E3779B97F4A7C15u;
    const char* p = text.data();
    const std::size_t size = text.size();
    const auto mix = [&hash](std::uint64_t word) {
      hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
      hash ^= hash >> 32;
    };
    if (size >= 8) {
      for (std::size_t i = 0; i + 8 < size; i += 8) mix(load<std::uint64_t>(p + i));
      mix(load<std::uint64_t>(p + size - 8));
    } else if (size >= 4) {
      mix(load<std::uint32_t>(p) << 32 | load<std::uint32_t>(p + size - 4));
    } else if (size > 0) {
      mix(load<std::uint8_t>(p) << 16 | load<std::uint8_t>(p + size / 2) << 8 | load<std::uint8_t>(p + size - 1));
    }
    return static_cast<std::uint32_t>(hash ^ (hash >> 29));
  }

  std::string_view keep(std::string_view text) {
    if (text.empty()) return {};
    if (text.size() > room_) {
      room_ = text.size() > block_bytes ? text.size() : block_bytes;
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(room_));
      free_ = blocks_.back().get();
    }
    std::memcpy(free_, text.data(), text.size());
    const std::string_view kept(free_, text.size());
    free_ += text.size();
    room_ -= text.size();
    return kept;
  }

  void grow() {
    std::vector<Slot> larger(slots_.size() * 2);
    for (const Slot& old : slots_) {
      if (old.number == 0) continue;
      std::size_t slot = old.hash & (larger.size() - 1);
      while (larger[slot].number != 0) slot = (slot + 1) & (larger.size() - 1);
      larger[slot] = old;
    }
    slots_ = std::move(larger);
  }

  static constexpr std::size_t block_bytes = 1 << 16;
  std::vector<Slot> slots_;
  std::vector<Entry> entries_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* free_ = nullptr;
  std::size_t room_ = 0;
};

}  // namespace takt
