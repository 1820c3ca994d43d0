#include "report/results/board.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/results/headline.h"
#include "report/results/saved_tables.h"
#include "report/timelines/work_kinds.h"

namespace takt {
namespace {

std::optional<Duration> time_in(const Table& table, std::size_t row, std::string_view column) {
  const auto number = number_in(table, row, column);
  return number ? std::optional(Duration(*number)) : std::nullopt;
}

/// Of a stage on several devices: what each takes of a batch, over the batches that may be inside at once.
std::vector<ReportPart> station_parts(const Table* splits, const std::string& stage, const std::string& kind,
                                      double replicas) {
  std::vector<ReportPart> parts;
  for (std::size_t row = 0; splits && row < splits->rows.size(); ++row)
    if (const auto time = number_in(*splits, row, "device_time_mean_us");
        time && text_in(*splits, row, "stage") == stage)
      parts.push_back({text_in(*splits, row, "device"), kind, Duration(*time / replicas)});
  return parts;
}

std::string binds(const Table* bindings) {
  if (!bindings || bindings->rows.empty()) return {};
  const auto laps = number_in(*bindings, 0, "laps");
  double all = 0;
  for (std::size_t row = 0; row < bindings->rows.size(); ++row) all += number_in(*bindings, row, "laps").value_or(0);
  const std::string by = text_in(*bindings, 0, "bound_by");
  if (by.empty() || by.starts_with('[') || !laps) return {};
  return fmt::format("Bound by {}, in {:.0f} of {:.0f} laps of the critical path.", by, *laps, all);
}

/// Where a stage reaches the beat, but for a fiftieth, the others could take longer until they do. Where none does, the
/// beat has another cause, and nothing is said.
void add_spare(ReportBoard& board) {
  const auto reaches = [&](const ReportStation& one) { return 1.02 * one.load >= *board.cycle; };
  if (!board.cycle || std::none_of(board.stations.begin(), board.stations.end(), reaches)) return;
  for (ReportStation& one : board.stations)
    if (!reaches(one)) one.spare = *board.cycle - one.load;
}

std::string path_kind(const Table* stages, const std::string& stage) {
  for (std::size_t row = 0; stages && row < stages->rows.size(); ++row)
    if (text_in(*stages, row, "stage") == stage) return kind_of_stage(row, stage).colour;
  return "other";
}

std::string path_label(const Table& path, std::size_t row) {
  const std::string stage = text_in(path, row, "path_stage"), device = text_in(path, row, "path_device");
  const std::string activity = text_in(path, row, "activity");
  if (activity == "run" && !device.empty()) return fmt::format("{} on {}", stage, device);
  return stage == "[source]" || stage.empty() ? activity : fmt::format("{}: {}", stage, activity);
}

}  // namespace

std::optional<ReportBoard> board_of(const std::vector<ReportTable>& tables) {
  const Table *summary = find_table(tables, "summary"), *stages = find_table(tables, "stages"),
              *splits = find_table(tables, "splits");
  if (!summary || !stages) return std::nullopt;
  ReportBoard board{time_in(*summary, 0, "cycle_us"), {}, binds(find_table(tables, "bindings"))};
  for (std::size_t row = 0; row < stages->rows.size(); ++row) {
    const auto load = time_in(*stages, row, "load_us");
    if (!load) continue;
    const std::string name = text_in(*stages, row, "stage"), kind = kind_of_stage(row, name).colour;
    const double replicas = std::max(1.0, number_in(*stages, row, "replicas").value_or(1));
    ReportStation station{name, text_in(*stages, row, "devices"), kind, *load, {}, {}, {}, {}};
    station.queue_wait = time_in(*stages, row, "queue_mean_us");
    station.held = time_in(*stages, row, "held_mean_us");
    if (number_in(*stages, row, "parts").value_or(1) > 1) station.parts = station_parts(splits, name, kind, replicas);
    board.stations.push_back(std::move(station));
  }
  add_spare(board);
  return board.stations.empty() ? std::nullopt : std::optional(std::move(board));
}

ReportBar bar_of_path(const std::vector<ReportTable>& tables) {
  ReportBar bar{"path", "The critical path, back from the last delivery", "", {}, {}};
  const Table* path = find_table(tables, "critical_path");
  for (std::size_t row = 0; path && row < path->rows.size(); ++row) {
    const auto time = time_in(*path, row, "path_us");
    if (!time) continue;
    const std::string label = path_label(*path, row);
    const auto same = std::find_if(bar.parts.begin(), bar.parts.end(), [&](const auto& p) { return p.label == label; });
    if (same != bar.parts.end())
      same->time += *time;
    else
      bar.parts.push_back({label, path_kind(find_table(tables, "stages"), text_in(*path, row, "path_stage")), *time});
    bar.whole += *time;
  }
  std::stable_sort(bar.parts.begin(), bar.parts.end(), [](const auto& a, const auto& b) { return a.time > b.time; });
  bar.whole_label = fmt::format("= {}, to the last delivery", shown_time(bar.whole));
  return bar;
}

}  // namespace takt
