#include "measure/profiles/id_index.h"

#include <algorithm>

namespace takt {

std::optional<std::size_t> IdIndex::place_in_table(std::string_view id) const {
  constexpr std::size_t most_digits = 12;
  if (id.empty() || id.size() > most_digits || (id[0] == '0' && id.size() > 1)) return std::nullopt;
  std::size_t place = 0;
  for (const char c : id) {
    if (c < '0' || c > '9') return std::nullopt;
    place = place * 10 + static_cast<std::size_t>(c - '0');
  }
  return place < table_limit_ ? std::optional(place) : std::nullopt;
}

std::pair<std::uint32_t, bool> IdIndex::insert(std::string_view id) {
  const auto place = place_in_table(id);
  if (!place) {
    const auto [entry, added] = others_.try_emplace(id, size_);
    size_ += added;
    return {entry->second, added};
  }
  if (*place >= table_.size()) table_.resize(std::min(table_limit_, std::max(*place + 1, table_.size() * 2)));
  std::uint32_t& number = table_[*place];
  const bool added = number == 0;
  if (added) number = ++size_;
  return {number - 1, added};
}

std::optional<std::uint32_t> IdIndex::find(std::string_view id) const {
  if (const auto place = place_in_table(id)) {
    if (*place >= table_.size() || table_[*place] == 0) return std::nullopt;
    return table_[*place] - 1;
  }
  const auto entry = others_.find(id);
  return entry == others_.end() ? std::nullopt : std::optional(entry->second);
}

}  // namespace takt
