// Interned text of a trace: each distinct name is stored once and events hold a number.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace takt {

/// A text in a StringTable; 0 is the empty text.
enum class StringId : std::uint32_t {};

/// Grows only; numbers follow the order of first use, so equal inputs give equal tables. Not thread-safe.
class StringTable {
 public:
  StringTable() { intern(""); }
  StringTable(const StringTable& other) { *this = other; }
  StringTable& operator=(const StringTable& other);
  StringTable(StringTable&&) = default;
  StringTable& operator=(StringTable&&) = default;

  StringId intern(std::string_view text);
  /// `id` must come from this table. The reference lives as long as the table.
  const std::string& text(StringId id) const { return texts_[static_cast<std::size_t>(id)]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // a deque, because the index holds views into its elements
  std::unordered_map<std::string_view, StringId> index_;
};

}  // namespace takt
