#include "load/load_reading.h"

#include <gtest/gtest.h>

#include <set>

#include "load/load_source.h"

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
