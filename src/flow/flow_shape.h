// What a streaming pipeline is made of, as far as its movement is concerned: stages with replicas, one after the other
// or forking and joining, queues of bounded length between them, devices that run a bounded number of executions at
// once, and a source. Names, models and service times are not in here: see pipeline_flow.h for the rules of movement
// and simulate.h for times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace takt {

/// A place where stages execute.
struct FlowDevice {
  /// Executions that may run on the device at once, of all its stages together; nullopt: as many as there are replicas.
  std::optional<int> requests{};
};

/// A station. Stages stand in an order in which a batch could pass them one by one: each after those whose results it
/// needs. A stage that feeds no other feeds the sink.
struct FlowStage {
  static constexpr int source = -1;
  /// `replicas[r][p]` is the device that runs part p of a batch that replica r took. One part: an ordinary stage, the
  /// whole batch runs there. Two or more: a data-parallel stage (partition on the host, parts on their devices, merge
  /// on the host); a device may repeat. All replicas of a stage have the same number of parts.
  std::vector<std::vector<int>> replicas;
  /// Batches that may wait for the stage, in each of the queues from the stages before it; 1 or more. A batch
  /// that executes or is blocked is not in the queue.
  int queue = 1;
  /// Batches leave in the order in which they started here; otherwise each as soon as it is done.
  bool ordered = true;
  /// The stages before this one, each of a lower number: a batch starts here when it has left all of them. Empty: the
  /// stage of the number before, the source before stage 0. {source}: the source.
  std::vector<int> after{};

  int parts() const { return replicas.empty() ? 0 : static_cast<int>(replicas.front().size()); }
  bool split() const { return parts() > 1; }
};

/// `replicas` copies of a stage, all on one device.
FlowStage stage_on(int device, int replicas = 1, int queue = 1);

/// A data-parallel stage with part p on `devices[p]`; `replicas` batches may be inside at once.
FlowStage stage_over(const std::vector<int>& devices, int replicas = 1, int queue = 1);

/// Where batches come from. Batches have the numbers 0, 1, 2 … in the order in which they enter the pipeline.
struct FlowSource {
  /// false: a closed loop, the next batch is always ready and enters as soon as it is let in. true: batches come by
  /// themselves (fixed rate, Poisson, a user's program); those that find the first queue full wait at the source, in a
  /// backlog without bound that is part of no queue.
  bool open = false;
  /// Most batches between admission and delivery; nullopt: only the queues hold the source back.
  std::optional<std::int64_t> in_flight{};
  /// How many batches there are in all; nullopt: until the source is closed.
  std::optional<std::int64_t> batches{};
};

struct FlowShape {
  std::vector<FlowDevice> devices;
  std::vector<FlowStage> stages;
  FlowSource source;
};

/// The stages whose results a batch needs in stage `s`, in ascending order; empty: the source feeds it.
std::vector<int> stages_before(const FlowShape& shape, int s);

/// Which stages feed which; every list is in ascending order.
struct FlowWays {
  std::vector<std::vector<int>> before;  ///< by stage: stages_before()
  std::vector<std::vector<int>> behind;  ///< by stage: those that it feeds; none: it feeds the sink
  std::vector<int> first;                ///< those that the source feeds
  std::vector<int> last;                 ///< those that feed the sink
};
FlowWays ways_of(const FlowShape& shape);

/// Whether every stage is fed by the one before it, the first by the source.
bool is_chain(const FlowShape& shape);

/// Throws Error(bad_input) that names the stage (by its number, or as `names` has it) or device if the shape cannot
/// work: no stage, a stage without replicas or with differing numbers of parts, a device that does not exist, a stage
/// after itself, a later one or the same one twice, a stage from which batches come out of order before one where
/// several stages meet (each could wait for room that only the other makes), a queue, `requests` or `in_flight` below
/// 1, `batches` below 0, more than 2^20 replicas or parts in all.
void check(const FlowShape& shape, const std::vector<std::string>& names = {});

}  // namespace takt
