// What one process of a sweep measures: a stage on a device, on graphs of several sizes. A process of its own, because
// a device that is lost or memory that runs out leaves nothing behind that a later measurement could trust.
//
// The task goes to the child as JSON on its standard input; for each size it answers with one line, which is the record
// of the sweep's journal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "plan/costs/stage_measurement.h"
#include "plan/sweep/stage_inputs.h"

namespace takt {

struct StageTask {
  StageRange stage;
  std::string unit;                   ///< "CPU", "GPU", "NPU": which of the exported models it takes
  std::string device;                 ///< what is to run it: "CPU", "GPU.1", "sim:NPU"
  std::vector<std::string> runtimes;  ///< tried in this order; the second and later ones are fall-backs
  std::filesystem::path folder;       ///< of the sweep, with exported models
  std::int64_t features = 500;
  std::int64_t warmup = 10, iterations = 50;
  SweepGraph graph;
  std::vector<GraphSize> sizes;
  int parent = 0;  ///< process that waits for the answers
};

std::string to_json(const StageTask& task);
/// Throws Error(bad_input).
StageTask parse_stage_task(std::string_view json);

inline constexpr int most_sweep_rounds = 1000;

/// A line of the journal: one row, with the network and the device that was asked for.
struct StageRecord {
  Network network = Network::sage;
  std::string asked;  ///< device
  StageMeasurement row;
  int round = 1;  ///< of those that its row is measured in
};
std::string to_json(const StageRecord& record);
/// Throws Error(bad_input) for a line that is no record; `where` begins the message.
StageRecord parse_stage_record(std::string_view json, std::string_view where);

}  // namespace takt
