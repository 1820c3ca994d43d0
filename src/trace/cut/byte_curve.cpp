#include <algorithm>

#include "trace/cut/survey.h"

namespace takt {

void ByteCurve::add(std::int64_t time, double bytes) {
  if (width_ == 0) {
    origin_ = time;
    width_ = 1024;
  }
  constexpr std::int64_t widest = std::int64_t{1} << 50;
  constexpr auto count = static_cast<std::int64_t>(slots);
  // Two slots become one, at the front or at the back, until the time has its place.
  while ((time < origin_ || time - origin_ >= width_ * count) && width_ < widest) {
    const bool grows_forward = time >= origin_;
    std::array<double, slots> wider{};
    for (std::size_t i = 0; i < slots; ++i) wider[i / 2 + (grows_forward ? 0 : slots / 2)] += bytes_[i];
    bytes_ = wider;
    if (!grows_forward) origin_ -= width_ * count;
    width_ *= 2;
  }
  const std::int64_t slot = std::clamp<std::int64_t>((time - origin_) / width_, 0, count - 1);
  bytes_[static_cast<std::size_t>(slot)] += bytes;
}

std::int64_t ByteCurve::end_for(std::int64_t start, std::int64_t end, double bytes) const {
  if (width_ == 0) return end;
  double sum = 0;
  for (std::size_t i = 0; i < slots; ++i) {
    const std::int64_t slot_start = origin_ + static_cast<std::int64_t>(i) * width_;
    if (slot_start + width_ <= start) continue;
    if (slot_start >= end) return end;
    sum += bytes_[i];
    if (sum > bytes) return std::clamp(slot_start, start + 1, end);
  }
  return end;
}

}  // namespace takt
