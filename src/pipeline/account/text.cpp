// The account as a person reads it: what binds, where each device's time went, what the run was long for.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/text.h"
#include "pipeline/account/account.h"
#include "pipeline/account/binding.h"
#include "pipeline/account/uneven.h"

namespace takt {
namespace {

constexpr int text_width = 80;

/// `more` behind `line`, on a line of its own where it does not fit.
std::string joined(const std::string& line, const std::string& more) {
  const bool fits = display_width(line) + 2 + display_width(more) <= text_width;
  return line + (fits ? ", " : ",\n            ") + more + "\n";
}

std::string batches_text(std::int64_t count) { return fmt::format("{} {}", count, count == 1 ? "batch" : "batches"); }

const StageAccount& stage_of(const Accounts& a, int stage) { return a.stages[static_cast<std::size_t>(stage)]; }

/// What the wait for `binder` comes from, for somebody who wants to change it.
std::string reason(const Accounts& a, const BinderShare& binder) {
  switch (binder.binder) {
    case Binder::stage: {
      const int replicas = stage_of(a, binder.stage).replicas;
      return replicas == 1 ? "it works on one batch at a time" : fmt::format("all its {} replicas are busy", replicas);
    }
    case Binder::device:
      return "all its requests are busy";
    case Binder::queue:
      return "it is full";
    case Binder::order:
      return "batches wait there for an earlier one to leave";
    case Binder::in_flight:
      return a.in_flight ? fmt::format("at most {} in flight", batches_text(*a.in_flight)) : "";
    case Binder::source:
      return a.arrivals_per_s ? fmt::format("{:.4g} batches/s arrive", *a.arrivals_per_s) : "";
    case Binder::dispatch:
      return "the delay between ready and start";
    case Binder::start:
      break;
  }
  return {};
}

std::string bound_line(const Accounts& a) {
  if (!a.bindings.main) return {};
  const BinderShare& binder = *a.bindings.main;
  const std::string why = reason(a, binder);
  return "bound by    " + printable(binder_name(a, binder)) + (why.empty() ? "" : ": " + why) + "\n";
}

/// A stage is the bottleneck where a stage or a device binds; elsewhere it is just the one with most to do.
bool has_bottleneck(const Accounts& a) {
  const auto& main = a.bindings.main;
  return a.bottleneck && (!main || main->binder == Binder::stage || main->binder == Binder::device);
}

std::string load_line(const Accounts& a) {
  if (!a.bottleneck) return {};
  const StageAccount& first = stage_of(a, *a.bottleneck);
  const std::string line = fmt::format("{:<12}{} on {}: a batch every {}", has_bottleneck(a) ? "bottleneck" : "slowest",
                                       printable(first.name), printable(first.devices), format_duration(first.load));
  if (!a.second || !a.margin) return line + "\n";
  return joined(line, fmt::format("{:.1f} % more than {}", *a.margin * 100, printable(stage_of(a, *a.second).name)));
}

std::string cycle_line(const Accounts& a) {
  if (a.batches.empty()) return {};
  if (!a.cycle)
    return fmt::format("cycle       none: of {}, {} left between warm-up and drain; run more\n",
                       batches_text(static_cast<std::int64_t>(a.batches.size())), a.steady_deliveries);
  std::string text = fmt::format("cycle       {} in steady state", format_duration(*a.cycle));
  if (a.throughput_per_s) text += fmt::format(", {:.4g} batches/s", *a.throughput_per_s);
  return text + "\n";
}

std::string latency_line(const Accounts& a) {
  const Spread& latency = a.latency;
  if (!latency.mean) return {};
  return fmt::format("latency     {} mean, {} median, {} p90, {} p99, {} max\n", format_duration(*latency.mean),
                     format_duration(*latency.median), format_duration(*latency.p90), format_duration(*latency.p99),
                     format_duration(*latency.max));
}

std::string cycle_latency_line(const Accounts& a) {
  if (!a.cycle_latency.mean) return {};
  return fmt::format("per stage   {} mean, {} p90: the longest stage of a batch\n",
                     format_duration(*a.cycle_latency.mean), format_duration(*a.cycle_latency.p90));
}

/// Each line of the heading within the width; what goes on stands under its words.
std::string within(std::string_view heading, std::size_t width) {
  constexpr std::size_t label = 12;
  std::string text;
  for (const std::string& line : split(heading.substr(0, heading.size() - 1), '\n')) {
    const bool has_label = line.size() > label && line.substr(label - 2, 2) == "  ";  // else a long name stands there
    text += has_label ? line.substr(0, label) + wrapped(line.substr(label), width, label) : wrapped(line, width, label);
    text += "\n";
  }
  return text;
}

std::string source_lines(const Accounts& a) {
  std::string text;
  if (a.source_wait.mean && a.source_wait.total.count() > 0)
    text += fmt::format("source      {} mean wait before a batch is admitted, {} max\n",
                        format_duration(*a.source_wait.mean), format_duration(*a.source_wait.max));
  if (!a.overload) return text;
  const double rise = a.overload->wait_growth;
  const std::string rates =
      fmt::format("overload    {:.4g} batches/s arrive, {:.4g} complete", a.overload->in_per_s, a.overload->out_per_s);
  return text +
         joined(rates, fmt::format("so queueing delay grows by {} per second", format_duration(Duration(rise * 1e6))));
}

/// A stage whose time changed during the run, and a device on which a stage takes much longer than on its others.
std::string uneven_lines(const Accounts& a) {
  std::string text;
  for (const StageAccount& stage : a.stages)
    if (stage.drift)
      text += fmt::format("drift       {} takes {} in the last fifth, {} in the first\n", printable(stage.name),
                          format_duration(stage.drift->last), format_duration(stage.drift->first));
  for (const ShareAccount& share : a.device_stages)
    if (share.others)
      text += fmt::format("uneven      {} takes {} on {}, {} on its other devices\n",
                          printable(stage_of(a, share.stage).name), format_duration(*mean_execution(share)),
                          printable(a.devices[static_cast<std::size_t>(share.device)].name),
                          format_duration(*share.others));
  return text;
}

/// What a program's own batches did not pass, and where they ended.
std::string odd_ways(const Accounts& a) {
  if (!a.logged) return {};
  std::int64_t count = 0;
  std::string where;
  for (const LoggedFacts::Dropped& here : a.logged->dropped) {
    count += here.batches;
    where += (where.empty() ? "" : ", ") + printable(stage_of(a, here.stage).name);
  }
  const auto delivered = static_cast<std::int64_t>(a.batches.size()), all = delivered + count;
  std::string text;
  if (count > 0)
    text += joined(fmt::format("dropped     {} of {} batches ({:.1f} %), after {}", count, all,
                               100.0 * static_cast<double>(count) / static_cast<double>(all), where),
                   a.arrivals_per_s ? fmt::format("{:.4g} batches/s arrive", *a.arrivals_per_s) : "");
  for (const StageAccount& stage : a.stages)
    if (stage.batches < delivered)
      text += fmt::format("skipped     {} by {} of {} batches\n", printable(stage.name), delivered - stage.batches,
                          delivered);
  return text;
}

/// The stage whose first batch took longest beside the others, where that is worth a word.
std::string cold_start(const Accounts& a) {
  const StageAccount* coldest = nullptr;
  double most = 1.5;
  for (const StageAccount& stage : a.stages) {
    if (!stage.first || !stage.time.mean || stage.time.mean->count() <= 0) continue;
    const double ratio = Duration(*stage.first) / *stage.time.mean;
    if (ratio > most) most = ratio, coldest = &stage;
  }
  if (coldest == nullptr) return {};
  return fmt::format("the first took {} in {}, later ones {}", format_duration(Duration(*coldest->first)),
                     printable(coldest->name), format_duration(*coldest->time.mean));
}

std::string warm_up_line(const Accounts& a) {
  if (a.warmup == 0) return {};
  const std::string line = fmt::format("warm-up     {}, excluded from all statistics", batches_text(a.warmup));
  const std::string cold = cold_start(a);
  return cold.empty() ? line + "\n" : joined(line, cold);
}

std::string heading(const Accounts& a) {
  const std::string text =
      fmt::format("{:<10}  {} batches in {}{}{}\n", printable(a.name.empty() ? "pipeline" : a.name), a.batches.size(),
                  format_duration(a.window.length()), a.virtual_clock ? ", virtual clock" : "",
                  a.interrupted ? ", interrupted" : "");
  const std::string answer = has_bottleneck(a) ? load_line(a) + bound_line(a) : bound_line(a) + load_line(a);
  return answer + text + cycle_line(a) + latency_line(a) + cycle_latency_line(a) + source_lines(a) + odd_ways(a) +
         uneven_lines(a) + warm_up_line(a);
}

/// Columns of the devices' table: what no device has is not shown. Where all is shown, 80 columns have no room for the
/// time that they add up to; it is the same for every device and stands in the heading.
std::vector<std::string_view> shown_device_columns(const Accounts& a) {
  constexpr std::size_t most = 8;
  const auto any = [&](Nanoseconds DeviceAccount::*time) {
    return std::any_of(a.devices.begin(), a.devices.end(),
                       [&](const DeviceAccount& device) { return (device.*time).count() > 0; });
  };
  std::vector<std::string_view> columns{"device", "wall_us", "busy_us"};
  if (any(&DeviceAccount::copy)) columns.push_back("copy_us");
  if (any(&DeviceAccount::sync)) columns.push_back("sync_us");
  for (const char* column : {"starved_us", "blocked_us"}) columns.push_back(column);
  if (any(&DeviceAccount::dispatch)) columns.push_back("dispatch_us");
  for (const char* column : {"fill_drain_us", "utilisation_percent"}) columns.push_back(column);
  if (std::any_of(a.devices.begin(), a.devices.end(), [](const DeviceAccount& device) { return device.hardware; }))
    columns.push_back("counter_percent");
  columns.push_back("bubble_mean_us");
  if (columns.size() > most) columns.erase(std::find(columns.begin(), columns.end(), "wall_us"));
  return columns;
}

bool shares_a_device(const Accounts& a) {
  const auto same = [](const ShareAccount& x, const ShareAccount& y) { return x.device == y.device; };
  return std::adjacent_find(a.device_stages.begin(), a.device_stages.end(), same) != a.device_stages.end();
}

}  // namespace

std::string to_text(const Accounts& accounts, const TextStyle& style) {
  std::string text = within(heading(accounts), style.width);
  const auto show = [&](const Table& shown) {
    if (!shown.rows.empty()) text += "\n" + to_text(shown, style);
  };
  show(some_columns(table(accounts, "devices"), shown_device_columns(accounts)));
  if (shares_a_device(accounts))
    show(some_columns(table(accounts, "device_stages"),
                      {"device", "stage", "executions", "stage_busy_us", "stage_busy_percent"}));
  std::vector<std::string_view> columns{"stage",        "devices", "stage_mean_us",
                                        "stage_p90_us", "load_us", "queue_mean_us"};
  const bool copied = std::any_of(accounts.stages.begin(), accounts.stages.end(),
                                  [](const StageAccount& stage) { return stage.copy.mean.has_value(); });
  if (copied) columns.push_back("copy_mean_us");
  for (const char* column : {"held_mean_us", "penalty_mean_us"}) columns.push_back(column);
  show(some_columns(table(accounts, "stages"), columns));
  show(some_columns(table(accounts, "splits"), {"stage", "part", "device", "partition_mean_us", "device_time_mean_us",
                                                "skew_mean_us", "sync_merge_mean_us"}));
  if (accounts.bindings.shares.size() > 1) show(table(accounts, "bindings"));
  show(some_columns(table(accounts, "critical_path"),
                    {"path_stage", "activity", "path_device", "binding", "path_count", "path_us", "blame_percent"}));
  return text;
}

}  // namespace takt
