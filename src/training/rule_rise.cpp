// Rising step time: from some step on, steps take longer than before.
#include "training/rise.h"
#include "training/rule_words.h"

namespace takt {

RuleOutcome look_for_rise(const TrainingCase& one) {
  constexpr std::size_t fewest = 5;
  if (one.steps.list.size() < fewest) return abstain("at least 5 steps");
  std::vector<double> times;
  for (const TrainingStep& step : one.steps.list) times.push_back(static_cast<double>(step.span.end - step.span.start));
  // A processor's level changes by a fifth with its clock and its neighbours, for a second or for good.
  const auto rise = one.activity.expects_device ? find_rise(times) : find_rise(times, 0.25);
  if (!rise) return nothing_found();
  std::vector<std::int64_t> cost(times.size());
  const double usual = rise->is_gradual ? times.front() : rise->before;
  for (std::size_t i = rise->is_gradual ? 0 : rise->at; i < times.size(); ++i)
    cost[i] = std::max<std::int64_t>(0, static_cast<std::int64_t>(times[i] - usual));
  const std::int64_t number = one.steps.list[rise->at].number;
  const std::string what = rise->is_gradual ? fmt::format("steps grow steadily, from {} to {}",
                                                          time_text(times.front()), time_text(times.back()))
                                            : fmt::format("from step {} on steps take {}, before {}", number,
                                                          time_text(rise->after), time_text(rise->before));
  return found(TrainingCause::rising_step_time, cost, what,
               "Look at what changes there: memory that grows, a list that is never emptied, a loader that falls "
               "behind, a clock that is throttled.");
}

}  // namespace takt
