#include "predict/gpu/timed_source.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>

#include "base/basics/error.h"
#include "predict/sources/sources.h"
#include "refused.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

/// What a source of these tests does, from outside.
struct Behaviour {
  std::atomic<bool> hangs{false}, throws{false};
  std::atomic<int> begins{0}, alive{0};
};

class Moody : public LoadSource {
 public:
  explicit Moody(std::shared_ptr<Behaviour> behaviour) : behaviour_(std::move(behaviour)) { ++behaviour_->alive; }
  ~Moody() override { --behaviour_->alive; }
  std::string_view name() const override { return "moody"; }
  void begin() override { ++behaviour_->begins; }
  SourceReadings read() override {
    while (behaviour_->hangs) std::this_thread::sleep_for(1ms);
    if (behaviour_->throws) throw Error(ErrorKind::runtime, "in a bad mood");
    return {{reading_of("gpu_busy_share", "gpu0", "moody")}, {}};
  }

 private:
  std::shared_ptr<Behaviour> behaviour_;
};

TEST(TimedSource, answers_as_the_source_does) {
  const auto behaviour = std::make_shared<Behaviour>();
  {
    TimedSource source(
        "moody", [behaviour] { return std::make_unique<Moody>(behaviour); }, 60s);
    source.begin();
    EXPECT_EQ(behaviour->begins, 1);
    EXPECT_EQ(source.read().readings.size(), 1u);
    behaviour->throws = true;
    EXPECT_EQ(refused_with([&] { source.read(); }), "in a bad mood");
    behaviour->throws = false;
    EXPECT_EQ(source.read().readings.size(), 1u);
  }
  EXPECT_EQ(behaviour->alive, 0);
}

TEST(TimedSource, one_that_hangs_is_late_until_it_answers_again) {
  const auto behaviour = std::make_shared<Behaviour>();
  TimedSource source(
      "moody", [behaviour] { return std::make_unique<Moody>(behaviour); }, 20ms);
  behaviour->hangs = true;
  for (int turn = 0; turn < 2; ++turn) {
    const SourceReadings told = source.read();
    EXPECT_TRUE(told.readings.empty());
    ASSERT_EQ(told.troubles.size(), 1u);
    EXPECT_EQ(told.troubles[0].sentence, "did not answer within 20.0 ms");
  }
  behaviour->hangs = false;
  bool answered = false;
  for (int turn = 0; turn < 1000 && !answered; ++turn) {
    std::this_thread::sleep_for(5ms);
    answered = !source.read().readings.empty();
  }
  EXPECT_TRUE(answered);
}

TEST(TimedSource, one_that_still_hangs_is_left_behind) {
  const auto behaviour = std::make_shared<Behaviour>();
  {
    TimedSource source(
        "moody", [behaviour] { return std::make_unique<Moody>(behaviour); }, 20ms);
    for (int turn = 0; turn < 1000 && behaviour->alive == 0; ++turn) std::this_thread::sleep_for(5ms);
    behaviour->hangs = true;
    EXPECT_TRUE(source.read().readings.empty());
  }
  EXPECT_EQ(behaviour->alive, 1) << "its thread still uses it";
  behaviour->hangs = false;
  for (int turn = 0; turn < 1000 && behaviour->alive > 0; ++turn) std::this_thread::sleep_for(5ms);
  EXPECT_EQ(behaviour->alive, 0);
}

TEST(TimedSource, one_that_cannot_be_made_throws) {
  EXPECT_EQ(refused_with([&] {
              TimedSource(
                  "moody", []() -> std::unique_ptr<LoadSource> { throw Error(ErrorKind::unsupported, "no driver"); },
                  60s);
            }),
            "no driver");
}

TEST(TimedSource, a_driver_that_hangs_leaves_the_other_sources) {
  ::setenv("FAKE_NVML_HANG", "300", 1);
  LoadConfig config;
  config.sources = {"nvml", "host"};
  config.nvml_library = TAKT_FAKE_NVML;
  config.nvml_timeout = 20ms;
  const LoadSnapshot snapshot = take_snapshot(make_load_sources(config), 30ms);
  ::unsetenv("FAKE_NVML_HANG");
  EXPECT_TRUE(live_value(snapshot, "cpu_busy_share"));
  EXPECT_EQ(live_value(snapshot, "gpu_busy_share"), std::nullopt);
  ASSERT_EQ(snapshot.troubles.size(), 1u);
  EXPECT_EQ(snapshot.troubles[0].sentence, "did not answer within 20.0 ms");
  std::this_thread::sleep_for(400ms);  // the thread that was left behind ends before the next test uses the driver
}

}  // namespace
}  // namespace takt
