#include "report/timelines/timeline_extras.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "training/steps/activity.h"

namespace takt {
namespace {

/// By flow, then by time; of equal ones what sends comes first.
std::vector<TraceFlow> flow_ends_in_order(const Trace& trace) {
  std::vector<TraceFlow> ends = trace.flows();
  const auto key = [&](const TraceFlow& end) {
    const TraceEvent& event = trace.events()[static_cast<std::size_t>(end.event)];
    return std::tuple(end.bind_id, event.start_ns, !end.out);
  };
  std::stable_sort(ends.begin(), ends.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return ends;
}

class Counters {
 public:
  explicit Counters(std::int64_t begin) : begin_(begin) {}

  void add(const std::string& process, const std::string& name, std::int64_t time, double value) {
    ReportCounter& counter = list_[{process, name}];
    counter.process = process, counter.name = name;
    counter.samples.push_back(
        {time < begin_ ? 0 : static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(begin_), value});
  }

  std::vector<ReportCounter> take() {
    std::vector<ReportCounter> counters;
    for (auto& [key, counter] : list_) {
      const auto before = [](const ReportSample& a, const ReportSample& b) { return a.time_ns < b.time_ns; };
      std::stable_sort(counter.samples.begin(), counter.samples.end(), before);
      counters.push_back(std::move(counter));
    }
    return counters;
  }

 private:
  std::int64_t begin_;
  std::map<std::pair<std::string, std::string>, ReportCounter> list_;
};

/// What is held; where the profiler told changes only, what is held beyond the begin.
void add_memory(const std::vector<MemoryMoment>& moments, Counters& counters) {
  std::map<std::string, double> sums;
  for (const MemoryMoment& moment : moments) {
    const bool is_host = moment.device.value_or(0) == 0;
    const std::string name = is_host ? "memory, host" : fmt::format("memory, device {}", moment.number);
    double& sum = sums[name];
    sum += static_cast<double>(moment.bytes);
    if (moment.total)
      counters.add("memory", name, moment.time, static_cast<double>(*moment.total));
    else
      counters.add("memory beyond that at the begin", name, moment.time, sum);
  }
}

}  // namespace

std::vector<ReportFlow> flows_of(const Trace& trace) {
  std::vector<ReportFlow> flows;
  const TraceFlow* sender = nullptr;
  const auto ends = flow_ends_in_order(trace);
  for (const TraceFlow& end : ends) {
    if (sender && sender->bind_id != end.bind_id) sender = nullptr;
    if (sender && end.in && end.event != sender->event)
      flows.push_back({static_cast<std::uint32_t>(sender->event), static_cast<std::uint32_t>(end.event)});
    if (end.out) sender = &end;
  }
  return flows;
}

std::vector<ReportCounter> counters_of(const Trace& trace, std::int64_t begin_ns) {
  Counters counters(begin_ns);
  for (const TraceCounter& counter : trace.counters())
    counters.add(trace.processes()[static_cast<std::size_t>(counter.process)].name, trace.text(counter.name),
                 counter.time_ns, counter.value);
  add_memory(activity_of(trace).memory, counters);
  return counters.take();
}

}  // namespace takt
