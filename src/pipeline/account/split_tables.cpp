#include <algorithm>
#include <map>

#include "base/basics/index.h"
#include "base/table/common_columns.h"
#include "pipeline/account/split_tables.h"

namespace takt {
namespace {

struct PartLine {
  const Accounts* accounts;
  const PartAccount* part;
};

constexpr ColumnText part_number{"part", "Part", "Number of the part of a batch, from 0."};

constexpr Column<PartLine> part_columns[] = {
    {batch_number, [](const PartLine& l) -> Cell { return l.part->batch; }},
    {common::stage, [](const PartLine& l) -> Cell { return l.accounts->stages[index(l.part->stage)].name; }},
    {part_number, [](const PartLine& l) -> Cell { return std::int64_t{l.part->part}; }},
    {common::device, [](const PartLine& l) -> Cell { return l.accounts->devices[index(l.part->device)].name; }},
    {"partition_us", "Partition", [](const PartLine& l) { return time_cell(l.part->partition); },
     "Time to split the batch, up to the common dispatch of its parts."},
    {"part_queue_us", "Queue", [](const PartLine& l) { return time_cell(l.part->queue_wait); },
     "Time from the common dispatch of the batch's parts until the part started on its device."},
    {"device_time_us", "Device time", [](const PartLine& l) { return time_cell(l.part->device_time); },
     "Time from the common dispatch of the batch's parts to the completion of the part, regardless of the other "
     "devices."},
    {"skew_us", "Skew", [](const PartLine& l) { return time_cell(l.part->skew); },
     "Last completion − first completion of the batch's parts; not a summand of the stage time."},
    {"wake_up_us", "Wake-up", [](const PartLine& l) { return time_cell(l.part->wake_up); },
     "Time from the last completion of the batch's parts to the start of the merge."},
    {"sync_merge_us", "Sync, merge", [](const PartLine& l) { return time_cell(l.part->sync_merge); },
     "Time from the last completion of the batch's parts to the merged output: wake-up and merge."},
    {"stage_time_us", "Stage time", [](const PartLine& l) { return time_cell(l.part->stage_total); },
     "Stage time of the batch in the data-parallel stage: partition + longest device time + sync-merge, exactly."},
};

constexpr TableDefinition<PartLine> parts_definition{
    "parts", "Where a data-parallel stage's time went, batch by batch: a row per batch and part.", part_columns};

/// All batches of one part of one stage.
struct Split {
  const Accounts* accounts = nullptr;
  int stage = 0, part = 0;
  std::vector<bool> devices;
  std::int64_t batches = 0, last = 0;  ///< last: batches in which it was the last one done
  Nanoseconds partition{}, queue_wait{}, device_time{}, longest{}, skew{}, wake_up{}, sync_merge{}, stage_total{};

  Cell mean(Nanoseconds total) const { return Duration(total) / static_cast<double>(batches); }
};

std::string device_names(const Split& split) {
  std::string names;
  for (std::size_t d = 0; d < split.devices.size(); ++d)
    if (split.devices[d]) names += (names.empty() ? "" : "+") + split.accounts->devices[d].name;
  return names;
}

constexpr Column<Split> split_mean_columns[] = {
    {common::stage, [](const Split& s) -> Cell { return s.accounts->stages[index(s.stage)].name; }},
    {part_number, [](const Split& s) -> Cell { return std::int64_t{s.part}; }},
    {common::device, [](const Split& s) -> Cell { return device_names(s); }},
    {"part_batches", "Batches", [](const Split& s) -> Cell { return s.batches; },
     "Batches that the data-parallel stage split, excluding warm-up."},
    {"last_percent", "Last %",
     [](const Split& s) -> Cell { return 100 * static_cast<double>(s.last) / static_cast<double>(s.batches); },
     "The share of the batches in which the part completed last, so that the merge waited for it."},
    {"partition_mean_us", "Partition", [](const Split& s) { return s.mean(s.partition); },
     "Mean time to split a batch, up to the common dispatch of its parts."},
    {"part_queue_mean_us", "Queue", [](const Split& s) { return s.mean(s.queue_wait); },
     "Mean time from the common dispatch of a batch's parts until the part started on its device."},
    {"device_time_mean_us", "Device time", [](const Split& s) { return s.mean(s.device_time); },
     "Mean time from the common dispatch of a batch's parts to the completion of the part."},
    {"longest_mean_us", "Longest", [](const Split& s) { return s.mean(s.longest); },
     "Mean over the batches of the longest device time of a batch's parts."},
    {"skew_mean_us", "Skew", [](const Split& s) { return s.mean(s.skew); },
     "Mean of last − first completion of a batch's parts; not a summand of the stage time."},
    {"wake_up_mean_us", "Wake-up", [](const Split& s) { return s.mean(s.wake_up); },
     "Mean time from the last completion of a batch's parts to the start of the merge."},
    {"sync_merge_mean_us", "Sync, merge", [](const Split& s) { return s.mean(s.sync_merge); },
     "Mean time from the last completion of a batch's parts to the merged output: wake-up and merge."},
    {stage_mean_us, [](const Split& s) { return s.mean(s.stage_total); }},
};

constexpr TableDefinition<Split> splits_definition{
    "splits", "Where a data-parallel stage's time went, as means over its batches: a row per stage and part.",
    split_mean_columns};

void add(Split& split, const PartAccount& part) {
  const Nanoseconds longest = part.stage_total - part.partition - part.sync_merge;
  split.devices[index(part.device)] = true;
  ++split.batches;
  if (part.device_time == longest) ++split.last;
  split.partition += part.partition, split.queue_wait += part.queue_wait, split.device_time += part.device_time;
  split.longest += longest, split.skew += part.skew, split.wake_up += part.wake_up;
  split.sync_merge += part.sync_merge, split.stage_total += part.stage_total;
}

}  // namespace

Table parts_table(const Accounts& accounts, std::size_t first, std::size_t count) {
  std::vector<PartLine> lines;
  for (std::size_t p = first; p < std::min(first + count, accounts.parts.size()); ++p)
    lines.push_back({&accounts, &accounts.parts[p]});
  return parts_definition.make(lines);
}

Table splits_table(const Accounts& accounts) {
  std::map<std::pair<int, int>, Split> splits;
  for (const PartAccount& part : accounts.parts) {
    if (part.batch < accounts.warmup) continue;
    Split& split = splits[{part.stage, part.part}];
    if (split.accounts == nullptr) {
      split.accounts = &accounts, split.stage = part.stage, split.part = part.part;
      split.devices.resize(accounts.devices.size());
    }
    add(split, part);
  }
  std::vector<Split> lines;
  for (auto& [key, split] : splits) lines.push_back(std::move(split));
  return splits_definition.make(lines);
}

std::vector<TableSchema> split_schemas() { return {parts_definition.schema(), splits_definition.schema()}; }

}  // namespace takt
