// The account as a person reads it: who is the bottleneck, where each device's time went, what the run was long for.
#include <fmt/format.h>

#include <algorithm>

#include "account/account.h"
#include "core/text.h"

namespace takt {
namespace {

std::string bottleneck_line(const Accounts& a) {
  if (!a.bottleneck) return {};
  const StageAccount& first = a.stages[static_cast<std::size_t>(*a.bottleneck)];
  std::string line = fmt::format("bottleneck  {} on {}: a batch every {}", printable(first.name),
                                 printable(first.devices), format_duration(first.load));
  if (!a.second || !a.margin) return line + "\n";
  const std::string margin = fmt::format("{:.1f} % more than {}", *a.margin * 100,
                                         printable(a.stages[static_cast<std::size_t>(*a.second)].name));
  const bool fits = display_width(line) + 2 + display_width(margin) <= 80;
  return line + (fits ? ", " : ",\n            ") + margin + "\n";
}

std::string heading(const Accounts& a) {
  std::string text = fmt::format("{}  {} batches in {}{}{}\n", printable(a.name.empty() ? "pipeline" : a.name),
                                 a.batches.size(), format_duration(a.window.length()),
                                 a.virtual_clock ? ", virtual clock" : "", a.interrupted ? ", interrupted" : "");
  if (a.cycle) {
    text += fmt::format("cycle       {} in steady state", format_duration(*a.cycle));
    if (a.throughput_per_s) text += fmt::format(", {:.4g} batches/s", *a.throughput_per_s);
    text += "\n";
  }
  if (a.latency.mean)
    text += fmt::format("latency     {} mean, {} median, {} p90, end to end\n", format_duration(*a.latency.mean),
                        format_duration(*a.latency.median), format_duration(*a.latency.p90));
  return text + bottleneck_line(a);
}

}  // namespace

std::string to_text(const Accounts& accounts, const TextStyle& style) {
  const auto list = tables(accounts);
  std::string text = heading(accounts);
  const auto show = [&](const Table& table) {
    if (!table.rows.empty()) text += "\n" + to_text(table, style);
  };
  show(some_columns(table_named(list, "devices"), {"device", "wall_us", "busy_us", "starved_us", "blocked_us",
                                                   "dispatch_us", "fill_drain_us", "utilisation_percent"}));
  show(some_columns(table_named(list, "stages"), {"stage", "devices", "stage_mean_us", "stage_p90_us", "load_us",
                                                  "queue_mean_us", "held_mean_us", "penalty_mean_us"}));
  show(some_columns(table_named(list, "splits"), {"stage", "part", "device", "partition_mean_us", "device_time_mean_us",
                                                  "skew_mean_us", "sync_merge_mean_us"}));
  show(some_columns(table_named(list, "critical_path"),
                    {"path_stage", "activity", "path_device", "binding", "path_count", "path_us", "blame_percent"}));
  return text;
}

}  // namespace takt
