#include "training/diagnosis/host_names.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace takt {
namespace {

/// Spans of one kind that may cover a stretch, walked once.
class Covering {
 public:
  explicit Covering(std::vector<const HostSpan*> spans) : spans_(std::move(spans)) {}

  /// The name that has at least half of the stretch: of nested ones the innermost. What goes on far longer, as the
  /// function around the whole loop, says nothing of it. Stretches come by their starts.
  std::optional<StringId> of(TimeInterval stretch) {
    std::erase_if(open_, [&](const HostSpan* span) { return span->span.end <= stretch.start; });
    for (; next_ < spans_.size() && spans_[next_]->span.start < stretch.end; ++next_)
      if (spans_[next_]->span.end > stretch.start) open_.push_back(spans_[next_]);
    struct Part {
      std::int64_t covered = 0, shortest = INT64_MAX;
    };
    std::map<StringId, Part> parts;
    for (const HostSpan* span : open_) {
      Part& part = parts[span->name];
      const std::int64_t from = std::max(span->span.start, stretch.start), to = std::min(span->span.end, stretch.end);
      part.covered += std::max<std::int64_t>(0, to - from);
      part.shortest = std::min(part.shortest, span->span.end - span->span.start);
    }
    std::optional<StringId> best;
    std::int64_t shortest = INT64_MAX;
    for (const auto& [name, part] : parts) {
      const std::int64_t length = stretch.end - stretch.start;
      if (2 * part.covered < length || part.shortest >= shortest || part.shortest > 4 * length) continue;
      best = name;
      shortest = part.shortest;
    }
    return best;
  }

 private:
  std::vector<const HostSpan*> spans_;  // by start
  std::vector<const HostSpan*> open_;
  std::size_t next_ = 0;
};

std::vector<const HostSpan*> spans_where(const Activity& activity, const std::vector<HostSpan>& all, auto wanted) {
  std::vector<const HostSpan*> spans;
  for (const HostSpan& span : all)
    if (activity.trains[static_cast<std::size_t>(span.row)] && wanted(span)) spans.push_back(&span);
  return spans;
}

/// Its row is that of no thread.
std::vector<const HostSpan*> spans_of_profiler(const Activity& activity) {
  std::vector<const HostSpan*> spans;
  for (const HostSpan& span : activity.named)
    if (span.role == Role::profiling) spans.push_back(&span);
  return spans;
}

/// The last of them that begins at the time or before.
const HostSpan* begun_by(const std::vector<const HostSpan*>& spans, std::int64_t time) {
  const auto after = std::upper_bound(spans.begin(), spans.end(), time,
                                      [](std::int64_t t, const HostSpan* span) { return t < span->span.start; });
  return after == spans.begin() ? nullptr : *std::prev(after);
}

std::string name_or(const Trace& trace, const HostSpan* span, const char* otherwise) {
  return span == nullptr ? otherwise : trace.text(span->name);
}

}  // namespace

std::vector<PlaceName> names_of_places(const Trace& trace, const Activity& activity,
                                       std::span<const TimeInterval> stretches) {
  Covering named(spans_where(activity, activity.named, [](const HostSpan&) { return true; }));
  Covering optimizers(
      spans_where(activity, activity.host, [](const HostSpan& span) { return span.role == Role::optimizer; }));
  Covering profiling(spans_of_profiler(activity));
  Covering calls(spans_where(activity, activity.host, [](const HostSpan& span) { return is_call(span.role); }));
  const auto tops = spans_where(activity, activity.host, [](const HostSpan& span) {
    return (is_operator(span.role) && span.is_top) || span.role == Role::data_wait;
  });
  Covering operators(tops);
  std::vector<PlaceName> names;
  std::vector<std::pair<std::size_t, StringId>> first_ones;  // names of places before which nothing came
  std::map<StringId, std::size_t> places;                    // names of others, by what comes next
  for (const TimeInterval& stretch : stretches) {
    const auto overhead = profiling.of(stretch), call = calls.of(stretch), label = named.of(stretch),
               op = operators.of(stretch), optimizer = optimizers.of(stretch);
    const HostSpan* before = begun_by(tops, stretch.start);
    const HostSpan* after = begun_by(tops, stretch.end);
    // By what came before alone: after the last step of a trace nothing comes.
    const std::string place = name_or(trace, before, "the start");
    if (overhead) {
      names.push_back({false, "profiler", "the profiler (" + trace.text(*overhead) + ")"});
    } else if (call) {
      names.push_back({false, "call " + trace.text(*call), trace.text(*call)});
    } else if (label) {
      names.push_back({false, "label " + trace.text(*label), "'" + trace.text(*label) + "'"});
    } else if (op) {
      names.push_back({true, "op " + trace.text(*op), trace.text(*op)});
    } else if (optimizer) {
      names.push_back({false, "label " + trace.text(*optimizer), "'" + trace.text(*optimizer) + "'"});
    } else {
      const std::string end = before == after ? "the end" : name_or(trace, after, "the end");
      names.push_back({false, "after " + place, "between " + place + " and " + end});
      if (after == nullptr || before == after) continue;
      if (before == nullptr)
        first_ones.emplace_back(names.size() - 1, after->name);
      else
        places.try_emplace(after->name, names.size() - 1);
    }
  }
  // The first step of a trace does there what the others do.
  for (const auto& [at, next] : first_ones)
    if (const auto place = places.find(next); place != places.end()) names[at] = names[place->second];
  return names;
}

}  // namespace takt
