#include "plan/sweep/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "plan/sweep/rounds.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

class Merger {
 public:
  void add(const fs::path& folder) {
    const auto sweep = read_sweep(folder);
    if (!sweep) refuse_input(fmt::format("{}: has no measured rows of a sweep", printable(folder.string())));
    if (places_.empty()) merged_.sweep.configuration = sweep->configuration;
    if (const auto differs = difference(merged_.sweep.configuration, sweep->configuration); !differs.empty())
      refuse_input(fmt::format("{}: was measured with different settings than the first folder ({} there)",
                               printable(folder.string()), differs));
    merged_.left_out.insert(merged_.left_out.end(), sweep->damage.begin(), sweep->damage.end());
    for (const StageRecord& record : sweep->by_round) add(record, folder);
    for (const Network network : all_networks)
      if (const auto records = read_contention(contention_journal(folder, network))) {
        if (!records->damage.empty()) merged_.left_out.push_back(records->damage);
        add(*records, folder);
      }
  }
  MergedSweep take() {
    merged_.sweep.records = whole_rows(merged_.sweep.by_round);
    return std::move(merged_);
  }

 private:
  void add(const StageRecord& record, const fs::path& folder) {
    const auto [device, is_first] = devices_.emplace(record.row.key.unit, record.asked);
    if (!is_first && device->second != record.asked)
      refuse_input(fmt::format("{}: its {} rows were measured on {}, those of another folder on {}",
                               printable(folder.string()), record.row.key.unit, printable(record.asked),
                               printable(device->second)));
    const auto [place, is_new] =
        places_.emplace(std::tuple(record.network, record.row.key, record.round), merged_.sweep.by_round.size());
    if (is_new) return merged_.sweep.by_round.push_back(record);
    ++merged_.repeated;
    StageRecord& there = merged_.sweep.by_round[place->second];
    if (there.row.status != StageStatus::measured && record.row.status == StageStatus::measured) there = record;
  }

  /// Rounds of a stage beside loads are made in a process of its own, so they may be of another folder than the loads.
  void add(const ContentionRecords& records, const fs::path& folder) {
    const Network network = records.configuration.network;
    const auto there = std::find_if(merged_.contention.begin(), merged_.contention.end(),
                                    [&](const auto& one) { return one.configuration.network == network; });
    if (there == merged_.contention.end()) return merged_.contention.push_back(records);
    std::string differs = difference(records.configuration, there->configuration);
    const GraphSize &size = records.configuration.size, &first = there->configuration.size;
    if (differs.empty() && (size.nodes != first.nodes || size.edges != first.edges))
      differs =
          fmt::format("{} nodes and {} edges instead of {} and {}", size.nodes, size.edges, first.nodes, first.edges);
    if (!differs.empty())
      return merged_.left_out.push_back(
          fmt::format("{}: its contention of {} was measured with different settings ({})", printable(folder.string()),
                      network_title(network), differs));
    for (const ContentionRecord& record : records.records) {
      const ContentionRecord* known = there->find(record.block);
      if (known && (known->reason.empty() || !record.reason.empty())) continue;
      std::erase_if(there->records, [&](const ContentionRecord& one) { return one.block == record.block; });
      there->records.push_back(record);
    }
  }

  MergedSweep merged_;
  std::map<std::tuple<Network, StageKey, int>, std::size_t> places_;
  std::map<std::string, std::string> devices_;  ///< by unit
};

template <typename Configuration, typename Record>
std::string lines_of(const Configuration& configuration, const std::vector<Record>& records) {
  std::string text = to_json(configuration) + "\n";
  for (const Record& record : records) text += to_json(record) + "\n";
  return text;
}

}  // namespace

MergedSweep merge_sweeps(const std::vector<fs::path>& folders) {
  Merger merger;
  for (const fs::path& folder : folders) merger.add(folder);
  return merger.take();
}

void write_sweep(const MergedSweep& merged, const fs::path& folder) {
  if (read_sweep(folder))
    refuse_input(fmt::format("{}: already has a sweep; use another --out", printable(folder.string())));
  make_folders(folder / "results");
  for (const ContentionRecords& contention : merged.contention)
    write_file_atomically(contention_journal(folder, contention.configuration.network),
                          lines_of(contention.configuration, contention.records));
  write_file_atomically(folder / "results" / "measurements.jsonl",
                        lines_of(merged.sweep.configuration, merged.sweep.by_round));
}

}  // namespace takt
