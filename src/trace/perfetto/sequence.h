// What packets of one writer share: texts that are told once and then known by number, and values that hold unless an
// event says otherwise. Perfetto calls a writer's packets a sequence.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/events/trace.h"

namespace takt::perfetto {

/// Texts by the numbers that a writer gave them, which are small ones as a rule.
class NumberedTexts {
 public:
  void clear() {
    small_.clear();
    large_.clear();
  }
  void set(std::uint64_t number, StringId text) {
    if (number >= most_small) {
      large_[number] = text;
      return;
    }
    if (number >= small_.size()) small_.resize(static_cast<std::size_t>(number) + 1, unknown);
    small_[static_cast<std::size_t>(number)] = text;
  }
  std::optional<StringId> find(std::uint64_t number) const {
    if (number < small_.size()) {
      const StringId text = small_[static_cast<std::size_t>(number)];
      return text == unknown ? std::nullopt : std::optional(text);
    }
    const auto found = large_.find(number);
    return found == large_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  static constexpr std::uint64_t most_small = 1 << 16;
  static constexpr StringId unknown{UINT32_MAX};
  std::vector<StringId> small_;
  std::unordered_map<std::uint64_t, StringId> large_;
};

struct Sequence {
  NumberedTexts names, categories, argument_names, argument_texts;
  bool is_known = false;  ///< no packet was lost since the writer began to tell its texts
  std::optional<std::uint32_t> default_clock;
  std::optional<std::uint64_t> default_track;
  // For writers older than tracks: a thread, and a time to which events add.
  std::optional<std::uint32_t> own_track;
  std::int64_t running_us = 0;

  /// As after SEQ_INCREMENTAL_STATE_CLEARED.
  void begin_anew() {
    *this = Sequence();
    is_known = true;
  }

  /// Takes the texts of an InternedData message. False: it is broken.
  bool add_texts(std::string_view interned_data, Trace& trace);
};

}  // namespace takt::perfetto
