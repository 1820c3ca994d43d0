#include "plan/estimate/size_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/basics/error.h"

namespace takt {

std::string size_text(const GraphSize& size) { return fmt::format("{} nodes and {} edges", size.nodes, size.edges); }

void check_rows_grow(const std::vector<GraphSize>& sizes) {
  for (std::size_t s = 1; s < sizes.size(); ++s)
    if (rows_of(sizes[s]) <= rows_of(sizes[s - 1]))
      refuse_input(fmt::format("plan set: {} do not have more rows (nodes + edges) than {}; leave one out",
                               size_text(sizes[s]), size_text(sizes[s - 1])));
}

std::vector<GraphSize> in_order_of_rows(std::vector<GraphSize> sizes) {
  std::stable_sort(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return rows_of(a) < rows_of(b); });
  check_rows_grow(sizes);
  return sizes;
}

GraphSize size_between(const GraphSize& from, const GraphSize& to, double part) {
  const auto at = [&](std::int64_t a, std::int64_t b) { return a + std::llround(static_cast<double>(b - a) * part); };
  return {at(from.nodes, to.nodes), at(from.edges, to.edges)};
}

std::vector<GraphSize> sizes_between(const GraphSize& from, const GraphSize& to, int count) {
  check_rows_grow({from, to});
  const auto first = static_cast<double>(rows_of(from)), last = static_cast<double>(rows_of(to));
  std::vector<GraphSize> sizes{from};
  for (int k = 1; k < count; ++k) {
    const double rows = first * std::pow(last / first, k / (count - 1.0));
    const GraphSize next = k == count - 1 ? to : size_between(from, to, (rows - first) / (last - first));
    if (rows_of(next) > rows_of(sizes.back())) sizes.push_back(next);
  }
  return sizes;
}

SizeLine::SizeLine(const std::vector<GraphSize>& corners) {
  for (const GraphSize& next : corners) {
    if (corners_.empty()) {
      corners_.emplace_back(0, next);
      continue;
    }
    const GraphSize& last = corners_.back().second;
    const auto steps_between = std::max(std::abs(next.nodes - last.nodes), std::abs(next.edges - last.edges));
    corners_.emplace_back(steps() + steps_between, next);
  }
}

GraphSize SizeLine::at(std::int64_t step) const {
  const auto behind = std::upper_bound(corners_.begin(), corners_.end(), step,
                                       [](std::int64_t wanted, const auto& corner) { return wanted < corner.first; });
  if (behind == corners_.end()) return corners_.back().second;
  const auto before = behind - 1;
  return size_between(before->second, behind->second,
                      static_cast<double>(step - before->first) / static_cast<double>(behind->first - before->first));
}

GraphSize SizeLine::with_rows(double rows) const {
  const auto behind = std::find_if(corners_.begin(), corners_.end(), [&](const auto& corner) {
    return rows <= static_cast<double>(rows_of(corner.second));
  });
  if (behind == corners_.end()) return corners_.back().second;
  if (behind == corners_.begin()) return behind->second;
  const auto first = static_cast<double>(rows_of((behind - 1)->second)),
             last = static_cast<double>(rows_of(behind->second));
  return size_between((behind - 1)->second, behind->second, (rows - first) / (last - first));
}

}  // namespace takt
