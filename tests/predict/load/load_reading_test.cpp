#include "predict/load/reading.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "base/basics/text.h"
#include "predict/load/source.h"

namespace takt {
namespace {

TEST(LoadFeatures, have_one_name_each_that_ends_in_the_unit) {
  const std::set<std::pair<std::string_view, std::string_view>> endings{
      {"share", "_share"},  {"Hz", "_hertz"}, {"B", "_bytes"},  {"B/s", "_bytes_per_s"},
      {"FLOP/s", "_flops"}, {"W", "_watts"},  {"C", "_celsius"}};
  std::set<std::string_view> names;
  for (const LoadFeature& feature : load_features()) {
    EXPECT_TRUE(names.insert(feature.name).second) << feature.name;
    EXPECT_EQ(find_load_feature(feature.name), &feature);
    for (const auto& [unit, ending] : endings)
      if (feature.unit == unit) {
        EXPECT_TRUE(feature.name.ends_with(ending)) << feature.name;
      }
  }
  EXPECT_EQ(find_load_feature("cpu_busy"), nullptr);
}

TEST(LoadFeatures, have_a_range_and_a_value_beyond_it_is_missing_with_the_reason) {
  for (const LoadFeature& feature : load_features()) {
    EXPECT_LT(feature.range.least, feature.range.most) << feature.name;
    for (const double broken : {1e18, -1e18, std::numeric_limits<double>::infinity(), std::nan("")}) {
      LoadReading reading = reading_of(feature.name, "host", "probe");
      reading.value = broken, reading.age = Nanoseconds(1), reading.window = Nanoseconds(2);
      reading = checked(reading);
      EXPECT_FALSE(reading.value || reading.age || reading.window) << feature.name;
      EXPECT_EQ(reading.trouble.rfind("reported ", 0), 0u) << reading.trouble;
    }
  }
}

TEST(LoadFeatures, are_these_with_their_units_and_ranges) {
  struct Expected {
    const char *unit, *names;
    double least, most;
  };
  // In the order in which they are told.
  const Expected expected[] = {
      {"share", "cpu_busy_share cpu_iowait_share cpu_steal_share", 0, 1},
      {"share", "cpu_throttled_share", 0, 1e4},
      {"share", "cpu_pressure_share memory_pressure_share io_pressure_share", 0, 1},
      {"share", "run_delay_share", 0, 1e4},
      {"threads", "runnable_threads load_average", 0, 1e7},
      {"Hz", "cpu_clock_hertz", 0, 5e10},
      {"B", "memory_available_bytes", 0, 1e16},
      {"FLOP/s", "probe_compute_flops", 0, 1e17},
      {"B/s", "probe_memory_bytes_per_s", 0, 1e14},
      {"ratio", "probe_wait_ratio probe_fair_wait_ratio probe_wait_trend probe_wall_ratio", 0, 1e9},
      {"share",
       "gpu_busy_share gpu_memory_busy_share gpu_engine_active_share gpu_sm_active_share gpu_sm_occupancy_share "
       "gpu_tensor_active_share gpu_fp64_active_share gpu_fp32_active_share gpu_fp16_active_share "
       "gpu_dram_active_share",
       0, 1},
      {"B/s", "gpu_pcie_sent_bytes_per_s gpu_pcie_received_bytes_per_s", 0, 1e14},
      {"Hz", "gpu_sm_clock_hertz gpu_memory_clock_hertz", 0, 5e10},
      {"W", "gpu_power_watts", 0, 2e4},
      {"C", "gpu_temperature_celsius", -100, 250},
      {"B", "gpu_memory_used_bytes gpu_memory_free_bytes", 0, 1e16},
      {"FLOP/s", "gpu_probe_flops", 0, 1e17},
      {"B/s", "gpu_probe_copy_bytes_per_s", 0, 1e14},
      {"ratio", "gpu_probe_wall_ratio", 0, 1e9},
      {"0 or 1", "gpu_throttled", 0, 1}};
  std::size_t at = 0;
  for (const Expected& group : expected)
    for (const std::string& name : split(group.names, ' ')) {
      ASSERT_LT(at, load_features().size());
      const LoadFeature& feature = load_features()[at++];
      EXPECT_EQ(feature.name, name);
      EXPECT_EQ(feature.unit, group.unit) << name;
      EXPECT_EQ(feature.range.least, group.least) << name;
      EXPECT_EQ(feature.range.most, group.most) << name;
    }
  EXPECT_EQ(at, load_features().size());
}

TEST(LoadFeatures, values_beyond_a_range_say_which_end_they_are_beyond) {
  const LoadRange range{-2, 4};
  EXPECT_TRUE(is_possible(-2, range));
  EXPECT_FALSE(is_possible(-2.001, range));
  EXPECT_TRUE(is_possible(4.2, range)) << "5 % beyond the most";
  EXPECT_FALSE(is_possible(4.201, range));
  EXPECT_EQ(impossible(-2.5, range), "reported -2.5, which is less than -2");
  EXPECT_EQ(impossible(4.25, range), "reported 4.25, which is more than 4");
  EXPECT_EQ(impossible(12345678901, range), "reported 1.23456789e+10, which is more than 4");
  EXPECT_EQ(impossible(std::nan(""), range), "reported nan");
}

double value_after_check(std::string_view feature, double value) {
  LoadReading reading = reading_of(feature, "host", "probe");
  reading.value = value;
  return checked(reading).value.value_or(-1);
}

TEST(LoadFeatures, a_value_hardly_beyond_its_end_is_the_end) {
  EXPECT_EQ(value_after_check("gpu_busy_share", 1), 1);
  EXPECT_EQ(value_after_check("gpu_busy_share", 0), 0);
  EXPECT_EQ(value_after_check("gpu_busy_share", 1.04), 1);
  EXPECT_EQ(value_after_check("gpu_busy_share", 1.05), 1);
  EXPECT_EQ(value_after_check("gpu_busy_share", 1.06), -1);
  EXPECT_EQ(value_after_check("gpu_busy_share", -0.01), -1);
  EXPECT_EQ(value_after_check("run_delay_share", 40), 40) << "forty threads wait for each processor";
  EXPECT_EQ(value_after_check("gpu_temperature_celsius", -20), -20);
  LoadReading own{"queue", "host", "prometheus", "requests"};
  own.value = -1e30;
  EXPECT_EQ(checked(own).value, -1e30) << "of a user's own figure nothing is known";
}

LoadReading told(std::string source, std::optional<double> value, std::string trouble = "") {
  LoadReading reading = reading_of("cpu_busy_share", "host", source);
  reading.value = value, reading.trouble = std::move(trouble);
  return reading;
}

TEST(LoadSnapshot, the_first_source_with_a_live_value_is_believed) {
  const LoadSnapshot snapshot{
      {},
      {told("nvml", std::nullopt, "no"), told("prometheus", 0.9, "stale"), told("host", 0.25), told("probe", 0.5)},
      {}};
  EXPECT_EQ(live_value(snapshot, "cpu_busy_share"), 0.25);
  EXPECT_EQ(live_value(snapshot, "cpu_busy_share", "host"), 0.25);
  EXPECT_EQ(live_value(snapshot, "cpu_busy_share", "gpu0"), std::nullopt);
  EXPECT_EQ(live_value(snapshot, "load_average"), std::nullopt);
  LoadReading gpu = told("nvml", 0.75);
  gpu.device = "gpu0";
  EXPECT_EQ(live_value({{}, {gpu, told("host", 0.5)}, {}}, "cpu_busy_share", "host"), 0.5);
  EXPECT_EQ(live_value({{}, {gpu, told("host", 0.5)}, {}}, "cpu_busy_share", "gpu0"), 0.75);
}

TEST(LoadReading, of_a_feature_has_its_unit_and_no_value) {
  const LoadReading reading = reading_of("gpu_power_watts", "gpu1", "nvml");
  EXPECT_EQ(reading.name, "gpu_power_watts");
  EXPECT_EQ(reading.device, "gpu1");
  EXPECT_EQ(reading.source, "nvml");
  EXPECT_EQ(reading.unit, "W");
  EXPECT_FALSE(reading.value || reading.age || reading.window || reading.is_live());
}

/// Tells what cannot be.
class BrokenSource : public LoadSource {
 public:
  std::string_view name() const override { return "nvml"; }
  void begin() override {}
  SourceReadings read() override { return {{told("nvml", 42949672.95)}, {}}; }
};

TEST(LoadSnapshot, no_source_gets_an_impossible_value_through) {
  std::vector<std::unique_ptr<LoadSource>> sources;
  sources.push_back(std::make_unique<BrokenSource>());
  const LoadSnapshot snapshot = read_all(sources);
  ASSERT_EQ(snapshot.readings.size(), 1u);
  EXPECT_FALSE(snapshot.readings.front().value);
  EXPECT_EQ(snapshot.readings.front().trouble, "reported 42949672.95, which is more than 1");
  EXPECT_EQ(live_value(snapshot, "cpu_busy_share"), std::nullopt);
}

/// Notes when it is read.
class NotingSource : public LoadSource {
 public:
  NotingSource(std::string name, bool disturbs, std::vector<std::string>& order)
      : name_(std::move(name)), disturbs_(disturbs), order_(order) {}
  std::string_view name() const override { return name_; }
  void begin() override {}
  SourceReadings read() override {
    order_.push_back(name_);
    LoadReading reading = told(name_, 1);
    reading.age = Nanoseconds(5);
    return {{reading}, {{name_, "half of it is missing"}}};
  }
  bool disturbs() const override { return disturbs_; }

 private:
  std::string name_;
  bool disturbs_;
  std::vector<std::string>& order_;
};

TEST(LoadSources, what_disturbs_is_read_last_and_told_in_its_place) {
  std::vector<std::string> order;
  std::vector<std::unique_ptr<LoadSource>> sources;
  sources.push_back(std::make_unique<NotingSource>("probe", true, order));
  sources.push_back(std::make_unique<NotingSource>("host", false, order));
  sources.push_back(std::make_unique<AbsentSource>("nvml", "there is no driver"));
  begin_all(sources);
  const LoadSnapshot snapshot = read_all(sources);
  EXPECT_EQ(order, (std::vector<std::string>{"host", "probe"}));
  ASSERT_EQ(snapshot.readings.size(), 2u);
  EXPECT_EQ(snapshot.readings[0].source, "probe");
  EXPECT_GE(*snapshot.readings[1].age, *snapshot.readings[0].age) << "the host was read before the probe";
  ASSERT_EQ(snapshot.troubles.size(), 3u);
  EXPECT_EQ(snapshot.troubles[2].sentence, "there is no driver");
}

}  // namespace
}  // namespace takt
