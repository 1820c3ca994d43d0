// A pipeline as its user describes it, in YAML:
//
//   name: gnn                          # optional; the file's name without it
//   batches: 200                       # or duration: 10s; default 100
//   warmup: 10                         # batches that steady-state figures leave out; default 5 % of them, 1 to 50
//   source: closed                     # closed (default), 50/s (fixed rate) or poisson 50/s
//   in_flight: 8                       # most batches inside at once; default: what queues and replicas hold
//   queue: 2                           # batches that may wait in front of a stage; default 2
//   seed: 1
//   timeout: 30s                       # one execution may not take longer; default 60s
//   devices:                           # optional: bounds and descriptions of devices that stages name
//     CPU: {requests: 2}               # executions that run there at once, of all its stages together
//     sim:npu: {description: npu.yaml, requests: 1}
//   contention:                        # simulated devices only; rows and columns by stage name
//     interference: {gather: {infer: 1.3}}     # gather takes 1.3 times as long while infer runs
//     resources:                     # what stages share, each with a law of flow/pressure_law.h
//       memory: {law: share, stages: {gather: {pressure: 0.6, sensitivity: 0.4}}}
//     combine: multiply              # what the slow-downs by several resources make: multiply, add or largest
//   stages:
//     - name: gather
//       model: gather.onnx             # beside this file; or what stands for one:
//       # dummy: {matmul: 512}         # a product of matrices that takt generates
//       # dummy: {wait: 5ms}           # nothing computes for that real time: a call over a network, a disk; the stage
//                                      # hands on what it is given, its device is called wait (devices: {wait: …})
//       # dummy: {time: 5ms}           # a sim device takes it; on the CPU one thread is kept busy for that real time
//       # dummy: {time: {sim:GPU: 4ms, sim:npu: 6ms}, partition: 100us, merge: 200us}: by device, and what a split adds
//       device: CPU                    # CPU, GPU, NPU or sim:NAME
//       runtime: openvino              # default as `takt run`
//       replicas: 1                    # batches of this stage that may execute at once
//       queue: 4
//       ordered: true
//       threads: 1
//       precision: f32                 # or f16, bf16: compute in it where the runtime can; default: its own choice
//       open_shapes: true              # dimensions that the model leaves open stay open in the runtime, too; without
//       it
//                                      # it gets the model with the sizes of the inputs
//       inputs: {x: "{1,500}"}         # as --input; what no earlier stage provides is generated
//       data: {x: frames/}             # values batch by batch, in turn: files of a folder, by name; [a.npy, b.npy];
//       the
//                                      # files that a list.txt names; {generated: 16}: so many different ones. Without
//                                      # `x:` of the only input. Beside this file
//       connect: {data: gather.out}    # input ← output of an earlier stage; {}: none. Without
//                                      # `connect`: those of the stages before, by name, else in order
//       after: [gather, decode]        # earlier stages that a batch must have left, or source. Default: those that
//                                      # `connect` names, without it the stage above: so stages fork and meet
//     - name: infer
//       model: infer.onnx
//       split:                         # data-parallel: parts of the batch on several devices at once
//         devices: [sim:GPU, sim:npu]  # one may repeat
//         # runtimes: [openvino, onnxruntime]   # of each part, instead of the stage's
//         ratio: [0.6, 0.4]            # or balanced (measured once before the run); default balanced
//         axis: 0
//         verify: false                # do not compare the merged output of a batch with the undivided stage's
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/units.h"
#include "flow/contention.h"
#include "flow/flow_shape.h"
#include "flow/pressure_law.h"
#include "model/runtime/runtime.h"
#include "model/sim/simulated.h"

