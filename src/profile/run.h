// Runs a model and keeps every sample: the measured calls, and for each of them the time of each executed operator.
//
// Two passes can be made, each in a session of its own: a plain one, whose times are what a user of the model sees, and
// a profiled one, whose operator times add up to its own calls (profiling costs time on small operators, so the two are
// never mixed). Order of the story: open → warm up → run, between two clock reads only the runtime's call.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"
#include "graph/graph.h"
#include "profile/inputs.h"
#include "runtime/runtime.h"

namespace takt {

struct RunSettings {
  std::string runtime;  ///< empty: by the model's file name and the device
  std::string device = "CPU";
  std::optional<int> threads;     ///< intra-operator; unset: the runtime's default
  std::optional<int> iterations;  ///< unset: until `min_time` has been measured, 10 to 1000 iterations
  int warmup_iterations = 3;      ///< longer when the first runs of the runtime are slow; kept apart in the result
  Duration min_time = std::chrono::seconds(1);
  std::vector<InputSpec> inputs;  ///< what the user gave; the rest is generated
  std::uint64_t seed = 1;         ///< of generated inputs and simulated noise
};

/// Reports progress between measurements; `phase` is "plain" or "profiled".
using RunProgress = std::function<void(std::string_view phase, std::uint64_t done, std::uint64_t total)>;

/// One session's worth of measurements.
struct RunPass {
  bool profiled = false;
  Nanoseconds load_time{};
  Nanoseconds started{};  ///< wall clock (epoch) at the first measured call
  std::vector<Nanoseconds> warmup;
  std::vector<Nanoseconds> starts;         ///< of each measured call, from the first one
  std::vector<Nanoseconds> samples;        ///< of the runtime's call, in the order taken
  std::vector<Nanoseconds> host_samples;   ///< from before the call until takt had control back and the result checked
  std::vector<std::vector<OpSample>> ops;  ///< profiled: as long as `samples`
};

struct RunResult {
  std::filesystem::path model;
  std::string runtime, runtime_version, device;
  std::string runtime_choice;  ///< why this runtime: "from .onnx", "as asked"
  std::optional<Graph> graph;  ///< with the shapes of this run; missing for IR models
  std::vector<Port> inputs, outputs;
  std::vector<HostTensor> input_values;
  std::vector<std::string> notes;  ///< one sentence each: generated inputs, chosen dimensions, the runtime's notes
  std::optional<RunPass> plain, profiled;
};

enum class RunPasses { plain, profiled, both };

/// Throws Error naming the model and the cause.
RunResult run_model(const std::filesystem::path& model, const RunSettings& settings, RunPasses passes,
                    const RunProgress& progress = {});

/// The runtime that `settings` and the model's file name ask for. Throws UsageError on a contradiction.
std::string choose_runtime(const std::filesystem::path& model, const RunSettings& settings, std::string& why);

}  // namespace takt
