// Trainings on an H100 (driver 580, CUDA 13): takt scenario at --width 128 --image_size 96 --num_workers 6, and a
// ResNet-18 of bench/pytorch_training.py whose temporaries go back to the driver each time (empty_cache).
#include <gtest/gtest.h>

#include <string>

#include "places.h"
#include "trace/read/reader.h"
#include "training/diagnosis/diagnosis.h"

namespace takt {
namespace {

/// `real`: how many times as long the training with the fault took as without it.
struct GpuTraining {
  const char* file;
  TrainingCause cause;
  double real;
};

Diagnosis gpu_diagnosis(const std::string& name) {
  return diagnose(name,
                  read_trace(source_dir() / "tests/training/diagnosis/traces" / ("h100_" + name + ".json.gz")).trace);
}

TEST(GpuTrainings, have_the_planted_cause_first_and_a_price_near_the_real_one) {
  for (const GpuTraining& one : {GpuTraining{"sync", TrainingCause::host_synchronisation, 10.50 / 8.19},
                                 GpuTraining{"churn", TrainingCause::allocator_churn, 20.34 / 8.19},
                                 GpuTraining{"empty_cache", TrainingCause::allocator_churn, 21.90 / 15.72},
                                 GpuTraining{"workers", TrainingCause::data_starvation, 21.30 / 8.69}}) {
    const Diagnosis told = gpu_diagnosis(one.file);
    ASSERT_FALSE(told.verdicts.empty()) << one.file;
    EXPECT_EQ(told.verdicts[0].verdict.cause, one.cause) << one.file;
    EXPECT_NEAR(told.speed_up(told.verdicts[0].verdict) / one.real, 1, 0.15) << one.file;
  }
}

TEST(GpuTrainings, have_none_without_a_fault) {
  const Diagnosis told = gpu_diagnosis("none");
  ASSERT_EQ(told.verdicts.size(), 1u);
  EXPECT_EQ(told.verdicts[0].verdict.cause, TrainingCause::compute_bound);
  EXPECT_NE(told.verdicts[0].verdict.evidence.find(
                "it reaches 7 % of the 989 TFLOP/s of NVIDIA H100 80GB HBM3 in 16-bit matrix products (MFU), and 14 % "
                "while aten::convolution_backward runs"),
            std::string::npos)
      << told.verdicts[0].verdict.evidence;
}

}  // namespace
}  // namespace takt
