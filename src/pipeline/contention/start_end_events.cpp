#include "pipeline/contention/start_end_events.h"

#include <algorithm>

namespace takt {

std::vector<StartEndEvent> start_end_events(const std::vector<ExecutionRecord>& executions) {
  std::vector<StartEndEvent> moments;
  for (std::size_t e = 0; e < executions.size(); ++e) {
    const auto& record = executions[e];
    if (record.what.device == Execution::host || record.start == record.end) continue;
    moments.push_back({record.start.count(), true, e});
    moments.push_back({record.end.count(), false, e});
  }
  std::sort(moments.begin(), moments.end(), [](const StartEndEvent& a, const StartEndEvent& b) {
    return a.time != b.time ? a.time < b.time : a.start != b.start ? b.start : a.execution < b.execution;
  });
  return moments;
}

}  // namespace takt
