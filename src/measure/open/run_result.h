// What a run of a model gives: every sample that was measured, and for each the time of each executed operator.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/basics/units.h"
#include "base/system/programs.h"
#include "base/system/usage.h"
#include "measure/open/fitting.h"
#include "measure/open/model_content.h"
#include "model/graph/graph.h"
#include "model/runtime/runtime.h"

namespace takt {

/// Neighbouring operators of a run, in the order in which they execute, timed together without records (stretches.h).
struct Stretch {
  std::vector<std::string> ops;  ///< names of their samples, those in bodies too
  std::vector<double> shares;    ///< of the run's time, one per round; over the stretches of a round they add up to 1
};

/// What the process used over some neighbouring samples: one, or several where a reading would take too long beside a
/// single one.
struct UsageSpan {
  std::size_t runs = 0;
  Nanoseconds wall{};  ///< between the two readings, a little more than the samples' sum
  Usage used;
};

/// Bytes of the whole program that were resident, takt and what it had open besides included; missing: the system does
/// not tell, or the device is simulated.
struct PassMemory {
  std::optional<std::int64_t> before;   ///< the session was opened
  std::optional<std::int64_t> loading;  ///< at most while it was opened
  std::optional<std::int64_t> running;  ///< at most in its runs; where another session follows, in those to warm up
};

/// One session's worth of measurements.
struct RunPass {
  bool profiled = false;
  Nanoseconds load_time{};
  StartUp start_up{};
  PassMemory memory{};
  Nanoseconds started{};  ///< wall clock (epoch) at the first measured call
  std::vector<Nanoseconds> warmup;
  std::vector<Nanoseconds> starts;         ///< of each measured call, from the first one
  std::vector<Nanoseconds> samples;        ///< of the runtime's call, in the order taken
  std::vector<Nanoseconds> host_samples;   ///< from before the call until takt had control back and the result checked
  std::vector<std::vector<OpSample>> ops;  ///< profiled: as long as `samples`
  bool device_clock = false;               ///< `ops` are by the device's own clock (Session::times_by_device)
  std::vector<std::size_t> block_starts;   ///< indices of the samples that began a turn; one: measured in one go
  std::vector<ProgramTime> programs;       ///< that used the same processors meanwhile, most first
  Nanoseconds watched{};                   ///< how long `programs` were watched; 0: they were not
  std::vector<UsageSpan> usage;            ///< their `runs` add up to the samples; empty: a simulated clock
  std::vector<std::optional<std::int64_t>> resident;  ///< bytes after each sample, where shapes take turns; else empty
  std::vector<Nanoseconds> cache_walks;               ///< CacheProbe's, one before each turn; empty: measured in one go
  std::optional<double> runs_per_second;              ///< of several instances together; unset: 1 / mean
};

/// Inputs of one of several shapes that took turns.
struct InputTurn {
  std::string shapes;                       ///< "ids {1,16}, mask {1,16}"
  std::optional<std::int64_t> activations;  ///< as activation_peak_bytes() with these inputs
};

/// How the requests shared the device, as the runtime says.
struct Throughput {
  Hint hint = Hint::throughput;
  int requests = 1;                 ///< in flight all the time
  std::optional<int> streams = {};  ///< that compute at once
  std::optional<int> threads = {};  ///< that compute, of all requests together
  std::size_t completed = 0;        ///< in `window`
  Nanoseconds window{};
  double per_second = 0;
};

struct RunResult {
  std::filesystem::path model;
  std::optional<ModelContent> content;   ///< nullopt: the file could not be read again
  std::optional<ElementType> precision;  ///< that the device computes in; nullopt: the runtime does not tell
  std::string runtime, runtime_version, device;
  std::string runtime_choice;  ///< why this runtime: "from .onnx", "as asked"
  std::optional<Graph> graph;  ///< with the shapes of this run; missing where no reader knows the file
  std::vector<Port> inputs, outputs;
  std::vector<HostTensor> input_values;
  std::optional<int>
      state_steps;  ///< run i is step i modulo this since the model's state was reset; unset: each is alike
  std::vector<InputTurn> turns;  ///< run i had the inputs of turn i modulo their number; empty: one shape only
  std::vector<std::string> input_origins;  ///< of each: "generated values", "values of cat.npy"
  std::vector<std::string> notes;  ///< one sentence each: generated inputs, chosen dimensions, the runtime's notes
  std::string clock_note;          ///< how exact operator times are (Session::clock_note())
  std::optional<RunPass> plain, profiled;
  std::vector<Stretch> stretches;        ///< where records disturb much; empty: not timed
  CpuLimit cpu_limit;                    ///< of the process that measured
  std::optional<Throughput> throughput;  ///< with requests in flight: the samples of `plain` are their latencies
  std::vector<RunPass> instances;        ///< with several: the plain pass of each; `plain` has the samples of all
  std::optional<FitResult> fit;          ///< what was tried with RunSettings::fit
  std::vector<HostTensor> tensors;  ///< of one run: inputs, then every tensor that the runtime can show, then outputs
  std::size_t first_output = 0;     ///< in `tensors`
  std::optional<std::int64_t> process_peak;  ///< bytes resident at most since the program began; missing as PassMemory
  bool stopped = false;                      ///< before the measurement was complete
};

/// Adds those that are not there yet.
void add_notes(RunResult& result, const std::vector<std::string>& notes);

/// The notes and, as the last, the one on the clock: what files hold.
std::vector<std::string> all_notes(const RunResult& result);

}  // namespace takt
