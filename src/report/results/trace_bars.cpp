#include "report/results/trace_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "report/results/headline.h"
#include "report/results/saved_tables.h"
#include "report/timelines/rank_names.h"
#include "report/timelines/work_kinds.h"

namespace takt {
namespace {

constexpr std::size_t most_steps = 40;

struct PartText {
  const char *column, *label, *kind;
};

constexpr PartText activities[] = {
    {"kernel_us", "kernel", "busy"},
    {"memory_copy_us", "memory_copy", "copy"},
    {"communication_us", "communication", "comm"},
    {"launch_us", "launch", "wait-dispatch"},
    {"synchronisation_us", "synchronisation", "wait-sync"},
    {"data_wait_us", "data_wait", "wait-starved"},
    {"host_compute_us", "host_compute", "host"},
    {"other_us", "idle", "other"},
};

constexpr PartText device_parts[] = {
    {"compute_us", "kernels", "busy"},
    {"non_compute_us", "copies, communication", "copy"},
    {"idle_us", "idle", "wait-dispatch"},
};

Duration sum_of_parts(const ReportBar& bar) {
  Duration sum{};
  for (const ReportPart& part : bar.parts) sum += part.time;
  return sum;
}

void end_with_whole(ReportBar& bar, const char* what) {
  bar.whole = sum_of_parts(bar);
  bar.whole_label = fmt::format("= {}, {}", shown_time(bar.whole), what);
}

/// With its rank before it, where the table is of several.
std::string named_in(const std::map<std::string, std::string>& ranks, const Table& table, std::size_t row,
                     const std::string& name) {
  const auto rank = ranks.find(text_in(table, row, "file"));
  return rank == ranks.end() ? name : rank->second + ", " + name;
}

template <std::size_t count>
ReportBar bar_of_row(const Table& table, std::size_t row, const PartText (&texts)[count]) {
  ReportBar bar;
  for (const auto& [column, label, kind] : texts)
    if (const auto time = number_in(table, row, column)) bar.parts.push_back({label, kind, Duration(*time)});
  return bar;
}

std::vector<ReportBar> bars_of_each_step(const Table& steps) {
  std::vector<ReportBar> bars;
  const auto ranks = ranks_of(steps);
  for (std::size_t row = 0; row < std::min(most_steps, steps.rows.size()); ++row) {
    const auto number = number_in(steps, row, "step_number");
    ReportBar bar = bar_of_row(steps, row, activities);
    bar.view = "steps";
    bar.title = named_in(ranks, steps, row, number ? fmt::format("step {:.0f}", *number) : "a step");
    end_with_whole(bar, "the step");
    bars.push_back(std::move(bar));
  }
  return bars;
}

std::vector<ReportBar> bars_of_gpus(const Table& temporal) {
  std::vector<ReportBar> bars;
  const auto ranks = ranks_of(temporal);
  for (std::size_t row = 0; row < temporal.rows.size(); ++row) {
    ReportBar bar = bar_of_row(temporal, row, device_parts);
    bar.view = "gpu", bar.title = named_in(ranks, temporal, row, "device " + text_in(temporal, row, "device"));
    end_with_whole(bar, "its whole time");
    bars.push_back(std::move(bar));
  }
  return bars;
}

/// Work of one kind counts wherever it ran: what overlaps counts twice.
ReportBar bar_of_work(const Table& kernels) {
  ReportBar bar{"work", "Work of the devices, by kind", "", {}, {}};
  std::map<std::string, ReportPart> kinds;
  for (std::size_t row = 0; row < kernels.rows.size(); ++row) {
    const auto time = number_in(kernels, row, "work_us");
    const std::string kind = text_in(kernels, row, "work_kind");
    if (!time) continue;
    const ReportKind found = kind == "compute"         ? kind_of_work("kernel", text_in(kernels, row, "work"))
                             : kind == "communication" ? ReportKind{"comm", kind}
                                                       : ReportKind{"copy", "copy, fill"};
    ReportPart& part = kinds[found.label];
    part.label = found.label, part.kind = found.colour, part.time += Duration(*time);
  }
  for (auto& [label, part] : kinds) bar.parts.push_back(std::move(part));
  std::stable_sort(bar.parts.begin(), bar.parts.end(), [](const auto& a, const auto& b) { return a.time > b.time; });
  end_with_whole(bar, "all work");
  return bar;
}

ReportBar bar_of_units(const Table& units) {
  const std::map<std::string, ReportPart, std::less<>> texts{
      {"used", {"on matrix units", "k2", {}}},
      {"eligible", {"could use them", "k5", {}}},
      {"none", {"cannot", "other", {}}},
      {"not_told", {"not known", "fill", {}}},
  };
  ReportBar bar{"units", "Time of kernels, by matrix units (tensor cores)", "", {}, {}};
  for (std::size_t row = 0; row < units.rows.size(); ++row) {
    const auto text = texts.find(text_in(units, row, "matrix_unit"));
    const auto time = number_in(units, row, "kernel_time_us");
    if (text == texts.end() || !time) continue;
    bar.parts.push_back(text->second);
    bar.parts.back().time = Duration(*time);
  }
  end_with_whole(bar, "all kernels");
  return bar;
}

std::string share_of(const ReportBar& bar, std::string_view label) {
  for (const ReportPart& part : bar.parts)
    if (part.label == label && bar.whole > Duration{}) return fmt::format("{:.0f} %", 100 * (part.time / bar.whole));
  return "0 %";
}

std::string steps_title(const std::vector<const ReportBar*>& steps) {
  std::vector<Duration> times;
  for (const ReportBar* step : steps) times.push_back(step->whole);
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  const Duration median = times[times.size() / 2];
  const ReportBar& longest =
      **std::max_element(steps.begin(), steps.end(), [](const auto* a, const auto* b) { return a->whole < b->whole; });
  if (steps.size() < 3 || median <= Duration{}) return {};
  const double factor = longest.whole / median;
  if (factor < 1.2) return fmt::format("No step is an exception: the median takes {}", shown_time(median));
  return fmt::format("{} takes {:.1f} times as long as the median of {}", longest.title, factor, shown_time(median));
}

/// Ranks wait for the slowest of them.
std::string ranks_title(const std::vector<ReportBar>& bars) {
  const ReportBar *longest = nullptr, *shortest = nullptr;
  for (const ReportBar& bar : bars) {
    if (bar.view != "ranks") continue;
    if (!longest || bar.whole > longest->whole) longest = &bar;
    if (!shortest || bar.whole < shortest->whole) shortest = &bar;
  }
  if (!longest || shortest->whole <= Duration{}) return {};
  const double more = 100 * (longest->whole / shortest->whole - 1);
  if (more < 2) return fmt::format("A step takes as long in all traces: {}", shown_time(longest->whole));
  return fmt::format("A step of {} takes {}, {:.0f} % longer than one of {}", longest->title,
                     shown_time(longest->whole), more, shortest->title);
}

std::string bar_title(const ReportBar& bar) {
  if (bar.view == "gpu") return fmt::format("{} is idle {} of the time", bar.title, share_of(bar, "idle"));
  if (bar.view == "work" && !bar.parts.empty())
    return fmt::format("{} takes {} of the devices' work", bar.parts.front().label,
                       share_of(bar, bar.parts.front().label));
  if (bar.view == "units")
    return fmt::format("{} of the kernels' time is on matrix units; {} could be", share_of(bar, "on matrix units"),
                       share_of(bar, "could use them"));
  return {};
}

}  // namespace

std::map<std::string, std::string> ranks_of(const Table& table) {
  std::map<std::string, std::string> ranks;
  std::vector<std::string> files;
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    if (ranks.try_emplace(text_in(table, row, "file")).second) files.push_back(text_in(table, row, "file"));
  if (files.size() < 2) return {};
  for (std::size_t at = 0; const std::string& name : rank_names(files)) ranks[files[at++]] = name;
  return ranks;
}

std::vector<ReportBar> bars_of_trace(const std::vector<ReportTable>& tables) {
  std::vector<ReportBar> bars;
  const auto add = [&](std::vector<ReportBar> made) {
    for (ReportBar& bar : made)
      if (!bar.parts.empty()) bars.push_back(std::move(bar));
  };
  if (const Table* steps = find_table(tables, "steps")) add(bars_of_each_step(*steps));
  if (const Table* temporal = find_table(tables, "temporal")) add(bars_of_gpus(*temporal));
  if (const Table* kernels = find_table(tables, "kernels")) add({bar_of_work(*kernels)});
  if (const Table* units = find_table(tables, "matrix_units")) add({bar_of_units(*units)});
  return bars;
}

std::vector<ReportTitle> titles_of_trace(const std::vector<ReportBar>& bars) {
  std::vector<ReportTitle> titles;
  std::vector<const ReportBar*> steps;
  const ReportBar* idlest = nullptr;
  const auto idle = [](const ReportBar& bar) { return bar.whole > Duration{} ? bar.parts.back().time / bar.whole : 0; };
  for (const ReportBar& bar : bars) {
    if (bar.view == "steps") steps.push_back(&bar);
    if (bar.view == "gpu" && (!idlest || idle(bar) > idle(*idlest))) idlest = &bar;
    if (bar.view == "work" || bar.view == "units") titles.push_back({bar.view, bar_title(bar)});
  }
  if (std::string ranks = ranks_title(bars); !ranks.empty()) titles.push_back({"ranks", std::move(ranks)});
  if (idlest) titles.push_back({"gpu", bar_title(*idlest)});
  if (!steps.empty()) titles.push_back({"steps", steps_title(steps)});
  std::erase_if(titles, [](const ReportTitle& title) { return title.sentence.empty(); });
  return titles;
}

}  // namespace takt
