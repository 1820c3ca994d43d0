// How long the stages of a pipeline take on simulated devices, and those that wait for a given time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flow/device_law.h"
#include "flow/simulate.h"
#include "model/graph/graph.h"
#include "pipeline/spec/pipeline_spec.h"

namespace takt {

/// What one execution takes: its operators, each with noise of its own, and then the overhead.
struct SimulatedWork {
  std::vector<Nanoseconds> ops;
  Nanoseconds overhead{};
  Noise noise;
  Nanoseconds total() const;  ///< without noise
};

/// Service times of every stage whose devices are simulated or that waits. Noise depends on seed, batch, stage, part
/// and phase alone: whoever runs the pipeline, on whatever clock, in whatever order, draws the same. Thread-safe once
/// built.
class SimulatedTimes final : public ServiceTimes {
 public:
  /// Reads models and device descriptions. A part of a split stage takes its share of the undivided time; a balanced
  /// split gives each device the share in which all are done together. Throws Error as they do, and Error(unsupported)
  /// for an operator that a device refuses, naming the stage.
  explicit SimulatedTimes(const PipelineSpec& spec);

  Nanoseconds service(const Execution& execution) override;
  bool computes(const Execution& execution) const override {
    return stages_[static_cast<std::size_t>(execution.stage)].computes;
  }
  bool knows(int stage) const { return !stages_[static_cast<std::size_t>(stage)].parts.empty(); }
  /// What an execution of an undivided stage that is known takes without noise.
  Nanoseconds usual_time(int stage) const { return stages_[static_cast<std::size_t>(stage)].parts.front().total(); }
  /// The shares of a split stage as they are used; empty for others.
  const std::vector<double>& ratio(int stage) const { return stages_[static_cast<std::size_t>(stage)].ratio; }
  /// nullopt: a dummy of a given time, or a stage that is not simulated.
  const std::optional<Graph>& graph(int stage) const { return stages_[static_cast<std::size_t>(stage)].graph; }
  /// What the devices of a simulated stage are called: "sim:NPU".
  const std::vector<std::string>& devices(int stage) const { return stages_[static_cast<std::size_t>(stage)].devices; }

 private:
  struct Stage {
    std::vector<SimulatedWork> parts;
    std::vector<double> ratio;
    std::vector<std::string> devices;
    std::optional<Graph> graph;
    Nanoseconds partition{}, merge{};
    bool computes = true;
  };
  static Stage plan(const PipelineSpec& spec, const StageSpec& stage);
  static Stage waiting(const StageSpec& stage);
  std::uint64_t seed_;
  std::vector<Stage> stages_;
};

/// Shares that make all devices finish together, from the time of each on the undivided work: proportional to speed.
std::vector<double> balanced_ratio(const std::vector<Nanoseconds>& undivided);

}  // namespace takt
