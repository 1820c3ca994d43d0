#include "plan/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "model/sim/simulated.h"
#include "plan/sweep/rounds.h"
#include "plan/sweep/stage_process.h"
#include "plan/sweep/work.h"

namespace takt {
namespace {

/// "gpu.1", "sim:NPU" → "GPU", "NPU"; empty: the name does not tell.
std::string unit_of(std::string_view device) {
  const std::string name = lower_case(name_without_prefix(device));
  for (const std::string_view unit : all_units)
    if (const std::string word = lower_case(unit); name == word || name.starts_with(word + "."))
      return std::string(unit);
  return "";
}

using RowKey = std::pair<Network, StageKey>;

/// A round of a row that is still to be measured.
struct OpenRow {
  StageRange stage;
  SweepDevice device;
  GraphSize size;
  double work = 0;
  int round = 1;

  RowKey key() const { return {stage.network, {size.nodes, size.edges, device.unit, stage.first, stage.last}}; }
  bool same_child(const OpenRow& other) const {
    return round == other.round && stage.network == other.stage.network && stage.first == other.stage.first &&
           stage.last == other.stage.last && device.unit == other.device.unit;
  }
};

std::vector<StageRange> stages_to_measure(const SweepSettings& settings) {
  std::vector<StageRange> stages;
  for (const Network network : settings.networks)
    for (const StageRange& range : ranges_of(network))
      if (settings.ranges || range.first == range.last) stages.push_back(range);
  return stages;
}

/// In an order in which the first few rows already tell how long the others take: of each stage on each device a small
/// graph and a middle one come first.
std::vector<OpenRow> all_rows(const SweepSettings& settings) {
  std::vector<GraphSize> sizes = settings.cases.sizes;
  std::sort(sizes.begin(), sizes.end(),
            [](const GraphSize& a, const GraphSize& b) { return a.nodes + a.edges < b.nodes + b.edges; });
  const std::set<std::size_t> scouts{0, sizes.size() / 2};
  std::vector<OpenRow> rows;
  for (const bool scouting : {true, false})
    for (const SweepDevice& device : settings.devices)
      for (const StageRange& stage : stages_to_measure(settings))
        for (std::size_t i = 0; i < sizes.size(); ++i)
          if (scouts.contains(i) == scouting)
            rows.push_back({stage, device, sizes[i], guessed_work(stage, sizes[i], settings.cases.features)});
  return rows;
}

/// What the folder has of a row.
struct KeptRow {
  std::string asked;
  std::map<int, StageStatus> rounds{};

  /// What was refused or failed once is not tried in later rounds.
  bool lacks(int round, bool retry) const {
    for (const auto& [number, status] : rounds)
      if (status == StageStatus::unsupported || (status == StageStatus::failed && !retry)) return false;
    const auto found = rounds.find(round);
    return found == rounds.end() || found->second == StageStatus::failed;
  }
};

std::map<RowKey, KeptRow> kept_rows(const std::filesystem::path& folder) {
  std::map<RowKey, KeptRow> rows;
  if (const auto sweep = read_sweep(folder))
    for (const StageRecord& record : sweep->by_round) {
      KeptRow& row = rows[{record.network, record.row.key}];
      row.asked = record.asked, row.rounds[record.round] = record.row.status;
    }
  return rows;
}

/// Round after round. Throws where a unit's rows are of another device: one table cannot be of two.
std::vector<OpenRow> missing_rows(const SweepSettings& settings) {
  const auto kept = kept_rows(settings.folder);
  std::vector<OpenRow> missing;
  const std::vector<OpenRow> all = all_rows(settings);
  for (int round = 1; round <= settings.rounds; ++round)
    for (std::size_t place = 0; place < all.size(); ++place) {
      OpenRow row = all[place];
      row.round = round;
      const auto found = kept.find(row.key());
      if (found != kept.end() && found->second.asked != row.device.device)
        refuse_input(fmt::format("{}: its {} rows were measured on {}, not on {}; use another --out",
                                 printable(settings.folder.string()), row.device.unit, printable(found->second.asked),
                                 printable(row.device.device)));
      const bool is_done = found != kept.end() && !found->second.lacks(round, settings.retry);
      if (!is_done && settings.shard.has(place)) missing.push_back(row);  // all rounds of a row are one shard's
    }
  return missing;
}

StageTask task_of(const SweepSettings& settings, const OpenRow& row) {
  StageTask task;
  task.stage = row.stage, task.unit = row.device.unit, task.device = row.device.device;
  task.runtimes = is_simulated(task.device) ? std::vector{std::string(simulated_runtime)} : settings.runtimes;
  task.folder = settings.folder;
  task.features = settings.cases.features;
  task.warmup = settings.cases.warmup,
  task.iterations = iterations_of_round(settings.cases.iterations, row.round, settings.rounds);
  task.graph = settings.graph;
  return task;
}

class SweepRun {
 public:
  explicit SweepRun(const SweepSettings& settings)
      : settings_(settings),
        journal_(settings.folder,
                 {settings.cases.features, settings.cases.warmup, settings.cases.iterations, settings.graph,
                  settings.machine, settings.rounds},
                 settings.shard),
        rows_(missing_rows(settings)),
        began_(steady_now()) {}

