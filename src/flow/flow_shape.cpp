#include "flow/flow_shape.h"

#include <fmt/format.h>

#include "core/error.h"

namespace takt {
namespace {

constexpr std::size_t most_parts = std::size_t{1} << 20;

void check_stage(const FlowStage& stage, std::size_t index, std::size_t devices) {
  if (stage.replicas.empty()) refuse_input(fmt::format("stage {}: it has no replica; give it 1 or more", index));
  if (stage.parts() == 0) refuse_input(fmt::format("stage {}: it has no device; name the one it runs on", index));
  if (stage.queue < 1) {
    refuse_input(fmt::format("stage {}: a queue of {} holds no batch; give it room for 1 or more", index, stage.queue));
  }
  for (const auto& replica : stage.replicas) {
    if (replica.size() != stage.replicas.front().size()) {
      refuse_input(
          fmt::format("stage {}: its replicas have different numbers of parts; split all of them alike", index));
    }
    for (const int device : replica) {
      if (device < 0 || static_cast<std::size_t>(device) >= devices) {
        refuse_input(fmt::format("stage {}: there is no device {}; use 0 to {}", index, device,
                                 static_cast<std::int64_t>(devices) - 1));
      }
    }
  }
}

}  // namespace

FlowStage stage_on(int device, int replicas, int queue) { return stage_over({device}, replicas, queue); }

FlowStage stage_over(const std::vector<int>& devices, int replicas, int queue) {
  FlowStage stage;
  stage.replicas.assign(static_cast<std::size_t>(replicas < 0 ? 0 : replicas), devices);
  stage.queue = queue;
  return stage;
}

void check(const FlowShape& shape) {
  if (shape.stages.empty()) refuse_input("pipeline: it has no stage; describe at least one");
  for (std::size_t d = 0; d < shape.devices.size(); ++d) {
    if (const auto& requests = shape.devices[d].requests; requests && *requests < 1) {
      refuse_input(fmt::format("device {}: {} requests can run nothing; allow 1 or more", d, *requests));
    }
  }
  std::size_t parts = 0;
  for (std::size_t s = 0; s < shape.stages.size(); ++s) {
    check_stage(shape.stages[s], s, shape.devices.size());
    parts += shape.stages[s].replicas.size() * shape.stages[s].replicas.front().size();
    if (parts > most_parts)
      refuse_input(fmt::format("pipeline: more than {} replicas and parts; use fewer", most_parts));
  }
  const auto& source = shape.source;
  if (source.in_flight && *source.in_flight < 1) {
    refuse_input(fmt::format("source: {} batches in flight move nothing; allow 1 or more", *source.in_flight));
  }
  if (source.batches && *source.batches < 0) {
    refuse_input(fmt::format("source: {} batches are not a number of batches; use 0 or more", *source.batches));
  }
}

}  // namespace takt
