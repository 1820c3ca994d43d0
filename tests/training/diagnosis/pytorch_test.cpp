// Trainings by PyTorch 2.7.1 on a CPU, three steps of each, made by bench/pytorch_training.py (a small convolutional
// network): without a fault and with each of four.
#include <gtest/gtest.h>

#include <string>

#include "places.h"
#include "trace/read/reader.h"
#include "training/diagnosis/diagnosis.h"

namespace takt {
namespace {

struct FaultOfFile {
  const char* file;
  TrainingCause cause;
};

Diagnosis diagnosis_of(const std::string& name) {
  return diagnose(
      name, read_trace(source_dir() / "tests/training/diagnosis/traces" / ("pytorch_" + name + ".json.gz")).trace);
}

TEST(PytorchTrainings, have_the_planted_cause_first) {
  for (const FaultOfFile& one :
       {FaultOfFile{"io", TrainingCause::data_starvation}, FaultOfFile{"tiny", TrainingCause::tiny_kernels},
        FaultOfFile{"churn", TrainingCause::allocator_churn},
        FaultOfFile{"sync", TrainingCause::host_synchronisation}}) {
    const Diagnosis told = diagnosis_of(one.file);
    EXPECT_EQ(told.steps.list.size(), 3u) << one.file;
    ASSERT_FALSE(told.verdicts.empty()) << one.file;
    EXPECT_EQ(told.verdicts[0].verdict.cause, one.cause) << one.file;
  }
}

TEST(PytorchTrainings, have_none_without_a_fault) {
  const Diagnosis told = diagnosis_of("none");
  ASSERT_EQ(told.verdicts.size(), 1u);
  EXPECT_EQ(told.verdicts[0].verdict.cause, TrainingCause::compute_bound);
}

TEST(PytorchTrainings, have_prices_that_fit_what_was_planted) {
  // Each of the 16 samples of a batch slept for 4 ms.
  EXPECT_NEAR(static_cast<double>(diagnosis_of("io").verdicts[0].verdict.total()) / 3e6, 16 * 4.0, 16 * 0.5);
  // Eight parameters have a value read from each.
  EXPECT_NE(diagnosis_of("sync").verdicts[0].verdict.evidence.find("8.0 values per step"), std::string::npos);
}

}  // namespace
}  // namespace takt
