#include "predict/load/reading.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

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

double value_after_check(std::string_view feature, double value) {
  LoadReading reading = reading_of(feature, "host", "probe");
  reading.value = value;
  return checked(reading).value.value_or(-1);
}

TEST(LoadFeatures, a_value_hardly_beyond_its_end_is_the_end) {
  EXPECT_EQ(value_after_check("gpu_busy_share", 1), 1);
  EXPECT_EQ(value_after_check("gpu_busy_share", 1.04), 1);
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
