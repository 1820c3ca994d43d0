// What stages on the devices of a sweep do to each other while they run at once: each is measured alone, beside loads
// of known levels, and pairs follow from that (pipeline/contention/single_contention.h). Devices that share nothing do
// nothing to each other and are not measured.
//
//   measure_contention()  says what is missing, starts children, keeps the journal, writes the file   contention.cpp
//   ContentionTask        what a child is asked for and answers                                       contention_task.h
//   ContentionBench       what the child does contention_bench.h
//
// FOLDER/results/interference-NETWORK.jsonl gets a line per stage and device as soon as it is measured; what is there
// is not measured again. Pressures depend little on how large the graph is, so one size of the sweep stands for all:
// the middle one of those that were measured when the journal was begun.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/system/provenance.h"
#include "pipeline/contention/single_contention.h"
#include "plan/sweep/journal.h"

namespace takt {

struct ContentionSettings {
  std::filesystem::path folder;  ///< of the sweep
  Network network = Network::sage;
  bool alone = false;  ///< also where no two devices share anything: then the real ones are measured
  bool retry = false;  ///< stages that failed before are measured again
  int levels = 5, rounds = 3;
  Nanoseconds row_limit = std::chrono::minutes(15);  ///< a child that tells nothing for so long hangs
  std::vector<std::string> child;                    ///< the program that measures, and what makes it do so
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};  ///< may be empty
  const std::atomic<bool>* stop = nullptr;                                     ///< looked at all the time
};

struct MeasuredContention {
  GraphSize size;                   ///< of the graph that all was measured with
  std::vector<std::string> shared;  ///< what loads pressed on
  SingleReport report;              ///< its pairs are those of different units
  std::vector<std::string> failed;  ///< a sentence for each stage that could not be measured
  std::string damage{};             ///< a sentence on damaged lines of the journal; empty: there were none
};

/// Returns the contention of the rows that `sweep` has of the network. nullopt: no two devices share anything. Throws
/// Error(io), Error(bad_input) for a journal of another configuration and where there is nothing to measure although
/// `alone` asks for it, and Error(runtime) when stopped, or where the loads cannot be measured.
std::optional<MeasuredContention> measure_contention(const SweepRecords& sweep, const ContentionSettings& settings);

/// The file's name beside the tables of costs.
inline constexpr const char* contention_file = "interference.json";

/// The JSON of `takt pipeline interference`, whose stages are blocks of plans: "GPU[1-4]".
std::string contention_json(const MeasuredContention& contention, Provenance provenance);

}  // namespace takt
