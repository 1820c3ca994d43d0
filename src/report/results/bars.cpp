#include "report/results/bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "base/table/number_form.h"
#include "report/results/board.h"
#include "report/results/saved_tables.h"
#include "report/timelines/families.h"
#include "report/timelines/rank_names.h"

namespace takt {
namespace {

struct Cause {
  const char *column, *label, *kind;
};

constexpr Cause causes[] = {
    {"busy_us", "busy", "busy"},
    {"copy_us", "copy", "copy"},
    {"sync_us", "sync", "wait-sync"},
    {"starved_us", "starved", "wait-starved"},
    {"blocked_us", "blocked", "wait-blocked"},
    {"dispatch_us", "dispatch", "wait-dispatch"},
    {"fill_us", "fill", "fill"},
    {"drain_us", "drain", "fill"},
};

const std::map<std::string, std::string, std::less<>> kinds_of_activities{
    {"kernel", "busy"},
    {"memory_copy", "copy"},
    {"communication", "comm"},
    {"launch", "wait-dispatch"},
    {"synchronisation", "wait-sync"},
    {"data_wait", "wait-starved"},
    {"host_compute", "host"},
    {"compile", "host"},
};

std::vector<ReportPart> parts_by_time(const std::map<std::string, Duration>& times) {
  std::vector<ReportPart> parts;
  for (const auto& [type, time] : times) parts.push_back({type, family_of_type(type), time});
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.time > b.time; });
  return parts;
}

Duration sum_of(const std::vector<ReportPart>& parts) {
  Duration sum{};
  for (const auto& part : parts) sum += part.time;
  return sum;
}

ReportBar bar_of_types(const Table& types) {
  ReportBar bar{"", "A mean plain run, by type of operator", "", {}, {}};
  for (std::size_t row = 0; row < types.rows.size(); ++row)
    if (const auto time = number_in(types, row, "plain_mean_us"))
      bar.parts.push_back({text_in(types, row, "type"), family_of_type(text_in(types, row, "type")), Duration(*time)});
  bar.whole = sum_of(bar.parts);
  bar.whole_label = fmt::format("= {}, the mean plain run", formatted(bar.whole, form_of(std::array{bar.whole})));
  return bar;
}

/// All causes, or none where the device was not accounted for.
std::vector<ReportBar> bars_of_devices(const Table& devices) {
  std::vector<ReportBar> bars;
  for (std::size_t row = 0; row < devices.rows.size(); ++row) {
    const auto wall = number_in(devices, row, "wall_us");
    if (!wall) continue;
    ReportBar bar{"devices", text_in(devices, row, "device"), "", Duration(*wall), {}};
    for (const Cause& cause : causes)
      if (const auto time = number_in(devices, row, cause.column))
        bar.parts.push_back({cause.label, cause.kind, Duration(*time)});
    bar.whole_label = fmt::format("= {}, the whole time", formatted(bar.whole, form_of(std::array{bar.whole})));
    bars.push_back(std::move(bar));
  }
  return bars;
}

/// One has a figure of its own; several stand on one scale, named by what distinguishes their files.
void name_ranks(std::vector<ReportBar>& bars) {
  std::vector<std::string> files;
  for (const ReportBar& bar : bars) files.push_back(bar.title);
  const auto names = rank_names(files);
  for (std::size_t at = 0; at < bars.size(); ++at) {
    bars[at].title = bars.size() == 1 ? "A mean step of " + names[at] : names[at];
    if (bars.size() > 1) bars[at].view = "ranks";
  }
}

std::vector<ReportBar> bars_of_steps(const Table& breakdown) {
  std::vector<ReportBar> bars;
  std::string last;
  for (std::size_t row = 0; row < breakdown.rows.size(); ++row) {
    const std::string file = text_in(breakdown, row, "file"), activity = text_in(breakdown, row, "spent_on");
    const auto time = number_in(breakdown, row, "mean_per_step_us");
    if (!time) continue;
    const auto is_known = [&](const ReportPart& part) { return part.label == activity; };
    if (bars.empty() || file != last || std::any_of(bars.back().parts.begin(), bars.back().parts.end(), is_known))
      bars.push_back({"", file, "", {}, {}});
    last = file;
    const auto kind = kinds_of_activities.find(activity);
    bars.back().parts.push_back(
        {activity, kind == kinds_of_activities.end() ? "other" : kind->second, Duration(*time)});
  }
  for (auto& bar : bars) {
    bar.whole = sum_of(bar.parts);
    bar.whole_label = fmt::format("= {}, a mean step", formatted(bar.whole, form_of(std::array{bar.whole})));
  }
  name_ranks(bars);
  return bars;
}

