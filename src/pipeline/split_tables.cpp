#include <algorithm>
#include <map>

#include "pipeline/split_tables.h"

namespace takt {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Cell time(Nanoseconds value) { return Duration(value); }

struct PartLine {
  const Accounts* accounts;
  const PartAccount* part;
};

constexpr Column<PartLine> part_columns[] = {
    {"batch", "Batch", [](const PartLine& l) -> Cell { return l.part->batch; }, "Number of the batch."},
    {"stage", "Stage", [](const PartLine& l) -> Cell { return l.accounts->stages[at(l.part->stage)].name; },
     "The data-parallel stage."},
    {"part", "Part", [](const PartLine& l) -> Cell { return std::int64_t{l.part->part}; },
     "Number of the part of the batch."},
    {"device", "Device", [](const PartLine& l) -> Cell { return l.accounts->devices[at(l.part->device)].name; },
     "The device that ran the part."},
    {"partition_us", "Partition", [](const PartLine& l) { return time(l.part->partition); },
     "Time to divide the batch, up to the common dispatch of its parts."},
    {"part_queue_us", "Queue", [](const PartLine& l) { return time(l.part->queue_wait); },
     "From the common dispatch until the part started on its device."},
    {"device_time_us", "Device time", [](const PartLine& l) { return time(l.part->device_time); },
     "From the common dispatch to this part's own completion, whatever the other devices do."},
    {"skew_us", "Skew", [](const PartLine& l) { return time(l.part->skew); },
     "Last completion − first completion of the batch's parts; beside the sum, not in it."},
    {"wake_up_us", "Wake-up", [](const PartLine& l) { return time(l.part->wake_up); },
     "From the last completion to the start of the merge."},
    {"sync_merge_us", "Sync, merge", [](const PartLine& l) { return time(l.part->sync_merge); },
     "From the last completion to the merged output: wake-up and merge."},
    {"stage_time_us", "Stage time", [](const PartLine& l) { return time(l.part->stage_total); },
     "Partition + longest device time + sync-merge, exactly."},
};

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
    {"stage", "Stage", [](const Split& s) -> Cell { return s.accounts->stages[at(s.stage)].name; },
     "The data-parallel stage."},
    {"part", "Part", [](const Split& s) -> Cell { return std::int64_t{s.part}; }, "Number of the part of the batch."},
    {"device", "Device", [](const Split& s) -> Cell { return device_names(s); }, "Where the part ran."},
    {"part_batches", "Batches", [](const Split& s) -> Cell { return s.batches; }, "Batches that were divided."},
    {"last_percent", "Last %",
     [](const Split& s) -> Cell { return 100 * static_cast<double>(s.last) / static_cast<double>(s.batches); },
     "The share of the batches in which this part was done last, so that the merge waited for it."},
    {"partition_mean_us", "Partition", [](const Split& s) { return s.mean(s.partition); },
     "Mean time to divide a batch."},
    {"part_queue_mean_us", "Queue", [](const Split& s) { return s.mean(s.queue_wait); },
     "Mean time from the common dispatch until the part started."},
    {"device_time_mean_us", "Device time", [](const Split& s) { return s.mean(s.device_time); },
     "Mean time from the common dispatch to this part's completion."},
    {"longest_mean_us", "Longest", [](const Split& s) { return s.mean(s.longest); },
     "Mean of the longest device time of each batch."},
    {"skew_mean_us", "Skew", [](const Split& s) { return s.mean(s.skew); },
     "Mean of last − first completion; beside the sum, not in it."},
    {"wake_up_mean_us", "Wake-up", [](const Split& s) { return s.mean(s.wake_up); },
     "Mean time from the last completion to the start of the merge."},
    {"sync_merge_mean_us", "Sync, merge", [](const Split& s) { return s.mean(s.sync_merge); },
     "Mean time from the last completion to the merged output."},
    {"stage_mean_us", "Stage time", [](const Split& s) { return s.mean(s.stage_total); },
     "Mean stage time: partition + longest + sync-merge."},
};

void add(Split& split, const PartAccount& part) {
  const Nanoseconds longest = part.stage_total - part.partition - part.sync_merge;
  split.devices[at(part.device)] = true;
  ++split.batches;
  if (part.device_time == longest) ++split.last;
  split.partition += part.partition, split.queue_wait += part.queue_wait, split.device_time += part.device_time;
  split.longest += longest, split.skew += part.skew, split.wake_up += part.wake_up;
  split.sync_merge += part.sync_merge, split.stage_total += part.stage_total;
}

}  // namespace

Table parts_table(const Accounts& accounts) {
  std::vector<PartLine> lines;
  for (const PartAccount& part : accounts.parts) lines.push_back({&accounts, &part});
  return make_table<PartLine>("parts", part_columns, lines);
}

Table splits_table(const Accounts& accounts) {
  std::map<std::pair<int, int>, Split> splits;
  for (const PartAccount& part : accounts.parts) {
    Split& split = splits[{part.stage, part.part}];
    if (split.accounts == nullptr) {
      split.accounts = &accounts, split.stage = part.stage, split.part = part.part;
      split.devices.resize(accounts.devices.size());
    }
    add(split, part);
  }
  std::vector<Split> lines;
  for (auto& [key, split] : splits) lines.push_back(std::move(split));
  return make_table<Split>("splits", split_mean_columns, lines);
}

std::vector<ColumnInfo> split_columns() {
  std::vector<ColumnInfo> list;
  for (const auto& c : part_columns)
    list.push_back({std::string(c.name), std::string(c.title), std::string(c.meaning)});
  for (const auto& c : split_mean_columns)
    list.push_back({std::string(c.name), std::string(c.title), std::string(c.meaning)});
  return list;
}

}  // namespace takt
