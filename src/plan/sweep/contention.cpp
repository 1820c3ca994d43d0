#include "plan/sweep/contention.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/journal.h"
#include "base/system/child_process.h"
#include "model/sim/simulated.h"
#include "plan/sweep/contention_bench.h"
#include "plan/sweep/contention_journal.h"
#include "plan/sweep/sharing_devices.h"

namespace takt {
namespace {

std::tuple<std::int64_t, std::int64_t> order_of(const StageKey& key) { return {key.nodes + key.edges, key.nodes}; }

/// By size, then by unit and stages, whatever order they were measured in.
bool comes_before(const StageRecord* a, const StageRecord* b) {
  return std::tuple(order_of(a->row.key), a->row.key) < std::tuple(order_of(b->row.key), b->row.key);
}

/// The rows of one network that were measured, by size.
std::vector<const StageRecord*> rows_by_size(const SweepRecords& sweep, Network network) {
  std::vector<const StageRecord*> rows;
  for (const StageRecord& record : sweep.records)
    if (record.network == network && record.row.status == StageStatus::measured) rows.push_back(&record);
  std::sort(rows.begin(), rows.end(), comes_before);
  return rows;
}

std::set<std::string> devices_of(const std::vector<const StageRecord*>& rows) {
  std::set<std::string> devices;
  for (const StageRecord* row : rows) devices.insert(row->asked);
  return devices;
}

/// Of the sizes, each counted once.
GraphSize middle_size(const std::vector<const StageRecord*>& rows) {
  std::vector<GraphSize> sizes;
  for (const StageRecord* row : rows) {
    const GraphSize size{row->row.key.nodes, row->row.key.edges};
    if (sizes.empty() || sizes.back().nodes != size.nodes || sizes.back().edges != size.edges) sizes.push_back(size);
  }
  return sizes[sizes.size() / 2];
}

/// Simulated runs cost nothing; a real one is to take so long that a load has told its speed often.
std::int64_t batches_for(const StageRecord& record) {
  if (is_simulated(record.asked)) return 200;
  constexpr double wanted_us = 300'000;
  const double mean_us = std::max(record.row.times->mean.count(), 1.0);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted_us / mean_us), 20, 5000);
}

class ContentionRun {
 public:
  ContentionRun(const SweepRecords& sweep, const ContentionSettings& settings, const SharingDevices& sharing,
                const std::vector<const StageRecord*>& rows)
      : settings_(settings) {
    common_.sharing = sharing.simulated;
    common_.folder = settings.folder;
    common_.features = sweep.configuration.features;
    common_.graph = sweep.configuration.graph;
    common_.levels = settings.levels, common_.rounds = settings.rounds;
    common_.limit = settings.row_limit;
    common_.parent = static_cast<int>(::getpid());
    configuration_ = {settings.network, common_.features, common_.graph,    sweep.configuration.machine, {},
                      settings.levels,  settings.rounds,  middle_size(rows)};
    configuration_.resources = resources_of(common_);
    const auto file = contention_journal(settings.folder, settings.network);
    journal_.emplace(file);
    go_on_from(file);
    common_.size = configuration_.size;
    for (const StageRecord* row : rows)
      if (sharing.devices.contains(row->asked) && order_of(row->row.key) == size_order()) add(*row);
  }

  /// The loads first: without them nothing can be said of any stage.
  MeasuredContention measure_all() {
    if (!is_done(loads_block)) {
      ContentionTask task = common_;
      measure(task, {std::string(loads_block)});
    }
    const ContentionRecord* loads = known_.find(loads_block);
    if (!loads->reason.empty())
      throw Error(ErrorKind::runtime,
                  fmt::format("the loads under which stages run cannot be measured: {}", printable(loads->reason)));
    for (auto& [unit, task] : tasks_) measure_unit(task);
    return together();
  }

 private:
  std::tuple<std::int64_t, std::int64_t> size_order() const {
    return {configuration_.size.nodes + configuration_.size.edges, configuration_.size.nodes};
  }

  void go_on_from(const std::filesystem::path& file) {
    const auto there = read_contention(file);
    if (!there) return journal_->append(to_json(configuration_));
    if (const auto differs = difference(there->configuration, configuration_); !differs.empty())
      refuse_input(fmt::format(
          "{}: was measured with different settings ({}); use another --out, or the same devices and settings",
          printable(file.string()), differs));
    configuration_.size = there->configuration.size;
    known_ = *there;
  }

  void add(const StageRecord& record) {
    const StageKey& key = record.row.key;
    const auto [found, is_new] = tasks_.try_emplace(key.unit, common_);
    ContentionTask& task = found->second;
    task.unit = key.unit, task.device = record.asked;
    task.runtime = is_simulated(record.asked) ? "" : record.row.runtime;
    task.stages.push_back({{settings_.network, key.first, key.last}, batches_for(record)});
    blocks_.push_back(block_of(key.unit, task.stages.back().range));
  }

  bool is_done(std::string_view block) const {
    const ContentionRecord* found = known_.find(block);
    return found && (found->reason.empty() || (!settings_.retry && block != loads_block));
  }

