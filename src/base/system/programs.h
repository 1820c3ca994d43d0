// Which other programs used the processors, and how much: who preempted this one.
//
// The system keeps the processor time of each process, in ticks of 10 ms; what a process used between two looks is the
// difference. A process that started in between counts from nothing; of one that ended, what it used after the last
// look is found in the times of ended children that its parent waits for. Only programs that may run on the processors
// of this process count: no other can take them away.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/basics/units.h"

namespace takt {

/// All processes of one name.
struct ProgramTime {
  std::string name;  ///< as the system has it, at most 15 bytes: "python3"; of ended processes, "children of make"
  int processes = 0;
  std::vector<int> ids{};  ///< of the processes, at most a few; empty for those that ended unseen
  Nanoseconds cpu_time{};  ///< on processors that this process may use, as far as the system tells
};

/// "python3 (process 4711)", "cc1plus (4 processes)"
std::string to_string(const ProgramTime& program);

/// Looks between measurements, never within one: a look costs some 10 us per process of the machine. Not thread-safe.
/// Linux only; elsewhere, and where a process may not see others, there are no programs.
class ProgramWatch {
 public:
  /// `proc` and `self` (the process not to count): for tests.
  explicit ProgramWatch(std::filesystem::path proc = "/proc", int self = 0);
  ~ProgramWatch();
  ProgramWatch(const ProgramWatch&) = delete;
  ProgramWatch& operator=(const ProgramWatch&) = delete;

  /// Adds what was used since the last call; the first call only starts.
  void look();
  /// look(), unless the last one is so recent that looking would take more than a fiftieth of the time.
  void look_if_due();

  /// Returns what was used between the first call of look() and the last, largest first.
  std::vector<ProgramTime> programs() const;

 private:
  struct Processes;
  std::unique_ptr<Processes> processes_;
};

}  // namespace takt
