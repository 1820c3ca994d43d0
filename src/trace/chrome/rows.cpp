#include "trace/chrome/rows.h"

#include <algorithm>
#include <limits>
#include <set>

namespace takt::chrome {
namespace {

int shown_order(std::int64_t value) {
  return static_cast<int>(
      std::clamp<std::int64_t>(value, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}

/// Hands out numbers that are not taken, smallest first.
class FreeNumbers {
 public:
  void take(std::int64_t number) { taken_.insert(static_cast<std::uint32_t>(number)); }
  std::uint32_t next() {
    while (taken_.contains(++last_)) continue;
    return last_;
  }

 private:
  std::set<std::uint32_t> taken_;
  std::uint32_t last_ = 0;
};

/// The name of something that has none: a text is its own name, and a number that had to be replaced is kept as one.
std::string stand_in(const Trace& trace, const Id& id) {
  if (id.is_text) return trace.text(static_cast<StringId>(id.value));
  return is_usable(id) ? "" : std::to_string(id.value);
}

}  // namespace

std::size_t RowPlan::process_position(const Id& id) {
  const auto [found, is_new] = process_numbers_.try_emplace(id, processes_.size());
  if (is_new) processes_.emplace_back().key = id;
  return found->second;
}

std::size_t RowPlan::row_position(const RowKey& key) {
  const auto [found, is_new] = row_numbers_.try_emplace(key, rows_.size());
  if (is_new) rows_.emplace_back().key = key;
  return found->second;
}

void RowPlan::add_process(const Id& id) { process_position(id); }

void RowPlan::add_row(const RowKey& key) {
  process_position(key.process);
  row_position(key);
}

void RowPlan::apply(const Naming& naming) {
  Process& process = processes_[process_position(naming.process)];
  const RowKey key{naming.process, naming.thread};
  switch (naming.what) {
    case Naming::What::process_name:
      process.name = naming.text;
      break;
    case Naming::What::process_labels:
      process.labels = naming.text;
      break;
    case Naming::What::process_order:
      process.order = naming.number;
      break;
    case Naming::What::row_name:
      rows_[row_position(key)].name = naming.text;
      break;
    case Naming::What::row_order:
      rows_[row_position(key)].order = naming.number;
      break;
    case Naming::What::lane_of:
      rows_[row_position(key)].lane_of = naming.number;
      break;
  }
}

void RowPlan::add_to(Trace& trace, bool fold_lanes) {
  add_processes(trace);
  add_rows(trace, fold_lanes);
}

void RowPlan::add_processes(Trace& trace) {
  FreeNumbers free;
  for (const Process& process : processes_) {
    if (is_usable(process.key)) free.take(process.key.value);
  }
  for (Process& process : processes_) {
    std::string name = trace.text(static_cast<StringId>(process.name));
    if (process.name == 0) name = stand_in(trace, process.key);
    if (process.labels != 0) name += " (" + trace.text(static_cast<StringId>(process.labels)) + ")";
    const std::uint32_t pid = is_usable(process.key) ? static_cast<std::uint32_t>(process.key.value) : free.next();
    process.id = trace.add_process(std::move(name), pid, shown_order(process.order));
  }
}

void RowPlan::add_rows(Trace& trace, bool fold_lanes) {
  std::map<Id, FreeNumbers> free;
  for (const Row& row : rows_) {
    if (row.key.kind == RowKind::thread && is_usable(row.key.thread)) free[row.key.process].take(row.key.thread.value);
  }
  const auto parent_of = [&](const Row& row) -> Row* {
    if (!fold_lanes || !row.lane_of) return nullptr;
    const auto found = row_numbers_.find({row.key.process, {*row.lane_of, false}, RowKind::thread});
    if (found == row_numbers_.end() || rows_[found->second].lane_of) return nullptr;
    return &rows_[found->second];
  };
  for (Row& row : rows_) {
    if (parent_of(row) != nullptr) continue;
    const bool is_thread = row.key.kind == RowKind::thread;
    std::string name = trace.text(static_cast<StringId>(row.name));
    if (row.name == 0) name = stand_in(trace, row.key.thread);
    if (!is_thread && name.empty()) name = "async";
    const std::uint32_t tid = is_thread && is_usable(row.key.thread) ? static_cast<std::uint32_t>(row.key.thread.value)
                                                                     : free[row.key.process].next();
    row.id = trace.add_row(process(row.key.process), std::move(name), tid, shown_order(row.order));
  }
  for (Row& row : rows_) {
    if (const Row* parent = parent_of(row)) row.id = parent->id;
  }
}

}  // namespace takt::chrome
