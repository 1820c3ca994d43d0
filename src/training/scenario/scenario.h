// Trainings with one planted fault each: what `takt scenario` runs, and what the answer of a diagnosis must be.
//
//   dataloader    items take long to load: the loop waits for its next batch
//   sync          values are read back to the host in the middle of each step
//   tiny_ops      long chains of operators on a few numbers each
//   memory_churn  large temporaries are taken and given back all the time
//
// The training itself is a program of its own, takt-train (src/training/trainer), which alone is linked with libtorch:
// it gets the settings as JSON and answers in lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace takt {

enum class Scenario : std::uint8_t { dataloader, sync, tiny_ops, memory_churn };
const std::vector<std::string>& scenario_names();  ///< as typed, in that order
std::string_view name_of(Scenario scenario);
/// Throws Error(bad_input) naming the scenarios that there are.
Scenario scenario_named(std::string_view name);

/// How much of the fault is planted. With none, a step is what it would be with the cause removed.
enum class FaultStrength : std::uint8_t { none, mild, strong };
const std::vector<std::string>& fault_strength_names();
std::string_view name_of(FaultStrength strength);
FaultStrength fault_strength_named(std::string_view name);  ///< throws as scenario_named()

struct ScenarioSettings {
  Scenario scenario = Scenario::dataloader;
  FaultStrength strength = FaultStrength::strong;
  std::string device = "cuda";  ///< or "cpu"
  int batch_size = 64;
  int num_workers = 2;    ///< threads that load batches; 0: the loop loads them itself
  int warmup_steps = 10;  ///< without the profiler
  int profile_steps = 8;  ///< recorded, after one that the profiler skips and one in which it warms up
  bool pin_memory = false, amp = false, with_stack = false;
  std::uint64_t seed = 42;
  int image_size = 64;  ///< pictures are {3, image_size, image_size}
  int width = 32;       ///< channels of the first convolution
  int threads = 0;      ///< of operators on the CPU; 0: libtorch's own choice
};

/// Throws Error(bad_input) for what cannot be run, naming the option.
void check(const ScenarioSettings& settings);

/// What a step has to bear, from scenario and strength alone.
struct Pressure {
  int cpu_work = 200;      ///< rounds of arithmetic per item loaded
  double io_sleep_ms = 0;  ///< per item
  int reads = 0;           ///< values read back per step
  int tiny_ops = 0;        ///< of TinyOpsBlock, on {batch, 4 * width} numbers, on the way forward
  int temporaries = 0;     ///< per step, each as large as the output of the first convolution
};
Pressure pressure_of(const ScenarioSettings& settings);

/// What takt-train is told: the settings, where the trace goes, and who asks.
struct TrainerTask {
  ScenarioSettings settings;
  std::string trace_file;
  int parent = 0;  ///< process that it does not outlive
};
std::string to_json(const TrainerTask& task);
/// Throws Error(bad_input).
TrainerTask parse_trainer_task(std::string_view json);

}  // namespace takt
