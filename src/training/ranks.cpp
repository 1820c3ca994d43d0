#include "training/ranks.h"

#include <map>
#include <set>

#include "trace/cut.h"
#include "trace/rank_names.h"

namespace takt {

std::vector<NamedTrace> split_by_rank(const NamedTrace& merged) {
  const Trace& trace = merged.read.trace;
  std::map<std::int64_t, std::set<std::int64_t>> ranks;  // their processes
  for (const TraceProcess& process : trace.processes()) {
    if (const auto rank = rank_in_name(process.name)) ranks[*rank].insert(process.pid);
  }
  std::vector<NamedTrace> parts;
  if (ranks.size() < 2) return parts;
  for (auto& [rank, pids] : ranks) {
    NamedTrace& part = parts.emplace_back();
    part.file = merged.file;
    part.read.trace = cut_trace(trace, {.span = {INT64_MIN, INT64_MAX}, .pids = std::move(pids)}).trace;
    part.read.rank = rank;
  }
  return parts;
}

}  // namespace takt
