// Names that say what a repetition is: an annotation that spans several of the stretches that come again is a pass, and
// the stretches are its layers; calls of the optimizer count steps, and what comes again between them are micro batches.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "training/steps/steps.h"

namespace takt {
namespace {

/// Spans of one name that follow each other.
using Passes = std::vector<HostSpan>;

/// Those in which a stretch lies as a whole.
std::size_t stretches_inside(const Steps& repeated, TimeInterval pass) {
  return static_cast<std::size_t>(std::count_if(
      repeated.list.begin(), repeated.list.end(),
      [&](const TrainingStep& one) { return one.span.start >= pass.start && one.span.start < pass.end; }));
}

bool is_pass_name(const HostSpan& span, const Activity& activity) {
  return activity.trains[static_cast<std::size_t>(span.row)] && span.span.end > span.span.start;
}

/// Annotations and modules by name, outermost ones alone, in their order. Figures in an annotation are of the request
/// that it is for.
std::map<StringId, Passes> passes_of(const Activity& activity) {
  std::map<StringId, Passes> by_name;
  for (const HostSpan& span : activity.named) {
    if (!is_pass_name(span, activity)) continue;
    Passes& passes = by_name[span.role == Role::annotation ? activity.alike.at(span.name) : span.name];
    if (passes.empty() || span.span.start >= passes.back().span.end) passes.push_back(span);
  }
  return by_name;
}

/// The name whose every span has several of the stretches, and that together have nearly all of them: of several the
/// one that comes most often. Of long and short requests, whose figures differ, the short ones may have fewer.
const Passes* spanning(const std::map<StringId, Passes>& by_name, const Steps& repeated) {
  constexpr double nearly_all = 0.8;
  const Passes* best = nullptr;
  for (const auto& [name, passes] : by_name) {
    if (passes.size() * 2 > repeated.list.size()) continue;
    std::size_t inside = 0;
    bool has_several = true, are_alike = true;
    for (const HostSpan& pass : passes) {
      const std::size_t count = stretches_inside(repeated, pass.span);
      inside += count;
      has_several = has_several && count >= 2;
      are_alike = are_alike && pass.name == passes.front().name;
    }
    if (are_alike && !has_several) continue;
    // What goes on far longer is no pass: a whole program, with its start.
    const std::int64_t around = passes.back().span.end - passes.front().span.start;
    const std::int64_t stretches = repeated.list.back().span.end - repeated.list.front().span.start;
    if (around > 2 * stretches) continue;
    const bool has_all = static_cast<double>(inside) >= nearly_all * static_cast<double>(repeated.list.size());
    if (has_all && (best == nullptr || passes.size() > best->size())) best = &passes;
  }
  return best;
}

Steps steps_of_passes(const Passes& passes) {
  Steps steps;
  steps.source = StepSource::annotation;
  steps.pass = passes.front().name;
  for (const HostSpan& pass : passes)
    steps.list.push_back({static_cast<std::int64_t>(steps.list.size()), pass.span, {}});
  return steps;
}

/// Spans of a role on threads that train, outermost ones alone.
std::vector<TimeInterval> calls_of(const Activity& activity, Role role) {
  std::vector<TimeInterval> calls;
  for (const HostSpan& span : activity.host) {
    if (span.role != role || span.span.end <= span.span.start) continue;
    if (!activity.trains[static_cast<std::size_t>(span.row)]) continue;
    if (calls.empty() || span.span.start >= calls.back().end) calls.push_back(span.span);
  }
  return calls;
}

std::int64_t first_of_program(const Activity& activity) {
  for (const HostSpan& span : activity.host)
    if (activity.trains[static_cast<std::size_t>(span.row)]) return span.span.start;
  return INT64_MAX;
}

/// Each from the end of the call before to the end of its own.
Steps steps_of_calls(const Activity& activity, const std::vector<TimeInterval>& calls) {
  Steps steps;
  steps.source = StepSource::optimizer;
  std::int64_t start = std::min(first_of_program(activity), calls.front().start);
  for (const TimeInterval& call : calls) {
    steps.list.push_back({static_cast<std::int64_t>(steps.list.size()), {start, call.end}, {}});
    start = call.end;
  }
  return steps;
}

/// Several optimizers take turns with one batch, as in adversarial networks: each step from one wait for a batch to the
/// next.
Steps steps_of_batches(const std::vector<TimeInterval>& waits, std::int64_t end) {
  Steps steps;
  steps.source = StepSource::loader;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const std::int64_t until = i + 1 < waits.size() ? waits[i + 1].start : std::max(end, waits[i].end);
    steps.list.push_back({static_cast<std::int64_t>(i), {waits[i].start, until}, {}});
  }
  return steps;
}

bool are_several_per_batch(const std::vector<TimeInterval>& calls, const std::vector<TimeInterval>& waits) {
  constexpr std::size_t fewest = 3;
  return waits.size() >= fewest && calls.size() >= 2 * waits.size() && calls.size() % waits.size() == 0;
}

/// Where kernels never come again in one order, annotations of one name in which nearly all work is launched are passes:
/// of several the one that comes most often. So they are where a profiler lost most of the device's work.
Steps passes_by_launches(const Activity& activity) {
  constexpr std::size_t fewest = 3;
  constexpr double nearly_all = 0.8;
  std::map<StringId, Passes> by_name;
  for (const HostSpan& span : activity.named) {
    if (span.role != Role::annotation || !is_pass_name(span, activity)) continue;
    Passes& passes = by_name[activity.alike.at(span.name)];
    if (passes.empty() || span.span.start >= passes.back().span.end) passes.push_back(span);
  }
  const Passes* best = nullptr;
  for (const auto& [name, passes] : by_name) {
    if (passes.size() < fewest || (best != nullptr && passes.size() <= best->size())) continue;
    std::vector<TimeInterval> list;
    for (const HostSpan& pass : passes) list.push_back(pass.span);
    const Intervals covered = unite(std::move(list));
    std::size_t calls = 0, inside = 0;
    for (const HostSpan& span : activity.host) {
      if (span.role != Role::launch) continue;
      ++calls;
      inside += contains(covered, span.span.start) ? 1 : 0;
    }
    if (calls > 0 && static_cast<double>(inside) >= nearly_all * static_cast<double>(calls)) best = &passes;
  }
  return best == nullptr ? Steps{} : steps_of_passes(*best);
}

}  // namespace

Steps steps_by_names(const Activity& activity, Steps repeated) {
  constexpr std::size_t fewest_calls = 2;
  const std::vector<TimeInterval> calls = calls_of(activity, Role::optimizer);
  const std::vector<TimeInterval> waits = calls_of(activity, Role::data_wait);
  if (are_several_per_batch(calls, waits)) return steps_of_batches(waits, calls.back().end);
  const std::size_t found = repeated.list.size();
  // Several optimizers in one step call as many times as often; the ends of a trace may lack a call.
  const bool calls_fit =
      found > 0 && calls.size() + 1 >= found && (calls.size() <= found + 1 || calls.size() % found == 0);
  if (calls.size() >= fewest_calls && !calls_fit) return steps_of_calls(activity, calls);
  if (calls.size() < fewest_calls && found > 1) {
    const auto by_name = passes_of(activity);
    if (const Passes* passes = spanning(by_name, repeated)) {
      return steps_of_passes(*passes);
    }
  }
  if (found == 0) return passes_by_launches(activity);
  return repeated;
}

}  // namespace takt
