// Processes and rows of a file as those of a Trace: names and numbers settled once all of the file is known.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/chrome/events.h"

namespace takt::chrome {

/// Keys hold text numbers of the trace here, not of a thread.
class RowPlan {
 public:
  void add_row(const RowKey& key);
  void add_process(const Id& id);
  void apply(const Naming& naming);
  /// Adds all processes and rows to the trace; numbers that importers cannot use get free ones. With `fold_lanes`, rows
  /// that are lanes of another become that row.
  void add_to(Trace& trace, bool fold_lanes);

  RowId row(const RowKey& key) const { return rows_[row_numbers_.at(key)].id; }
  ProcessId process(const Id& id) const { return processes_[process_numbers_.at(id)].id; }

 private:
  struct Process {
    Id key;
    std::uint32_t name = 0, labels = 0;
    std::int64_t order = 0;
    ProcessId id{};
  };
  struct Row {
    RowKey key;
    std::uint32_t name = 0;
    std::int64_t order = 0;
    std::optional<std::int64_t> lane_of;
    RowId id{};
  };
  std::size_t process_position(const Id& id);
  std::size_t row_position(const RowKey& key);
  void add_processes(Trace& trace);
  void add_rows(Trace& trace, bool fold_lanes);

  std::vector<Process> processes_;
  std::vector<Row> rows_;
  std::map<Id, std::size_t> process_numbers_;
  std::map<RowKey, std::size_t> row_numbers_;
};

/// Is the number one that importers keep?
inline bool is_usable(const Id& id) { return !id.is_text && id.value >= 1 && id.value <= 0xffffffff; }

}  // namespace takt::chrome
