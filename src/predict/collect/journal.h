// What a collection has measured so far, on disk: OUT.jsonl, a line per model and round. The first line says how and on
// what kind of machine; records of another way or machine are never mixed in. Shards have a file each,
// OUT.2-of-4.jsonl, and count together.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/basics/shard.h"
#include "base/files/journal.h"
#include "predict/collect/record.h"

namespace takt {

/// The settings that must be equal for all records.
struct CollectConfiguration {
  std::string machine, runtime, device;
  int threads = 1;
  double time_us = 0, loaded_time_us = 0;  ///< in quiet and beside loads
  MachineConstants constants;              ///< measured when the collection began; no reason to tell two apart
};

struct CollectJournal {
  CollectConfiguration configuration;
  std::vector<CollectRecord> records;
  std::vector<std::string> damage;  ///< sentences on files with damaged lines, whose records are not here
};

/// All that lies beside `out`; nullopt: nothing does. Throws Error(io), and Error(bad_input) for lines that are no
/// records and files whose configurations differ.
std::optional<CollectJournal> read_collect_journals(const std::filesystem::path& out);

/// The file of a shard.
std::filesystem::path collect_journal_path(const std::filesystem::path& out, const Shard& shard);

std::string to_json(const CollectConfiguration& configuration);

/// Returns the differences, in words; empty: none.
std::string difference(const CollectConfiguration& there, const CollectConfiguration& asked);

}  // namespace takt
