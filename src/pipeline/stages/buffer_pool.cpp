#include "pipeline/stages/buffer_pool.h"

#include <mutex>
#include <new>
#include <vector>

#include "base/memory/large_pages.h"

namespace takt {
namespace {

constexpr std::align_val_t buffer_alignment{64};  // a cache line, and the widest vector register

struct FreeBuffer {
  void operator()(std::byte* buffer) const { ::operator delete(buffer, buffer_alignment); }
};
using Buffer = std::unique_ptr<std::byte, FreeBuffer>;

}  // namespace

struct BufferPool::Idle {
  // As many as there are batches between two stages come back only where somebody kept them for long; more than a few
  // would wait for nothing.
  static constexpr std::size_t most = 8;

  explicit Idle(std::size_t of_buffer) : size(of_buffer) { buffers.reserve(most); }

  Buffer take() {
    {
      const std::lock_guard lock(mutex);
      if (!buffers.empty()) {
        Buffer last = std::move(buffers.back());  // the one that may still be in a cache
        buffers.pop_back();
        return last;
      }
    }
    Buffer fresh(static_cast<std::byte*>(::operator new(size, buffer_alignment)));
    prefer_large_pages(fresh.get(), size);  // walking through it takes fewer of the processor's address lookups, too
    return fresh;
  }

  void give_back(Buffer buffer) {
    const std::lock_guard lock(mutex);
    if (buffers.size() < most) buffers.push_back(std::move(buffer));
  }

  const std::size_t size;
  std::mutex mutex;
  std::vector<Buffer> buffers;
};

BufferPool::BufferPool(std::size_t size) : idle_(std::make_shared<Idle>(size)) {}

std::shared_ptr<std::byte> BufferPool::take() {
  Buffer buffer = idle_->take();
  std::byte* const memory = buffer.get();
  std::shared_ptr<std::byte> taken(memory, [idle = idle_](std::byte* back) { idle->give_back(Buffer(back)); });
  static_cast<void>(buffer.release());
  return taken;
}

}  // namespace takt
