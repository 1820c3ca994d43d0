#include "account/path_tables.h"

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
    {"[start]", "Time of the critical path that goes back to the begin of the run without a wait for another batch."},
};

constexpr Column<BinderLine> binder_columns[] = {
    {bound_by, [](const BinderLine& l) -> Cell { return binder_name(*l.accounts, *l.share); }},
    {"laps", "Laps", [](const BinderLine& l) -> Cell { return l.share->laps; },
     "How often a batch on the critical path waited for what the row names before it could go on."},
    {"bound_us", "Time", [](const BinderLine& l) { return time_cell(l.share->total); },
     "Time of the critical path, in the steady part of the run, that could not begin before that wait had ended; the "
     "column adds up to the steady part."},
    {"bound_percent", "Share %",
     [](const BinderLine& l) { return percent(l.share->total, l.accounts->bindings.window.length()); },
     "The row's time as a share of the steady part of the run, or of all of it where it has none."},
};

struct PathLine {
  const Accounts* accounts;
  const PathShare* share;
};

constexpr NamedRow source_row[] = {
    {"[source]", "Time of the critical path in which no batch had come to the pipeline's source yet."},
};

constexpr Column<PathLine> path_columns[] = {
    {"path_stage", "Stage",
     [](const PathLine& p) -> Cell {
       return p.share->stage < 0 ? Cell(std::string(source_row[0].name)) : stage_name(*p.accounts, p.share->stage);
     },
     "The stage in which the row's part of the critical path lies."},
    {"activity", "Activity",
     [](const PathLine& p) -> Cell { return std::string(activity_names[static_cast<std::size_t>(p.share->activity)]); },
     "What the time of the row's part of the critical path went into: run, partition or merge of a batch; dispatch: "
     "all was there and the next thing had not begun; source: no batch had come; copy: takt copied a tensor."},
    {"path_device", "Device",
     [](const PathLine& p) -> Cell {
       if (p.share->device >= 0) return p.accounts->devices[index(p.share->device)].name;
       const bool on_host = p.share->activity == PathActivity::partition || p.share->activity == PathActivity::merge;
       return on_host ? Cell(std::string("host")) : Cell();
     },
     "The device, or the host, on which the row's part of the critical path ran; missing of the source and of "
     "dispatch."},
    {"binding", "Binding",
     [](const PathLine& p) -> Cell { return std::string(binding_names[static_cast<std::size_t>(p.share->binding)]); },
     "Why the part of the critical path behind the row's could not begin sooner: data (it needed the result), replica "
     "(all replicas of the stage held a batch), request (the device ran as much as it may), room (the queue behind was "
     "full), order (an earlier batch had to leave first), in flight (no more batches were let in), end (of the run)."},
    {"path_count", "Count", [](const PathLine& p) -> Cell { return p.share->count; },
     "Number of stretches of the critical path that the row stands for."},
    {"path_us", "Time", [](const PathLine& p) { return time_cell(p.share->total); },
     "Time of the row's part of the critical path; the column adds up to the time of the last delivery."},
    {"blame_percent", "Blame %", [](const PathLine& p) { return percent(p.share->total, p.accounts->path.length); },
     "Share of the critical path: by how much the run would be shorter, at most, if the row's part of it took no "
     "time."},
};

constexpr TableDefinition<BinderLine> bindings_definition{
    "bindings",
    "What keeps the cycle from being shorter: the critical path in the steady part of the run by what its batches "
    "waited for, a row each.",
    binder_columns, start_row};

constexpr TableDefinition<PathLine> critical_path_definition{
    "critical_path",
    "What the run was long for, walked back from the last delivery: a "
    "row per stage, activity, device and binding. Adds up to the time of "
    "the last delivery.",
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
