// What on this machine disturbs measurements, and what to do about each: a clock that changes, cores that share their
// units, a share of processors that runs out, pages that are moved, a clock that is slow to read, other programs.
//
// Each condition is one file of the system, or two, and a rule. A system that does not show the file (a virtual
// machine, a container, another kernel) leaves the condition untold, which is not the same as harmless.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/system/programs.h"
#include "base/table/table.h"

namespace takt {

enum class Disturbs { yes, no, not_told };

struct MachineCondition {
  std::string name;  ///< "governor"
  Disturbs disturbs = Disturbs::not_told;
  std::string found{};  ///< what the system says; empty: nothing
  std::string fix{};    ///< what to do about it; empty where nothing disturbs
};

/// What is asked about.
struct CheckedMachine {
  std::filesystem::path root = "/";     ///< where /proc and /sys are
  std::vector<int> cores;               ///< that measurements would use
  std::vector<ProgramTime> programs{};  ///< that were seen to use them, most first
  Nanoseconds watched{};                ///< for how long; 0: nobody looked
};

/// Always the same conditions in the same order. Never throws for what the system does not show.
std::vector<MachineCondition> check_machine(const CheckedMachine& machine);

/// "conditions": a row per condition.
Table conditions_table(const std::vector<MachineCondition>& conditions);
TableSchema conditions_schema();

/// "2 of 8 conditions disturb measurements here; the system does not report 3."
std::string conditions_summary(const std::vector<MachineCondition>& conditions);

}  // namespace takt
