#include "training/figures/around.h"

#include <unordered_map>

namespace takt {

std::vector<std::int32_t> innermost_around(std::span<const HostSpan> spans, std::span<const RowMoment> moments,
                                           const std::function<bool(const HostSpan&)>& counts) {
  std::unordered_map<std::uint32_t, std::vector<std::int32_t>> open;  // by row
  std::vector<std::int32_t> innermost;
  innermost.reserve(moments.size());
  std::size_t next = 0;
  const auto close = [&](std::vector<std::int32_t>& stack, std::int64_t time) {
    while (!stack.empty() && spans[static_cast<std::size_t>(stack.back())].span.end <= time) stack.pop_back();
  };
  for (const RowMoment& moment : moments) {
    for (; next < spans.size() && spans[next].span.start <= moment.time; ++next) {
      if (!counts(spans[next])) continue;
      auto& stack = open[static_cast<std::uint32_t>(spans[next].row)];
      close(stack, spans[next].span.start);
      stack.push_back(static_cast<std::int32_t>(next));
    }
    auto& stack = open[static_cast<std::uint32_t>(moment.row)];
    close(stack, moment.time);
    innermost.push_back(stack.empty() ? -1 : stack.back());
  }
  return innermost;
}

std::vector<Launch> launches_of(const Activity& activity) {
  std::vector<RowMoment> moments;
  std::vector<std::int32_t> calls;
  for (std::size_t i = 0; i < activity.host.size(); ++i) {
    const HostSpan& span = activity.host[i];
    if (!is_call(span.role) || span.correlation == 0) continue;
    moments.push_back({span.row, span.span.start});
    calls.push_back(static_cast<std::int32_t>(i));
  }
  const auto ops =
      innermost_around(activity.host, moments, [](const HostSpan& span) { return is_operator(span.role); });
  std::unordered_map<std::int64_t, Launch> by_correlation;
  for (std::size_t i = 0; i < calls.size(); ++i)
    by_correlation.try_emplace(activity.host[static_cast<std::size_t>(calls[i])].correlation, Launch{calls[i], ops[i]});
  std::vector<Launch> launches;
  launches.reserve(activity.device.size());
  for (const DeviceSpan& work : activity.device) {
    const auto found = work.correlation == 0 ? by_correlation.end() : by_correlation.find(work.correlation);
    launches.push_back(found == by_correlation.end() ? Launch{} : found->second);
  }
  return launches;
}

std::int32_t outwards(const Activity& activity, std::int32_t op, const std::function<bool(const HostSpan&)>& is_it) {
  while (op >= 0 && !is_it(activity.host[static_cast<std::size_t>(op)]))
    op = activity.host[static_cast<std::size_t>(op)].parent;
  return op;
}

}  // namespace takt
