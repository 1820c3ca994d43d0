// A stressor: loads of known level on processors and a GPU for a while, in a process of its own, so that a prediction
// can be measured beside them. It tells what it really reached.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/machine/resource_load.h"
#include "base/system/child_process.h"
#include "predict/stress/gpu_load.h"

namespace takt {

struct StressTask {
  LoadLevels processors;  ///< of each thread
  int threads = 1;
  GpuSettings gpu{};
  Nanoseconds duration{60'000'000'000};  ///< it ends by itself then
  int parent = 0;                        ///< process that asks; the stressor ends with it
};

std::string to_json(const StressTask& task);
/// Throws Error(bad_input).
StressTask parse_stress_task(std::string_view json);
/// Throws Error(bad_input) for levels that are none and for nothing to do.
void check_stress(const StressTask& task);

/// For how long each kind has worked since the beginning: of processors all threads together, in which they had one; of
/// a GPU by its own clock.
struct StressWork {
  Nanoseconds time{};  ///< steady clock
  Nanoseconds compute{}, reading{}, gpu_compute{}, gpu_copies{};
};

/// The kinds that a task asks for, and the share of the time that each has reached between two moments; of reading a
/// cache it is the share of the time, where the level wanted is a part of the cache.
struct ReachedLevel {
  std::string resource;  ///< "compute", "memory", "cache", "gpu", "gpu_copies"
  std::string device;    ///< "CPU", or the GPU's name
  int threads = 0;       ///< 0: of a GPU
  double wanted = 0;
  std::optional<double> reached;  ///< nullopt: no time passed
  Nanoseconds duration{};
};
std::vector<ReachedLevel> reached_levels(const StressTask& task, const StressWork& begin, const StressWork& end,
                                         const std::string& gpu_name);

struct StressEnd {
  std::vector<ReachedLevel> levels;
  std::string failure;  ///< why it ended before its time, as when the GPU was lost; empty: it did not
};

/// Loads the machine from this process for the task's duration, or until `stop`. `tell` hears of the work 100 times a
/// second and may end it with false. Throws Error(unsupported, runtime) where the load cannot begin.
StressEnd run_stress(const StressTask& task, const std::atomic<bool>* stop,
                     const std::function<bool(const StressWork& work)>& tell);

/// What a child does with its standard input's `task_json`: ends with its parent, and tells `tell` its work in lines.
/// Throws Error.
void run_stress_child(std::string_view task_json, const std::function<bool(const std::string& line)>& tell);

/// The stressor from its parent's side: it works from the end of the constructor to the destructor, or to the end of
/// the task's duration. For one thread, which must live as long.
class Stressor {
 public:
  /// `command` starts a process that calls run_stress_child(). Throws Error(runtime) with the child's last words where
  /// the load cannot begin.
  Stressor(const std::vector<std::string>& command, StressTask task);
  ~Stressor();
  Stressor(const Stressor&) = delete;
  Stressor& operator=(const Stressor&) = delete;

  /// What it has reached between two times of the steady clock, to the hundredth of a second; empty where it did not
  /// work all the time.
  std::vector<ReachedLevel> reached(Nanoseconds begin, Nanoseconds end) const;
  bool is_working() const { return !ended_; }

 private:
  void listen();
  bool note(const std::string& line);

  StressTask task_;
  ChildProcess child_;
  std::atomic<bool> stop_{false}, ended_{false};
  mutable std::mutex mutex_;
  std::vector<StressWork> told_;
  std::thread listener_;
};

}  // namespace takt
