// Whether other programs ran while something was measured, and which: one sentence for every command that measures.
//
// Two sources tell it. The system counts how long the processors were busy, from which this process and its ended
// children are taken; and each process has its own account (programs.h), which names it. A container may hide others'
// processes, so the larger of the two counts. Of a process only the name is told, never its command line.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/units.h"
#include "base/system/programs.h"
#include "base/system/usage.h"

namespace takt {

/// What others did on the processors that this process may use.
struct BusyMachine {
  double others = 0;                    ///< processors that other programs kept busy, on average
  double processors = 1;                ///< that this process may use
  std::vector<ProgramTime> programs{};  ///< the largest first; empty where the system does not show them
  Nanoseconds watched{};                ///< how long

  /// Of the processors; at most 1.
  double share() const;
};

/// From this share on a measurement is disturbed, and from that one on no difference in it is called significant.
constexpr double disturbed_share = 0.1, doubtful_share = 0.25;
/// The shortest time that the system's ticks of 10 ms can divide.
constexpr Nanoseconds shortest_watch{200'000'000};

/// "other programs used 1.40 of 2 CPUs during the measurements: python3 (process 12) 0.95, cc1plus (4 processes) 0.40;
/// times are longer than on an idle machine"; `what` are the measurements.
std::string to_string(const BusyMachine& busy, std::string_view what = "measurements");

/// Watches from its making on. Children of this process and theirs are its own. Not thread-safe.
class BusyWatch {
 public:
  BusyWatch();
  /// What others did since the watch was made; nullopt where it was less than `disturbed_share`, where the system does
  /// not tell, and after less than `shortest_watch`.
  std::optional<BusyMachine> found();
  /// Warns of what was found, once, with `consequence` behind it.
  void tell(const std::string& consequence = "");
  Nanoseconds watched() const;

 private:
  UsageReader usage_;
  ProgramWatch programs_;
  Nanoseconds began_{}, own_{};
  Usage before_;
};

}  // namespace takt
