#include "sweep/merge.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

class Merger {
 public:
  void add(const fs::path& folder) {
    const auto sweep = read_sweep(folder);
    if (!sweep) refuse_input(fmt::format("{}: holds no measured rows of a sweep", printable(folder.string())));
    if (places_.empty() && merged_.sweep.records.empty()) merged_.sweep.configuration = sweep->configuration;
    if (const auto differs = difference(merged_.sweep.configuration, sweep->configuration); !differs.empty())
      refuse_input(fmt::format("{}: was measured in another way than the first folder ({} there)",
                               printable(folder.string()), differs));
    for (const StageRecord& record : sweep->records) add(record, folder);
  }
  MergedSweep take() { return std::move(merged_); }

 private:
  void add(const StageRecord& record, const fs::path& folder) {
    const auto [device, is_first] = devices_.emplace(record.row.key.unit, record.asked);
    if (!is_first && device->second != record.asked)
      refuse_input(fmt::format("{}: its {} rows were measured on {}, those of another folder on {}",
                               printable(folder.string()), record.row.key.unit, printable(record.asked),
                               printable(device->second)));
    const auto [place, is_new] =
        places_.emplace(std::pair(record.network, record.row.key), merged_.sweep.records.size());
    if (is_new) return merged_.sweep.records.push_back(record);
    ++merged_.repeated;
    StageRecord& there = merged_.sweep.records[place->second];
    if (there.row.status != StageStatus::measured && record.row.status == StageStatus::measured) there = record;
  }

  MergedSweep merged_;
  std::map<std::pair<Network, StageKey>, std::size_t> places_;
  std::map<std::string, std::string> devices_;  ///< by unit
};

}  // namespace

MergedSweep merge_sweeps(const std::vector<fs::path>& folders) {
  Merger merger;
  for (const fs::path& folder : folders) merger.add(folder);
  return merger.take();
}

void write_sweep(const SweepRecords& sweep, const fs::path& folder) {
  if (read_sweep(folder))
    refuse_input(fmt::format("{}: holds a sweep already; give another folder with --out", printable(folder.string())));
  std::string text = to_json(sweep.configuration) + "\n";
  for (const StageRecord& record : sweep.records) text += to_json(record) + "\n";
  make_folders(folder / "results");
  write_file_atomically(folder / "results" / "measurements.jsonl", text);
}

}  // namespace takt
