#include "plan/search/share_box.h"

#include <algorithm>

namespace takt {

ShareBox::ShareBox(const std::vector<std::size_t>& units, int steps) : steps_(steps) {
  for (const std::size_t number : units) ranges_.emplace_back(number, Range{1, steps - static_cast<int>(number) + 1});
}

bool ShareBox::tighten() {
  for (auto& block : ranges_) {
    int low = 0, high = 0;
    for (const Range& range : block) {
      low += range.low;
      high += range.high;
    }
    if (low > steps_ || high < steps_) return false;
    for (Range& range : block)
      range = {std::max(range.low, steps_ - (high - range.high)), std::min(range.high, steps_ - (low - range.low))};
  }
  return true;
}

bool ShareBox::is_single() const {
  return std::all_of(ranges_.begin(), ranges_.end(), [](const auto& block) {
    return std::all_of(block.begin(), block.end(), [](const Range& range) { return range.low == range.high; });
  });
}

ShareSteps ShareBox::least() const {
  ShareSteps steps;
  for (const auto& block : ranges_) {
    auto& list = steps.emplace_back();
    for (const Range& range : block) list.push_back(range.low);
  }
  return steps;
}

std::pair<ShareBox, ShareBox> ShareBox::halves(const ShareSteps& near) const {
  std::size_t block = 0, unit = 0;
  for (std::size_t b = 0; b < ranges_.size(); ++b)
    for (std::size_t u = 0; u < ranges_[b].size(); ++u)
      if (ranges_[b][u].high - ranges_[b][u].low > ranges_[block][unit].high - ranges_[block][unit].low) {
        block = b;
        unit = u;
      }
  const Range whole = ranges_[block][unit];
  const int middle = whole.low + (whole.high - whole.low) / 2;
  std::pair<ShareBox, ShareBox> both{*this, *this};
  both.first.ranges_[block][unit] = {whole.low, middle};
  both.second.ranges_[block][unit] = {middle + 1, whole.high};
  if (near[block][unit] > middle) std::swap(both.first, both.second);
  return both;
}

}  // namespace takt
