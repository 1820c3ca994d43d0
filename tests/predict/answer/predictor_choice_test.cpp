#include "predict/answer/predictor_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "predict/answer/predict_words.h"
#include "predict/answer/predictor_file.h"
#include "predict/answer/shipped_predictors.h"
#include "predict/collect/measured_machine.h"
#include "refused.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::HasSubstr;

/// The cache is a folder of the test.
class Choice : public testing::Test {
 protected:
  void SetUp() override { ::setenv("TAKT_CACHE_DIR", folder.path().c_str(), 1); }
  void TearDown() override { ::unsetenv("TAKT_CACHE_DIR"); }
  TestFolder folder;

  /// A calibration of a machine is there.
  void keep(const std::string& machine, double model_width = 0.125) {
    Predictor predictor = read_predictor(*shipped_predictor_named("cpu"));
    predictor.machine = machine, predictor.model_width = model_width;
    write_predictor(predictor, calibrated_path("CPU"), {});
  }
};

TEST_F(Choice, built_in_predictors_are_of_the_machines_of_the_datasets) {
  const Predictor cpu = read_predictor(*shipped_predictor_for("CPU"));
  EXPECT_EQ(cpu.device, "CPU");
  EXPECT_EQ(cpu.runtime, "onnxruntime");
  EXPECT_THAT(cpu.machine, HasSubstr("AMD EPYC"));
  EXPECT_EQ(cpu.threads, 1);
  EXPECT_TRUE(cpu.is_width_certain);
  EXPECT_FALSE(cpu.load_laws.empty());
  const Predictor gpu = read_predictor(*shipped_predictor_for("GPU"));
  EXPECT_EQ(gpu.device, "GPU");
  EXPECT_THAT(gpu.machine, HasSubstr("H100"));
  EXPECT_EQ(shipped_predictor_for("NPU"), nullptr);
  EXPECT_EQ(shipped_predictor_named("gpu"), nullptr);
}

TEST_F(Choice, a_machine_that_was_not_measured_widens_the_interval) {
  const ChosenPredictor chosen = choose_predictor("CPU");
  EXPECT_EQ(chosen.name, "cpu");
  const double factor = chosen.is_of_this_class ? same_class_factor : other_cpu_factor;
  EXPECT_EQ(chosen.machine_factor, factor);
  EXPECT_GE(chosen.predictor.model_width, read_predictor(*shipped_predictor_named("cpu")).model_width);
  const std::vector<KernelFacts> facts{kernel("Conv_Relu", KernelGroup::conv, 1e8, 1e6)};
  Predictor narrow = chosen.predictor;
  narrow.machine_width = 0;
  const ModelPrediction wide = predict(chosen.predictor, facts), own = predict(narrow, facts);
  EXPECT_DOUBLE_EQ(wide.us, own.us);
  EXPECT_NEAR(wide.high_us / own.high_us, factor, 0.1 * factor);
  EXPECT_NEAR(own.low_us / wide.low_us, factor, 0.1 * factor);
}

TEST_F(Choice, what_was_calibrated_here_is_preferred) {
  keep(measured_machine("CPU"));
  const ChosenPredictor chosen = choose_predictor("CPU");
  EXPECT_EQ(chosen.name, "calibrated");
  EXPECT_EQ(chosen.machine_factor, std::nullopt);
  EXPECT_EQ(chosen.predictor.machine_width, 0);
  EXPECT_EQ(chosen.predictor.model_width, 0.125);
  keep("another machine");
  EXPECT_EQ(choose_predictor("CPU").name, "cpu") << "the folder went to another machine";
  EXPECT_EQ(choose_predictor("CPU").note, "");
}

TEST_F(Choice, a_calibration_that_cannot_be_read_is_said_and_not_used) {
  write_file_atomically(calibrated_path("CPU"), "text");
  const ChosenPredictor chosen = choose_predictor("CPU");
  EXPECT_EQ(chosen.name, "cpu");
  EXPECT_THAT(chosen.note, HasSubstr("is not a predictor"));
  EXPECT_THAT(chosen.note, HasSubstr("the built-in predictor is used"));
}

TEST_F(Choice, a_named_predictor_speaks_for_its_own_machine) {
  const ChosenPredictor gpu = named_predictor("h100");
  EXPECT_EQ(gpu.name, "h100");
  EXPECT_EQ(gpu.machine_factor, std::nullopt);
  EXPECT_EQ(gpu.predictor.machine_width, 0);
  EXPECT_FALSE(gpu.is_of_this_class);
  EXPECT_EQ(refused_with([&] { named_predictor("nowhere"); }),
            "cannot read 'nowhere': no such predictor; name a folder or file that 'takt fit' wrote, or a built-in one: "
            "cpu or h100");
  try {
    choose_predictor("NPU");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_STREQ(
        error.what(),
        "no predictor is built in for device 'NPU'; use CPU or GPU, or name one of 'takt fit' with --predictor");
  }
}

}  // namespace
}  // namespace takt
