#include "trace/cut/byte_ranges.h"

#include <algorithm>

namespace takt {

std::size_t ByteRanges::read(std::span<char> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size() && at_ < ranges_.size()) {
    const ByteRange& range = ranges_[at_];
    if (position_ < range.begin) position_ += source_.skip(range.begin - position_);
    if (position_ < range.begin) {  // the source is shorter than it was
      at_ = ranges_.size();
      break;
    }
    const std::uint64_t left = range.end - position_;
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer.size() - filled));
    const std::size_t count = source_.read(buffer.subspan(filled, wanted));
    filled += count;
    position_ += count;
    if (position_ == range.end)
      ++at_;
    else if (count < wanted)
      at_ = ranges_.size();
  }
  return filled;
}

bool ByteRanges::rewind() {
  if (!source_.rewind()) return false;
  at_ = 0;
  position_ = 0;
  return true;
}

}  // namespace takt
