#include "predict/prometheus/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "base/basics/check.h"
#include "base/basics/text.h"
#include "predict/prometheus/client.h"

namespace takt {
namespace {

enum class Maker { node, dcgm };
/// One metric that means a feature; of several series (one per processor) the mean.
struct MetricRule {
  std::string_view feature, metric;
  Maker maker = Maker::node;
  SampleKind kind = SampleKind::gauge;
  double factor = 1;           ///< from the metric's unit to the feature's
  std::string_view hint = {};  ///< why it may be missing
};

constexpr double percent = 0.01, mega = 1e6, mebi = 1 << 20;
constexpr std::string_view needs_profiling =
    "not among DCGM's metrics; add it to the exporter's list of counters (dcgm-exporter -f FILE)";
constexpr std::string_view processor_seconds = "node_cpu_seconds_total";

constexpr MetricRule rules[] = {
    {"cpu_pressure_share", "node_pressure_cpu_waiting_seconds_total", Maker::node, SampleKind::counter},
    {"memory_pressure_share", "node_pressure_memory_waiting_seconds_total", Maker::node, SampleKind::counter},
    {"io_pressure_share", "node_pressure_io_waiting_seconds_total", Maker::node, SampleKind::counter},
    {"run_delay_share", "node_schedstat_waiting_seconds_total", Maker::node, SampleKind::counter},
    {"runnable_threads", "node_procs_running"},
    {"load_average", "node_load1"},
    {"cpu_clock_hertz", "node_cpu_scaling_frequency_hertz"},
    {"memory_available_bytes", "node_memory_MemAvailable_bytes"},
    {"gpu_busy_share", "DCGM_FI_DEV_GPU_UTIL", Maker::dcgm, SampleKind::gauge, percent},
    {"gpu_memory_busy_share", "DCGM_FI_DEV_MEM_COPY_UTIL", Maker::dcgm, SampleKind::gauge, percent},
    {"gpu_engine_active_share", "DCGM_FI_PROF_GR_ENGINE_ACTIVE", Maker::dcgm},
    {"gpu_sm_active_share", "DCGM_FI_PROF_SM_ACTIVE", Maker::dcgm, SampleKind::gauge, 1, needs_profiling},
    {"gpu_sm_occupancy_share", "DCGM_FI_PROF_SM_OCCUPANCY", Maker::dcgm, SampleKind::gauge, 1, needs_profiling},
    {"gpu_tensor_active_share", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", Maker::dcgm},
    {"gpu_fp64_active_share", "DCGM_FI_PROF_PIPE_FP64_ACTIVE", Maker::dcgm, SampleKind::gauge, 1, needs_profiling},
    {"gpu_fp32_active_share", "DCGM_FI_PROF_PIPE_FP32_ACTIVE", Maker::dcgm, SampleKind::gauge, 1, needs_profiling},
    {"gpu_fp16_active_share", "DCGM_FI_PROF_PIPE_FP16_ACTIVE", Maker::dcgm, SampleKind::gauge, 1, needs_profiling},
    {"gpu_dram_active_share", "DCGM_FI_PROF_DRAM_ACTIVE", Maker::dcgm},
    {"gpu_pcie_sent_bytes_per_s", "DCGM_FI_PROF_PCIE_TX_BYTES", Maker::dcgm},
    {"gpu_pcie_received_bytes_per_s", "DCGM_FI_PROF_PCIE_RX_BYTES", Maker::dcgm},
    {"gpu_sm_clock_hertz", "DCGM_FI_DEV_SM_CLOCK", Maker::dcgm, SampleKind::gauge, mega},
    {"gpu_memory_clock_hertz", "DCGM_FI_DEV_MEM_CLOCK", Maker::dcgm, SampleKind::gauge, mega},
    {"gpu_power_watts", "DCGM_FI_DEV_POWER_USAGE", Maker::dcgm},
    {"gpu_temperature_celsius", "DCGM_FI_DEV_GPU_TEMP", Maker::dcgm},
    {"gpu_memory_used_bytes", "DCGM_FI_DEV_FB_USED", Maker::dcgm, SampleKind::gauge, mebi},
    {"gpu_memory_free_bytes", "DCGM_FI_DEV_FB_FREE", Maker::dcgm, SampleKind::gauge, mebi},
};

/// How a program's metrics begin; takt's own exporter names a metric after the feature.
constexpr std::string_view node_prefix = "node_", dcgm_prefix = "DCGM_", own_prefix = "takt_";

/// NVIDIA tells them of a whole GPU only; of an instance DCGM reports 0, however busy it is.
constexpr std::string_view of_whole_gpus[] = {"gpu_busy_share", "gpu_memory_busy_share"};
constexpr std::string_view instance_mark = "/mig";

bool is_told_of(std::string_view feature, std::string_view device) {
  return device.find(instance_mark) == device.npos ||
         std::find(std::begin(of_whole_gpus), std::end(of_whole_gpus), feature) == std::end(of_whole_gpus);
}

/// What samples of the metric can be, from what its feature can.
SamplesExpected expected_of(const MetricRule& rule) {
  const LoadFeature* const feature = find_load_feature(rule.feature);
  TAKT_CHECK(feature != nullptr);
  return {
      rule.kind, {feature->range.least / rule.factor, feature->range.most / rule.factor}, rule.maker == Maker::dcgm};
}

Nanoseconds seconds_to_ns(double seconds) { return Nanoseconds(std::llround(std::clamp(seconds, 0.0, 9e9) * 1e9)); }

/// Puts what was found into a reading, with what is wrong about it.
void settle(LoadReading& reading, std::optional<double> value, double last, double span, const std::string& trouble,
            const MetricWindow& window) {
  reading.trouble = value && !std::isfinite(*value) ? "its value exceeds the range of a number" : trouble;
  if (!value || !std::isfinite(*value)) return;
  reading.value = value;
  reading.age = seconds_to_ns(window.now - last);
  if (span > 0) reading.window = seconds_to_ns(span);
  if (window.now - last > window.stale_after)
    reading.trouble = fmt::format("stale: its last sample is {} old", format_duration(Duration(*reading.age)));
}

/// Series by metric, all of them for one device.
using Metrics = std::map<std::string, SeriesList, std::less<>>;

/// The value is there, and says so, but it is without some samples.
void note_left_out(SourceReadings& told, const LoadReading& reading, const std::string& left_out) {
  if (!left_out.empty())
    told.troubles.push_back(
        {"prometheus", fmt::format("{} of {} excludes {}", reading.name, reading.device, left_out)});
}

/// The mean over the series of a metric, each times the factor.
void add_by(const MetricRule& rule, const std::string& device, const Metrics& metrics, const MetricWindow& window,
            SourceReadings& all) {
  LoadReading& reading = all.readings.emplace_back(reading_of(rule.feature, device, "prometheus"));
  const auto found = metrics.find(rule.metric);
  if (found == metrics.end()) {
    reading.trouble = rule.hint.empty() ? fmt::format("Prometheus has no {}", rule.metric)
                                        : fmt::format("{} is {}", rule.metric, rule.hint);
    return;
  }
  if (!is_told_of(rule.feature, device)) {
    reading.trouble = "not reported for a GPU partition (MIG); gpu_engine_active_share shows how busy it is";
    return;
  }
  double sum = 0, last = window.now, span = 0;
  std::string trouble, left_out;
  const SeriesList told = still_told(found->second, window);
  for (const PrometheusSeries* series : told) {
    const SeriesValue one = value_of(*series, expected_of(rule), window);
    if (!one.value) trouble = fmt::format("{}: {}", rule.metric, one.trouble);
    if (!one.left_out.empty()) left_out = one.left_out;
    sum += one.value.value_or(0);
    last = std::min(last, one.last), span = std::max(span, one.span);
  }
  const double mean = sum / static_cast<double>(told.size()) * rule.factor;
  settle(reading, trouble.empty() ? std::optional(mean) : std::nullopt, last, span, trouble, window);
  if (reading.value) note_left_out(all, reading, left_out);
}

/// Seconds that processors spent in each mode, per second; without processors that tell no rate of a mode.
struct ModeRates {
  double busy = 0, iowait = 0, steal = 0, all = 0, last = 0, span = 0;
  std::string trouble, left_out;
};

ModeRates mode_rates(const SeriesList& told, const MetricWindow& window) {
  ModeRates rates;
  rates.last = window.now;
  std::map<std::string, std::string> untold;  // by processor: why
  std::set<std::string> processors;
  std::vector<SeriesValue> values;
  for (const PrometheusSeries* series : told) {
    values.push_back(value_of(*series, {SampleKind::counter, {0, 1}}, window));
    processors.insert(series->label("cpu"));
    if (!values.back().value) untold[series->label("cpu")] = values.back().trouble;
    if (!values.back().left_out.empty()) rates.left_out = values.back().left_out;
  }
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (untold.contains(told[i]->label("cpu"))) continue;
    const std::string mode = told[i]->label("mode");
    const double rate = *values[i].value;
    (mode == "iowait" ? rates.iowait : mode == "steal" ? rates.steal : rates.busy) += mode == "idle" ? 0 : rate;
    rates.all += rate;
    rates.last = std::min(rates.last, values[i].last), rates.span = std::max(rates.span, values[i].span);
  }
  if (!untold.empty())
    rates.left_out = fmt::format("{} of {} processors ({})", untold.size(), processors.size(), untold.begin()->second);
  if (2 * untold.size() >= processors.size() && !untold.empty())
    rates.trouble = fmt::format("{}: {}", processor_seconds, untold.begin()->second);
  else if (rates.all <= 0)
    rates.trouble = "the CPUs' times do not increase";
  return rates;
}

/// Processor seconds by mode: shares of their sum.
void add_processors(const Metrics& metrics, const MetricWindow& window, SourceReadings& told) {
  const auto found = metrics.find(processor_seconds);
  ModeRates rates;
  if (found == metrics.end())
    rates.trouble = fmt::format("Prometheus has no {}", processor_seconds);
  else
    rates = mode_rates(still_told(found->second, window), window);
  for (const auto& [feature, part] : {std::pair{"cpu_busy_share", rates.busy},
                                      {"cpu_iowait_share", rates.iowait},
                                      {"cpu_steal_share", rates.steal}}) {
    LoadReading& reading = told.readings.emplace_back(reading_of(feature, "host", "prometheus"));
    settle(reading, rates.trouble.empty() ? std::optional(part / rates.all) : std::nullopt, rates.last, rates.span,
           rates.trouble, window);
    if (reading.value) note_left_out(told, reading, rates.left_out);
  }
}

/// "gpu0", "gpu0/mig3".
std::string gpu_of(const PrometheusSeries& series) {
  const std::string gpu = series.label("gpu"), instance = series.label("GPU_I_ID");
  return fmt::format("gpu{}{}{}", gpu.empty() ? "0" : printable(gpu), instance.empty() ? "" : instance_mark,
                     printable(instance));
}

/// Values of two machines must not become one: which ones there are, if more than one.
std::string several_machines(const std::vector<PrometheusSeries>& series, std::string_view prefix) {
  std::set<std::string> machines;
  for (const auto& one : series)
    if (one.label("__name__").starts_with(prefix)) machines.insert(one.label("instance"));
  if (machines.size() < 2) return "";
  return fmt::format("the server has metrics of {} machines ({}, {}{}); choose one with match: {{instance: NAME}}",
                     machines.size(), printable(*machines.begin()), printable(*std::next(machines.begin())),
                     machines.size() > 2 ? ", ..." : "");
}

void add_node(SourceReadings& told, const Metrics& metrics, const MetricWindow& window) {
  add_processors(metrics, window, told);
  for (const MetricRule& rule : rules)
    if (rule.maker == Maker::node) add_by(rule, "host", metrics, window, told);
}

/// How long the exporter's probe worked; 0: an exporter that does not tell.
Nanoseconds window_of_probe(const std::vector<PrometheusSeries>& series, const MetricWindow& window) {
  for (const PrometheusSeries& one : series)
    if (one.label("__name__") == probe_window_metric)
      return seconds_to_ns(value_of(one, {SampleKind::gauge, {0, 1e4}}, window).value.value_or(0));
  return Nanoseconds(0);
}

void add_own(SourceReadings& told, const std::vector<PrometheusSeries>& series, const MetricWindow& window) {
  for (const PrometheusSeries& one : series) {
    const std::string name = one.label("__name__");
    if (!name.starts_with(own_prefix)) continue;
    const LoadFeature* const feature = find_load_feature(std::string_view(name).substr(own_prefix.size()));
    if (!feature) continue;
    LoadReading reading = reading_of(feature->name, printable(one.label("device")), "prometheus");
    const SeriesValue value = value_of(one, {SampleKind::gauge, feature->range}, window);
    settle(reading, value.value, value.last, value.span, value.trouble.empty() ? "" : name + ": " + value.trouble,
           window);
    if (reading.value) note_left_out(told, reading, value.left_out);
    if (reading.value && feature->name.starts_with("probe_")) reading.window = window_of_probe(series, window);
    told.readings.push_back(std::move(reading));
  }
}

/// A user's own figure can be anything, unless it has the name or the unit of a share.
LoadRange range_of(const std::string& name, const std::string& unit) {
  if (const LoadFeature* const known = find_load_feature(name)) return known->range;
  if (unit == "share") return {0, 1};
  return {std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max()};
}

}  // namespace

std::string metrics_query(double seconds, const std::map<std::string, std::string>& match) {
  std::string names(processor_seconds);
  for (const MetricRule& rule : rules) names += fmt::format("|{}", rule.metric);
  for (const LoadFeature& feature : load_features()) names += fmt::format("|{}{}", own_prefix, feature.name);
  names += fmt::format("|{}", probe_window_metric);
  std::string selector = "__name__=~" + promql_text(names);
  for (const auto& [label, value] : match) selector += "," + label + "=" + promql_text(value);
  return fmt::format("{{{}}}[{}ms]", selector, std::llround(seconds * 1000));
}

SourceReadings metric_readings(const std::vector<PrometheusSeries>& series, const MetricWindow& window) {
  SourceReadings told;
  Metrics node;
  std::map<std::string, Metrics> gpus;
  bool has_own = false;
  for (const PrometheusSeries& one : series) {
    const std::string metric = one.label("__name__");
    if (metric.starts_with(node_prefix)) node[metric].push_back(&one);
    if (metric.starts_with(dcgm_prefix)) gpus[gpu_of(one)][metric].push_back(&one);
    has_own = has_own || metric.starts_with(own_prefix);
  }
  const auto trouble = [&](std::string sentence) { told.troubles.push_back({"prometheus", std::move(sentence)}); };
  const auto is_of_one_machine = [&](std::string_view prefix) {
    std::string several = several_machines(series, prefix);
    if (several.empty()) return true;
    trouble(std::move(several));
    return false;
  };
  if (node.empty() && !has_own) trouble("it has no metrics of a node exporter, so it reports no CPU load");
  if (gpus.empty()) trouble("it has no metrics of a DCGM exporter, so it reports no GPU load");
  if (!node.empty() && is_of_one_machine(node_prefix)) add_node(told, node, window);
  if (is_of_one_machine(own_prefix)) add_own(told, series, window);
  if (is_of_one_machine(dcgm_prefix))
    for (const auto& [gpu, metrics] : gpus)
      for (const MetricRule& rule : rules)
        if (rule.maker == Maker::dcgm) add_by(rule, gpu, metrics, window, told);
  return told;
}

LoadReading own_reading(const std::string& name, const std::string& unit, const PrometheusAnswer& answer,
                        const MetricWindow& window) {
  LoadReading reading{name, "host", "prometheus", unit};
  if (answer.series.size() != 1) {
    reading.trouble =
        answer.series.empty()
            ? "the query returns nothing"
            : fmt::format("the query returns {} series, where one is needed; aggregate them with sum() or avg()",
                          answer.series.size());
    return reading;
  }
  const SeriesValue value = value_of(answer.series.front(), {SampleKind::gauge, range_of(name, unit)}, window);
  settle(reading, value.value, value.last, value.span, value.trouble, window);
  reading.age.reset();  // Prometheus computes the value for the time that is asked for, whatever the age of the samples
  return reading;
}

}  // namespace takt