  void measure_all() {
    while (next_ < rows_.size()) {
      if (rows_[next_].round > 1 && leave_out_what_failed()) continue;
      std::size_t end = next_ + 1;
      while (end < rows_.size() && rows_[end].same_child(rows_[next_])) ++end;
      measure_until(end);
    }
  }

 private:
  /// Of the rows to come; what failed in this run is not tried in later rounds. False: there is none.
  bool leave_out_what_failed() {
    if (failed_.empty()) return false;
    const auto to_come = rows_.begin() + static_cast<std::ptrdiff_t>(next_);
    rows_.erase(std::remove_if(to_come, rows_.end(), [&](const OpenRow& row) { return failed_.contains(row.key()); }),
                rows_.end());
    failed_.clear();
    return true;
  }

  void measure_until(std::size_t end) {
    while (next_ < end) {
      StageTask task = task_of(settings_, rows_[next_]);
      for (std::size_t i = next_; i < end; ++i) task.sizes.push_back(rows_[i].size);
      row_began_ = steady_now();
      run_stage_process(settings_.child, task, {settings_.row_limit, settings_.stop},
                        [this](const StageRecord& record) { keep(record); });
      if (settings_.stop && *settings_.stop)
        throw Error(ErrorKind::runtime,
                    fmt::format("stopped with {} of {} measurements to go; the same command resumes from here",
                                rows_.size() - next_, rows_.size()));
    }
  }

  void keep(StageRecord record) {
    const OpenRow& row = rows_[next_++];
    record.round = row.round;
    journal_.append(to_json(record));
    if (record.row.status != StageStatus::measured) failed_.insert(row.key());
    const Nanoseconds now = steady_now();
    forecast_.took(row.stage, row.device.unit, row.work, Duration(now - row_began_));
    row_began_ = now;
    if (!settings_.progress) return;
    Duration left{};
    for (std::size_t i = next_; i < rows_.size(); ++i)
      left += forecast_.of(rows_[i].stage, rows_[i].device.unit, rows_[i].work);
    settings_.progress(Duration(now - began_), left);
  }

  const SweepSettings& settings_;
  SweepJournal journal_;
  std::vector<OpenRow> rows_;
  std::size_t next_ = 0;
  std::set<RowKey> failed_;  ///< since rows were left out last
  Forecast forecast_;
  Nanoseconds began_, row_began_{};
};

}  // namespace

SweepDevice parse_sweep_device(std::string_view text) {
  const auto sign = text.find('=');
  const std::string_view device = sign == text.npos ? text : text.substr(sign + 1);
  const std::string unit = sign == text.npos ? unit_of(device) : unit_of(text.substr(0, sign));
  if (unit.empty() || device.empty())
    throw UsageError(
        fmt::format("the device kind of '{}' is unknown; write CPU=, GPU= or NPU= before it", printable(text)));
  return {unit, std::string(device)};
}

void measure_stages(const SweepSettings& settings) { SweepRun(settings).measure_all(); }

}  // namespace takt
