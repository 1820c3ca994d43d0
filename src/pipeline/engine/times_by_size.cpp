#include "pipeline/engine/times_by_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/basics/text.h"
#include "base/statistics/statistics.h"
#include "model/graph/graph.h"

namespace takt {
namespace {

constexpr std::size_t most_shown = 8;

struct Size {
  std::int64_t elements = 0;  ///< of all values that vary
  std::string words;          ///< "ids {1,16}"
  auto operator<=>(const Size&) const = default;
};

std::vector<const InputTurns*> varying_turns(const std::vector<std::vector<InputTurns>>& turns) {
  std::vector<const InputTurns*> varying;
  for (const auto& of_stage : turns)
    for (const InputTurns& input : of_stage)
      if (input.sizes_vary()) varying.push_back(&input);
  return varying;
}

Size size_of(std::int64_t batch, const std::vector<const InputTurns*>& varying) {
  Size size;
  std::vector<std::string> words;
  for (const InputTurns* input : varying) {
    const Shape& shape = input->values[static_cast<std::size_t>(batch) % input->values.size()]->shape;
    size.elements += element_count(shape).value_or(0);
    words.push_back(fmt::format("{} {}", printable(input->name), to_string(shape)));
  }
  size.words = fmt::format("{}", fmt::join(words, " and "));
  return size;
}

using TimesBySize = std::map<Size, std::vector<Nanoseconds>>;

std::string words_of(const TimesBySize& times) {
  std::vector<std::string> parts;
  for (const auto& [size, samples] : times)
    if (parts.size() < most_shown)
      parts.push_back(fmt::format("{} for {}", format_duration(*median(samples)), size.words));
  if (times.size() > most_shown) parts.push_back(fmt::format("and {} more sizes", times.size() - most_shown));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::vector<std::string> notes_on_sizes(const PipelineRun& run, const std::vector<int>& stages,
                                        const std::vector<std::vector<InputTurns>>& turns) {
  const auto varying = varying_turns(turns);
  std::map<int, TimesBySize> by_stage;
  for (const ExecutionRecord& execution : run.schedule.executions)
    if (execution.what.batch >= run.warmup && execution.what.phase == FlowPhase::run &&
        std::find(stages.begin(), stages.end(), execution.what.stage) != stages.end())
      by_stage[execution.what.stage][size_of(execution.what.batch, varying)].push_back(execution.end - execution.start);
  std::vector<std::string> notes;
  for (const auto& [stage, times] : by_stage)
    notes.push_back(fmt::format("stage '{}' takes by size, in the median: {}",
                                printable(run.stages[static_cast<std::size_t>(stage)].name), words_of(times)));
  return notes;
}

}  // namespace takt
