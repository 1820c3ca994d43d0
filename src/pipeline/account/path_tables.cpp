#include "pipeline/account/path_tables.h"

#include <array>
#include <string>
#include <string_view>

#include "pipeline/account/binding.h"
#include "pipeline/account/cells.h"

namespace takt {
namespace {

constexpr std::array<std::string_view, 6> activity_names{"run", "partition", "merge", "dispatch", "source", "copy"};
constexpr std::array<std::string_view, 7> binding_names{"data",  "replica",   "request", "room",
                                                        "order", "in flight", "end"};

struct BinderLine {
  const Accounts* accounts;
  const BinderShare* share;
};

constexpr NamedRow start_row[] = {
    {"[start]", "Time on the critical path back to the start of the run without a wait for another batch."},
};

constexpr Column<BinderLine> binder_columns[] = {
    {bound_by, [](const BinderLine& l) -> Cell { return binder_name(*l.accounts, *l.share); }},
    {"laps", "Waits", [](const BinderLine& l) -> Cell { return l.share->laps; },
     "How often a batch on the critical path waited for what the row names before it could continue."},
    {"bound_us", "Time", [](const BinderLine& l) { return time_cell(l.share->total); },
     "Time on the critical path, in the steady part of the run, that could not begin before that wait ended; the "
     "column adds up to the steady part."},
    {"bound_percent", "Share %",
     [](const BinderLine& l) { return percent(l.share->total, l.accounts->bindings.window.length()); },
     "The row's time as a share of the steady part of the run, or of the whole run if it has no steady part."},
};

struct PathLine {
  const Accounts* accounts;
  const PathShare* share;
};

constexpr NamedRow source_row[] = {
    {"[source]", "Time on the critical path in which no batch had arrived at the pipeline's source yet."},
};

constexpr Column<PathLine> path_columns[] = {
    {"path_stage", "Stage",
     [](const PathLine& p) -> Cell {
       return p.share->stage < 0 ? Cell(std::string(source_row[0].name)) : stage_name(*p.accounts, p.share->stage);
     },
     "The stage of the row's part of the critical path."},
    {"activity", "Activity",
     [](const PathLine& p) -> Cell { return std::string(activity_names[static_cast<std::size_t>(p.share->activity)]); },
     "What happened during the row's part of the critical path: run, partition or merge of a batch; dispatch: "
     "everything was ready and the next activity had not begun; source: no batch had arrived; copy: takt copied a "
     "tensor."},
    {"path_device", "Device",
     [](const PathLine& p) -> Cell {
       if (p.share->device >= 0) return p.accounts->devices[index(p.share->device)].name;
       const bool on_host = p.share->activity == PathActivity::partition || p.share->activity == PathActivity::merge;
       return on_host ? Cell(std::string("host")) : Cell();
     },
     "The device, or the host, on which the row's part of the critical path ran; empty for the source and for "
     "dispatch."},
    {"binding", "Waited for",
     [](const PathLine& p) -> Cell { return std::string(binding_names[static_cast<std::size_t>(p.share->binding)]); },
     "Why the next part of the critical path could not begin sooner: data (it needed the result), replica (all "
     "replicas of the stage were busy), request (all requests of the device were busy), room (the downstream queue was "
     "full), order (an earlier batch had to leave first), in flight (no more batches were admitted), end (of the "
     "run)."},
    {"path_count", "Count", [](const PathLine& p) -> Cell { return p.share->count; },
     "Number of segments of the critical path that the row combines."},
    {"path_us", "Time", [](const PathLine& p) { return time_cell(p.share->total); },
     "Time of the row's part of the critical path; the column adds up to the time of the last delivery."},
    {"blame_percent", "Path share %",
     [](const PathLine& p) { return percent(p.share->total, p.accounts->path.length); },
     "The row's share of the critical path: the most by which the run becomes shorter if the row's part takes no "
     "time."},
};

constexpr TableDefinition<BinderLine> bindings_definition{
    "bindings",
    "What limits the cycle time: the critical path in the steady part of the run, a row per cause that its batches "
    "waited for.",
    binder_columns, start_row};

constexpr TableDefinition<PathLine> critical_path_definition{
    "critical_path",
    "What determined the length of the run: the critical path, traced back from the last delivery, a row per stage, "
    "activity, device and wait. Adds up to the time of the last delivery.",
    path_columns, source_row};

}  // namespace

Table bindings_table(const Accounts& accounts) {
  std::vector<BinderLine> lines;
  for (const BinderShare& share : accounts.bindings.shares) lines.push_back({&accounts, &share});
  return bindings_definition.make(lines);
}

Table critical_path_table(const Accounts& accounts) {
  std::vector<PathLine> lines;
  for (const PathShare& share : accounts.path.shares) lines.push_back({&accounts, &share});
  return critical_path_definition.make(lines);
}

std::vector<TableSchema> path_schemas() { return {critical_path_definition.schema(), bindings_definition.schema()}; }

}  // namespace takt
