#include "training/steps/steps.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace takt {
namespace {

/// The thread that has most of the marks: of nested loops of several threads or processes one counts.
RowId row_of_marks(const Activity& activity) {
  std::map<RowId, std::size_t> counts;
  for (const HostSpan& mark : activity.step_marks) ++counts[mark.row];
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most->first;
}

Steps steps_by_marks(const Activity& activity) {
  Steps steps;
  steps.source = StepSource::marks;
  const RowId row = row_of_marks(activity);
  for (std::size_t i = 0; i < activity.step_marks.size(); ++i) {
    const TimeInterval mark = activity.step_marks[i].span;
    if (activity.step_marks[i].row != row) continue;
    if (!steps.list.empty()) {
      TimeInterval& before = steps.list.back().span;
      if (mark.end <= before.end) continue;           // of a loop inside
      before.end = std::min(before.end, mark.start);  // clocks of marks are not exact
      if (before.end <= before.start) steps.list.pop_back();
    }
    steps.list.push_back({activity.step_numbers[i], mark, {}});
  }
  for (std::size_t i = 0; i + 1 < steps.list.size(); ++i) {
    TimeInterval& span = steps.list[i].span;
    const std::int64_t next = steps.list[i + 1].span.start;
    // Marks nearly touch within one round of recording; a longer pause is no part of a step.
    if (next - span.end <= (span.end - span.start) / 10) span.end = next;
  }
  return steps;
}

template <typename Span>
std::optional<RowId> busiest_row(const std::vector<Span>& spans, auto counts) {
  std::map<RowId, std::size_t> rows;
  for (const Span& span : spans) {
    if (counts(span)) ++rows[span.row];
  }
  std::optional<RowId> best;
  for (const auto& [row, count] : rows) {
    if (!best || count > rows.at(*best)) best = row;
  }
  return best;
}

Steps steps_at(StepSource source, const std::vector<std::size_t>& begins, std::size_t size,
               const std::vector<TimeInterval>& spans) {
  Steps steps;
  if (begins.empty()) return steps;
  steps.source = source;
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    const std::int64_t end = begins[i + 1] < size ? spans[begins[i + 1]].start : spans.back().end;
    const std::int64_t start = spans[begins[i]].start;
    if (end > start) steps.list.push_back({static_cast<std::int64_t>(steps.list.size()), {start, end}, {}});
  }
  steps.left_out_ends = begins.front() > 0 || begins.back() < size;
  return steps;
}

/// Each name with the one behind it: where every kernel comes many times in a step, the change from the last layer to
/// the optimizer comes once.
std::vector<std::uint32_t> changes_in(const std::vector<std::uint32_t>& names) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numbers;
  std::vector<std::uint32_t> changes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::uint32_t next = i + 1 < names.size() ? names[i + 1] : UINT32_MAX;
    changes.push_back(numbers.try_emplace({names[i], next}, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return changes;
}

std::vector<std::size_t> repetition_of_kernels(const std::vector<std::uint32_t>& names) {
  const std::vector<std::size_t> begins = find_repetition(names);
  return begins.empty() ? find_repetition(changes_in(names)) : begins;
}

Steps steps_by_kernels(const Activity& activity) {
  const auto is_work = [](const DeviceSpan& span) { return span.role == Role::kernel; };
  const auto row = busiest_row(activity.device, is_work);
  if (!row) return {};
  std::unordered_map<std::int64_t, std::int64_t> launches;  // start by correlation
  for (const HostSpan& call : activity.host) {
    if (call.role == Role::launch && call.correlation != 0) launches[call.correlation] = call.span.start;
  }
  std::vector<std::uint32_t> names;
  std::vector<TimeInterval> spans;
  for (const DeviceSpan& work : activity.device) {
    if (work.row != *row || !is_work(work)) continue;
    names.push_back(static_cast<std::uint32_t>(work.name));
    const auto launch = launches.find(work.correlation);
    const std::int64_t start = launch == launches.end() ? work.span.start : launch->second;
    spans.push_back({start, std::max(start, work.span.end)});
  }
  return steps_at(StepSource::kernels, repetition_of_kernels(names), names.size(), spans);
}

Steps steps_by_operators(const Activity& activity) {
  const auto counts = [&](const HostSpan& span) {
    const bool is_work = (is_operator(span.role) && span.is_top) || span.role == Role::data_wait;
    return is_work && activity.trains[static_cast<std::size_t>(span.row)];
  };
  const auto row = busiest_row(activity.host, counts);
  if (!row) return {};
  std::vector<std::uint32_t> names;
  std::vector<TimeInterval> spans;
  for (const HostSpan& span : activity.host) {
    if (span.row != *row || !counts(span)) continue;
    names.push_back(static_cast<std::uint32_t>(span.name));
    spans.push_back({span.span.start, spans.empty() ? span.span.end : std::max(spans.back().end, span.span.end)});
  }
  return steps_at(StepSource::operators, find_repetition(names), names.size(), spans);
}

}  // namespace

std::string_view name_of(StepSource source) {
  constexpr std::string_view names[] = {"none", "marks", "kernels", "operators", "optimizer", "annotation", "loader"};
  return names[static_cast<std::size_t>(source)];
}

Steps steps_by_repetition(const Activity& activity) {
  Steps steps = steps_by_kernels(activity);
  return steps.list.empty() ? steps_by_operators(activity) : steps;
}

Steps find_steps(const Activity& activity) {
  Steps steps =
      activity.step_marks.empty() ? steps_by_names(activity, steps_by_repetition(activity)) : steps_by_marks(activity);
  settle_on_device(activity, steps);
  set_apart(activity, steps);
  return steps;
}

std::optional<std::size_t> step_at(const Steps& steps, std::int64_t time) {
  const auto after = std::upper_bound(steps.list.begin(), steps.list.end(), time,
                                      [](std::int64_t t, const TrainingStep& step) { return t < step.span.start; });
  if (after == steps.list.begin() || time >= std::prev(after)->span.end) return std::nullopt;
  return static_cast<std::size_t>(after - steps.list.begin()) - 1;
}

}  // namespace takt
