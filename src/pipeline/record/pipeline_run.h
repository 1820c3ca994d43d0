// A run of a streaming pipeline, written down: what every batch and every execution did, and when. One form for all who
// make one (the engine on real clocks, the simulation on the virtual one, a trace that is read back) and all who read
// one (accounting, what-if, the trace writer), so none of them can tell where a run came from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/units.h"
#include "flow/flow_shape.h"
#include "flow/simulate.h"
#include "takt/stage_executor.h"
#include "trace/events/trace.h"

namespace takt {

/// The runtime of what takes a given time: takt's own clock keeps it, whatever runs beside.
inline constexpr std::string_view own_runtime = "takt";

/// A device as a run names it: "CPU", "GPU.0", "sim:NPU"; what really ran, not what was asked for.
struct RunDevice {
  std::string name;     ///< "wait": nothing computes there, batches are held for a given time
  std::string runtime;  ///< "openvino", "onnxruntime", "sim", "takt"; several that run there: "onnxruntime+openvino"
};

struct RunStage {
  std::string name;
  std::string model;  ///< file name without its folder, or what stands for it ("dummy MatMul")
  bool copies_input = false;
  std::optional<std::int64_t> input_bytes;  ///< of one batch; nullopt: not known
  std::vector<double> ratio{};              ///< shares of a data-parallel stage's parts; empty: none, or not known
  std::optional<int> threads{};  ///< cores that one execution keeps busy; nullopt: not on the CPU, or not known
};

/// Tensors on their way to or from an execution, in a copy that the engine made: what its consumer could not read where
/// it lay. Not part of the execution's own time. A hand-over without a copy leaves none.
struct CopySpan {
  std::int64_t batch = 0;
  int stage = 0, replica = 0, part = 0;
  int device = 0;           ///< that the execution runs on
  bool of_outputs = false;  ///< after the execution; otherwise before it
  Nanoseconds start{}, end{};
  std::int64_t bytes = 0;
};

/// What is known of a run that a program reported itself, and of no other.
struct LoggedFacts {
  /// Batches that ended in a stage from which others went on. Their executions have numbers behind those of batches.
  struct Dropped {
    int stage = 0;
    std::int64_t batches = 0;
  };
  std::vector<std::int64_t> numbers;  ///< the program's own number of each batch
  /// Visits of stages that their batch did not pass, as positions in schedule.visits, in order. Such a visit takes no
  /// time; its one execution has no length and counts nowhere.
  std::vector<std::size_t> skipped;
  std::vector<Dropped> dropped;  ///< by stage
};

struct PipelineRun {
  std::string name;
  FlowShape shape;  ///< as it ran; its devices and stages are those below, number by number
  std::vector<RunDevice> devices;
  std::vector<RunStage> stages;
  Schedule schedule;             ///< times count from `base_time`; begin = first submit, end = last completion
  std::vector<CopySpan> copies;  ///< by start; of simulated devices none
  std::vector<ExecutionCounters> counters;  ///< as long as schedule.executions, or empty: no runtime told any
  std::int64_t warmup = 0;                  ///< batches at the beginning that steady-state figures leave out
  std::optional<int> cores;                 ///< logical cores that the run could use; nullopt: not told
  /// Of simulated devices; an empty law says that nothing contends there. nullopt: not told, as of real devices, whose
  /// times hold what they suffered.
  std::optional<ContentionLaw> contention;
  /// Of a program's own report. When its source had a batch is not known, only when the first stage took it.
  std::optional<LoggedFacts> logged;
  std::optional<Nanoseconds> base_time;  ///< since the epoch; nullopt on the virtual clock
  bool virtual_clock = false;
  bool interrupted = false;  ///< ended early, by a signal or a failed stage; the batches that were delivered count
  std::optional<std::string> failure;  ///< one sentence: stage, batch, cause
  std::string provenance_json;         ///< a JSON object as text; empty: not told
};

/// A trace of the run from which read_pipeline_run() gives the same PipelineRun back, every nanosecond of it.
/// Rows: one per device and request that ran there (executions of one row never overlap), "host" for partition and
/// merge. An execution is a span named by its stage with the arguments batch_id, stage, replica, part, phase, ready_ns,
/// hw_time_ms and sw_overhead_ms (wall − hardware) where known; a copy is a span "copy" on the row of its execution,
/// with the arguments copy (its number), of ("inputs", "outputs") and bytes; counters are the depth of each queue and
/// the executions in flight of each device; arrows follow a batch from stage to stage. Shape, names and the times of
/// visits and batches that no span shows lie in the provenance object under "pipeline".
Trace to_trace(const PipelineRun& run);

/// Throws Error(bad_input), beginning with `origin`, when the trace is not one of a pipeline run of takt, or
/// contradicts itself.
PipelineRun read_pipeline_run(const Trace& trace, const std::string& origin);

}  // namespace takt
