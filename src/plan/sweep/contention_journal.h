// What a sweep has measured of contention so far, on disk: FOLDER/results/interference-NETWORK.jsonl, whose first line
// says how, on which graph and what kind of machine; then a line per stage and device, and one of the loads.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plan/sweep/contention_task.h"

namespace takt {

/// What has to be the same for all lines.
struct ContentionConfiguration {
  Network network = Network::sage;
  std::int64_t features = 500;
  SweepGraph graph;
  std::string machine;                 ///< its class (src/base/machine/class.h)
  std::vector<std::string> resources;  ///< that loads press on
  int levels = 5, rounds = 3;
  GraphSize size;  ///< of the graph; chosen when the journal is begun, and then kept
};

ContentionShape shape_of(const ContentionConfiguration& configuration);
std::string to_json(const ContentionConfiguration& configuration);
/// Throws Error(bad_input); `where` begins the message.
ContentionConfiguration parse_contention_configuration(std::string_view json, std::string_view where);

/// What differs but the size, in words; empty: nothing.
std::string difference(const ContentionConfiguration& measured, const ContentionConfiguration& asked);

struct ContentionRecords {
  ContentionConfiguration configuration;
  std::vector<ContentionRecord> records;  ///< of a block that is there twice, the last
  std::string damage;                     ///< a sentence on damaged lines, which are not here; empty: none is

  const ContentionRecord* find(std::string_view block) const;  ///< nullptr: it is not there
};

std::filesystem::path contention_journal(const std::filesystem::path& folder, Network network);

/// nullopt: there is none, or nobody has written a whole line. Throws Error(io), and Error(bad_input) for other lines.
std::optional<ContentionRecords> read_contention(const std::filesystem::path& journal);

}  // namespace takt
