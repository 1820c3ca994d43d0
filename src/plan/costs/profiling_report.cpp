#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/basics/text.h"
#include "base/table/number_form.h"
#include "base/table/table.h"
#include "plan/costs/tables.h"

namespace takt {
namespace {

constexpr std::size_t report_width = 80;

std::string heading(std::string_view text, char line) {
  return fmt::format("{}\n{}\n", text, std::string(display_width(text), line));
}

/// A line of the configuration.
std::string setting(std::string_view name, const std::string& value) {
  constexpr std::size_t indent = 20;
  return fmt::format("  {:<{}}{}\n", name, indent - 2, wrapped(printable(value), report_width, indent));
}

std::string stage_title(const CostTables& tables, int first, int last) {
  if (first != last) return fmt::format("{}-{}", first, last);
  return fmt::format("{} {}", first, stages_of(tables.network)[static_cast<std::size_t>(first) - 1].name);
}

using RangeValue = std::optional<double> (*)(const RangeCosts& cpu, const RangeCosts& costs);

const RangeCosts& costs_on(const std::vector<RangeCosts>& all, std::string_view unit, int first, int last) {
  return *std::find_if(all.begin(), all.end(), [&](const RangeCosts& costs) {
    return costs.unit == unit && costs.first == first && costs.last == last;
  });
}

std::string right_aligned(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, display_width(text)), ' ') + std::string(text);
}

/// A row per stage, a column per unit. Each number has its own digits: stages of one unit differ by factors of a
/// hundred, and the cheap ones matter where they run on the critical device.
std::string by_unit(const CostTables& tables, const std::vector<RangeCosts>& all, RangeValue value) {
  constexpr std::size_t stage_width = 22, unit_width = 12;
  std::string text = fmt::format("{:<{}}", "Stage", stage_width);
  for (const std::string_view unit : all_units) text += right_aligned(unit, unit_width);
  for (const RangeCosts& cpu : all) {
    if (cpu.unit != all_units.front()) continue;
    text += fmt::format("\n{:<{}}", stage_title(tables, cpu.first, cpu.last), stage_width);
    for (const std::string_view unit : all_units) {
      const auto number = value(cpu, costs_on(all, unit, cpu.first, cpu.last));
      text += right_aligned(number ? formatted(*number) : "–", unit_width);
    }
  }
  return text + "\n";
}

std::string sizes_text(const CostTables& tables) {
  std::int64_t least_edges = tables.sizes.empty() ? 0 : tables.sizes.front().edges, most_edges = least_edges;
  for (const GraphSize& size : tables.sizes) {
    least_edges = std::min(least_edges, size.edges);
    most_edges = std::max(most_edges, size.edges);
  }
  if (tables.sizes.empty()) return "none";
  return fmt::format("{}: {} to {} nodes, {} to {} edges", tables.sizes.size(), tables.sizes.front().nodes,
                     tables.sizes.back().nodes, least_edges, most_edges);
}

/// "315: 285 measured, 30 unsupported, 0 failed, 0 missing".
std::string counts_text(const std::vector<RangeCosts>& all) {
  std::map<std::string_view, int> counts;
  int rows = 0;
  for (const RangeCosts& costs : all)
    for (const CostRow& row : costs.rows) {
      ++counts[row.row ? status_name(row.row->status) : "missing"];
      ++rows;
    }
  return fmt::format("{}: {} measured, {} unsupported, {} failed, {} missing", rows, counts["measured"],
                     counts["unsupported"], counts["failed"], counts["missing"]);
}

/// What really ran on a unit, each kind once: "openvino on CPU, f32".
std::string devices_text(const CostTables& tables, std::string_view unit) {
  std::set<std::string> kinds;
  for (const auto* all : {&tables.stages, &tables.ranges})
    for (const RangeCosts& costs : *all)
      for (const CostRow& row : costs.rows)
        if (costs.unit == unit && row.split)
          kinds.insert(row.row->device.empty()
                           ? "the file does not name the device"
                           : fmt::format("{} on {}, {}", row.row->runtime, row.row->device, row.row->precision));
  return kinds.empty() ? "nothing was measured" : fmt::format("{}", fmt::join(kinds, "; "));
}

std::string configuration(const CostTables& tables, const Provenance& provenance) {
  std::string text = heading("Configuration", '-');
  text += setting("takt", provenance.takt_version);
  text += setting("date", provenance.date);
  text += setting("host", fmt::format("{}, {}", provenance.host, provenance.cpu));
  text += setting("network", fmt::format("{}, {} stages, {} features", network_title(tables.network),
                                         stages_of(tables.network).size(), tables.features));
  text += setting("sizes", sizes_text(tables));
  text += setting("rows of stages", counts_text(tables.stages));
  if (!tables.ranges.empty()) text += setting("rows of ranges", counts_text(tables.ranges));
  for (const std::string_view unit : all_units) text += setting(unit, devices_text(tables, unit));
  return text;
}

