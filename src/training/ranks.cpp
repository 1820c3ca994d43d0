#include "training/ranks.h"

#include <algorithm>
#include <map>
#include <set>

#include "trace/cut/cut.h"
#include "trace/events/gpu_time.h"
#include "trace/events/rank_names.h"

namespace takt {

namespace {

/// The part of a rank would lack it.
bool has_device_work_of_nobody(const Trace& trace, const std::map<std::int64_t, std::set<std::int64_t>>& ranks) {
  std::vector<bool> is_somebodys(trace.processes().size());
  for (std::size_t i = 0; i < is_somebodys.size(); ++i) {
    for (const auto& [rank, pids] : ranks) is_somebodys[i] = is_somebodys[i] || pids.contains(trace.processes()[i].pid);
  }
  return std::any_of(trace.events().begin(), trace.events().end(), [&](const TraceEvent& event) {
    const ProcessId process = trace.rows()[static_cast<std::size_t>(event.row)].process;
    return !is_somebodys[static_cast<std::size_t>(process)] && gpu_work(trace, event) != GpuWork::none;
  });
}

}  // namespace

std::vector<NamedTrace> split_by_rank(const NamedTrace& merged) {
  const Trace& trace = merged.read.trace;
  std::map<std::int64_t, std::set<std::int64_t>> ranks;  // their processes
  for (const TraceProcess& process : trace.processes()) {
    if (const auto rank = rank_in_name(process.name)) ranks[*rank].insert(process.pid);
  }
  std::vector<NamedTrace> parts;
  if (ranks.size() < 2 || has_device_work_of_nobody(trace, ranks)) return parts;
  for (auto& [rank, pids] : ranks) {
    NamedTrace& part = parts.emplace_back();
    part.file = merged.file;
    part.read.trace = cut_trace(trace, {.span = {INT64_MIN, INT64_MAX}, .pids = std::move(pids)}).trace;
    part.read.rank = rank;
  }
  return parts;
}

}  // namespace takt
