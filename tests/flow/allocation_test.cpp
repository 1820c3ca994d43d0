// A pipeline in its steady state moves without touching the heap: an engine calls it between two completions.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "flow/flow_words.h"
#include "flow/pipeline_flow.h"

namespace {
std::atomic<std::int64_t> allocations{0};
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace takt {
namespace {

TEST(PipelineFlow, does_not_allocate_in_its_steady_state) {
  auto shape = pipeline({stage_on(0, 3, 4), stage_over({0, 1}, 2, 3), stage_on(1, 2, 2)}, 20'000);
  shape.devices[0].requests = 2;
  shape.stages[0].ordered = false;
  PipelineFlow flow(shape);
  std::vector<Execution> running;
  running.reserve(64);
  std::int64_t before = 0;
  // Whoever runs longest is done first, or last, by turns, so that queues fill and empty.
  for (int step = 0; !flow.finished(); ++step) {
    if (step == 20'000) before = allocations;
    if (!running.empty()) {
      const std::size_t next = step / 7 % 2 == 0 ? 0 : running.size() - 1;
      flow.done(running[next]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(next));
    }
    for (const auto& action : flow.settle()) {
      if (action.kind == FlowActionKind::start) running.push_back(action.what);
    }
  }
  EXPECT_EQ(allocations - before, 0);
  EXPECT_EQ(flow.delivered(), 20'000);
}

}  // namespace
}  // namespace takt