std::string copies_text(const CostTables& tables) {
  Table table{"copies",
              {{"unit", "Unit", ""},
               {"way", "Copies", ""},
               {"rows", "Rows", ""},
               {"mb", "MB/s", ""},
               {"latency_us", "Latency", ""}},
              {}};
  const auto add = [&](const std::string& unit, const char* way, const CopyLaw& law) {
    if (!law.latency_ms) return;
    table.rows.push_back({unit, std::string(way), static_cast<std::int64_t>(law.rows), optional_cell(law.bandwidth()),
                          Duration(*law.latency_ms * 1e3)});
  };
  for (const UnitCopies& unit : tables.copies) {
    add(unit.unit, "of inputs", unit.inputs);
    add(unit.unit, "of outputs", unit.outputs);
  }
  return table.rows.empty() ? "No copies were measured.\n" : to_text(table, report_width);
}

/// Rows without a time, those with one status and reason together.
std::string failures_of(const CostTables& tables, const RangeCosts& costs) {
  std::map<std::pair<std::string_view, std::string>, std::vector<std::string>> sizes;
  for (const CostRow& row : costs.rows)
    if (row.row && !row.row->times)
      sizes[{status_name(row.row->status), row.row->reason}].push_back(
          fmt::format("{},{}", row.key.nodes, row.key.edges));
  std::string text;
  for (const auto& [why, where] : sizes) {
    const std::string places =
        where.size() == tables.sizes.size() ? "at all sizes" : fmt::format("at {}", fmt::join(where, " "));
    const std::string sentence =
        fmt::format("{} stage {}: {} {}: {}", costs.unit, stage_title(tables, costs.first, costs.last), why.first,
                    places, printable(why.second));
    text += "- " + wrapped(sentence, report_width, 2) + "\n";
  }
  return text;
}

std::string failures_text(const CostTables& tables) {
  std::string text;
  for (const auto* all : {&tables.stages, &tables.ranges})
    for (const RangeCosts& costs : *all) text += failures_of(tables, costs);
  return text.empty() ? "None.\n" : text;
}

std::string time_tables(const CostTables& tables, const std::vector<RangeCosts>& all) {
  std::string text;
  const auto add = [&](std::string_view title, RangeValue value) {
    text += heading(title, '-') + by_unit(tables, all, value) + "\n";
  };
  add("Bandwidth by regression, MB/s (1 MB = 1024² bytes)",
      [](const RangeCosts&, const RangeCosts& costs) { return costs.regression.bandwidth(); });
  add("Mean compute time, ms", [](const RangeCosts&, const RangeCosts& costs) { return mean_compute_ms(costs); });
  add("Mean time, ms", [](const RangeCosts&, const RangeCosts& costs) { return mean_total_ms(costs); });
  add("Speed-up against the CPU, of mean times at the same sizes",
      [](const RangeCosts& cpu, const RangeCosts& costs) { return speed_up(cpu, costs); });
  add("Mean error of the fit at held-out sizes, %", [](const RangeCosts&, const RangeCosts& costs) {
    return costs.fit.fit ? std::optional(std::round(1e4 * costs.fit.fit->left_out_error()) / 100) : std::nullopt;
  });
  return text;
}

bool any_identifiable(const CostTables& tables) {
  return std::any_of(tables.stages.begin(), tables.stages.end(),
                     [](const RangeCosts& costs) { return costs.split.identifiable; });
}

}  // namespace

std::string profiling_report(const CostTables& tables, const Provenance& provenance) {
  std::string text = heading(fmt::format("Times of the stages of {}", network_title(tables.network)), '=') + "\n";
  text += configuration(tables, provenance) + "\n";
  text += time_tables(tables, tables.stages);
  if (!any_identifiable(tables))
    text +=
        "Bandwidth and compute time come from a regression of the times over the sizes.\nNo measured copies confirm "
        "them: use their sum, the mean time.\n\n";
  if (!tables.ranges.empty()) text += heading("Fused ranges", '=') + "\n" + time_tables(tables, tables.ranges);
  text += heading("Copies, measured separately", '-') + copies_text(tables) + "\n";
  text += heading("Failures", '-') + failures_text(tables);
  return text;
}

}  // namespace takt
