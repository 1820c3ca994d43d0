#include "trace/cut/part_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "trace/events/rank_names.h"

namespace takt {
namespace {

struct KnownStep {
  TimeInterval span;         // of all processes
  std::int64_t longest = 0;  // of one process, in the program
  bool in_program = false;
};
using KnownSteps = std::map<std::int64_t, KnownStep>;

KnownSteps steps_of(const TraceSurvey& survey, const std::optional<std::set<std::int64_t>>& pids) {
  KnownSteps steps;
  // Device rows have process numbers of their own, so they are taken by the step they belong to.
  for (const bool on_device : {false, true}) {
    for (const SurveyedStep& mark : survey.steps) {
      if (mark.on_device != on_device || (pids && !on_device && !pids->contains(mark.pid))) continue;
      if (on_device && pids && !steps.contains(mark.number)) continue;
      const auto [found, is_new] = steps.try_emplace(mark.number, KnownStep{.span = mark.span});
      KnownStep& step = found->second;
      if (!on_device) {
        step.in_program = true;
        step.span.start = std::min(step.span.start, mark.span.start);
        step.longest = std::max(step.longest, mark.span.end - mark.span.start);
      }
      step.span.end = std::max(step.span.end, mark.span.end);
    }
  }
  return steps;
}

[[noreturn]] void refuse_steps(const std::string& file, const std::string& why) {
  refuse_input(printable(file) + ": " + why);
}

const KnownSteps& checked(const KnownSteps& steps, const std::string& file) {
  if (steps.empty()) {
    refuse_steps(
        file,
        "the trace has no step markers (ProfilerStep#N); give a time span with --from and --to: 'takt diagnose' lists "
        "the steps that it detects without markers");
  }
  return steps;
}

PartChoice of_steps(const KnownSteps& steps, std::int64_t first, std::int64_t last, const std::string& file) {
  PartChoice choice;
  std::optional<TimeInterval> span;
  std::set<std::int64_t> ends;
  for (auto step = steps.lower_bound(first); step != steps.end() && step->first <= last; ++step) {
    if (!span) span = step->second.span;
    span->start = std::min(span->start, step->second.span.start);
    span->end = std::max(span->end, step->second.span.end);
    ends.insert(step->second.span.end);
  }
  if (!span) {
    refuse_steps(file, fmt::format("there is no step {}; the trace has steps {} to {}",
                                   first == last ? std::to_string(first) : fmt::format("{}-{}", first, last),
                                   steps.begin()->first, steps.rbegin()->first));
  }
  choice.part.span = *span;
  choice.step_ends.assign(ends.begin(), std::prev(ends.end()));
  choice.name = first == last ? fmt::format("step {}", first) : fmt::format("steps {}-{}", first, last);
  return choice;
}

PartChoice around_slowest(const KnownSteps& steps, const std::string& file) {
  auto slowest = steps.end();
  for (auto step = steps.begin(); step != steps.end(); ++step) {
    const auto length = [](const KnownStep& s) { return s.in_program ? s.longest : s.span.end - s.span.start; };
    if (slowest == steps.end() || length(step->second) > length(slowest->second)) slowest = step;
  }
  const std::int64_t before = slowest == steps.begin() ? slowest->first : std::prev(slowest)->first;
  const std::int64_t after = std::next(slowest) == steps.end() ? slowest->first : std::next(slowest)->first;
  PartChoice choice = of_steps(steps, before, after, file);
  choice.name += fmt::format(" around the slowest, {}", slowest->first);
  return choice;
}

PartChoice of_time(const TraceSurvey& survey, const PartWish& wish, const std::string& file) {
  PartChoice choice;
  const TimeInterval whole{survey.span->start, survey.span->end + 1};  // what ends or happens last is in it, too
  choice.part.span = whole;
  const std::int64_t length = survey.span->end - survey.span->start;
  if (wish.from && wish.from->count() > length) {
    refuse_steps(file, fmt::format("--from {}: the trace ends after {}", format_duration(Duration(*wish.from)),
                                   format_duration(Duration(Nanoseconds(length)))));
  }
  if (wish.from) choice.part.span.start = whole.start + wish.from->count();
  if (wish.to && wish.to->count() <= length) choice.part.span.end = whole.start + wish.to->count();
  return choice;
}

std::optional<std::set<std::int64_t>> pids_of(const TraceSurvey& survey, const PartWish& wish, const std::string& file,
                                              std::optional<std::int64_t> own_rank) {
  if (!wish.rank || wish.rank == own_rank) return std::nullopt;
  std::set<std::int64_t> pids;
  for (const auto& [pid, name] : survey.process_names) {
    if (rank_in_name(name) == wish.rank) pids.insert(pid);
  }
  if (!pids.empty()) return pids;
  refuse_steps(file,
               fmt::format("it has no events of rank {}{}; 'takt trace merge' writes ranks into the names of processes",
                           *wish.rank, own_rank ? fmt::format(": it is the trace of rank {}", *own_rank) : ""));
}

}  // namespace

PartChoice choose_part(const TraceSurvey& survey, const PartWish& wish, const std::string& file,
                       std::optional<std::int64_t> rank) {
  if (!survey.span) refuse_steps(file, "the trace has no events, so there is nothing to cut");
  const auto pids = pids_of(survey, wish, file, rank);
  const KnownSteps steps = steps_of(survey, pids);
  PartChoice choice = wish.steps ? of_steps(checked(steps, file), wish.steps->first, wish.steps->second, file)
                      : wish.around_slowest ? around_slowest(checked(steps, file), file)
                                            : of_time(survey, wish, file);
  choice.part.pids = pids;
  return choice;
}

std::pair<std::int64_t, std::int64_t> parse_step_range(const std::string& text) {
  const std::size_t dash = text.find('-', 1);
  const auto first = number_in<std::int64_t>(trim(std::string_view(text).substr(0, dash)));
  const auto last = dash == text.npos ? first : number_in<std::int64_t>(trim(std::string_view(text).substr(dash + 1)));
  if (!first || !last || *first < 0 || *last < *first) {
    throw UsageError(
        fmt::format("--steps '{}': give a step or the first and the last of several, such as 3-5", printable(text)));
  }
  return {*first, *last};
}

}  // namespace takt
