#include "model/onnxruntime/device_times.h"

#include <algorithm>
#include <numeric>

namespace takt::ort {
namespace {

/// The innermost span around a moment.
class SpanFinder {
 public:
  explicit SpanFinder(const std::vector<HostSpan>& spans) : spans_(spans), order_(spans.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return spans[a].start < spans[b].start; });
  }

  std::optional<std::size_t> around(Nanoseconds time) const {
    const auto after = std::upper_bound(order_.begin(), order_.end(), time,
                                        [&](Nanoseconds at, std::size_t i) { return at < spans_[i].start; });
    if (after == order_.begin()) return std::nullopt;
    std::optional<std::size_t> found = *std::prev(after);
    while (found && spans_[*found].end <= time) found = spans_[*found].within;
    return found;
  }

 private:
  const std::vector<HostSpan>& spans_;
  std::vector<std::size_t> order_;
};

/// A stretch of time and whose it is.
struct Worked {
  Nanoseconds start{}, end{};
  DeviceTime* whose = nullptr;
};

}  // namespace

DeviceTimes device_times(const std::vector<HostSpan>& spans, const std::vector<GpuActivity>& gpu) {
  DeviceTimes times;
  for (const HostSpan& span : spans) times.spans.push_back({span.start});
  const SpanFinder finder(spans);
  std::vector<Worked> worked;
  for (const GpuActivity& one : gpu) {
    const auto span = one.launched ? finder.around(*one.launched) : std::nullopt;
    DeviceTime& time = span ? times.spans[*span] : times.others[static_cast<std::size_t>(one.kind)];
    if (!time.any) time.start = one.start;
    time.any = true;
    worked.push_back({one.start, one.end, &time});
  }
  std::vector<bool> has_body(spans.size());
  for (const HostSpan& span : spans)
    if (span.within) has_body[*span.within] = true;
  for (std::size_t i = 0; i < spans.size(); ++i)
    if (spans[i].on_host && !has_body[i]) worked.push_back({spans[i].start, spans[i].end, &times.spans[i]});
  std::stable_sort(worked.begin(), worked.end(), [](auto& a, auto& b) { return a.start < b.start; });
  Nanoseconds counted = Nanoseconds::min();
  for (const Worked& one : worked) {
    const Nanoseconds from = std::max(one.start, counted);
    if (from < one.end) one.whose->own += one.end - from, counted = one.end;
  }
  return times;
}

}  // namespace takt::ort