  void measure_unit(const ContentionTask& whole) {
    ContentionTask task = whole;
    std::erase_if(task.stages, [&](const ContendingStage& stage) { return is_done(block_of(task.unit, stage.range)); });
    while (!task.stages.empty()) {
      std::vector<std::string> blocks;
      for (const ContendingStage& stage : task.stages) blocks.push_back(block_of(task.unit, stage.range));
      const std::size_t done = measure(task, blocks);
      task.stages.erase(task.stages.begin(), task.stages.begin() + static_cast<std::ptrdiff_t>(done));
    }
  }

  /// How many of the blocks are done: at least one, as a child that crashes or hangs costs the one it was at.
  std::size_t measure(const ContentionTask& task, const std::vector<std::string>& blocks) {
    ChildProcess child(settings_.child, to_json(task));
    std::string line;
    for (std::size_t done = 0; done < blocks.size(); ++done) {
      ContentionRecord record{blocks[done], task.device, {}, {}};
      switch (child.next(line, settings_.row_limit, settings_.stop)) {
        case ChildProcess::Answer::line:
          record = parse_contention_record(line, shape_of(configuration_), "answer of a worker process");
          if (record.block != blocks[done])
            refuse_input(
                fmt::format("a worker process answered with {} instead of {}", printable(record.block), blocks[done]));
          keep(std::move(record));
          break;
        case ChildProcess::Answer::stopped:
          throw Error(ErrorKind::runtime, "stopped while contention was measured; the same command resumes from here");
        case ChildProcess::Answer::late:
          record.reason =
              fmt::format("no answer within {}: its process was stopped", format_duration(settings_.row_limit));
          keep(std::move(record));
          return done + 1;
        case ChildProcess::Answer::ended:
          record.reason = reason_of_end(child, "the process that measured it");
          keep(std::move(record));
          return done + 1;
      }
    }
    return blocks.size();
  }

  void keep(ContentionRecord record) {
    journal_->append(to_json(record));
    std::erase_if(known_.records, [&](const ContentionRecord& before) { return before.block == record.block; });
    known_.records.push_back(std::move(record));
    const auto here = [&](const std::string& block) { return known_.find(block) != nullptr; };
    const auto done = std::count_if(blocks_.begin(), blocks_.end(), here);
    if (settings_.progress) settings_.progress(static_cast<std::uint64_t>(done) + 1, blocks_.size() + 1);
  }

  /// Round k of every stage beside round k of the loads.
  MeasuredContention together() const {
    MeasuredContention result{configuration_.size, configuration_.resources, {}, {}};
    std::vector<SingleRound> rounds = known_.find(loads_block)->rounds;
    std::vector<std::string> measured, units;
    for (const std::string& block : blocks_) {
      const ContentionRecord& record = *known_.find(block);
      if (!record.reason.empty()) {
        result.failed.push_back(fmt::format("{}: {}", block, record.reason));
        continue;
      }
      measured.push_back(block);
      for (std::size_t k = 0; k < std::min(rounds.size(), record.rounds.size()); ++k) {
        rounds[k].alone.push_back(record.rounds[k].alone.front());
        rounds[k].answers.stages.push_back(record.rounds[k].answers.stages.front());
      }
    }
    result.damage = known_.damage;
    result.report = single_report(measured, configuration_.resources, rounds, load_plan_of(common_));
    const auto unit_of = [](const std::string& block) { return block.substr(0, block.find('[')); };
    std::erase_if(result.report.pairs,
                  [&](const PairRow& pair) { return unit_of(pair.stage) == unit_of(pair.beside); });
    return result;
  }

  const ContentionSettings& settings_;
  ContentionTask common_;
  ContentionConfiguration configuration_;
  std::optional<Journal> journal_;
  ContentionRecords known_;
  std::map<std::string, ContentionTask> tasks_;  ///< by unit
  std::vector<std::string> blocks_;
};

}  // namespace

std::optional<MeasuredContention> measure_contention(const SweepRecords& sweep, const ContentionSettings& settings) {
  const auto rows = rows_by_size(sweep, settings.network);
  const auto sharing = sharing_among(devices_of(rows), settings.alone);
  if (!sharing && settings.alone)
    refuse_input(
        fmt::format("{}: no two of its devices share a resource, so there is no contention to measure; describe what "
                    "simulated ones share, or measure a real one",
                    printable(settings.folder.string())));
  if (!sharing) return std::nullopt;
  return ContentionRun(sweep, settings, *sharing, rows).measure_all();
}

std::string contention_json(const MeasuredContention& contention, Provenance provenance) {
  provenance.settings["nodes"] = std::to_string(contention.size.nodes);
  provenance.settings["edges"] = std::to_string(contention.size.edges);
  provenance.settings["rounds"] = std::to_string(contention.report.rounds);
  provenance.settings["pairs"] = "predicted";
  const InterferenceReport pairs{contention.report.alone, contention.report.pairs, contention.report.rounds, false};
  auto list = tables(pairs);
  for (Table& table : single_tables(contention.report)) list.push_back(std::move(table));
  return to_json(list, to_json(provenance));
}

}  // namespace takt
