// What adds up in the account of every run, whoever made it, to the nanosecond.
#pragma once

#include <gtest/gtest.h>

#include "pipeline/record/run_words.h"

namespace takt {

inline void expect_devices_add_up(const PipelineRun& run, const Accounts& a) {
  for (const DeviceAccount& device : a.devices) {
    const auto parts = causes(device);
    ASSERT_EQ(sum(parts), device.wall.count());
    for (const std::int64_t part : parts) ASSERT_GE(part, 0);
    ASSERT_EQ(device.wall, a.window.length());
    ASSERT_EQ(device.bubbles.total, device.wall - device.busy);
    if (device.bubbles.count > 0) {
      ASSERT_GT(device.bubbles.mean->count(), 0);
    }
    if (run.virtual_clock) {
      ASSERT_EQ(device.dispatch.count(), 0);
    }
  }
}

inline void expect_batches_add_up(const PipelineRun& run, const Accounts& a) {
  const std::size_t stages = run.stages.size();
  std::vector<Nanoseconds> totals(stages);
  for (std::size_t b = 0; b < a.batches.size(); ++b) {
    const BatchAccount& batch = a.batches[b];
    const Nanoseconds all =
        batch.admitted - batch.arrived + batch.queue_wait + batch.copy + batch.working + batch.blocked;
    Nanoseconds longest{}, in_stages{};
    for (std::size_t s = 0; s < stages; ++s) {
      in_stages += a.stage_times[b * stages + s];
      totals[s] += a.stage_times[b * stages + s];
      longest = std::max(longest, a.stage_times[b * stages + s]);
    }
    ASSERT_EQ(all, batch.latency());
    if (is_chain(run.shape)) {
      ASSERT_EQ(batch.working, in_stages);
    }
    ASSERT_LE(batch.working, in_stages);
    ASSERT_EQ(longest, batch.cycle);
  }
  for (std::size_t s = 0; s < stages; ++s) ASSERT_EQ(totals[s], a.stages[s].total);
}

inline void expect_parts_add_up(const PipelineRun& run, const Accounts& a) {
  std::size_t expected = 0;
  for (const FlowStage& stage : run.shape.stages)
    if (stage.split()) expected += static_cast<std::size_t>(stage.parts()) * a.batches.size();
  ASSERT_EQ(a.parts.size(), expected);
  for (std::size_t i = 0; i < a.parts.size();) {
    Nanoseconds longest{}, shortest = Nanoseconds::max();
    const std::size_t first = i;
    for (; i < a.parts.size() && a.parts[i].batch == a.parts[first].batch && a.parts[i].stage == a.parts[first].stage;
         ++i) {
      longest = std::max(longest, a.parts[i].device_time);
      shortest = std::min(shortest, a.parts[i].device_time);
    }
    const PartAccount& part = a.parts[first];
    ASSERT_EQ(part.partition + longest + part.sync_merge, part.stage_total);
    ASSERT_EQ(part.skew, longest - shortest);
    ASSERT_GE(part.wake_up.count(), 0);
  }
}

}  // namespace takt
