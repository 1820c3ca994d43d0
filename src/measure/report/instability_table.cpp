#include "base/table/common_columns.h"
#include "measure/timing/instability.h"

namespace takt {
namespace {

std::string names_of(const std::vector<ProgramTime>& programs) {
  std::string names;
  for (const ProgramTime& program : programs) names += (names.empty() ? "" : ", ") + to_string(program);
  return names;
}

struct Row {
  std::int64_t rank;
  const InstabilityVerdict* verdict;
};

constexpr Column<Row> columns[] = {
    {common::rank, [](const Row& r) -> Cell { return r.rank; }},
    {"cause", "Cause", [](const Row& r) -> Cell { return std::string(cause_name(r.verdict->cause)); },
     "Why runs took longer: preempted (other processes on the same CPUs), oversubscribed (more threads than CPUs), "
     "throttled (CPU quota or clock), steal (the hypervisor took the virtual CPU), shared_core (another process or "
     "virtual machine on the same core), page_faults, first_run_effects (work done once)."},
    {"excess_percent", "Explains %", [](const Row& r) -> Cell { return r.verdict->share * 100; },
     "Share of the slowest runs' time above the median that the cause explains; causes may overlap."},
    {"programs", "Programs",
     [](const Row& r) { return r.verdict->programs.empty() ? Cell() : Cell(names_of(r.verdict->programs)); },
     "Other processes that used the CPUs, the most CPU time first; empty if no process is the cause or the system does "
     "not report it."},
    {common::evidence, [](const Row& r) -> Cell { return r.verdict->evidence; }},
    {common::fix, [](const Row& r) -> Cell { return r.verdict->fix; }},
};

constexpr TableDefinition<Row> instability_definition{
    "instability",
    "Why the slowest 5 % of the plain runs were slow: a row per cause, no row if no cause was found. With a simulated "
    "clock the table is present only on request.",
    columns};

}  // namespace

std::string_view cause_name(Cause cause) {
  switch (cause) {
    case Cause::preempted:
      return "preempted";
    case Cause::oversubscribed:
      return "oversubscribed";
    case Cause::throttled:
      return "throttled";
    case Cause::steal:
      return "steal";
    case Cause::shared_core:
      return "shared_core";
    case Cause::page_faults:
      return "page_faults";
    case Cause::first_run_effects:
      return "first_run_effects";
  }
  return "";
}

Table instability_table(const Instability& instability) {
  std::vector<Row> rows;
  for (const auto& verdict : instability.verdicts)
    rows.push_back({static_cast<std::int64_t>(rows.size()) + 1, &verdict});
  return instability_definition.make(rows);
}

TableSchema instability_schema() { return instability_definition.schema(); }

}  // namespace takt