/// A kernel's name to its predicted time in a model.
std::map<std::string, Duration> predicted_times(const Table& kernels, const std::string& model) {
  std::map<std::string, Duration> times;
  for (std::size_t row = 0; row < kernels.rows.size(); ++row)
    if (const auto time = number_in(kernels, row, "predicted_us"); time && text_in(kernels, row, "model") == model)
      times[text_in(kernels, row, "kernel_name")] += Duration(*time);
  return times;
}

/// The time on an idle machine and what the load adds; no parts: it adds nothing, or none was read.
ReportBar bar_of_load(const std::string& model, Duration whole, double factor) {
  ReportBar bar{"", model + " beside the load of that moment", "", whole, {}};
  if (factor <= 1) return bar;
  bar.parts = {{"on an idle machine", "busy", whole / factor}, {"[load]", "other", whole - whole / factor}};
  bar.whole_label = fmt::format("= {}, {:.2f} times as long", formatted(whole, form_of(std::array{whole})), factor);
  return bar;
}

/// Kernels by their name, and what an inference takes beside them; of the first models.
std::vector<ReportBar> bars_of_predictions(const Table& summary, const Table& kernels) {
  constexpr std::size_t most = 4;
  std::vector<ReportBar> bars;
  for (std::size_t row = 0; row < std::min(most, summary.rows.size()); ++row) {
    const std::string path = text_in(summary, row, "model"), model = std::filesystem::path(path).filename().string();
    ReportBar bar{"", model + ", predicted, by kernel", "", {}, parts_by_time(predicted_times(kernels, path))};
    const Duration outside(1000 * number_in(summary, row, "overhead_ms").value_or(0));
    if (bar.parts.empty()) continue;
    if (outside > Duration{}) bar.parts.push_back({"[outside kernels]", "other", outside});
    bar.whole = sum_of(bar.parts);
    bar.whole_label = fmt::format("= {}, {}", formatted(bar.whole, form_of(std::array{bar.whole})),
                                  outside < Duration{} ? "all kernels" : "an inference");
    bars.push_back(bar);
    bars.push_back(bar_of_load(model, bar.whole, number_in(summary, row, "load_factor").value_or(1)));
  }
  return bars;
}

}  // namespace

std::vector<ReportBar> bars_of(const std::vector<ReportTable>& tables) {
  std::vector<ReportBar> bars;
  if (const Table* types = find_table(tables, "types"); types && !types->rows.empty())
    bars.push_back(bar_of_types(*types));
  if (const Table* devices = find_table(tables, "devices"))
    for (auto& bar : bars_of_devices(*devices)) bars.push_back(std::move(bar));
  bars.push_back(bar_of_path(tables));
  if (const Table* breakdown = find_table(tables, "breakdown"))
    for (auto& bar : bars_of_steps(*breakdown)) bars.push_back(std::move(bar));
  const Table *summary = find_table(tables, "summary"), *kernels = find_table(tables, "kernels");
  if (summary && kernels)
    for (auto& bar : bars_of_predictions(*summary, *kernels)) bars.push_back(std::move(bar));
  std::erase_if(bars, [](const ReportBar& bar) { return bar.parts.empty(); });
  return bars;
}

ReportBar bar_of_operators(const Table& operators, std::optional<Duration> mean_run) {
  ReportBar bar{"", "A mean run, by type of operator", "", {}, {}};
  std::map<std::string, Duration> times;
  for (std::size_t row = 0; row < operators.rows.size(); ++row)
    if (const auto time = number_in(operators, row, "time_us"))
      times[text_in(operators, row, "type")] += Duration(*time);
  bar.parts = parts_by_time(times);
  bar.whole = sum_of(bar.parts);
  const bool is_run = mean_run && *mean_run >= bar.whole;
  if (is_run) bar.parts.push_back({"[unattributed]", "other", *mean_run - bar.whole}), bar.whole = *mean_run;
  bar.whole_label = fmt::format("= {}, {}", formatted(bar.whole, form_of(std::array{bar.whole})),
                                is_run ? "the mean plain run" : "all operators");
  return bar;
}

}  // namespace takt
