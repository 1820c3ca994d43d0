// What one process of a sweep measures of contention: stages on one device, each beside loads of known levels
// (pipeline/contention/stage_contention.h), or the loads beside each other. A process of its own, as for times
// (stage_task.h).
//
// The task goes to the child as JSON on its standard input; for each stage it answers with one line, which is the
// record of the journal.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/contention/single_contention.h"
#include "plan/sweep/stage_task.h"

namespace takt {

/// A stage or fused range, and batches that its runs have.
struct ContendingStage {
  StageRange range;
  std::int64_t batches = 100;
};

struct ContentionTask {
  std::string unit;     ///< "CPU", "GPU", "NPU": which of the exported models it takes
  std::string device;   ///< what is to run it: "CPU", "sim:NPU"
  std::string runtime;  ///< of a real device
  /// Simulated ones among which something is shared, this one, too; empty: real devices, and the machine's own
  /// resources.
  std::vector<std::string> sharing;
  std::filesystem::path folder;  ///< of the sweep, with exported models
  std::int64_t features = 500;
  GraphSize size;
  SweepGraph graph;
  std::vector<ContendingStage> stages;  ///< empty: what loads do to each other
  int levels = 5, rounds = 3;
  Nanoseconds limit = std::chrono::minutes(15);  ///< of one execution
  int parent = 0;                                ///< process that waits for the answers

  bool is_simulated() const { return !sharing.empty(); }
};

std::string to_json(const ContentionTask& task);
/// Throws Error(bad_input).
ContentionTask parse_contention_task(std::string_view json);

/// "GPU[3]", "GPU[1-4]": as plans and files of interference name the block.
std::string block_of(const std::string& unit, const StageRange& range);
inline constexpr std::string_view loads_block = "[loads]";

/// A line of the journal.
struct ContentionRecord {
  std::string block;                ///< block_of(), or loads_block
  std::string asked;                ///< device; empty: loads
  std::string reason;               ///< why it was not measured; empty: it was
  std::vector<SingleRound> rounds;  ///< of this stage alone, or of the loads; none where there is a reason
};
std::string to_json(const ContentionRecord& record);

/// How many loads, levels of each and rounds there are.
struct ContentionShape {
  std::size_t resources = 0, levels = 0, rounds = 0;
};
/// Throws Error(bad_input) for a line that is no record of this shape; `where` begins the message.
ContentionRecord parse_contention_record(std::string_view json, const ContentionShape& shape, std::string_view where);

}  // namespace takt
