#include "predict/sources/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/text.h"
#include "base/table/common_columns.h"
#include "base/table/number_form.h"

namespace takt {
namespace {

Cell text_cell(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

constexpr ColumnText told_by_text{"told_by", "Source",
                                  "Source of the value: host (the system's files), prometheus, nvml (the GPU's "
                                  "driver), probe (a short benchmark by takt) or gpu_probe (the same on a GPU)."};
constexpr ColumnText feature_text{"feature", "Feature",
                                  "Name of a load metric, the same for every source; it ends in its unit."};
constexpr ColumnText unit_text{"load_unit", "Unit", "Unit of a load metric; a share is 0 to 1."};

constexpr ColumnText trouble_text{"trouble", "Problem",
                                  "Why a load metric is missing or out of date; empty if it is neither."};

constexpr Column<LoadReading> reading_columns[] = {
    {feature_text, [](const LoadReading& r) -> Cell { return r.name; }},
    {"load_of", "Target", [](const LoadReading& r) -> Cell { return r.device; },
     "What the metric describes: host (the machine's CPUs and memory) or a GPU by its number."},
    {"load_value", "Value", [](const LoadReading& r) { return optional_cell(r.value); },
     "Value of a load metric, in the row's unit; empty if no source reports it."},
    {unit_text, [](const LoadReading& r) -> Cell { return text_cell(r.unit); }},
    {"age_us", "Age", [](const LoadReading& r) { return time_cell(r.age); },
     "Time since the end of the window that the load metric covers; empty if unknown."},
    {"averaged_us", "Window", [](const LoadReading& r) { return time_cell(r.window); },
     "Time over which the load metric is averaged; empty for an instantaneous value."},
    {told_by_text, [](const LoadReading& r) -> Cell { return r.source; }},
    {trouble_text, [](const LoadReading& r) { return text_cell(r.trouble); }},
};

constexpr Column<SourceTrouble> trouble_columns[] = {
    {told_by_text, [](const SourceTrouble& r) -> Cell { return r.source; }},
    {trouble_text, [](const SourceTrouble& r) -> Cell { return r.sentence; }},
};

constexpr Column<LoadFeature> feature_columns[] = {
    {feature_text, [](const LoadFeature& r) -> Cell { return std::string(r.name); }},
    {unit_text, [](const LoadFeature& r) -> Cell { return std::string(r.unit); }},
    {common::meaning, [](const LoadFeature& r) -> Cell { return std::string(r.meaning); }},
};

constexpr Column<ReachedLevel> stress_columns[] = {
    {"loaded", "Resource", [](const ReachedLevel& r) -> Cell { return r.resource; },
     "Resource under load: compute (multiply-adds), memory (bandwidth), cache (the last-level cache), gpu (matrix "
     "products) or gpu_copies (between the host and the GPU)."},
    {common::device, [](const ReachedLevel& r) -> Cell { return text_cell(r.device); }},
    {"load_threads", "Threads",
     [](const ReachedLevel& r) -> Cell { return r.threads > 0 ? Cell(std::int64_t{r.threads}) : Cell(); },
     "Threads that generate the load; empty for a GPU."},
    {"wanted_share", "Target", [](const ReachedLevel& r) -> Cell { return r.wanted; },
     "Requested level of load, 0 to 1: a share of the time; for a cache, the part of it that is read."},
    {"reached_share", "Achieved", [](const ReachedLevel& r) { return optional_cell(r.reached); },
     "Share of the time in which the load was active: each thread on its CPU, the GPU by its own clock."},
    {"made_us", "Duration", [](const ReachedLevel& r) { return time_cell(r.duration); }, "How long the load ran."},
};

constexpr Column<SourceState> source_columns[] = {
    {told_by_text, [](const SourceState& r) -> Cell { return r.name; }},
    {"source_usable", "Usable", [](const SourceState& r) -> Cell { return std::string(r.reason ? "no" : "yes"); },
     "yes: the load source can be queried here; no: the note gives the reason."},
    {"source_note", "Description", [](const SourceState& r) -> Cell { return r.reason ? *r.reason : r.description; },
     "What the load source is, or why it cannot be queried here."},
};

constexpr TableDefinition<SourceState> sources_definition{
    "load_sources", "Load sources that can be queried here, and why the others cannot: a row per source.",
    source_columns};

constexpr TableDefinition<LoadReading> readings_definition{
    "load", "The machine's current load: a row per metric and source, including metrics that could not be read.",
    reading_columns};
constexpr TableDefinition<SourceTrouble> troubles_definition{
    "troubles", "Load sources that report nothing, or less than they should: a row per reason.", trouble_columns};
constexpr TableDefinition<LoadFeature> features_definition{
    "features", "Metrics that load sources can report (--features): a row per metric.", feature_columns};
constexpr TableDefinition<ReachedLevel> stress_definition{"stress", "Loads that takt generated: a row per resource.",
                                                          stress_columns};

/// As people read it: values of one column have many units.
Cell shown_value(const LoadReading& reading) {
  if (!reading.value) return {};
  const double value = *reading.value;
  if (reading.unit == "share") return fmt::format("{:.1f} %", value * 100);
  if (reading.unit == "B") return format_bytes(value);
  if (reading.unit == "0 or 1") return std::string(value != 0 ? "yes" : "no");
  for (const std::string_view unit : {"Hz", "FLOP/s", "B/s"})
    if (reading.unit == unit) return format_quantity(value, unit);
  return reading.unit.empty() || reading.unit == "ratio" ? formatted(value) : formatted(value) + " " + reading.unit;
}

/// "CPU 50.0 % busy, load average 1.70." Empty where no source reports them.
std::string busy_sentence(const std::vector<LoadReading>& readings) {
  std::string text;
  for (const auto& [feature, words] :
       {std::pair("cpu_busy_share", "CPU {:.1f} % busy"), std::pair("gpu_busy_share", "GPU {:.1f} % busy"),
        std::pair("load_average", "load average {:.2f}")})
    for (const LoadReading& reading : readings) {
      if (reading.name != feature) continue;
      const double shown = *reading.value * (std::string_view(words).find('%') == std::string_view::npos ? 1 : 100);
      text += (text.empty() ? "" : ", ") + fmt::format(fmt::runtime(words), shown);
    }
  return text.empty() ? text : text + ".\n\n";
}

}  // namespace

std::vector<Table> load_tables(const LoadSnapshot& snapshot) {
  return {readings_definition.make(snapshot.readings), troubles_definition.make(snapshot.troubles)};
}

Table shown_load_table(const LoadSnapshot& snapshot) {
  Table table = without_columns(readings_definition.make(snapshot.readings), {"load_unit"});
  constexpr std::size_t value = 2;  // behind feature and load_of
  for (std::size_t i = 0; i < snapshot.readings.size(); ++i) table.rows[i][value] = shown_value(snapshot.readings[i]);
  return table;
}

std::string load_text(const LoadSnapshot& snapshot, const TextStyle& style) {
  LoadSnapshot told{snapshot.time, {}, {}};
  struct Untold {
    std::string label, figures, why;
  };
  std::vector<Untold> untold;  // by reason, in the order of the first
  for (const LoadReading& reading : snapshot.readings) {
    if (reading.value) told.readings.push_back(reading);
    if (reading.trouble.empty()) continue;
    const std::string why = fmt::format("{}: {}", reading.source, reading.trouble);
    const auto found = std::find_if(untold.begin(), untold.end(), [&](const Untold& one) { return one.why == why; });
    if (found == untold.end())
      untold.push_back({reading.value ? "outdated" : "no value", reading.name, why});
    else if (found->figures.find(reading.name) == std::string::npos)
      found->figures += ", " + reading.name;
  }
  std::string text = busy_sentence(told.readings);
  if (!told.readings.empty()) text += to_text(without_columns(shown_load_table(told), {"trouble"}), style);
  for (const Untold& one : untold)
    text += fmt::format("{}  {}\n", one.label, wrapped(fmt::format("{} ({})", one.figures, one.why), style.width, 10));
  for (const SourceTrouble& one : snapshot.troubles)
    text += fmt::format("problem   {}\n", wrapped(fmt::format("{}: {}", one.source, one.sentence), style.width, 10));
  return text;
}

Table features_table() { return features_definition.make(load_features()); }

std::string features_text(std::size_t width) {
  std::string text;
  for (const LoadFeature& feature : load_features()) {
    const std::string head = fmt::format("{:<30}{:<8}", feature.name, feature.unit);
    text += head + wrapped(feature.meaning, width, head.size()) + "\n";
  }
  return text;
}

std::vector<TableSchema> load_schemas() {
  return {readings_definition.schema(), troubles_definition.schema(), features_definition.schema()};
}

Table load_sources_table(const std::vector<SourceState>& states) { return sources_definition.make(states); }

TableSchema load_sources_schema() { return sources_definition.schema(); }

Table stress_table(const std::vector<ReachedLevel>& levels) { return stress_definition.make(levels); }

TableSchema stress_schema() { return stress_definition.schema(); }

}  // namespace takt
