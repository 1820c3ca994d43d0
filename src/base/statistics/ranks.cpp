#include "base/statistics/ranks.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/basics/check.h"

namespace takt {
namespace {

constexpr std::size_t few = 2048;  // values that are cheaper to sort
constexpr int range_bits = 12;

struct Wanted {
  std::size_t place = 0;
  std::int64_t* value = nullptr;
};

struct Range {
  std::vector<std::int64_t> values;
  std::vector<Wanted> wanted;
};

void select(std::span<const std::int64_t> values, std::span<const Wanted> wanted);

void select_by_sorting(std::span<const std::int64_t> values, std::span<const Wanted> wanted) {
  std::vector<std::int64_t> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  for (const Wanted& one : wanted) *one.value = sorted[one.place];
}

/// The ranges that hold a wanted place (wanted places ascend), and of every range which of those it is; 0: none.
std::vector<Range> pick_ranges(std::span<const std::uint32_t> counts, std::span<const Wanted> wanted,
                               std::span<std::uint16_t> picked) {
  std::vector<Range> ranges(1);
  std::size_t before = 0, range = 0;
  for (const Wanted& one : wanted) {
    while (one.place >= before + counts[range]) before += counts[range++];
    if (picked[range] == 0) {
      picked[range] = static_cast<std::uint16_t>(ranges.size());
      ranges.emplace_back().values.reserve(counts[range]);
    }
    ranges[picked[range]].wanted.push_back({one.place - before, one.value});
  }
  return ranges;
}

void select_by_counting(std::span<const std::int64_t> values, std::span<const Wanted> wanted, std::int64_t least,
                        std::int64_t most) {
  const auto distance = [least](std::int64_t value) {
    return static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(least);
  };
  const int shift = std::max(0, static_cast<int>(std::bit_width(distance(most))) - range_bits);
  std::array<std::uint32_t, 1 << range_bits> counts{};
  for (const std::int64_t value : values) ++counts[distance(value) >> shift];
  std::array<std::uint16_t, 1 << range_bits> picked{};
  std::vector<Range> ranges = pick_ranges(counts, wanted, picked);
  for (const std::int64_t value : values) {
    if (const std::uint16_t range = picked[distance(value) >> shift]) ranges[range].values.push_back(value);
  }
  for (const Range& range : std::span(ranges).subspan(1)) select(range.values, range.wanted);
}

/// Each counting divides the distance of the values by 4,096 at least, so six of them are enough.
void select(std::span<const std::int64_t> values, std::span<const Wanted> wanted) {
  if (values.size() <= few) return select_by_sorting(values, wanted);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least != *most) return select_by_counting(values, wanted, *least, *most);
  for (const Wanted& one : wanted) *one.value = *least;
}

}  // namespace

std::vector<std::int64_t> values_at_ranks(std::span<const std::int64_t> values, std::span<const std::size_t> places) {
  for (const std::size_t place : places) TAKT_CHECK(place < values.size());
  std::vector<std::int64_t> found(places.size());
  std::vector<Wanted> wanted;
  for (std::size_t i = 0; i < places.size(); ++i) wanted.push_back({places[i], &found[i]});
  std::sort(wanted.begin(), wanted.end(), [](const Wanted& a, const Wanted& b) { return a.place < b.place; });
  select(values, wanted);
  return found;
}

}  // namespace takt
