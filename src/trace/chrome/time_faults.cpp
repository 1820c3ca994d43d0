#include "trace/chrome/time_faults.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/basics/text.h"
#include "trace/chrome/marks.h"
#include "trace/events/device_categories.h"
#include "trace/events/near_times.h"

namespace takt::chrome {
namespace {

void add_fault(const Trace& trace, TraceRule rule, std::size_t number, FaultList& faults) {
  const TraceEvent& event = trace.events()[number];
  faults.add(rule, (std::uint64_t{1} << 62) | number,
             [&] { return place_of(trace, event.row, event.name, event.start_ns); });
}

std::optional<std::int64_t> integer_arg(const Trace& trace, const TraceEvent& event, std::string_view key) {
  for (const TraceArg arg : trace.args(event)) {
    if (trace.text(arg.key) != key) continue;
    if (const auto* number = std::get_if<std::int64_t>(&arg.value)) return *number;
  }
  return std::nullopt;
}

/// Streams run one thing after the other, so work that holds two pieces of the same stream within it did not last so
/// long. One alone may be a kernel that was let in early; the nodes of a graph run side by side on one stream.
class Overruns {
 public:
  explicit Overruns(const Trace& trace) : trace_(trace), streams_(trace.rows().size()) {}

  /// Work by start, as recorders write it. Returns the piece that runs over this one and another, once.
  std::optional<std::size_t> take(std::size_t number) {
    const TraceEvent& event = trace_.events()[number];
    if (event.duration_ns <= 0) return std::nullopt;
    Stream& stream = streams_[static_cast<std::size_t>(event.row)];
    const std::int64_t end = event.start_ns + event.duration_ns;
    if (event.start_ns <= stream.start || end > stream.end) {
      stream = {event.start_ns, end, number, 0};
      return std::nullopt;
    }
    if (++stream.within != 2 || is_of_a_graph(trace_.events()[stream.number])) return std::nullopt;
    return stream.number;
  }

 private:
  struct Stream {
    std::int64_t start = INT64_MIN, end = INT64_MIN;  // of the work that lasts longest so far
    std::size_t number = 0;
    int within = 0;
  };

  bool is_of_a_graph(const TraceEvent& event) const {
    return integer_arg(trace_, event, "graph node id").value_or(0) != 0;
  }

  const Trace& trace_;
  std::vector<Stream> streams_;
};

/// A call that gives a device work, and when the work began.
struct Launched {
  std::optional<std::size_t> call, work;
};

class LaunchNames {
 public:
  explicit LaunchNames(const Trace& trace) : trace_(trace) {}
  bool has(StringId name) {
    const auto [found, is_new] = known_.try_emplace(static_cast<std::uint32_t>(name), false);
    if (is_new) found->second = lower_case(trace_.text(name)).find("launch") != std::string::npos;
    return found->second;
  }

 private:
  const Trace& trace_;
  std::unordered_map<std::uint32_t, bool> known_;
};

using Launches = std::unordered_map<std::int64_t, Launched>;  // by correlation

/// nullopt: two calls have one number.
std::optional<Launches> launches_of(const Trace& trace) {
  Launches launches;
  DeviceCategories categories(trace);
  LaunchNames names(trace);
  for (std::size_t i = 0; i < trace.events().size(); ++i) {
    const TraceEvent& event = trace.events()[i];
    const DevicePart part = categories.of(event);
    const bool is_call = part == DevicePart::call && names.has(event.name);
    if (!is_call && part != DevicePart::work) continue;
    const auto correlation = integer_arg(trace, event, "correlation");
    if (!correlation || *correlation == 0) continue;
    Launched& launched = launches[*correlation];
    if (is_call && launched.call) return std::nullopt;
    if (is_call)
      launched.call = i;
    else if (!launched.work || event.start_ns < trace.events()[*launched.work].start_ns)
      launched.work = i;
  }
  return launches;
}

bool is_repeated(const Trace& trace, const TraceEvent& one, const TraceEvent& other) {
  constexpr std::int64_t beyond_doubt_ns = 10'000;
  if (one.row != other.row || one.name != other.name || one.category != other.category || one.duration_ns <= 0)
    return false;
  const TraceArgs args = trace.args(one), others = trace.args(other);
  if (args.empty() && one.duration_ns < beyond_doubt_ns) return false;
  if (args.size() != others.size()) return false;
  for (std::size_t i = 0; i < args.size(); ++i)
    if (args[i] != others[i]) return false;
  return true;
}

}  // namespace

void find_time_faults(const Trace& trace, FaultList& faults) {
  const NearTimes near = near_starts(trace.events());
  DeviceCategories categories(trace);
  Overruns overruns(trace);
  for (std::size_t i = 0; i < trace.events().size(); ++i) {
    const TraceEvent& event = trace.events()[i];
    if (!near.has(event.start_ns)) {
      add_fault(trace, event.start_ns == 0 ? TraceRule::zero_ts : TraceRule::far_ts, i, faults);
    } else if (categories.of(event) == DevicePart::work) {
      if (const auto longest = overruns.take(i)) add_fault(trace, TraceRule::stream_overrun, *longest, faults);
    }
  }
}

void find_launch_faults(const Trace& trace, FaultList& faults) {
  constexpr std::int64_t least_ns = 1000;  // clocks of devices are known to some hundred nanoseconds
  const auto launches = launches_of(trace);
  if (!launches) return;
  std::size_t calls = 0;
  std::vector<std::size_t> without_work;
  for (const auto& [correlation, launched] : *launches) {
    if (!launched.call) continue;
    ++calls;
    if (!launched.work)
      without_work.push_back(*launched.call);
    else if (trace.events()[*launched.work].start_ns + least_ns < trace.events()[*launched.call].start_ns)
      add_fault(trace, TraceRule::work_before_launch, *launched.work, faults);
  }
  // Recorders end between some launches and their work; and where no work has its launch they count it otherwise.
  if (without_work.size() * 10 <= calls || without_work.size() == calls) return;
  for (const std::size_t call : without_work) add_fault(trace, TraceRule::launch_without_work, call, faults);
}

void find_repeated_events(const Trace& trace, std::span<const std::uint32_t> order, FaultList& faults) {
  const auto& events = trace.events();
  const auto key = [&](std::uint32_t i) { return std::tuple(events[i].row, events[i].name, events[i].category, i); };
  std::vector<std::uint32_t> at_once;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const auto is_another = [&](std::uint32_t i) {
      return events[i].start_ns != events[order[begin]].start_ns ||
             events[i].duration_ns != events[order[begin]].duration_ns;
    };
    while (end < order.size() && !is_another(order[end])) ++end;
    if (end - begin < 2) continue;
    at_once.assign(order.begin() + static_cast<std::ptrdiff_t>(begin),
                   order.begin() + static_cast<std::ptrdiff_t>(end));
    std::sort(at_once.begin(), at_once.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    for (std::size_t i = 1; i < at_once.size(); ++i)
      if (is_repeated(trace, events[at_once[i - 1]], events[at_once[i]]))
        add_fault(trace, TraceRule::repeated_event, at_once[i], faults);
  }
}

}  // namespace takt::chrome
