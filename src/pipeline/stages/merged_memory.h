// The memory that the parts of a divided stage write their outputs into. For data_parallel.cpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "pipeline/stages/buffer_pool.h"
#include "takt/tensor.h"

namespace takt {

/// Memory of merged outputs that the parts write their rows into, so that nothing is left to be merged. Thread-safe
/// once it is open; before, every part writes elsewhere.
class MergedMemory {
 public:
  std::vector<std::vector<std::size_t>> part_sizes;  ///< by part and output, in bytes

  /// Of the outputs whose parts have just the bytes of the whole.
  void open(const std::vector<SharedTensor>& whole);

  /// Where this part writes its rows; null: to memory of its own.
  std::shared_ptr<std::byte> take(int replica, std::size_t part, std::int64_t batch, std::size_t output);

 private:
  /// A merged output that not all parts have their piece of yet.
  struct Whole {
    std::int64_t batch = 0;
    std::shared_ptr<std::byte> memory;
    std::vector<bool> taken;
  };
  std::mutex mutex_;
  std::vector<std::unique_ptr<BufferPool>> pools_;        ///< by output; null: it is merged by copying
  std::map<std::pair<int, std::size_t>, Whole> current_;  ///< by replica and output
};

}  // namespace takt
