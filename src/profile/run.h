// Runs a model and keeps every sample: the measured calls, and for each of them the time of each executed operator.
//
// Two passes can be made, each in a session of its own: a plain one, whose times are what a user of the model sees, and
// a profiled one, whose operator times add up to its own calls (profiling costs time on small operators, so the two are
// never mixed in one figure). Order of the story: open → warm up → run in turns (profile/measure.h); between two clock
// reads there is only the runtime's call.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"
#include "core/usage.h"
#include "graph/graph.h"
#include "profile/fitting.h"
#include "profile/inputs.h"
#include "profile/output_checks.h"
#include "runtime/runtime.h"

namespace takt {

struct RunSettings {
  std::string runtime;  ///< empty: by the model's file name and the device
  std::string device = "CPU";
  std::optional<int> threads;     ///< intra-operator; unset: the runtime's default
  std::optional<int> iterations;  ///< unset: until `min_time` has been measured, 10 to 1000 iterations
  int warmup_iterations = 3;      ///< longer when the first runs of the runtime are slow; kept apart in the result
  Duration min_time = std::chrono::seconds(1);
  std::vector<InputSpec> inputs;           ///< what the user gave; the rest is generated
  std::optional<std::int64_t> batch_size;  ///< first dimension of every input
  std::uint64_t seed = 1;                  ///< of generated inputs and simulated noise
  int instances = 1;                       ///< independent sessions that run at once, each in a thread of its own
  std::vector<int> cores;       ///< to pin to, the same number for each instance; empty: wherever the system likes
  bool copy_to_host = false;    ///< a run includes copying its outputs to takt's memory
  std::optional<double> range;  ///< see OutputChecks
  std::optional<RepeatCheck> repeat_check;
  std::optional<ElementType> precision;          ///< see SessionSettings
  std::filesystem::path cache, optimised_model;  ///< see SessionSettings
  Tuning tuning;                                 ///< see SessionSettings
  bool fit = false;                              ///< try runtime settings first, and measure with the fastest
  bool keep_tensors = false;                     ///< fill RunResult::tensors
  const std::atomic<bool>* stop = nullptr;       ///< looked at between runs; true: measure no more
};

/// Reports progress between measurements; `phase` is "plain", "profiled" or "plain and profiled".
using RunProgress = std::function<void(std::string_view phase, std::uint64_t done, std::uint64_t total)>;

/// What the process used over some neighbouring samples: one, or several where a reading would take too long beside a
/// single one.
struct UsageSpan {
  std::size_t runs = 0;
  Nanoseconds wall{};  ///< between the two readings, a little more than the samples' sum
  Usage used;
};

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
  std::vector<std::size_t> block_starts;   ///< indices of the samples that began a turn; one: measured in one go
  std::vector<UsageSpan> usage;            ///< their `runs` add up to the samples; empty: a simulated clock
  std::optional<double> runs_per_second;   ///< of several instances together; unset: 1 / mean
};

struct RunResult {
  std::filesystem::path model;
  std::string runtime, runtime_version, device;
  std::string runtime_choice;  ///< why this runtime: "from .onnx", "as asked"
  std::optional<Graph> graph;  ///< with the shapes of this run; missing where no reader knows the file
  std::vector<Port> inputs, outputs;
  std::vector<HostTensor> input_values;
  std::vector<std::string> input_origins;  ///< of each: "generated values", "values of cat.npy"
  std::vector<std::string> notes;  ///< one sentence each: generated inputs, chosen dimensions, the runtime's notes
  std::optional<RunPass> plain, profiled;
  CpuLimit cpu_limit;               ///< of the process that measured
  std::vector<RunPass> instances;   ///< with several: the plain pass of each; `plain` has the samples of all
  std::optional<FitResult> fit;     ///< what was tried with RunSettings::fit
  std::vector<HostTensor> tensors;  ///< of one run: inputs, then every tensor that the runtime can show, then outputs
  std::size_t first_output = 0;     ///< in `tensors`
  bool stopped = false;             ///< before the measurement was complete
};

enum class RunPasses { plain, profiled, both };

/// Throws Error naming the model and the cause.
RunResult run_model(const std::filesystem::path& model, const RunSettings& settings, RunPasses passes,
                    const RunProgress& progress = {});

/// Adds those that are not there yet.
void add_notes(RunResult& result, const std::vector<std::string>& notes);

/// The runtime that `settings` and the model's file name ask for. Throws UsageError on a contradiction.
std::string choose_runtime(const std::filesystem::path& model, const RunSettings& settings, std::string& why);

}  // namespace takt
