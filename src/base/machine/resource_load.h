// A load on this machine of known kind and level, in a process of its own: what stages are measured beside.
//
// It works in a closed loop and counts what it does, so that it tells what it suffers, too. Its kinds:
//   compute  multiply-adds in registers
//   memory   reads an area that is far larger than the last cache, each byte long gone when its turn comes again
//   cache    reads a part of the last cache again and again
// Level 1 is all that its threads can do. Below, compute and memory work that share of the time, in slices of some 50
// us between which the process sleeps; cache reads without a pause, and its level is the part of the last cache that it
// wants. (By the share of time it would empty the cache all the same.) Which time that is a share of, LoadPace says.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/basics/units.h"
#include "base/system/child_process.h"

namespace takt {

struct LoadLevels {
  double compute = 0, memory = 0, cache = 0;  ///< 0 to 1; compute + memory at most 1, and cache alone
};

/// What counts as working.
enum class LoadPace {
  wall_time,      ///< the time that slices take: beside others the load gets less of a processor than its level
  processor_time  ///< the time in which the load had a processor: it makes up for what others took, as far as it can
};

struct LoadTask {
  LoadLevels levels;
  int threads = 1;
  int parent = 0;  ///< process that asks; the load ends with it
};

/// Refuses levels and threads that are none. Throws Error(bad_input).
void check_load(const LoadLevels& levels, int threads);

std::string to_json(const LoadTask& task);
/// Throws Error(bad_input).
LoadTask parse_load_task(std::string_view json);

/// What the child does, until it is killed or `tell` gives false: a line "steady_ns work" every 10 ms. Throws
/// Error(bad_input), and Error(runtime) where there is not enough memory.
void run_load(std::string_view task_json, const std::function<bool(const std::string& line)>& tell);

/// The load from its parent's side. It runs from the end of the constructor to the destructor. For one thread, which
/// must live as long.
class ResourceLoad {
 public:
  /// `command` starts a process that calls run_load() with its standard input. Returns when the load works. Throws
  /// Error(runtime) with the child's last words where it does not.
  ResourceLoad(const std::vector<std::string>& command, LoadTask task);
  ~ResourceLoad();
  ResourceLoad(const ResourceLoad&) = delete;
  ResourceLoad& operator=(const ResourceLoad&) = delete;

  /// Work per second between two times of the steady clock; nullopt where it has not told enough for that. Waits up to
  /// a second for what it has yet to tell.
  std::optional<double> rate(Nanoseconds begin, Nanoseconds end) const;

 private:
  struct Told {
    Nanoseconds time{};
    double work = 0;
  };
  void listen();
  bool note(const std::string& line);  ///< false: it is none of its lines
  double work_at(Nanoseconds time) const;

  ChildProcess child_;
  std::atomic<bool> stop_{false};
  mutable std::mutex mutex_;
  std::vector<Told> told_;
  std::thread listener_;
};

}  // namespace takt
