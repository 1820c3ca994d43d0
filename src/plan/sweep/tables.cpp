#include "plan/sweep/tables.h"

#include <algorithm>
#include <set>

#include "base/statistics/statistics.h"
#include "base/table/common_columns.h"
#include "plan/sweep/export.h"
#include "plan/sweep/stage_columns.h"

namespace takt {
namespace {

/// Records that share a network and a unit, and in the second table a stage.
struct RecordGroup {
  const StageRecord* first = nullptr;
  std::set<std::string> devices, runtimes;  ///< that ran
  std::int64_t rows = 0, measured = 0, unsupported = 0, failed = 0;
  std::vector<double> medians_us;
  std::string reason;  ///< of the first that is not measured

  void add(const StageRecord& record) {
    const StageMeasurement& row = record.row;
    if (!first) first = &record;
    ++rows;
    measured += row.status == StageStatus::measured ? 1 : 0;
    unsupported += row.status == StageStatus::unsupported ? 1 : 0;
    failed += row.status == StageStatus::failed ? 1 : 0;
    if (row.times) medians_us.push_back(row.times->median.value_or(row.times->mean).count());
    if (!row.device.empty()) devices.insert(row.device), runtimes.insert(row.runtime);
    if (reason.empty()) reason = row.reason;
  }
};

StageRange stage_of(const StageRecord& record) { return {record.network, record.row.key.first, record.row.key.last}; }

std::string joined(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "+") + word;
  return text;
}

Cell words_cell(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

constexpr ColumnText unit{"unit", "Unit", "The kind of device that a plan chooses: CPU, GPU or NPU."};
constexpr ColumnText ran_on{
    "ran_on", "Device",
    "The devices that ran the measured rows, joined by +; sim:NAME is a simulated one. Empty if nothing ran."};
constexpr ColumnText ran_by{"ran_by", "Runtime",
                            "The runtimes that ran the measured rows, joined by +. Empty if nothing ran."};
constexpr ColumnText rows{"sweep_rows", "Rows", "How many rows the sweep has: stages times sizes of graphs."};
constexpr ColumnText measured{"measured", "Measured", "How many of the rows were measured."};
constexpr ColumnText unsupported{"unsupported", "Unsupported",
                                 "How many of the rows the device rejected when the model was opened."};
constexpr ColumnText failed{"failed", "Failed", "How many of the rows failed for another reason."};
constexpr ColumnText reason{
    "reason", "Reason",
    "Why a row was not measured; for several rows the reason of the first. Empty if all were measured."};

constexpr Column<RecordGroup> unit_columns[] = {
    {stage_columns::network, [](const RecordGroup& g) -> Cell { return std::string(network_title(g.first->network)); }},
    {unit, [](const RecordGroup& g) -> Cell { return g.first->row.key.unit; }},
    {ran_on, [](const RecordGroup& g) { return words_cell(joined(g.devices)); }},
    {ran_by, [](const RecordGroup& g) { return words_cell(joined(g.runtimes)); }},
    {rows, [](const RecordGroup& g) -> Cell { return g.rows; }},
    {measured, [](const RecordGroup& g) -> Cell { return g.measured; }},
    {unsupported, [](const RecordGroup& g) -> Cell { return g.unsupported; }},
    {failed, [](const RecordGroup& g) -> Cell { return g.failed; }},
};

constexpr Column<RecordGroup> stage_group_columns[] = {
    {stage_columns::network, [](const RecordGroup& g) -> Cell { return std::string(network_title(g.first->network)); }},
    {stage_columns::number, [](const RecordGroup& g) -> Cell { return stages_text(stage_of(*g.first)); }},
    {stage_columns::work, [](const RecordGroup& g) -> Cell { return work_text(stage_of(*g.first)); }},
    {unit, [](const RecordGroup& g) -> Cell { return g.first->row.key.unit; }},
    {measured, [](const RecordGroup& g) -> Cell { return g.measured; }},
    {"least_median_us", "Min",
     [](const RecordGroup& g) {
       return g.medians_us.empty() ? Cell()
                                   : Cell(Duration(*std::min_element(g.medians_us.begin(), g.medians_us.end())));
     },
     "The shortest of the median times, one per graph size."},
    {"most_median_us", "Max",
     [](const RecordGroup& g) {
       return g.medians_us.empty() ? Cell()
                                   : Cell(Duration(*std::max_element(g.medians_us.begin(), g.medians_us.end())));
     },
     "The longest of the median times, one per graph size."},
    {reason, [](const RecordGroup& g) { return words_cell(g.reason); }},
};

template <Duration StageTimes::*figure>
Cell time_of(const StageRecord& record) {
  return record.row.times ? Cell((*record.row.times).*figure) : Cell();
}

template <std::optional<Duration> StageTimes::*figure>
Cell known_time_of(const StageRecord& record) {
  return record.row.times ? optional_cell((*record.row.times).*figure) : Cell();
}

constexpr Column<StageRecord> measurement_columns[] = {
    {stage_columns::network, [](const StageRecord& r) -> Cell { return std::string(network_title(r.network)); }},
    {stage_columns::number, [](const StageRecord& r) -> Cell { return stages_text(stage_of(r)); }},
    {unit, [](const StageRecord& r) -> Cell { return r.row.key.unit; }},
    {"graph_nodes", "Nodes", [](const StageRecord& r) -> Cell { return r.row.key.nodes; },
     "The number of nodes of the measured graph."},
    {"graph_edges", "Edges", [](const StageRecord& r) -> Cell { return r.row.key.edges; },
     "The number of edges of the measured graph."},
    {"row_status", "Status", [](const StageRecord& r) -> Cell { return std::string(status_name(r.row.status)); },
     "measured; unsupported: the device rejected the model when it was opened; failed: any other error."},
    {common::median_us, known_time_of<&StageTimes::median>},
    {common::mean_us, time_of<&StageTimes::mean>},
    {common::stddev_us, known_time_of<&StageTimes::stddev>},
    {common::min_us, time_of<&StageTimes::min>},
    {common::p90_us, known_time_of<&StageTimes::p90>},
    {common::max_us, time_of<&StageTimes::max>},
    {"inputs_copy_us", "Copy in",
     [](const StageRecord& r) { return r.row.inputs_copy ? Cell(r.row.inputs_copy->median) : Cell(); },
     "Median time to copy the inputs into the runtime's memory, outside of the measured runs. Empty on simulated "
     "devices."},
    {"outputs_copy_us", "Copy out",
     [](const StageRecord& r) { return r.row.outputs_copy ? Cell(r.row.outputs_copy->median) : Cell(); },
     "Median time to copy the outputs out of the runtime's memory, outside of the measured runs. Empty on simulated "
     "devices."},
    {common::runtime, [](const StageRecord& r) { return words_cell(r.row.runtime); }},
    {common::device, [](const StageRecord& r) { return words_cell(r.row.device); }},
    {reason, [](const StageRecord& r) { return words_cell(r.row.reason); }},
};

constexpr TableDefinition<RecordGroup> units_definition{
    "summary", "Counts of the measured stages: a row per network and unit.", unit_columns};
constexpr TableDefinition<RecordGroup> stages_definition{
    "stages", "Measurements of each stage on each unit, over all graph sizes.", stage_group_columns};
constexpr TableDefinition<StageRecord> measurements_definition{
    "measurements", "Every row of a sweep: a stage on a unit on a graph of one size.", measurement_columns};

template <typename Same>
std::vector<RecordGroup> groups_of(const std::vector<StageRecord>& records, Same same) {
  std::vector<RecordGroup> groups;
  for (const StageRecord& record : records) {
    auto found = std::find_if(groups.begin(), groups.end(),
                              [&](const RecordGroup& group) { return same(*group.first, record); });
    if (found == groups.end()) found = groups.insert(groups.end(), RecordGroup{});
    found->add(record);
  }
  return groups;
}

bool same_unit(const StageRecord& a, const StageRecord& b) {
  return a.network == b.network && a.row.key.unit == b.row.key.unit;
}

bool same_stage(const StageRecord& a, const StageRecord& b) {
  return same_unit(a, b) && a.row.key.first == b.row.key.first && a.row.key.last == b.row.key.last;
}

/// As people look for them, whatever the order in which they were measured.
std::vector<StageRecord> in_order(std::vector<StageRecord> records) {
  std::sort(records.begin(), records.end(), [](const StageRecord& a, const StageRecord& b) {
    const auto place = [](const StageRecord& r) {
      const StageKey& key = r.row.key;
      return std::tuple(r.network, key.unit, key.first, key.last, key.nodes, key.edges);
    };
    return place(a) < place(b);
  });
  return records;
}

}  // namespace

std::vector<Table> sweep_tables(const SweepRecords& sweep) {
  const std::vector<StageRecord> records = in_order(sweep.records);
  return {units_definition.make(groups_of(records, same_unit)), stages_definition.make(groups_of(records, same_stage)),
          measurements_definition.make(records)};
}

std::vector<TableSchema> sweep_schemas() {
  std::vector<TableSchema> schemas{units_definition.schema(), stages_definition.schema(),
                                   measurements_definition.schema()};
  for (TableSchema& schema : export_schemas()) schemas.push_back(std::move(schema));
  return schemas;
}

}  // namespace takt
