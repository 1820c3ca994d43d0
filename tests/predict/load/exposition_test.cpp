#include "predict/sources/exposition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>

#include "base/basics/text.h"
#include "base/system/version.h"
#include "predict/prometheus/metrics.h"

namespace takt {
namespace {

/// Prometheus' text format, version 0.0.4, read by the letter: every metric has its help and type before its first
/// sample and its samples together; labels are quoted; no sample is there twice.
std::vector<PrometheusSeries> parse_exposition(const std::string& text) {
  static const std::regex help("# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)"),
      type("# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) gauge"), sample("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)\\})? (\\S+)"),
      label("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\\n]|\\\\[\\\\\"n])*)\"(,|$)");
  EXPECT_TRUE(text.ends_with('\n'));
  std::vector<PrometheusSeries> found;
  std::set<std::string> ended, seen;
  std::string metric, described;
  auto lines = split(text, '\n');
  lines.pop_back();
  for (const std::string& line : lines) {
    std::smatch match;
    if (std::regex_match(line, match, help)) {
      ended.insert(metric), metric.clear();
      described = match[1];
      EXPECT_FALSE(ended.contains(described)) << "told in two places: " << described;
    } else if (std::regex_match(line, match, type)) {
      metric = match[1];
      EXPECT_EQ(metric, described);
    } else if (std::regex_match(line, match, sample)) {
      EXPECT_EQ(match[1], metric) << line;
      EXPECT_TRUE(seen.insert(line.substr(0, line.rfind(' '))).second) << line;
      PrometheusSeries& one = found.emplace_back();
      one.labels["__name__"] = match[1];
      std::string rest = match[2];
      for (std::smatch part; std::regex_search(rest, part, label, std::regex_constants::match_continuous);
           rest = part.suffix())
        one.labels[part[1]] = part[2];
      EXPECT_EQ(rest, "") << line;
      const auto value = number_in<double>(std::string_view(line).substr(line.rfind(' ') + 1));
      EXPECT_TRUE(value) << line;
      one.samples = {{1000, value.value_or(0)}};
    } else {
      ADD_FAILURE() << "no line of the format: " << line;
    }
  }
  return found;
}

LoadReading reading_told(const char* feature, const char* device, const char* source, std::optional<double> value) {
  LoadReading reading = reading_of(feature, device, source);
  reading.value = value;
  if (!value) reading.trouble = "no";
  return reading;
}

const LoadSnapshot snapshot{
    Nanoseconds(5'000'000'000),
    {reading_told("cpu_busy_share", "host", "host", 0.1234567890123),
     reading_told("gpu_busy_share", "gpu0", "nvml", 0.5), reading_told("gpu_busy_share", "gpu1", "nvml", 1),
     reading_told("probe_compute_flops", "host", "probe", 1.23e11),
     reading_told("io_pressure_share", "host", "host", std::nullopt),
     reading_told("gpu_power_watts", "a\"b\\c\nd", "nvml", 300)},
    {}};

TEST(Exposition, the_time_that_the_probe_worked_is_told) {
  LoadSnapshot probed = snapshot;
  probed.readings.push_back(reading_told("probe_wait_ratio", "host", "probe", 0.5));
  probed.readings.back().window = Nanoseconds(500'000'000);
  const auto told = metric_readings(parse_exposition(exposition(probed, {"probe"}, Nanoseconds(6'000'000'000))),
                                    {990, 1000, 1000, 60});
  EXPECT_EQ(std::count_if(told.readings.begin(), told.readings.end(),
                          [](const LoadReading& reading) {
                            return reading.name == "probe_wait_ratio" && reading.window == Nanoseconds(500'000'000);
                          }),
            1);
  EXPECT_EQ(exposition(snapshot, {"probe"}, Nanoseconds(0)).find("takt_probe_window_seconds"), std::string::npos);
}

TEST(Exposition, is_prometheus_text_and_keeps_every_value) {
  const auto series = parse_exposition(exposition(snapshot, {"host", "nvml", "probe"}, Nanoseconds(7'500'000'000)));
  const auto read = metric_readings(series, {990, 1000, 1000, 60});
  std::map<std::string, double> values;
  for (const LoadReading& one : read.readings) values[one.name + " " + one.device] = one.value.value_or(-1);
  EXPECT_EQ(values["cpu_busy_share host"], 0.1234567890123);
  EXPECT_EQ(values["gpu_busy_share gpu0"], 0.5);
  EXPECT_EQ(values["gpu_busy_share gpu1"], 1);
  EXPECT_EQ(values["probe_compute_flops host"], 1.23e11);
  EXPECT_EQ(values.size(), 5u) << "nothing else has a value";
  const auto value_of = [&](const std::string& name, const std::string& source) {
    for (const auto& one : series)
      if (one.label("__name__") == name && one.label("source") == source) return one.samples.front().value;
    return -1.0;
  };
  EXPECT_EQ(value_of("takt_load_age_seconds", ""), 2.5);
  EXPECT_EQ(value_of("takt_load_missing", "host"), 1);
  EXPECT_EQ(value_of("takt_load_source_up", "nvml"), 1);
  std::map<std::string, int> heads;
  const std::string text = exposition(snapshot, {"host", "nvml", "probe"}, Nanoseconds(0));
  for (std::size_t at = text.find("# TYPE "); at != text.npos; at = text.find("# TYPE ", at + 1))
    ++heads[text.substr(at, text.find('\n', at) - at)];
  for (const auto& [head, count] : heads) EXPECT_EQ(count, 1) << head;
  EXPECT_EQ(heads.size(), 4u + 1 + 3);
  EXPECT_NE(text.find("takt_load_age_seconds 0\n"), text.npos) << "not below 0";
}

TEST(Exposition, is_the_same_to_the_last_letter) {
  LoadSnapshot few{
      Nanoseconds(5'000'000'000),
      {reading_told("load_average", "host", "host", 1.5), reading_told("load_average", "host", "probe", 2.5),
       reading_told("gpu_power_watts", "gpu0", "nvml", std::nullopt),
       reading_told("cpu_busy_share", "host", "host", 0.25)},
      {}};
  few.readings.push_back(reading_told("cpu_steal_share", "host", "prometheus", 0.75));
  few.readings.back().trouble = "stale";
  few.readings.push_back(reading_told("runnable_threads", "host", "host", HUGE_VAL));
  EXPECT_EQ(exposition(few, {"host", "nvml", "probe", "prometheus"}, Nanoseconds(6'250'000'000)),
            "# HELP takt_cpu_busy_share Share of CPU time that was busy: not idle, waiting for a disk or stolen.\n"
            "# TYPE takt_cpu_busy_share gauge\n"
            "takt_cpu_busy_share{device=\"host\",source=\"host\"} 0.25\n"
            "# HELP takt_load_average Threads that were runnable or waited for a disk: mean over about a minute.\n"
            "# TYPE takt_load_average gauge\n"
            "takt_load_average{device=\"host\",source=\"host\"} 1.5\n"
            "takt_load_average{device=\"host\",source=\"probe\"} 2.5\n"
            "# HELP takt_load_missing 1: the metric could not be read.\n"
            "# TYPE takt_load_missing gauge\n"
            "takt_load_missing{feature=\"gpu_power_watts\",device=\"gpu0\",source=\"nvml\"} 1\n"
            "takt_load_missing{feature=\"cpu_steal_share\",device=\"host\",source=\"prometheus\"} 1\n"
            "# HELP takt_load_source_up 1: the source reports at least one metric.\n"
            "# TYPE takt_load_source_up gauge\n"
            "takt_load_source_up{source=\"host\"} 1\n"
            "takt_load_source_up{source=\"nvml\"} 0\n"
            "takt_load_source_up{source=\"probe\"} 1\n"
            "takt_load_source_up{source=\"prometheus\"} 0\n"
            "# HELP takt_load_age_seconds Time since the metrics were read.\n"
            "# TYPE takt_load_age_seconds gauge\n"
            "takt_load_age_seconds 1.25\n"
            "# HELP takt_build_info 1; the version of takt is a label.\n"
            "# TYPE takt_build_info gauge\n"
            "takt_build_info{version=\"" +
                std::string(version) + "\"} 1\n");
}

TEST(Exposition, of_nothing_says_so) {
  const std::string text = exposition({}, {"nvml"}, Nanoseconds(0));
  parse_exposition(text);
  EXPECT_NE(text.find("takt_load_source_up{source=\"nvml\"} 0\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("takt_cpu"), std::string::npos);
}

TEST(Exposition, escapes_what_a_label_may_not_hold) {
  EXPECT_NE(
      exposition(snapshot, {}, Nanoseconds(0)).find(R"(takt_gpu_power_watts{device="a\"b\\c\nd",source="nvml"} 300)"),
      std::string::npos);
}

}  // namespace
}  // namespace takt
