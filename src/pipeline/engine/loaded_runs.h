// Stages of a pipeline beside loads (pipeline/contention/single_contention.h): simulated loads beside simulated stages,
// and the load process of base/machine/resource_load.h beside real ones.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/machine/resource_load.h"
#include "pipeline/contention/single_contention.h"
#include "pipeline/engine/spec_cut.h"

namespace takt {

/// Loads that press on the resources of the pipeline's description. What these do to a stage, its law says, and nobody
/// here knows it. Not thread-safe.
class SimulatedLoadedRuns final : public LoadedRuns {
 public:
  /// `spec` has resources and simulated stages only. `runner` must outlive this.
  SimulatedLoadedRuns(const PipelineSpec& spec, CutRunner& runner);

  /// In the order of `beside`'s levels.
  std::vector<std::string> resources() const;
  /// The levels of a load of all resources at once, all of it.
  std::vector<double> mixture() const { return std::vector<double>(count_, 1); }

  double alone(int stage) override;
  Beside beside(int stage, std::span<const double> levels) override;
  double load_beside(int resource, std::span<const double> levels) override;

 private:
  SimulatedLoad load_of(std::span<const double> levels, double time_ns) const;

  CutRunner& runner_;
  std::vector<std::string> names_;
  std::size_t count_;
  std::vector<double> alone_;  ///< by stage, of this round
};

/// The load process beside stages that run on this machine. Not thread-safe.
class RealLoadedRuns final : public LoadedRuns {
 public:
  /// `command` starts a process that calls run_load(). `runner` must outlive this.
  RealLoadedRuns(CutRunner& runner, std::vector<std::string> command, int load_threads,
                 const std::atomic<bool>* stop = nullptr);

  static std::vector<std::string> resources() { return {"compute", "memory", "cache"}; }
  /// Half of the time computing and half reading memory: one thread does no more.
  static std::vector<double> mixture() { return {0.5, 0.5, 0}; }

  double alone(int stage) override;
  Beside beside(int stage, std::span<const double> levels) override;
  double load_beside(int resource, std::span<const double> levels) override;

 private:
  Beside beside_load(int stage, std::span<const double> levels);
  LoadTask task_of(std::span<const double> levels) const;
  double rate_alone(const ResourceLoad& load) const;

  CutRunner& runner_;
  std::vector<std::string> command_;
  int threads_;
  const std::atomic<bool>* stop_;
  double alone_ns_ = 0;  ///< of the stage that was measured last
};

/// What a pipeline's stages are measured beside.
struct LoadSetup {
  std::unique_ptr<LoadedRuns> runs;
  std::vector<std::string> resources;
  std::vector<double> mixture;  ///< as in LoadPlan
};

/// Simulated loads where all stages are simulated, else the load process. `spec` as `runner` has it; the others as
/// above. Throws Error(bad_input) where only some stages are simulated, and where the description of a simulated
/// pipeline has no resource to press on.
LoadSetup load_setup(const PipelineSpec& spec, bool virtual_clock, CutRunner& runner, std::vector<std::string> command,
                     const std::atomic<bool>* stop = nullptr);

/// Threads that a load needs to stand for one of the pipeline's stages: as many as the largest of them has.
int load_threads_for(const PipelineSpec& spec);

}  // namespace takt
