// What one process of a collection measures, and what it tells: a model once, in a process of its own, since layouts of
// memory differ from process to process and a median over runs of one process cannot see that.
//
// The task goes to the child as JSON on its standard input; its answer is one line, which is a line of the journal.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/units.h"
#include "predict/collect/canary.h"
#include "predict/fit/dataset.h"

namespace takt {

struct CollectTask {
  std::filesystem::path model;
  std::string runtime = "onnxruntime", device = "CPU";
  int threads = 1;
  Duration time = std::chrono::seconds(1);  ///< of the runs without records of kernels, and of those with them
  bool with_kernels = true;                 ///< false: only the whole inference, of the model as it is
  std::uint64_t seed = 1;                   ///< of the inputs
  int round = 1;
  int parent = 0;      ///< process that waits for the answer
  bool waits = false;  ///< when the model is ready to run it says so, and runs when it is told to
};
std::string to_json(const CollectTask& task);
/// Throws Error(bad_input).
CollectTask parse_collect_task(std::string_view json);

enum class CollectStatus {
  measured,
  disturbed,  ///< others had the processor too often meanwhile
  failed,
};

struct TimedKernel {
  KernelFacts facts;
  std::string kernel;  ///< name of the runtime's node
  double us = 0;       ///< mean time in the model as recorded, the record's own cost included
};

/// A line of the journal: one model in one round.
struct CollectRecord {
  std::string model;  ///< file name
  int round = 1;
  CollectStatus status = CollectStatus::failed;
  std::string reason;  ///< of a failed one
  std::string architecture, family, runtime_version;
  std::string takt_version, measured_at;  ///< what measured it, and when: UTC, ISO 8601; empty in journals of before
  double latency_us = 0;                  ///< mean of the whole inference
  std::optional<double> io_bytes;         ///< of the model's inputs and outputs; nullopt in journals of before
  std::optional<CanaryTimes> canary;
  LoadReadings load;  ///< without canary
  std::vector<TimedKernel> kernels;
};
std::string to_json(const CollectRecord& record);
/// Throws Error(bad_input) that begins with `where`.
CollectRecord parse_collect_record(std::string_view json, std::string_view where);

}  // namespace takt
