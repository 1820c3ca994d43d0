#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "measure/profiles/analyze.h"
#include "measure/python_text/format.h"

namespace takt {

namespace {

/// Python's list.sort of up to 63 keys: the leading run, then binary insertion. Any stable sort gives the same, except
/// with NaN among the keys, which occurs (0 bytes in 0 seconds) and whose place only this algorithm explains.
template <typename Less>
std::vector<std::size_t> short_sort(std::size_t size, Less less) {
  std::vector<std::size_t> order(size);
  for (std::size_t i = 0; i < size; ++i) order[i] = i;
  std::size_t run = std::min<std::size_t>(size, 2);
  const bool falling = size > 1 && less(1, 0);
  while (size > 1 && run < size && less(run, run - 1) == falling) ++run;
  if (falling) std::reverse(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(run));
  for (std::size_t i = run; i < size; ++i) {
    const std::size_t pivot = order[i];
    std::size_t low = 0, high = i;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (less(pivot, order[middle]))
        high = middle;
      else
        low = middle + 1;
    }
    std::rotate(order.begin() + static_cast<std::ptrdiff_t>(low), order.begin() + static_cast<std::ptrdiff_t>(i),
                order.begin() + static_cast<std::ptrdiff_t>(i + 1));
  }
  return order;
}

/// What a record is sorted by, small enough that a profile of a million operators sorts in the cache.
struct SortKey {
  double number = 0;
  std::uint32_t rank = 0;  ///< 0 a number, 1 NaN, 2 missing
  std::uint32_t index = 0;

  /// Never equal, so that any sort is a stable one.
  bool operator<(const SortKey& other) const {
    if (rank != other.rank) return rank < other.rank;
    if (rank == 0 && number != other.number) return number < other.number;
    return index < other.index;
  }
};

template <typename Column>
std::vector<SortKey> sort_keys(const std::vector<OperatorRecord>& records, Column column, bool ascending) {
  std::vector<SortKey> keys;
  keys.reserve(records.size());
  for (const auto& record : records) {
    const std::optional<double> value = column(record);
    const std::uint32_t rank = !value ? 2 : std::isnan(*value) ? 1 : 0;
    keys.push_back({value ? (ascending ? *value : -*value) : 0, rank, static_cast<std::uint32_t>(keys.size())});
  }
  return keys;
}

template <typename Column>
void sort_by_numbers(std::vector<OperatorRecord>& records, Column column, bool ascending) {
  std::vector<SortKey> keys = sort_keys(records, column, ascending);
  std::vector<OperatorRecord> sorted;
  sorted.reserve(records.size());
  if (records.size() < 64) {
    const auto less = [&](std::size_t a, std::size_t b) {
      return keys[a].rank != 2 && (keys[b].rank == 2 || keys[a].number < keys[b].number);
    };
    for (const std::size_t i : short_sort(records.size(), less)) sorted.push_back(records[i]);
  } else {
    std::sort(keys.begin(), keys.end());
    for (const SortKey& key : keys) sorted.push_back(records[key.index]);
  }
  records = std::move(sorted);
}

using NumberLists = std::vector<std::vector<double>>;

void sort_by_shapes(std::vector<OperatorRecord>& records, std::string_view PeerOperator::*member, bool ascending) {
  std::vector<std::pair<std::optional<NumberLists>, OperatorRecord>> keyed;
  for (const auto& record : records) {
    std::optional<NumberLists> key;
    if (const auto shapes = record.op ? parse_shapes(record.op->*member) : std::nullopt) {
      key.emplace();
      for (const auto& shape : *shapes) {
        auto& numbers = key->emplace_back();
        if (shape)
          for (const auto& extent : *shape) numbers.push_back(python_float(extent).value_or(0));
      }
    }
    keyed.emplace_back(std::move(key), record);
  }
  std::stable_sort(keyed.begin(), keyed.end(), [&](const auto& a, const auto& b) {
    if (!a.first || !b.first) return a.first && !b.first;
    return ascending ? *a.first < *b.first : *b.first < *a.first;
  });
  for (std::size_t i = 0; i < records.size(); ++i) records[i] = keyed[i].second;
}

std::optional<double> number(const std::optional<PeerNumber>& value) {
  return value ? std::optional(value->value) : std::nullopt;
}

std::optional<double> id_number(const OperatorRecord& record) {
  const auto id = record.op ? python_int(record.id) : std::nullopt;
  return id ? std::optional(static_cast<double>(*id)) : std::nullopt;
}

}  // namespace

void order_records(std::vector<OperatorRecord>& records, const std::string& order_by) {
  if (records.empty()) return;
  const bool ascending = order_by.starts_with('+');
  const std::string column = order_by.substr(ascending);
  if (column == "time")
    sort_by_numbers(
        records, [](const auto& r) { return std::optional(r.time); }, ascending);
  else if (column == "computation")
    sort_by_numbers(
        records, [](const auto& r) { return number(r.computation); }, ascending);
  else if (column == "memory")
    sort_by_numbers(
        records, [](const auto& r) { return number(r.memory); }, ascending);
  else if (column == "flops" || column == "FLOPS")
    sort_by_numbers(
        records, [](const auto& r) { return r.flops; }, ascending);
  else if (column == "bandwidth")
    sort_by_numbers(
        records, [](const auto& r) { return r.bandwidth; }, ascending);
  else if (column == "opr_id")
    sort_by_numbers(records, id_number, ascending);
  else if (column == "in_shapes")
    sort_by_shapes(records, &PeerOperator::in_shapes, ascending);
  else if (column == "out_shapes")
    sort_by_shapes(records, &PeerOperator::out_shapes, ascending);
  else if (records.size() == 1 && ascending && (column == "info" || column == "in_layouts"))
    return;  // columns the peer cannot compare, and need not
  else {
    const std::vector<std::string> columns = {"time",      "computation", "memory",    "flops",
                                              "bandwidth", "opr_id",      "in_shapes", "out_shapes"};
    throw Error(ErrorKind::bad_input,
                "--order-by: there is no column '" + printable(column) + "' to sort by; " +
                    suggestion(column, columns,
                               "use time, computation, memory, FLOPS, bandwidth, opr_id, in_shapes or out_shapes"));
  }
}

}  // namespace takt
