#include "plan/sweep/work.h"

#include "plan/costs/range_bytes.h"

namespace takt {

double guessed_work(const StageRange& stage, const GraphSize& size, std::int64_t features) {
  // A processor of today moves some 4 bytes a nanosecond through its memory and multiplies some 60 numbers.
  constexpr double bytes_per_ns = 4, flops_per_ns = 60, fixed_ns = 50'000, scattering = 4;
  const auto& stages = stages_of(stage.network);
  double ns = fixed_ns;
  for (int number = stage.first; number <= stage.last; ++number) {
    const Stage& one = stages[static_cast<std::size_t>(number) - 1];
    const auto bytes = static_cast<double>(bytes_of({stage.network, number, number}, size, features));
    ns += bytes / bytes_per_ns * (one.scatters ? scattering : 1);
    const auto per_node = 2.0 * static_cast<double>(features) * static_cast<double>(features);
    if (one.name == "TRANSFORM" || one.name == "LINEAR")
      ns += per_node * static_cast<double>(size.nodes) * static_cast<double>(one.inputs.size()) / flops_per_ns;
  }
  return ns;
}

void Forecast::took(const StageRange& stage, const std::string& unit, double work, Duration time) {
  for (Speed* speed : {&speeds_[{stage.network, stage.first, stage.last, unit}], &all_})
    speed->work += work, speed->time += time;
}

Duration Forecast::of(const StageRange& stage, const std::string& unit, double work) const {
  const auto found = speeds_.find({stage.network, stage.first, stage.last, unit});
  const Speed& speed = found == speeds_.end() ? all_ : found->second;
  return speed.work > 0 ? speed.time * (work / speed.work) : Duration(0);
}

}  // namespace takt
