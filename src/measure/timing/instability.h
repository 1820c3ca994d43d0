// Why some runs took longer: the cause of the slowest 5 %, from what the process used in each run.
//
// The excess of a slow run is its time above the median. Each cause is asked how much of it it explains: waiting for a
// processor by the run delay beyond the usual one, page faults by their number and price, and so on. A cause is named
// when it explains a good part of an excess that matters, or when every run suffers from it. Causes are measured
// apart and may overlap, so shares need not add up to 100 %. Noise has no cause: then nothing is named.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/table/table.h"
#include "measure/open/run_result.h"

namespace takt {

enum class Cause {
  preempted,          ///< other programs ran on the same processors
  oversubscribed,     ///< more threads of its own than processors it may use
  throttled,          ///< the control group's share was used up, or the clock dropped
  steal,              ///< the host gave the virtual processor's time to others
  shared_core,        ///< somebody else used the core's caches: its second hardware thread, mostly another machine's
  page_faults,        ///< memory was mapped or read in while it ran
  first_run_effects,  ///< the first runs did work once: compiling kernels, growing arenas
};
std::string_view cause_name(Cause cause);

struct InstabilityVerdict {
  Cause cause;
  double share = 0;  ///< of the excess of the slowest runs, 0 to 1
  std::string evidence, fix;
  std::vector<ProgramTime> programs{};  ///< that did it, most first; of a cause that is none's doing, and untold: none
};

struct Instability {
  std::size_t slow_runs = 0;  ///< the slowest 5 %, at least one
  double slow_ratio = 1;      ///< their mean over the median of all
  double waiting = 0;         ///< run delay / (run delay + processor time), over all runs; 0 also when not told
  std::vector<InstabilityVerdict> verdicts;  ///< most of the excess first; empty: no cause is seen
};

/// Returns the causes of the slow runs of a pass. nullopt: the pass has no usage (simulated clock), or fewer than 5
/// samples.
std::optional<Instability> find_instability(const RunPass& pass, const CpuLimit& limit);
/// The same for the plain pass, or the profiled one if there is no plain pass.
std::optional<Instability> find_instability(const RunResult& result);

Table instability_table(const Instability& instability);
TableSchema instability_schema();

}  // namespace takt
