// Traces of real trainings that others took; they are not part of the project (see trace/foreign_traces_test.cpp).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "places.h"
#include "trace/read/reader.h"
#include "training/diagnosis/diagnosis.h"
#include "training/diagnosis/made_training.h"

namespace takt {
namespace {

std::filesystem::path foreign_folder() {
  const char* given = std::getenv("TAKT_SHARED_TRACES");
  return given != nullptr ? std::filesystem::path(given) : source_dir() / "../shared/data/traces";
}

class ForeignTrainings : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(foreign_folder())) GTEST_SKIP() << "no foreign traces at " << foreign_folder();
  }
  static Trace trace(const std::string& name) { return read_trace(foreign_folder() / (name + ".json.gz")).trace; }
};

bool has(const Diagnosis& one, TrainingCause cause) {
  for (const PlacedVerdict& placed : one.verdicts) {
    if (placed.verdict.cause == cause) return true;
  }
  return false;
}

TEST_F(ForeignTrainings, a_loader_without_workers_is_the_bottleneck_and_one_with_workers_is_not) {
  const Diagnosis alone = diagnose("workers_0", trace("resnet50_workers_0"));
  ASSERT_FALSE(alone.verdicts.empty());
  EXPECT_EQ(alone.verdicts[0].verdict.cause, TrainingCause::data_starvation);
  // The TensorBoard plugin: 177,592 µs per step, 33.4 % of them in the loader; it rounds both.
  EXPECT_NEAR(static_cast<double>(alone.breakdown.total) / 6e3, 177592, 177);
  EXPECT_NEAR(alone.breakdown.share(StepPart::data_wait), 0.334, 0.002);
  EXPECT_NEAR(alone.breakdown.share(StepPart::kernel), 0.555, 0.002);
  const Diagnosis helped = diagnose("workers_4", trace("resnet50_workers_4"));
  EXPECT_FALSE(has(helped, TrainingCause::data_starvation));
  EXPECT_NEAR(static_cast<double>(helped.breakdown.total) / 6e3, 141068, 141);
  EXPECT_NEAR(helped.breakdown.share(StepPart::data_wait), 0.008, 0.002);
}

TEST_F(ForeignTrainings, communication_that_nothing_hides_is_named) {
  const Diagnosis one = diagnose("sampled", trace("sampled_rank-0"));
  EXPECT_EQ(one.steps.list.size(), 2u);
  EXPECT_TRUE(has(one, TrainingCause::exposed_communication));
}

TEST_F(ForeignTrainings, steps_without_marks_are_as_many_as_with_them) {
  for (const char* name : {"resnet50_workers_0", "resnet50_workers_4", "nccl"}) {
    const Trace marked = trace(name);
    const std::size_t count = find_steps(activity_of(marked)).list.size();
    EXPECT_EQ(find_steps(activity_of(without_names(marked, "ProfilerStep"))).list.size(), count) << name;
  }
}

TEST_F(ForeignTrainings, every_trace_gives_a_breakdown_that_adds_up) {
  for (const char* name : {"resnet50_workers_0", "nccl", "sampled_rank-0", "alexnet", "cpu_only"}) {
    const Diagnosis one = diagnose(name, trace(name));
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < step_part_count; ++i) sum += one.breakdown.sum(static_cast<StepPart>(i));
    EXPECT_EQ(sum, one.breakdown.total) << name;
    EXPECT_GT(sum, 0) << name;
  }
}

}  // namespace
}  // namespace takt
