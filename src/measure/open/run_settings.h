// What a user asks of a measured run of a model.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/basics/units.h"
#include "measure/open/output_checks.h"
#include "model/inputs/inputs.h"
#include "model/runtime/runtime.h"

namespace takt {

struct RunSettings {
  std::string runtime;  ///< empty: by the model's file name and the device
  std::string device = "CPU";
  std::optional<int> threads;     ///< intra-operator; unset: the runtime's default
  std::optional<int> iterations;  ///< unset: until `min_time` has been measured, 10 to 1000 iterations
  int warmup_iterations = 3;      ///< longer when the first runs of the runtime are slow; kept apart in the result
  Duration min_time = std::chrono::seconds(1);
  std::optional<Duration> time;  ///< of each pass, however many runs that are; with `iterations` the first counts
  std::optional<Duration> warmup_time;     ///< warm up at least this long, `warmup_iterations` at least
  std::optional<Hint> hint;                ///< see SessionSettings; throughput: several requests at once
  std::optional<int> requests;             ///< of one session in flight at once; unset: one, or the runtime's choice
  std::optional<int> streams;              ///< see SessionSettings
  std::vector<InputSpec> inputs;           ///< what the user gave; the rest is generated
  std::optional<std::int64_t> batch_size;  ///< first dimension of every input
  bool open_shapes = false;                ///< dimensions that the model leaves open stay so, whatever its inputs are
  std::optional<int> state_steps;          ///< runs between two resets of what the model keeps; unset: one
  std::optional<std::size_t> free_axis{};  ///< where `inputs` may differ from the model, see Runtime::reshapes
  std::uint64_t seed = 1;                  ///< of generated inputs and simulated noise
  bool virtual_clock = false;              ///< see SessionSettings
  int instances = 1;                       ///< independent sessions that run at once, each in a thread of its own
  std::vector<int> cores;  ///< to pin to, the same number for each instance; empty: wherever the system likes
  bool stretches = true;   ///< where records disturb much, heads of the model are timed alone (stretches.h)
  std::function<void()> between_blocks{};  ///< called before each turn of a session, uncounted
  bool copy_to_host = false;               ///< a run includes copying its outputs to takt's memory
  std::optional<double> range;             ///< see OutputChecks
  std::optional<RepeatCheck> repeat_check;
  std::optional<ElementType> precision;                          ///< see SessionSettings
  std::filesystem::path cache, optimised_model, executed_graph;  ///< see SessionSettings
  Tuning tuning;                                                 ///< see SessionSettings
  Properties properties;                                         ///< see SessionSettings
  std::vector<std::filesystem::path> custom_ops;                 ///< see Runtime::add_custom_ops
  bool fit = false;                         ///< try runtime settings first, and measure with the fastest
  bool keep_tensors = false;                ///< fill RunResult::tensors
  const std::atomic<bool>* stop = nullptr;  ///< looked at between runs; true: measure no more

  /// Several requests of one session are in flight at once.
  bool measures_throughput() const { return requests || streams || hint == Hint::throughput; }
};

}  // namespace takt
