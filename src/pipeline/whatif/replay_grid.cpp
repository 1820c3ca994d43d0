#include "pipeline/whatif/replay_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/basics/error.h"
#include "pipeline/account/account.h"

namespace takt {
namespace {

/// Answers times batches times stages: each takes about 30 µs, since ranges are of 60 replays.
constexpr std::size_t most_visits = 100'000;
constexpr std::size_t most_stages = 6, usual_stages = 3;

struct Fineness {
  std::vector<std::string> times;
  std::set<std::int64_t> replicas, queues;
};
const Fineness& fine() {
  static const Fineness values{
      {"x0.25", "x0.5", "x0.7", "x0.8", "x0.9", "x1", "x1.25", "x1.5", "x2"}, {1, 2, 3}, {1, 2, 4}};
  return values;
}
const Fineness& coarse() {
  static const Fineness values{{"x0.5", "x0.75", "x1", "x1.5"}, {1, 2}, {1, 2}};
  return values;
}

std::size_t settings_of(const Fineness& of) { return of.times.size() * of.replicas.size() * of.queues.size(); }

GridKnob time_knob(const std::string& stage, const std::vector<std::string>& values) {
  const auto recorded = std::find(values.begin(), values.end(), "x1") - values.begin();
  return {"stage." + stage + ".time", values, static_cast<std::size_t>(recorded)};
}

/// Of whole numbers, with the recorded one among them.
GridKnob count_knob(std::string key, std::set<std::int64_t> values, std::int64_t recorded) {
  values.insert(recorded);
  GridKnob knob{std::move(key), {}, 0};
  for (const std::int64_t value : values) {
    if (value == recorded) knob.recorded = knob.values.size();
    knob.values.push_back(std::to_string(value));
  }
  return knob;
}

KnobGroup stage_group(const PipelineRun& run, std::size_t stage, const Fineness& of) {
  const std::string& name = run.stages[stage].name;
  const FlowStage& flow = run.shape.stages[stage];
  const auto replicas = static_cast<std::int64_t>(flow.replicas.size());
  return {name,
          {time_knob(name, of.times), count_knob("stage." + name + ".replicas", of.replicas, replicas),
           count_knob("stage." + name + ".queue", of.queues, flow.queue)},
          {}};
}

KnobGroup source_group(const PipelineRun& run) {
  const auto recorded = run.shape.source.in_flight;
  GridKnob knob = count_knob("source.in_flight", {1, 2, 3, 4, 6, 8, 12, 16}, recorded.value_or(1));
  knob.values.emplace_back("none");
  if (!recorded) knob.recorded = knob.values.size() - 1;
  return {"", {std::move(knob)}, {}};
}

/// In the order of the pipeline.
std::vector<std::size_t> heaviest(const PipelineRun& run, std::size_t most) {
  const Accounts accounts = account(run);
  std::vector<std::size_t> stages(run.stages.size());
  for (std::size_t s = 0; s < stages.size(); ++s) stages[s] = s;
  std::stable_sort(stages.begin(), stages.end(),
                   [&](std::size_t a, std::size_t b) { return accounts.stages[a].load > accounts.stages[b].load; });
  stages.resize(std::min(stages.size(), most));
  std::sort(stages.begin(), stages.end());
  return stages;
}

std::size_t settings_of(const KnobGroup& group) {
  std::size_t count = 1;
  for (const GridKnob& knob : group.knobs) count *= knob.values.size();
  return count;
}

/// All in one call: what is known of the run is found out once.
void answer(const PipelineRun& run, std::vector<KnobGroup>& groups) {
  std::vector<std::vector<PipelineChange>> settings;
  for (const KnobGroup& group : groups)
    for (std::size_t at = 0; at < settings_of(group); ++at)
      settings.push_back(changes_of(group, setting_of(group, at)));
  auto rows = predictions(run, settings);
  auto next = rows.begin();
  for (KnobGroup& group : groups) {
    const auto end = next + static_cast<std::ptrdiff_t>(settings_of(group));
    group.answers.assign(std::make_move_iterator(next), std::make_move_iterator(end));
    next = end;
  }
}

}  // namespace

std::vector<PipelineChange> changes_of(const KnobGroup& group, const std::vector<std::size_t>& setting) {
  std::vector<PipelineChange> changes;
  for (std::size_t k = 0; k < group.knobs.size(); ++k) {
    const GridKnob& knob = group.knobs[k];
    if (setting[k] != knob.recorded)
      changes.push_back(parse_change(fmt::format("{}={}", knob.key, knob.values[setting[k]])));
  }
  return changes;
}

std::size_t answer_of(const KnobGroup& group, const std::vector<std::size_t>& setting) {
  std::size_t place = 0;
  for (std::size_t k = 0; k < group.knobs.size(); ++k) place = place * group.knobs[k].values.size() + setting[k];
  return place;
}

std::vector<std::size_t> setting_of(const KnobGroup& group, std::size_t answer) {
  std::vector<std::size_t> setting(group.knobs.size());
  for (std::size_t k = group.knobs.size(); k-- > 0;) {
    setting[k] = answer % group.knobs[k].values.size();
    answer /= group.knobs[k].values.size();
  }
  return setting;
}

std::vector<KnobGroup> replay_grid(const PipelineRun& run) {
  const std::size_t visits = run.schedule.batches.size() * run.stages.size();
  if (visits == 0) return {};
  const std::size_t answers = most_visits / visits;
  const bool is_fine = answers >= settings_of(fine()) * std::min(usual_stages, run.stages.size());
  const Fineness& of = is_fine ? fine() : coarse();
  const std::size_t stages = std::min(most_stages, answers / settings_of(of));
  if (stages == 0) return {};
  std::vector<KnobGroup> groups;
  for (const std::size_t stage : heaviest(run, stages)) groups.push_back(stage_group(run, stage, of));
  groups.push_back(source_group(run));
  try {
    answer(run, groups);
  } catch (const Error&) {  // a record that contradicts itself, as `takt pipeline whatif` says of it
    return {};
  }
  return groups;
}

}  // namespace takt
