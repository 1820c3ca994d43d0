#include "pipeline/spec/stage_order.h"

#include <algorithm>

#include "base/basics/index.h"

namespace takt {
namespace {

std::vector<int> sorted_once(std::vector<int> stages) {
  std::sort(stages.begin(), stages.end());
  stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
  return stages;
}

std::vector<int> connected_stages(const PipelineSpec& spec, const StageSpec& stage) {
  std::vector<int> stages;
  for (const auto& [input, from] : stage.connect)
    stages.push_back(number_of_stage(spec, from.substr(0, from.find('.'))));
  return sorted_once(std::move(stages));
}

}  // namespace

int number_of_stage(const PipelineSpec& spec, const std::string& name) {
  const auto found =
      std::find_if(spec.stages.begin(), spec.stages.end(), [&](auto& stage) { return stage.name == name; });
  return static_cast<int>(found - spec.stages.begin());
}

// Stages come after those of lower numbers only, so one pass down is enough, however many ways there are.
bool comes_after(const std::vector<std::vector<int>>& order, int s, int earlier) {
  std::vector<bool> left(index(s) + 1);
  const auto leave_those_before = [&](int stage) {
    for (const int before : order[index(stage)]) left[index(before)] = true;
  };
  leave_those_before(s);
  for (int b = s - 1; b > earlier; --b)
    if (left[index(b)]) leave_those_before(b);
  return earlier < s && left[index(earlier)];
}

std::vector<int> givers_of(const PipelineSpec& spec, const std::vector<std::vector<int>>& order, int s) {
  // Each stage once, however many ways lead to it: ways multiply with every fork.
  std::vector<int> givers, left = order[index(s)];
  std::vector<bool> seen(spec.stages.size());
  while (!left.empty()) {
    const int before = left.back();
    left.pop_back();
    if (seen[index(before)]) continue;
    seen[index(before)] = true;
    if (hands_on(spec.stages[index(before)]))
      left.insert(left.end(), order[index(before)].begin(), order[index(before)].end());
    else
      givers.push_back(before);
  }
  return sorted_once(std::move(givers));
}

std::vector<std::vector<int>> order_of(const PipelineSpec& spec) {
  std::vector<std::vector<int>> order;
  for (int s = 0; s < static_cast<int>(spec.stages.size()); ++s) {
    const StageSpec& stage = spec.stages[index(s)];
    std::vector<int> before;
    if (stage.after) {
      for (const auto& name : *stage.after) before.push_back(number_of_stage(spec, name));
      before = sorted_once(std::move(before));
    } else if (!stage.connect.empty()) {
      const auto named = connected_stages(spec, stage);
      for (const int b : named)
        if (std::none_of(named.begin(), named.end(),
                         [&](int other) { return other > b && comes_after(order, other, b); }))
          before.push_back(b);
    } else if (s > 0) {
      before.push_back(s - 1);
    }
    order.push_back(std::move(before));
  }
  return order;
}

}  // namespace takt
