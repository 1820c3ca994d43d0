#include "flow/random_pipeline.h"

#include <memory>

#include "base/statistics/random.h"

namespace takt {
namespace {

/// std::uniform_int_distribution differs between libraries; the pipelines shall not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : source_(seed) {}
  int roll(int least, int most) {
    return least + static_cast<int>(source_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool chance(int percent) { return roll(1, 100) <= percent; }

 private:
  Random source_;
};

FlowStage random_stage(Dice& dice, int devices) {
  FlowStage stage;
  stage.queue = dice.roll(1, 4);
  stage.ordered = dice.chance(60);
  const int parts = dice.chance(25) ? dice.roll(2, 3) : 1;
  std::vector<int> first;
  for (int p = 0; p < parts; ++p) first.push_back(dice.roll(0, devices - 1));
  stage.replicas.assign(static_cast<std::size_t>(dice.roll(1, 4)), first);
  if (dice.chance(20)) {
    for (auto& replica : stage.replicas) {
      for (auto& device : replica) device = dice.roll(0, devices - 1);
    }
  }
  return stage;
}

/// A time that only depends on which execution it is.
std::int64_t time_of(const Execution& what, std::uint64_t seed, int most) {
  std::uint64_t key = seed;
  for (const std::int64_t id :
       {what.batch, std::int64_t{what.stage}, std::int64_t{what.part}, std::int64_t(what.phase)}) {
    key = Random(key ^ static_cast<std::uint64_t>(id))();
  }
  return static_cast<std::int64_t>(key % static_cast<std::uint64_t>(most + 1));
}

}  // namespace

OracleInput random_pipeline(std::uint64_t seed) {
  Dice dice(seed);
  OracleInput input;
  FlowShape& shape = input.shape;
  const int stages = dice.roll(3, 8), batches = dice.roll(5, 40);
  const int devices = dice.roll(1, stages);
  for (int d = 0; d < devices; ++d) {
    shape.devices.emplace_back();
    if (dice.chance(60)) shape.devices.back().requests = dice.roll(1, 4);
  }
  for (int s = 0; s < stages; ++s) shape.stages.push_back(random_stage(dice, devices));
  if (dice.chance(30)) shape.source.in_flight = dice.roll(1, 12);
  shape.source.batches = batches;
  if (dice.chance(35)) {
    shape.source.open = true;
    Nanoseconds now(dice.roll(0, 50));
    for (int b = 0; b < batches; ++b) {
      input.arrivals.push_back(now);
      now += Nanoseconds(dice.chance(30) ? 0 : dice.roll(1, 60));
    }
  }
  // Few different times give ties; 0 to 3 has many executions that take no time at all.
  constexpr int ranges[] = {3, 8, 40, 100'000};
  const int most = ranges[dice.roll(0, 3)];
  const bool constant = dice.chance(25);
  input.service = [=](Execution what) {
    if (constant) what.batch = 0;
    return time_of(what, seed, most);
  };
  return input;
}

OracleInput random_graph(std::uint64_t seed) {
  OracleInput input = random_pipeline(seed);
  Dice dice(seed ^ 0xf0c4);
  auto& stages = input.shape.stages;
  std::vector<bool> meets_later(stages.size());
  for (int s = 1; s < static_cast<int>(stages.size()); ++s) {
    auto& after = stages[static_cast<std::size_t>(s)].after;
    if (dice.chance(10)) {
      after = {FlowStage::source};
    } else if (dice.chance(70)) {
      for (int before = s - 1; before >= 0; --before)
        if (dice.chance(before == s - 1 ? 50 : 30)) after.push_back(before);
      if (after.empty()) after = {dice.roll(0, s - 1)};
    }
  }
  for (std::size_t s = stages.size(); s-- > 0;) {
    if (meets_later[s]) stages[s].ordered = true;
    const auto before = stages_before(input.shape, static_cast<int>(s));
    for (const int b : before)
      if (before.size() > 1 || meets_later[s]) meets_later[static_cast<std::size_t>(b)] = true;
  }
  return input;
}

ContentionLaw random_contention(OracleInput& input, std::uint64_t seed) {
  Dice dice(seed ^ 0x5eed);
  const std::size_t stages = input.shape.stages.size(), devices = input.shape.devices.size();
  constexpr double powers[] = {1, 1, 1, 2};
  auto law = std::make_shared<ContentionLaw>();
  if (dice.chance(70)) {
    law->interference.assign(stages, std::vector<double>(stages, 1));
    for (auto& row : law->interference) {
      for (double& factor : row) factor = powers[dice.roll(0, 3)];
    }
  }
  if (law->interference.empty() || dice.chance(50)) law->device_curve.assign(devices, {1, dice.chance(30) ? 0.5 : 2});
  input.slowdown = [law](const Execution& what, const std::vector<Execution>& others) {
    double factor = 1;
    std::size_t beside = 0;
    for (const auto& other : others) {
      if (!law->interference.empty()) factor *= law->interference[what.stage][other.stage];
      beside += other.device == what.device;
    }
    if (law->device_curve.empty()) return factor;
    return factor * law->device_curve[what.device][beside];
  };
  // At most 16 at once, so that 2^15 from the matrix is the most: the law's bounds are not reached.
  for (auto& device : input.shape.devices) device.requests = dice.roll(1, 2);
  return *law;
}

FlowShape random_chain(std::uint64_t seed, std::int64_t batches) {
  Dice dice(seed);
  FlowShape shape;
  const int stages = dice.roll(3, 8);
  for (int s = 0; s < stages; ++s) {
    const int device = static_cast<int>(shape.devices.size());
    shape.devices.emplace_back();
    std::vector<int> parts{device};
    if (dice.chance(20)) {
      parts.push_back(device + 1);
      shape.devices.emplace_back();
    }
    shape.stages.push_back(stage_over(parts, dice.roll(1, 4), dice.roll(1, 4)));
    shape.stages.back().ordered = dice.chance(50);
  }
  shape.source.batches = batches;
  if (dice.chance(30)) shape.source.in_flight = dice.roll(1, 20);
  return shape;
}

std::vector<StageTime> random_times(const FlowShape& shape, std::uint64_t seed) {
  Dice dice(seed ^ 0x71e5);
  const int most = dice.chance(50) ? 10 : 1'000'000;
  std::vector<StageTime> times;
  for (const auto& stage : shape.stages) {
    StageTime time;
    for (int p = 0; p < stage.parts(); ++p) time.parts.emplace_back(dice.roll(0, most));
    if (stage.split()) {
      time.partition = Nanoseconds(dice.roll(0, most / 4));
      time.merge = Nanoseconds(dice.roll(0, most / 4));
    }
    times.push_back(time);
  }
  return times;
}

}  // namespace takt
