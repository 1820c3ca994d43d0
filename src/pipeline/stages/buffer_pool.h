// Memory for tensors of one size that comes and goes with every batch. New memory of the system costs a fault per page
// at its first touch, more than computing with it often does; so what the last holder lets go is used again.
#pragma once

#include <cstddef>
#include <memory>

namespace takt {

/// Thread-safe; may go before the memory that it gave out.
class BufferPool {
 public:
  /// Makes a pool of buffers of `size` bytes each.
  explicit BufferPool(std::size_t size);
  /// A buffer that nobody else holds, aligned to 64 bytes, of any content. It comes back when it is let go.
  std::shared_ptr<std::byte> take();

 private:
  struct Idle;
  std::shared_ptr<Idle> idle_;
};

}  // namespace takt
