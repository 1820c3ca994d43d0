#include "predict/sources/exposition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>
#include <utility>

#include "base/system/version.h"
#include "predict/prometheus/metrics.h"

namespace takt {
namespace {

/// Backslash, line end and, in a label's value, the quote are written with a backslash.
std::string escaped(std::string_view text, bool is_label) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || (c == '"' && is_label)) out += '\\';
    out += c;
  }
  return out;
}

void add_head(std::string& text, std::string_view metric, std::string_view help) {
  text += fmt::format("# HELP {} {}\n# TYPE {} gauge\n", metric, escaped(help, false), metric);
}

void add_line(std::string& text, std::string_view metric,
              std::initializer_list<std::pair<std::string_view, std::string_view>> labels, double value) {
  std::string list;
  for (const auto& [label, of] : labels)
    list += fmt::format("{}{}=\"{}\"", list.empty() ? "" : ",", label, escaped(of, true));
  text += list.empty() ? fmt::format("{} {}\n", metric, value) : fmt::format("{}{{{}}} {}\n", metric, list, value);
}

}  // namespace

std::string exposition(const LoadSnapshot& snapshot, const std::vector<std::string>& sources, Nanoseconds now) {
  std::string text;
  for (const LoadFeature& feature : load_features()) {
    const std::string metric = fmt::format("takt_{}", feature.name);
    bool is_first = true;
    for (const LoadReading& reading : snapshot.readings) {
      if (reading.name != feature.name || !reading.is_live() || !std::isfinite(*reading.value)) continue;
      if (std::exchange(is_first, false)) add_head(text, metric, feature.meaning);
      add_line(text, metric, {{"device", reading.device}, {"source", reading.source}}, *reading.value);
    }
  }
  for (const LoadReading& reading : snapshot.readings) {
    if (reading.name != "probe_wait_ratio" || !reading.window) continue;
    add_head(text, probe_window_metric, "How long the probe worked: the load is known better the longer that is.");
    add_line(text, probe_window_metric, {{"device", reading.device}},
             static_cast<double>(reading.window->count()) / 1e9);
  }
  std::set<std::string> telling;
  bool is_first = true;
  for (const LoadReading& reading : snapshot.readings) {
    if (reading.is_live()) telling.insert(reading.source);
    if (reading.is_live()) continue;
    if (std::exchange(is_first, false)) add_head(text, "takt_load_missing", "1: the metric could not be read.");
    add_line(text, "takt_load_missing",
             {{"feature", reading.name}, {"device", reading.device}, {"source", reading.source}}, 1);
  }
  add_head(text, "takt_load_source_up", "1: the source reports at least one metric.");
  for (const std::string& source : sources)
    add_line(text, "takt_load_source_up", {{"source", source}}, telling.contains(source) ? 1 : 0);
  add_head(text, "takt_load_age_seconds", "Time since the metrics were read.");
  add_line(text, "takt_load_age_seconds", {}, std::max(0.0, static_cast<double>((now - snapshot.time).count()) / 1e9));
  add_head(text, "takt_build_info", "1; the version of takt is a label.");
  add_line(text, "takt_build_info", {{"version", version}}, 1);
  return text;
}

}  // namespace takt
