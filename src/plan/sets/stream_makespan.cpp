#include <algorithm>
#include <map>

#include "base/basics/index.h"
#include "plan/sets/stream.h"

namespace takt {
namespace {

/// The times of each batch in each stage of the flow.
class BatchTimes final : public ServiceTimes {
 public:
  BatchTimes(std::vector<std::vector<StageTime>> times, std::vector<std::size_t> size_of)
      : times_(std::move(times)), size_of_(std::move(size_of)) {}
  Nanoseconds service(const Execution& execution) override {
    const StageTime& time = times_[size_of_[index(execution.batch)]][index(execution.stage)];
    if (execution.phase == FlowPhase::run) return time.parts[index(execution.part)];
    return execution.phase == FlowPhase::partition ? time.partition : time.merge;
  }

 private:
  std::vector<std::vector<StageTime>> times_;  ///< by size, then stage
  std::vector<std::size_t> size_of_;           ///< by batch
};

/// There is a link where a transfer takes time at one of the sizes.
PlanTimes with_all_links(std::vector<PlanTimes> sizes) {
  PlanTimes times = sizes.front();
  for (const PlanTimes& other : sizes) {
    times.result_transfer = std::max(times.result_transfer, other.result_transfer);
    for (std::size_t b = 0; b < times.blocks.size(); ++b)
      times.blocks[b].transfer = std::max(times.blocks[b].transfer, other.blocks[b].transfer);
  }
  return times;
}

/// In the stages of a flow with the links of `all`.
std::vector<StageTime> stage_times(const PlanTimes& times, const PlanTimes& all) {
  std::vector<StageTime> stages;
  const auto add_link = [&](Nanoseconds time, Nanoseconds longest) {
    if (longest.count() > 0) stages.push_back({{time}, {}, {}});
  };
  for (std::size_t b = 0; b < times.blocks.size(); ++b) {
    add_link(times.blocks[b].transfer, all.blocks[b].transfer);
    stages.push_back(times.blocks[b].time);
  }
  add_link(times.result_transfer, all.result_transfer);
  return stages;
}

}  // namespace

std::optional<Nanoseconds> stream_makespan(const Plan& plan, const CostsAt& costs_at, const BatchStream& stream) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> known;
  std::vector<std::shared_ptr<const PlanCosts>> costs;
  std::vector<PlanTimes> times;
  std::vector<std::size_t> size_of;
  std::vector<PlacedBlock> blocks;
  for (const GraphSize& size : stream) {
    const auto [place, is_new] = known.try_emplace({size.nodes, size.edges}, known.size());
    size_of.push_back(place->second);
    if (!is_new) continue;
    costs.push_back(costs_at(size));
    blocks = placed(plan, *costs.back());
    auto found = times_or_reason(blocks, *costs.back());
    if (!std::holds_alternative<PlanTimes>(found)) return std::nullopt;
    times.push_back(std::get<PlanTimes>(std::move(found)));
  }
  const PlanTimes all = with_all_links(times);
  // How much blocks slow each other down is known by size; that of the first batch holds for all.
  const PlanFlow flow = flow_of(blocks, all, *costs.front(), static_cast<std::int64_t>(stream.size()));
  std::vector<std::vector<StageTime>> by_size;
  for (const PlanTimes& one : times) by_size.push_back(stage_times(one, all));
  BatchTimes service(std::move(by_size), std::move(size_of));
  return simulate(flow.shape, service, {{}, flow.contention, false}).makespan();
}

}  // namespace takt