namespace takt {

/// Where a stage "runs" that only waits: nothing computes there, and any number of batches may wait at once.
inline constexpr std::string_view wait_device = "wait";

struct SplitSpec {
  std::vector<std::string> devices;
  std::vector<std::string> runtimes{};       ///< of each part; empty: the stage's for all
  std::optional<std::vector<double>> ratio;  ///< sums to 1; nullopt: balanced from measured speed
  int axis = 0;
  bool verify = true;  ///< compare the merged outputs with those of the undivided stage, once, before the run
};

/// Values that an input has batch by batch, in turn, and then the first again.
struct DataSpec {
  std::vector<std::filesystem::path> files{};  ///< one a batch; empty: generated
  std::int64_t generated = 0;                  ///< how many different ones
};

/// What stands for a model that is not there.
struct DummyModel {
  /// A sim device takes exactly this (before noise and contention), and for so long the CPU is kept busy.
  std::optional<Nanoseconds> time;
  std::optional<Nanoseconds> wait{};           ///< for so long the batch is held and nothing computes
  std::map<std::string, Nanoseconds> time_on;  ///< the same by device; of an undivided batch in a split stage
  Nanoseconds partition{}, merge{};            ///< of a split stage on sim devices
  std::optional<std::int64_t> matmul;          ///< edge of a square MatMul
};

struct StageSpec {
  std::string name;
  std::filesystem::path model;  ///< empty with `dummy`
  std::optional<DummyModel> dummy;
  std::string device = "CPU";  ///< unless split; wait_device where it waits
  std::string runtime;         ///< empty: by the model's file name and the device
  std::optional<SplitSpec> split;
  int replicas = 1;
  int queue = 2;
  bool ordered = true;
  std::optional<int> threads;
  std::optional<ElementType> precision{};      ///< f32, f16 or bf16; nullopt: the runtime's own choice
  bool open_shapes = false;                    ///< the runtime is not told the sizes of what the model leaves open
  std::map<std::string, std::string> inputs;   ///< input → what --input takes after the name
  std::map<std::string, std::string> connect;  ///< input → STAGE.OUTPUT
  std::map<std::string, DataSpec> data{};      ///< by input; the name is empty where the only one is meant
  bool connects_by_default = true;             ///< false: `connect` is there, perhaps empty, and says all
  /// Names of earlier stages, none for the source; nullopt: see order_of() in stage_order.h.
  std::optional<std::vector<std::string>> after{};
  /// Not in the file: values of inputs, by their names, of a stage that was cut out (spec_cut.h).
  std::vector<SharedTensor> given{};
  bool loads = false;  ///< not in the file: it stands for a simulated load, see SimulatedLoad in spec_cut.h
  int line = 0;        ///< in the file; 0: none
};

enum class SourceKind { closed, fixed_rate, poisson };

struct SourceSpec {
  SourceKind kind = SourceKind::closed;
  double per_second = 0;  ///< of an open source
  std::optional<std::int64_t> in_flight;
};

struct DeviceSpec {
  std::optional<int> requests;
  std::filesystem::path description;  ///< sim only
};

/// What a simulated stage does to others that use a resource, and how it answers to what they do; both 0 to 1.
struct StagePressure {
  double pressure = 0, sensitivity = 0;
};

/// Something that simulated stages share.
struct ResourceSpec {
  PressureLaw law = PressureLaw::linear;
  std::map<std::string, StagePressure> stages;  ///< by name; others neither use it nor suffer
};

struct PipelineSpec {
  std::string name;
  std::string origin;  ///< the file, as messages name it
  std::optional<std::int64_t> batches;
  std::optional<Nanoseconds> duration;
  std::optional<std::int64_t> warmup;  ///< nullopt: see warmup_batches() in record
  SourceSpec source;
  std::uint64_t seed = 1;
  Nanoseconds timeout = std::chrono::seconds(60);
  std::map<std::string, DeviceSpec> devices;
  std::vector<StageSpec> stages;
  /// By stage name: interference[i][j] is the factor on stage i while stage j runs; missing: 1.
  std::map<std::string, std::map<std::string, double>> interference;
  std::map<std::string, ResourceSpec> resources{};  ///< by name
  Combination combination = Combination::multiply;  ///< of slow-downs by several resources
};

/// Checks everything that needs no model: keys, kinds, ranges, names, ratios, replicas, cycles in `connect`, missing
/// files. Throws Error(bad_input): "FILE:LINE: KEY: what is wrong; what to do".
PipelineSpec parse_pipeline(const std::string& text, const std::string& origin);
PipelineSpec read_pipeline(const std::filesystem::path& file);

/// Devices in the order in which stages first name them, and the stages on them.
FlowShape flow_shape(const PipelineSpec& spec);
std::vector<std::string> device_names(const PipelineSpec& spec);
/// The factors of pairs, and the resources with what each stage wants of them.
ContentionLaw contention_law(const PipelineSpec& spec);

/// The devices that a stage names: one, or one per part of a batch.
std::vector<std::string> devices_of(const StageSpec& stage);
/// Whether it only waits for a given time, on the clock of the run.
bool waits(const StageSpec& stage);
/// For how long it keeps a thread of the CPU busy; nullopt: it does something else.
std::optional<Nanoseconds> busy_time(const StageSpec& stage);
/// Whether it computes nothing of what it is given and hands it on: a wait, or a busy thread.
bool hands_on(const StageSpec& stage);
/// The description file that the pipeline gives a device; empty: none.
std::filesystem::path description_of(const PipelineSpec& spec, const std::string& device);
/// The same pipeline with every device simulated: CPU becomes sim:CPU.
PipelineSpec simulated(PipelineSpec spec);
/// What `--simulate` shows without a file: three stages of MatMul on sim:CPU, sim:GPU and sim:NPU, the middle one
/// split.
PipelineSpec dummy_pipeline();

}  // namespace takt
