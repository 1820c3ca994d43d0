#include "predict/prometheus/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace takt {
namespace {

using Samples = std::vector<PrometheusSample>;
constexpr MetricWindow last_ten{990, 1000, 1000, 60};

PrometheusSeries series(std::string name, Samples samples, std::map<std::string, std::string> labels = {}) {
  labels["__name__"] = std::move(name);
  labels.emplace("instance", "box");
  return {std::move(labels), std::move(samples)};
}

const LoadReading& reading(const SourceReadings& told, std::string_view name, std::string_view device = "host") {
  for (const LoadReading& one : told.readings)
    if (one.name == name && one.device == device) return one;
  throw std::runtime_error("no reading " + std::string(name));
}

LoadReading one_reading(const std::string& metric, Samples samples, std::string_view feature,
                        const MetricWindow& window = last_ten, std::map<std::string, std::string> labels = {}) {
  const std::string device = metric.starts_with("DCGM") ? "gpu0" : "host";
  return reading(metric_readings({series(metric, std::move(samples), std::move(labels))}, window), feature, device);
}

TEST(PrometheusMetrics, a_gauge_is_the_mean_of_the_window_and_has_the_age_of_its_last_sample) {
  const auto load = one_reading("node_load1", {{985, 100}, {991, 1}, {996, 3}}, "load_average");
  EXPECT_DOUBLE_EQ(*load.value, 2);
  EXPECT_EQ(load.age, Nanoseconds(4'000'000'000));
  EXPECT_EQ(load.window, Nanoseconds(5'000'000'000));
  EXPECT_TRUE(load.is_live());
  const auto earlier = one_reading("node_load1", {{970, 5}, {985, 7}}, "load_average");
  EXPECT_DOUBLE_EQ(*earlier.value, 7) << "the last before the window, where there is none in it";
  EXPECT_EQ(earlier.window, std::nullopt);
  const auto later = one_reading("node_load1", {{985, 7}, {1003, 9}}, "load_average");
  EXPECT_DOUBLE_EQ(*later.value, 7) << "samples after the window do not count";
}

TEST(PrometheusMetrics, a_counter_is_what_it_grows_by_and_tells_nothing_while_it_falls) {
  const char* const metric = "node_pressure_cpu_waiting_seconds_total";
  EXPECT_DOUBLE_EQ(*one_reading(metric, {{970, 0}, {990, 5}, {1000, 9}}, "cpu_pressure_share").value, 0.4);
  EXPECT_DOUBLE_EQ(*one_reading(metric, {{990, 5}, {993, 6.5}, {996, 1}, {1000, 2}}, "cpu_pressure_share").value,
                   2.5 / 7)
      << "without the three seconds in which it fell";
  const auto fell = one_reading(metric, {{990, 5}, {1000, 1}}, "cpu_pressure_share");
  EXPECT_FALSE(fell.value);
  EXPECT_EQ(fell.trouble, std::string(metric) + ": this counter decreased, as after a restart");
  EXPECT_DOUBLE_EQ(*one_reading(metric, {{960, 2}, {980, 8}}, "cpu_pressure_share").value, 0.3) << "the last two";
  const auto one = one_reading(metric, {{995, 7}}, "cpu_pressure_share");
  EXPECT_FALSE(one.value);
  EXPECT_NE(one.trouble.find("only one sample"), std::string::npos);
}

TEST(PrometheusMetrics, old_values_and_values_that_are_none_are_named) {
  const auto stale = one_reading("node_load1", {{900, 2}}, "load_average");
  EXPECT_EQ(stale.value, 2);
  EXPECT_FALSE(stale.is_live());
  EXPECT_EQ(stale.trouble, "stale: its last sample is 100 s old");
  const auto nan = one_reading("node_load1", {{995, std::nan("")}}, "load_average");
  EXPECT_FALSE(nan.value);
  EXPECT_EQ(nan.trouble, "node_load1: its value is nan");
  const double blank = 9223372036854775794.0;
  const auto unfilled =
      one_reading("DCGM_FI_PROF_DRAM_ACTIVE", {{995, blank}}, "gpu_dram_active_share", last_ten, {{"gpu", "0"}});
  EXPECT_FALSE(unfilled.value);
  EXPECT_NE(unfilled.trouble.find("does not support this field"), std::string::npos);
  EXPECT_FALSE(one_reading("node_load1", {}, "load_average").value);
}

TEST(PrometheusMetrics, units_become_takts) {
  const auto of = [](const char* metric, double value, const char* feature) {
    return *one_reading(metric, {{995, value}}, feature, last_ten, {{"gpu", "0"}}).value;
  };
  EXPECT_DOUBLE_EQ(of("DCGM_FI_DEV_GPU_UTIL", 75, "gpu_busy_share"), 0.75);
  EXPECT_DOUBLE_EQ(of("DCGM_FI_PROF_SM_ACTIVE", 0.5, "gpu_sm_active_share"), 0.5);
  EXPECT_DOUBLE_EQ(of("DCGM_FI_DEV_SM_CLOCK", 1980, "gpu_sm_clock_hertz"), 1.98e9);
  EXPECT_DOUBLE_EQ(of("DCGM_FI_DEV_FB_USED", 2, "gpu_memory_used_bytes"), 2097152);
  EXPECT_DOUBLE_EQ(of("DCGM_FI_PROF_PCIE_TX_BYTES", 1e9, "gpu_pcie_sent_bytes_per_s"), 1e9);
}

TEST(PrometheusMetrics, every_metric_means_its_feature_in_its_unit) {
  struct Meaning {
    const char *metric, *feature;
    double told, meant;
  };
  // Counters grow by as much within ten seconds. Each value is another one.
  const Meaning counters[] = {
      {"node_pressure_cpu_waiting_seconds_total", "cpu_pressure_share", 1, 0.1},
      {"node_pressure_memory_waiting_seconds_total", "memory_pressure_share", 2, 0.2},
      {"node_pressure_io_waiting_seconds_total", "io_pressure_share", 3, 0.3},
      {"node_schedstat_waiting_seconds_total", "run_delay_share", 40, 4},
  };
  const Meaning gauges[] = {
      {"node_procs_running", "runnable_threads", 5, 5},
      {"node_load1", "load_average", 6, 6},
      {"node_cpu_scaling_frequency_hertz", "cpu_clock_hertz", 7e9, 7e9},
      {"node_memory_MemAvailable_bytes", "memory_available_bytes", 8e9, 8e9},
      {"DCGM_FI_DEV_GPU_UTIL", "gpu_busy_share", 9, 0.09},
      {"DCGM_FI_DEV_MEM_COPY_UTIL", "gpu_memory_busy_share", 10, 0.10},
      {"DCGM_FI_PROF_GR_ENGINE_ACTIVE", "gpu_engine_active_share", 0.11, 0.11},
      {"DCGM_FI_PROF_SM_ACTIVE", "gpu_sm_active_share", 0.12, 0.12},
      {"DCGM_FI_PROF_SM_OCCUPANCY", "gpu_sm_occupancy_share", 0.13, 0.13},
      {"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "gpu_tensor_active_share", 0.14, 0.14},
      {"DCGM_FI_PROF_PIPE_FP64_ACTIVE", "gpu_fp64_active_share", 0.15, 0.15},
      {"DCGM_FI_PROF_PIPE_FP32_ACTIVE", "gpu_fp32_active_share", 0.16, 0.16},
      {"DCGM_FI_PROF_PIPE_FP16_ACTIVE", "gpu_fp16_active_share", 0.17, 0.17},
      {"DCGM_FI_PROF_DRAM_ACTIVE", "gpu_dram_active_share", 0.18, 0.18},
      {"DCGM_FI_PROF_PCIE_TX_BYTES", "gpu_pcie_sent_bytes_per_s", 19, 19},
      {"DCGM_FI_PROF_PCIE_RX_BYTES", "gpu_pcie_received_bytes_per_s", 20, 20},
      {"DCGM_FI_DEV_SM_CLOCK", "gpu_sm_clock_hertz", 21, 21e6},
      {"DCGM_FI_DEV_MEM_CLOCK", "gpu_memory_clock_hertz", 22, 22e6},
      {"DCGM_FI_DEV_POWER_USAGE", "gpu_power_watts", 23, 23},
      {"DCGM_FI_DEV_GPU_TEMP", "gpu_temperature_celsius", 24, 24},
      {"DCGM_FI_DEV_FB_USED", "gpu_memory_used_bytes", 25, 25 * 1048576.0},
      {"DCGM_FI_DEV_FB_FREE", "gpu_memory_free_bytes", 26, 26 * 1048576.0},
  };
  std::vector<PrometheusSeries> all;
  for (const Meaning& one : counters) all.push_back(series(one.metric, {{990, 100}, {1000, 100 + one.told}}));
  for (const Meaning& one : gauges) all.push_back(series(one.metric, {{995, one.told}}));
  const auto told = metric_readings(all, last_ten);
  std::string names = "node_cpu_seconds_total";
  const auto expect_meaning = [&](const Meaning& one) {
    const char* const device = std::string(one.metric).starts_with("DCGM") ? "gpu0" : "host";
    const LoadReading& found = reading(told, one.feature, device);
    EXPECT_DOUBLE_EQ(found.value.value_or(-1), one.meant) << one.metric << found.trouble;
    EXPECT_EQ(found.source, "prometheus");
    names += "|" + std::string(one.metric);
  };
  for (const Meaning& one : counters) expect_meaning(one);
  for (const Meaning& one : gauges) expect_meaning(one);
  EXPECT_EQ(told.readings.size(), std::size(counters) + std::size(gauges) + 3) << "and the processors' three shares";
  for (const LoadFeature& feature : load_features()) names += "|takt_" + std::string(feature.name);
  names += "|takt_probe_window_seconds";
  EXPECT_EQ(metrics_query(1.5, {}), "{__name__=~\"" + names + "\"}[1500ms]");
}

TEST(PrometheusMetrics, a_metric_that_is_missing_says_what_would_bring_it) {
  const auto told = metric_readings({series("DCGM_FI_DEV_GPU_TEMP", {{995, 1}})}, last_ten);
  const std::string hint =
      " is not among DCGM's metrics; add it to the exporter's list of counters (dcgm-exporter -f FILE)";
  for (const auto& [feature, metric] : {std::pair("gpu_sm_active_share", "DCGM_FI_PROF_SM_ACTIVE"),
                                        {"gpu_sm_occupancy_share", "DCGM_FI_PROF_SM_OCCUPANCY"},
                                        {"gpu_fp64_active_share", "DCGM_FI_PROF_PIPE_FP64_ACTIVE"},
                                        {"gpu_fp32_active_share", "DCGM_FI_PROF_PIPE_FP32_ACTIVE"},
                                        {"gpu_fp16_active_share", "DCGM_FI_PROF_PIPE_FP16_ACTIVE"}})
    EXPECT_EQ(reading(told, feature, "gpu0").trouble, metric + hint);
  EXPECT_EQ(reading(told, "gpu_tensor_active_share", "gpu0").trouble,
            "Prometheus has no DCGM_FI_PROF_PIPE_TENSOR_ACTIVE");
}

TEST(PrometheusMetrics, both_shares_that_are_told_of_whole_gpus_only_are_none_of_a_part) {
  const std::map<std::string, std::string> part{{"gpu", "2"}, {"GPU_I_ID", "5"}};
  const auto told = metric_readings(
      {series("DCGM_FI_DEV_GPU_UTIL", {{995, 10}}, part), series("DCGM_FI_DEV_MEM_COPY_UTIL", {{995, 20}}, part),
       series("DCGM_FI_DEV_POWER_USAGE", {{995, 30}}, part)},
      last_ten);
  for (const char* feature : {"gpu_busy_share", "gpu_memory_busy_share"})
    EXPECT_EQ(reading(told, feature, "gpu2/mig5").trouble,
              "not reported for a GPU partition (MIG); gpu_engine_active_share shows how busy it is");
  EXPECT_EQ(reading(told, "gpu_power_watts", "gpu2/mig5").value, 30);
}

TEST(PrometheusMetrics, processors_are_shares_of_all_modes) {
  std::vector<PrometheusSeries> all;
  // In ten seconds two processors have twenty: 5 busy, 1 waiting for a disk, 14 idle.
  for (const auto& [mode, grown] :
       std::map<std::string, double>{{"user", 3}, {"system", 2}, {"iowait", 1}, {"idle", 14}})
    for (const char* cpu : {"0", "1"})
      all.push_back(
          series("node_cpu_seconds_total", {{990, 100}, {1000, 100 + grown / 2}}, {{"mode", mode}, {"cpu", cpu}}));
  const auto told = metric_readings(all, last_ten);
  EXPECT_DOUBLE_EQ(*reading(told, "cpu_busy_share").value, 0.25);
  EXPECT_DOUBLE_EQ(*reading(told, "cpu_iowait_share").value, 0.05);
  EXPECT_DOUBLE_EQ(*reading(told, "cpu_steal_share").value, 0);
  EXPECT_EQ(reading(told, "load_average").trouble, "Prometheus has no node_load1");
}

TEST(PrometheusMetrics, one_figure_of_many_processors_is_their_mean) {
  const auto told = metric_readings({series("node_cpu_scaling_frequency_hertz", {{995, 1e9}}, {{"cpu", "0"}}),
                                     series("node_cpu_scaling_frequency_hertz", {{994.5, 3e9}}, {{"cpu", "1"}})},
                                    last_ten);
  EXPECT_DOUBLE_EQ(*reading(told, "cpu_clock_hertz").value, 2e9);
  EXPECT_EQ(reading(told, "cpu_clock_hertz").age, Nanoseconds(5'500'000'000)) << "that of the oldest";
}

TEST(PrometheusMetrics, a_series_that_has_ended_counts_no_more) {
  const auto gpu = [](const char* pod, Samples samples) {
    return series("DCGM_FI_DEV_GPU_UTIL", std::move(samples), {{"gpu", "0"}, {"pod", pod}});
  };
  const std::vector<PrometheusSeries> all{gpu("old", {{975, 90}, {980, 100}}), gpu("new", {{990, 40}, {995, 50}})};
  EXPECT_DOUBLE_EQ(*reading(metric_readings(all, last_ten), "gpu_busy_share", "gpu0").value, 0.45);
  const std::vector<PrometheusSeries> begun{gpu("old", {{975, 90}, {990, 100}}), gpu("new", {{995, 50}})};
  EXPECT_DOUBLE_EQ(*reading(metric_readings(begun, last_ten), "gpu_busy_share", "gpu0").value, 0.5);
}

TEST(PrometheusMetrics, numbers_that_overflow_are_none) {
  const auto huge = one_reading("node_load1", {{992, 1.7e308}, {995, 1.7e308}}, "load_average");
  EXPECT_FALSE(huge.value);
  EXPECT_FALSE(huge.trouble.empty());
}

TEST(PrometheusMetrics, gpus_are_told_apart_and_missing_counters_named) {
  const auto told =
      metric_readings({series("DCGM_FI_DEV_GPU_UTIL", {{995, 10}}, {{"gpu", "0"}}),
                       series("DCGM_FI_DEV_GPU_UTIL", {{995, 20}}, {{"gpu", "1"}}),
                       series("DCGM_FI_PROF_GR_ENGINE_ACTIVE", {{995, 0.3}}, {{"gpu", "1"}, {"GPU_I_ID", "3"}})},
                      last_ten);
  EXPECT_DOUBLE_EQ(*reading(told, "gpu_busy_share", "gpu0").value, 0.1);
  EXPECT_DOUBLE_EQ(*reading(told, "gpu_busy_share", "gpu1").value, 0.2);
  EXPECT_DOUBLE_EQ(*reading(told, "gpu_engine_active_share", "gpu1/mig3").value, 0.3);
  EXPECT_NE(reading(told, "gpu_sm_active_share", "gpu0").trouble.find("dcgm-exporter -f"), std::string::npos);
}

bool tells_trouble(const SourceReadings& told, const std::string& sentence) {
  for (const SourceTrouble& trouble : told.troubles)
    if (trouble.sentence == sentence) return true;
  return false;
}

TEST(PrometheusMetrics, a_broken_sample_among_good_ones_is_left_out_and_counted) {
  const auto told = metric_readings(
      {series("DCGM_FI_DEV_GPU_UTIL", {{990, 40}, {992, 42}, {994, 4294967295}, {996, 38}, {998, 40}}, {{"gpu", "0"}}),
       series("DCGM_FI_DEV_GPU_UTIL", {{990, 0}, {992, 0}, {994, 100000}, {996, 0}, {998, 0}}, {{"gpu", "1"}})},
      last_ten);
  EXPECT_DOUBLE_EQ(*reading(told, "gpu_busy_share", "gpu0").value, 0.4);
  EXPECT_DOUBLE_EQ(*reading(told, "gpu_busy_share", "gpu1").value, 0);
  EXPECT_TRUE(reading(told, "gpu_busy_share", "gpu0").is_live());
  EXPECT_TRUE(tells_trouble(
      told, "gpu_busy_share of gpu0 excludes 1 of 5 samples (reported 4294967295, which is not a valid value)"));
  EXPECT_TRUE(
      tells_trouble(told, "gpu_busy_share of gpu1 excludes 1 of 5 samples (reported 100000, which is more than 100)"));
}

TEST(PrometheusMetrics, where_half_of_the_samples_are_broken_there_is_no_value) {
  const auto dcgm = [](const char* metric, Samples samples, const char* feature) {
    return one_reading(metric, std::move(samples), feature, last_ten, {{"gpu", "0"}});
  };
  const auto active = dcgm("DCGM_FI_PROF_SM_ACTIVE", {{992, 1.294}, {996, 1.294}}, "gpu_sm_active_share");
  EXPECT_FALSE(active.value);
  EXPECT_EQ(active.trouble, "DCGM_FI_PROF_SM_ACTIVE: reported 1.294, which is more than 1 (2 of 2 samples)");
  EXPECT_FALSE(dcgm("DCGM_FI_DEV_GPU_UTIL", {{992, 50}, {996, 20000}}, "gpu_busy_share").value);
  EXPECT_FALSE(dcgm("DCGM_FI_DEV_GPU_TEMP", {{996, 4294967295}}, "gpu_temperature_celsius").value);
  EXPECT_FALSE(dcgm("DCGM_FI_PROF_PCIE_TX_BYTES", {{996, 4294967295}}, "gpu_pcie_sent_bytes_per_s").value)
      << "all ones are no value, even where the number could be";
  EXPECT_FALSE(dcgm("DCGM_FI_DEV_FB_USED", {{996, 18446744073709551615.0}}, "gpu_memory_used_bytes").value);
  EXPECT_FALSE(dcgm("DCGM_FI_DEV_POWER_USAGE", {{996, -3}}, "gpu_power_watts").value);
}

TEST(PrometheusMetrics, how_busy_a_part_of_a_gpu_is_its_engine_tells) {
  const auto told =
      metric_readings({series("DCGM_FI_DEV_GPU_UTIL", {{995, 0}}, {{"gpu", "3"}, {"GPU_I_ID", "1"}}),
                       series("DCGM_FI_PROF_GR_ENGINE_ACTIVE", {{995, 1}}, {{"gpu", "3"}, {"GPU_I_ID", "1"}})},
                      last_ten);
  EXPECT_FALSE(reading(told, "gpu_busy_share", "gpu3/mig1").value);
  EXPECT_NE(reading(told, "gpu_busy_share", "gpu3/mig1").trouble.find("gpu_engine_active_share"), std::string::npos);
  EXPECT_EQ(reading(told, "gpu_engine_active_share", "gpu3/mig1").value, 1);
}

TEST(PrometheusMetrics, a_counter_that_jumps_is_no_load) {
  const char* const metric = "node_pressure_io_waiting_seconds_total";
  const auto jump = one_reading(metric, {{990, 5}, {1000, 4294967295}}, "io_pressure_share");
  EXPECT_FALSE(jump.value);
  EXPECT_NE(jump.trouble.find("more than 1"), std::string::npos) << jump.trouble;
  const auto around =
      one_reading(metric, {{990, 5}, {992, 6}, {994, 7}, {996, 8}, {998, 1e12}, {1000, 9}}, "io_pressure_share");
  EXPECT_DOUBLE_EQ(*around.value, 0.5) << "3 in 6 seconds: neither the jump nor the fall after it counts";
}

TEST(PrometheusMetrics, a_processor_whose_counters_fall_is_left_out_with_all_its_modes) {
  std::vector<PrometheusSeries> all;
  for (const char* cpu : {"0", "1", "2"})
    for (const auto& [mode, grown] : std::map<std::string, double>{{"user", 2}, {"iowait", 0}, {"idle", 8}}) {
      const double by = mode == "iowait" && cpu == std::string("1") ? -50 : grown;
      all.push_back(series("node_cpu_seconds_total", {{990, 100}, {1000, 100 + by}}, {{"mode", mode}, {"cpu", cpu}}));
    }
  const auto told = metric_readings(all, last_ten);
  EXPECT_DOUBLE_EQ(*reading(told, "cpu_busy_share").value, 0.2);
  EXPECT_DOUBLE_EQ(*reading(told, "cpu_iowait_share").value, 0);
  EXPECT_TRUE(tells_trouble(
      told, "cpu_busy_share of host excludes 1 of 3 processors (this counter decreased, as after a restart)"));
}

TEST(PrometheusMetrics, shares_are_of_the_seconds_of_every_mode) {
  std::vector<PrometheusSeries> all;
  for (const char* cpu : {"0", "1"})
    for (const auto& [mode, grown] :
         std::map<std::string, double>{{"user", 1}, {"nice", 2}, {"iowait", 0.5}, {"steal", 1.5}, {"idle", 5}})
      all.push_back(series("node_cpu_seconds_total", {{990, 100}, {999, 100 + grown}}, {{"mode", mode}, {"cpu", cpu}}));
  const auto told = metric_readings(all, last_ten);
  EXPECT_DOUBLE_EQ(*reading(told, "cpu_busy_share").value, 0.3);
  EXPECT_DOUBLE_EQ(*reading(told, "cpu_iowait_share").value, 0.05);
  EXPECT_DOUBLE_EQ(*reading(told, "cpu_steal_share").value, 0.15);
  EXPECT_EQ(reading(told, "cpu_steal_share").age, Nanoseconds(1'000'000'000));
  EXPECT_EQ(reading(told, "cpu_steal_share").window, Nanoseconds(9'000'000'000));
}

TEST(PrometheusMetrics, where_half_of_the_processors_tell_no_rate_there_is_no_share) {
  const auto trouble_of = [](int processors, int falling) {
    std::vector<PrometheusSeries> all;
    for (int cpu = 0; cpu < processors; ++cpu)
      all.push_back(series("node_cpu_seconds_total", {{990, 100}, {1000, cpu < falling ? 50.0 : 105.0}},
                           {{"mode", "user"}, {"cpu", std::to_string(cpu)}}));
    return reading(metric_readings(all, last_ten), "cpu_busy_share").trouble;
  };
  EXPECT_EQ(trouble_of(3, 1), "");
  EXPECT_EQ(trouble_of(2, 1), "node_cpu_seconds_total: this counter decreased, as after a restart");
  EXPECT_EQ(trouble_of(1, 1), "node_cpu_seconds_total: this counter decreased, as after a restart");
  const auto still = metric_readings(
      {series("node_cpu_seconds_total", {{990, 100}, {1000, 100}}, {{"mode", "user"}, {"cpu", "0"}})}, last_ten);
  EXPECT_EQ(reading(still, "cpu_steal_share").trouble, "the CPUs' times do not increase");
}

TEST(PrometheusMetrics, of_many_machines_two_are_named) {
  std::vector<PrometheusSeries> all;
  for (const char* box : {"c:1", "a:1", "b:1"}) {
    all.push_back(series("DCGM_FI_DEV_GPU_TEMP", {{995, 1}}, {{"instance", box}}));
    all.push_back(series("takt_load_average", {{995, 1}}, {{"instance", box}, {"device", "host"}}));
  }
  const auto told = metric_readings(all, last_ten);
  EXPECT_TRUE(told.readings.empty());
  ASSERT_EQ(told.troubles.size(), 2u);
  for (const SourceTrouble& trouble : told.troubles)
    EXPECT_EQ(trouble.sentence,
              "the server has metrics of 3 machines (a:1, b:1, ...); choose one with match: {instance: NAME}");
}

TEST(PrometheusMetrics, a_value_is_stale_when_it_is_older_than_it_may_be) {
  EXPECT_EQ(one_reading("node_load1", {{940, 2}}, "load_average").trouble, "") << "60 s";
  EXPECT_EQ(one_reading("node_load1", {{939.5, 2}}, "load_average").trouble, "stale: its last sample is 60.5 s old");
}

TEST(PrometheusMetrics, two_machines_are_not_mixed) {
  const auto told = metric_readings({series("node_load1", {{995, 1}}, {{"instance", "a:9100"}}),
                                     series("node_load1", {{995, 2}}, {{"instance", "b:9100"}})},
                                    last_ten);
  EXPECT_TRUE(told.readings.empty());
  ASSERT_FALSE(told.troubles.empty());
  bool found = false;
  for (const auto& trouble : told.troubles)
    found =
        found || trouble.sentence ==
                     "the server has metrics of 2 machines (a:9100, b:9100); choose one with match: {instance: NAME}";
  EXPECT_TRUE(found);
}

TEST(PrometheusMetrics, nothing_there_names_the_exporters) {
  const auto told = metric_readings({}, last_ten);
  ASSERT_EQ(told.troubles.size(), 2u);
  EXPECT_NE(told.troubles[0].sentence.find("node exporter"), std::string::npos);
  EXPECT_NE(told.troubles[1].sentence.find("DCGM"), std::string::npos);
}

TEST(PrometheusMetrics, what_a_probe_tells_is_a_mean_over_its_work) {
  const std::map<std::string, std::string> host{{"device", "host"}};
  const auto waited = series("takt_probe_wait_ratio", {{995, 0.25}, {999, 0.75}}, host);
  const auto told = metric_readings({waited, series("takt_probe_window_seconds", {{995, 0.5}, {999, 0.5}}, host),
                                     series("takt_cpu_busy_share", {{995, 0.5}, {999, 0.5}}, host)},
                                    last_ten);
  EXPECT_EQ(reading(told, "probe_wait_ratio").window, Nanoseconds(500'000'000));
  EXPECT_NE(reading(told, "cpu_busy_share").window, Nanoseconds(500'000'000));
  EXPECT_EQ(reading(metric_readings({waited}, last_ten), "probe_wait_ratio").window, Nanoseconds(0))
      << "an exporter that does not tell";
}

TEST(PrometheusMetrics, takts_own_metrics_keep_their_name) {
  const auto told =
      metric_readings({series("takt_probe_wait_ratio", {{999, 0.5}}, {{"device", "host"}, {"source", "probe"}}),
                       series("takt_build_info", {{999, 1}})},
                      last_ten);
  EXPECT_DOUBLE_EQ(*reading(told, "probe_wait_ratio").value, 0.5);
  EXPECT_EQ(told.readings.size(), 1u);
  const auto broken =
      metric_readings({series("takt_cpu_busy_share", {{991, 0.25}, {995, 7}, {999, 0.75}}, {{"device", "host"}}),
                       series("takt_gpu_busy_share", {{999, 7}}, {{"device", "gpu1"}})},
                      last_ten);
  EXPECT_DOUBLE_EQ(*reading(broken, "cpu_busy_share").value, 0.5);
  EXPECT_TRUE(
      tells_trouble(broken, "cpu_busy_share of host excludes 1 of 3 samples (reported 7, which is more than 1)"));
  EXPECT_EQ(reading(broken, "gpu_busy_share", "gpu1").trouble, "takt_gpu_busy_share: reported 7, which is more than 1");
}

TEST(PrometheusMetrics, the_query_asks_for_samples_and_quotes_labels) {
  const std::string query = metrics_query(60, {{"instance", "a\"b\\c"}});
  EXPECT_EQ(query.rfind("{__name__=~\"node_cpu_seconds_total|", 0), 0u) << query;
  EXPECT_TRUE(query.ends_with(",instance=\"a\\\"b\\\\c\"}[60000ms]")) << query;
}

TEST(PrometheusMetrics, a_users_own_query_gives_one_series_or_is_named) {
  PrometheusAnswer answer{PrometheusAnswer::Kind::matrix, {series("", {{991, 1}, {995, 2}})}, {}};
  EXPECT_DOUBLE_EQ(*own_reading("queue", "requests", answer, last_ten).value, 1.5);
  EXPECT_EQ(own_reading("queue", "requests", answer, last_ten).age, std::nullopt);
  answer.series.push_back(answer.series.front());
  EXPECT_EQ(own_reading("queue", "requests", answer, last_ten).trouble,
            "the query returns 2 series, where one is needed; aggregate them with sum() or avg()");
  answer.series.clear();
  EXPECT_EQ(own_reading("queue", "requests", answer, last_ten).trouble, "the query returns nothing");
  answer.series = {series("", {{991, 3}, {997, 3}})};
  const LoadReading found = own_reading("queue", "requests", answer, last_ten);
  EXPECT_EQ(found.name + " " + found.device + " " + found.source + " " + found.unit, "queue host prometheus requests");
  EXPECT_EQ(found.value, 3);
  EXPECT_EQ(found.window, Nanoseconds(6'000'000'000));
  EXPECT_EQ(own_reading("queue", "share", answer, last_ten).trouble,
            "reported 3, which is more than 1 (2 of 2 samples)");
  EXPECT_FALSE(own_reading("gpu_busy_share", "", answer, last_ten).value) << "by its name a share";
  EXPECT_EQ(own_reading("gpu_power_watts", "", answer, last_ten).value, 3);
}

}  // namespace
}  // namespace takt
