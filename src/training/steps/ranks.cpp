#include "training/steps/ranks.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"
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

bool is_trace_name(const std::string& name) {
  constexpr std::string_view endings[] = {".json", ".json.gz", ".pftrace", ".pftrace.gz"};
  return std::any_of(std::begin(endings), std::end(endings),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

std::vector<std::filesystem::path> with_files_of_folders(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& path : paths) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(path, ignored)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::filesystem::path> inside;
    for (const auto& entry : std::filesystem::directory_iterator(path, ignored))
      if (entry.is_regular_file(ignored) && is_trace_name(entry.path().filename().string()))
        inside.push_back(entry.path());
    if (inside.empty())
      refuse_input(printable(path.string()) + ": the folder has no traces (.json, .json.gz, .pftrace)");
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

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
