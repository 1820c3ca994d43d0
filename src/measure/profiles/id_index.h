// Numbers ids in the order of their first appearance.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace takt {

/// Ids of a profile are nearly always small decimal numbers, which index a table; any other text goes into a hash
/// table. Views must outlive the index.
class IdIndex {
 public:
  /// Ids below `table_limit` may use the table, which takes 4 bytes for each number below the largest.
  explicit IdIndex(std::size_t table_limit = 0) : table_limit_(table_limit) {}

  /// The number of the id, and whether it is new.
  std::pair<std::uint32_t, bool> insert(std::string_view id);
  std::optional<std::uint32_t> find(std::string_view id) const;
  std::uint32_t size() const { return size_; }

 private:
  std::optional<std::size_t> place_in_table(std::string_view id) const;

  std::size_t table_limit_;
  std::uint32_t size_ = 0;
  std::vector<std::uint32_t> table_;  ///< number + 1; 0: not seen
  std::unordered_map<std::string_view, std::uint32_t> others_;
};

}  // namespace takt
