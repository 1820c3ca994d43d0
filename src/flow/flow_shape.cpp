#include "flow/flow_shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/index.h"

namespace takt {
namespace {

constexpr std::size_t most_parts = std::size_t{1} << 20;

/// How messages call a stage.
std::string called(const std::vector<std::string>& names, int stage) {
  return stage >= 0 && index(stage) < names.size() ? fmt::format("stage '{}'", names[index(stage)])
                                                   : fmt::format("stage {}", stage);
}

void check_stage(const FlowStage& stage, int number, const std::vector<std::string>& names, std::size_t devices) {
  const auto name = [&] { return called(names, number); };
  if (stage.replicas.empty()) refuse_input(fmt::format("{}: it has no replica; give it 1 or more", name()));
  if (stage.parts() == 0) refuse_input(fmt::format("{}: it has no device; name the one it runs on", name()));
  if (stage.queue < 1) {
    refuse_input(fmt::format("{}: a queue of {} holds no batch; use 1 or more", name(), stage.queue));
  }
  for (const auto& replica : stage.replicas) {
    if (replica.size() != stage.replicas.front().size()) {
      refuse_input(
          fmt::format("{}: its replicas have different numbers of parts; split all of them in the same way", name()));
    }
    for (const int device : replica) {
      if (device < 0 || static_cast<std::size_t>(device) >= devices) {
        refuse_input(fmt::format("{}: device {} does not exist; use 0 to {}", name(), device,
                                 static_cast<std::int64_t>(devices) - 1));
      }
    }
  }
}

void check_after(const FlowStage& stage, int number, const std::vector<std::string>& names) {
  if (stage.after == std::vector{FlowStage::source}) return;
  for (const int before : stage.after) {
    if (before == FlowStage::source) {
      refuse_input(fmt::format("{}: a stage that follows other stages already follows the source; name the stages only",
                               called(names, number)));
    }
    if (before < 0 || before >= number) {
      refuse_input(fmt::format("{}: it cannot follow {}; name stages that precede it", called(names, number),
                               called(names, before)));
    }
    if (std::count(stage.after.begin(), stage.after.end(), before) > 1)
      refuse_input(
          fmt::format("{}: it follows {} twice; name a stage once", called(names, number), called(names, before)));
  }
}

// Where several stages meet, all queues must hold the same batches, or each waits for a batch that finds no room.
void check_order(const FlowShape& shape, const std::vector<std::string>& names) {
  std::vector<bool> meets_later(shape.stages.size());
  for (std::size_t s = shape.stages.size(); s-- > 0;) {
    const FlowStage& stage = shape.stages[s];
    if (meets_later[s] && !stage.ordered && stage.replicas.size() > 1) {
      refuse_input(fmt::format(
          "{}: its batches may overtake each other, but its downstream branches join again; keep their order",
          called(names, static_cast<int>(s))));
    }
    const auto before = stages_before(shape, static_cast<int>(s));
    for (const int b : before)
      if (before.size() > 1 || meets_later[s]) meets_later[index(b)] = true;
  }
}

}  // namespace

std::vector<int> stages_before(const FlowShape& shape, int s) {
  std::vector<int> before = shape.stages[index(s)].after;
  if (before.empty() && s > 0) before.push_back(s - 1);
  if (before == std::vector{FlowStage::source}) before.clear();
  std::sort(before.begin(), before.end());
  return before;
}

FlowWays ways_of(const FlowShape& shape) {
  FlowWays ways;
  const int stages = static_cast<int>(shape.stages.size());
  ways.behind.resize(shape.stages.size());
  for (int s = 0; s < stages; ++s) {
    ways.before.push_back(stages_before(shape, s));
    for (const int before : ways.before.back()) ways.behind[index(before)].push_back(s);
    if (ways.before.back().empty()) ways.first.push_back(s);
  }
  for (int s = 0; s < stages; ++s)
    if (ways.behind[index(s)].empty()) ways.last.push_back(s);
  return ways;
}

bool is_chain(const FlowShape& shape) {
  for (int s = 1; s < static_cast<int>(shape.stages.size()); ++s)
    if (stages_before(shape, s) != std::vector{s - 1}) return false;
  return true;
}

FlowStage stage_on(int device, int replicas, int queue) { return stage_over({device}, replicas, queue); }

FlowStage stage_over(const std::vector<int>& devices, int replicas, int queue) {
  FlowStage stage;
  stage.replicas.assign(static_cast<std::size_t>(replicas < 0 ? 0 : replicas), devices);
  stage.queue = queue;
  return stage;
}

void check(const FlowShape& shape, const std::vector<std::string>& names) {
  if (shape.stages.empty()) refuse_input("pipeline: it has no stage; describe at least one");
  for (std::size_t d = 0; d < shape.devices.size(); ++d) {
    if (const auto& requests = shape.devices[d].requests; requests && *requests < 1) {
      refuse_input(fmt::format("device {}: {} requests cannot run anything; allow 1 or more", d, *requests));
    }
  }
  std::size_t parts = 0;
  for (std::size_t s = 0; s < shape.stages.size(); ++s) {
    check_stage(shape.stages[s], static_cast<int>(s), names, shape.devices.size());
    check_after(shape.stages[s], static_cast<int>(s), names);
    parts += shape.stages[s].replicas.size() * shape.stages[s].replicas.front().size();
    if (parts > most_parts)
      refuse_input(fmt::format("pipeline: more than {} replicas and parts; use fewer", most_parts));
  }
  check_order(shape, names);
  const auto& source = shape.source;
  if (source.in_flight && *source.in_flight < 1) {
    refuse_input(fmt::format("source: {} batches in flight cannot run anything; allow 1 or more", *source.in_flight));
  }
  if (source.batches && *source.batches < 0) {
    refuse_input(fmt::format("source: {} is not a number of batches; use 0 or more", *source.batches));
  }
}

}  // namespace takt
