#include "report/results/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/results/headline.h"

namespace takt {

void add_levels(std::vector<ReportStep>& steps) {
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<Duration> ends(steps.size());  // of the longest chain up to and with the step
  std::vector<std::size_t> before(steps.size(), none);
  std::size_t last = none;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    for (const std::size_t read : steps[step].reads) {
      steps[step].level = std::max(steps[step].level, steps[read].level + 1);
      if (before[step] == none || ends[read] > ends[before[step]]) before[step] = read;
    }
    ends[step] = steps[step].time + (before[step] == none ? Duration{} : ends[before[step]]);
    if (last == none || ends[step] > ends[last]) last = step;
  }
  for (; last != none; last = before[last]) steps[last].on_chain = true;
}

std::string levels_title(const std::vector<ReportStep>& steps) {
  std::map<std::size_t, std::size_t> counts;
  Duration whole{}, chain{};
  bool is_graph = false;
  for (const ReportStep& step : steps) {
    ++counts[step.level];
    whole += step.time;
    if (step.on_chain) chain += step.time;
    is_graph |= !step.reads.empty();
  }
  if (!is_graph) return {};
  std::size_t widest = 0;
  for (const auto& [level, count] : counts) widest = std::max(widest, count);
  if (widest == 1) return fmt::format("Every operator reads the one before: a chain of {}", steps.size());
  return fmt::format("The longest chain of operators takes {} of {}; the widest level has {}", shown_time(chain),
                     shown_time(whole), widest);
}

}  // namespace takt
