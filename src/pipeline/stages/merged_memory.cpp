#include "pipeline/stages/merged_memory.h"

#include <algorithm>

namespace takt {

void MergedMemory::open(const std::vector<SharedTensor>& whole) {
  const std::lock_guard lock(mutex_);
  pools_.resize(whole.size());
  for (std::size_t o = 0; o < whole.size(); ++o) {
    std::size_t sum = 0;
    for (const auto& sizes : part_sizes) sum += o < sizes.size() ? sizes[o] : 0;
    if (sum > 0 && sum == whole[o]->bytes.size()) pools_[o] = std::make_unique<BufferPool>(sum);
  }
}

std::shared_ptr<std::byte> MergedMemory::take(int replica, std::size_t part, std::int64_t batch, std::size_t output) {
  const std::lock_guard lock(mutex_);
  if (output >= pools_.size() || !pools_[output]) return nullptr;
  Whole& whole = current_[{replica, output}];
  // A part that comes again begins another batch, whatever its number: nobody writes twice to the same rows.
  if (!whole.memory || whole.batch != batch || whole.taken[part])
    whole = {batch, pools_[output]->take(), std::vector<bool>(part_sizes.size())};
  whole.taken[part] = true;
  std::size_t offset = 0;
  for (std::size_t p = 0; p < part; ++p) offset += part_sizes[p][output];
  std::shared_ptr<std::byte> rows(whole.memory, whole.memory.get() + offset);
  if (std::find(whole.taken.begin(), whole.taken.end(), false) == whole.taken.end()) whole = {};
  return rows;
}

}  // namespace takt
