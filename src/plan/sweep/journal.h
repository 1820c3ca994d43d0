// What a sweep has measured so far, on disk: FOLDER/results/measurements.jsonl, a line per row as soon as the row is
// measured. The first line says how and on what kind of machine; rows of another way or machine are never mixed in.
// Shards of a sweep have a file each, "measurements-2-of-4.jsonl", and count together.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/basics/shard.h"
#include "base/files/journal.h"
#include "plan/costs/stage_measurement.h"
#include "plan/sweep/stage_task.h"

namespace takt {

/// How a stage is timed; more by one where a change moves the times of rows, so that no sweep goes on with others.
/// 1: on the runtime's memory. 2: into memory as pipelines give it, blocks one behind the other. 3: what was freed
/// kept.
inline constexpr int stage_timing = 3;

/// What has to be the same for all rows of a sweep.
struct SweepConfiguration {
  std::int64_t features = 500, warmup = 10, iterations = 50;
  SweepGraph graph;
  std::string machine;  ///< its class (src/base/machine/class.h)
  int rounds = 1;       ///< in which each row gets its iterations (rounds.h)
  int timing = stage_timing;

  bool operator==(const SweepConfiguration&) const;
};

/// The first line of a journal.
std::string to_json(const SweepConfiguration& configuration);

/// What differs, in words: "iterations 20 instead of 50"; empty: nothing.
std::string difference(const SweepConfiguration& measured, const SweepConfiguration& asked);

struct SweepRecords {
  SweepConfiguration configuration;
  std::vector<StageRecord> records{};   ///< one per row
  std::vector<StageRecord> by_round{};  ///< as they were measured; of a round that is there twice, the last
  std::vector<std::string> damage{};    ///< sentences on files with damaged lines, whose rows are not here
};

/// All that lies in FOLDER/results; nullopt: nothing does. Throws Error(io), and Error(bad_input) for files whose
/// configurations differ, two shards that measured one row differently, and lines that are no rows.
std::optional<SweepRecords> read_sweep(const std::filesystem::path& folder);

/// The rows of one network as cost tables take them.
StageMeasurements measurements_of(const SweepRecords& sweep, Network network);

/// The writing end. Not thread-safe.
class SweepJournal {
 public:
  /// Makes FOLDER/results and the file, or goes on with it. Throws Error(io), also where another process is writing
  /// it, and Error(bad_input) where what is there was measured in another way.
  SweepJournal(const std::filesystem::path& folder, const SweepConfiguration& configuration, const Shard& shard);

  /// On disk when it returns. `line` is what to_json() made of a record.
  void append(std::string_view line) { journal_.append(line); }

 private:
  static std::filesystem::path file_in(const std::filesystem::path& folder, const Shard& shard);

  Journal journal_;
};

}  // namespace takt
