// Two fixed models beside every measurement: how fast the machine is meanwhile.
//
// A shared machine is slower by a tenth for seconds at a time, since its clock, its caches and its memory are shared
// with others that nobody can see. A canary before and after a measurement misses most of that; one between its blocks
// feels what the model feels, the more so as it is a model itself, in the same runtime: one whose weights stay in the
// nearest caches, and one that reads them from far away. Models feel the two in different measure.
#pragma once

#include <memory>
#include <optional>

#include "measure/open/run_settings.h"

namespace takt {

struct CanaryTimes {
  double compute_us = 0, memory_us = 0;  ///< mean of a run of each

  double us() const { return compute_us + memory_us; }
};

/// For one thread.
class Canary {
 public:
  /// Opens both models as `settings` open any, but with one thread each: helpers would spin for a while after a song,
  /// on the cores of the model that is measured. A song takes 2 ms of each, less where the settings measure for a short
  /// time only. Throws Error as run_model().
  explicit Canary(const RunSettings& settings);
  ~Canary();

  /// A few runs of each.
  void sing();
  /// Of all songs but the longest tenth and the shortest; nullopt before the first.
  std::optional<CanaryTimes> times() const;

 private:
  struct Models;
  std::unique_ptr<Models> models_;
};

}  // namespace takt
