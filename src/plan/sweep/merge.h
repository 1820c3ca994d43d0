// Parts of a sweep that were measured in folders of their own, put together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "plan/sweep/contention_journal.h"
#include "plan/sweep/journal.h"

namespace takt {

struct MergedSweep {
  SweepRecords sweep;
  std::int64_t repeated = 0;                  ///< rows that were there in an earlier folder, too, and were left out
  std::vector<ContentionRecords> contention;  ///< of each network that a folder has measured it of
  std::vector<std::string> left_out;          ///< a sentence for each folder's contention that does not fit the others'
};

/// All rows of the folders; of one row in several, a measured one goes before others and then the one of the folder
/// that was named first. Of contention the same, where it was measured with one graph and in one way. Throws as
/// read_sweep, and Error(bad_input) for a folder without a sweep, folders that were
/// measured in different ways, and a unit that is another device in one than in another.
MergedSweep merge_sweeps(const std::vector<std::filesystem::path>& folders);

/// FOLDER/results/measurements.jsonl and the journals of contention, each seen whole or not at all. Throws Error(io),
/// and Error(bad_input) where a sweep lies there already.
void write_sweep(const MergedSweep& merged, const std::filesystem::path& folder);

}  // namespace takt
