// Memory that was freed and that the allocator keeps for later.
#pragma once

#include <stop_token>
#include <thread>

namespace takt {

/// Gives it back to the system, where the C library can: after something large that does not come again, so that the
/// peak is that of the larger of two steps and not of both. Costs a walk over the free lists.
void give_back_free_memory();

/// While one lives, a thread gives back what was freed whenever this process has grown by some 16 MiB. A runtime that
/// packs weights frees as many as it makes, and whether the new ones fit into the holes falls with their order, which
/// is another one in each process of ONNX Runtime: its peak was 1.1 or 2 times the weights. Any thread; they may
/// overlap.
class FreedMemoryGivenBack {
 public:
  FreedMemoryGivenBack();

 private:
  std::jthread thread_;
};

}  // namespace takt
