#include "predict/answer/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/basics/error.h"
#include "predict/answer/predict_words.h"
#include "predict/answer/predictor_file.h"

namespace takt {
namespace {

/// Convolutions reach a fifth of the peak, sums a half of the bandwidth, of a machine of these peaks.
Law shipped_law(const MachineConstants& machine) {
  return [machine](const KernelFacts& facts) {
    return roofline_us(facts, machine, 1) * (facts.op_type == "Add" ? 2.0 : 5.0);
  };
}

std::vector<std::size_t> all_places(const Dataset& dataset) {
  std::vector<std::size_t> places(dataset.models.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  return places;
}

/// A machine of three times the FLOPs and twice the bandwidth, where convolutions reach less of it, the larger the
/// less.
Dataset another_machine(int models, std::uint64_t seed) {
  const MachineConstants peaks{3e9, 2e9};
  Dataset dataset = drawn_dataset(
      models, 30, 0.02,
      [&](const KernelFacts& facts) {
        const double usual = shipped_law(peaks)(facts);
        return facts.op_type == "Add" ? usual : usual * 1.4 * std::pow(usual / 100, 0.05);
      },
      seed);
  for (CollectedModel& model : dataset.models)
    model.constants = peaks, model.machine = "another machine", model.threads = 2;
  return dataset;
}

double mean_model_error(const Predictor& predictor, const Dataset& dataset) {
  double sum = 0;
  for (const CollectedModel& model : dataset.models) {
    std::vector<KernelFacts> facts;
    for (const CollectedKernel& one : model.kernels) facts.push_back(one.facts);
    sum += std::abs(predict(predictor, facts).us / (model.latency_ms * 1000) - 1);
  }
  return sum / static_cast<double>(dataset.models.size());
}

class Calibration : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_train_trees()) GTEST_SKIP() << "no XGBoost in this binary";
    const Dataset shipped = drawn_dataset(24, 30, 0.02, shipped_law({1e9, 1e9}));
    base = train(shipped, all_places(shipped), {.trees = 120});
  }
  Predictor base;
};

TEST_F(Calibration, a_few_models_are_enough_for_another_machine) {
  const Predictor here = calibrated(base, another_machine(10, 5));
  const Dataset unseen = another_machine(20, 77);
  EXPECT_GT(mean_model_error(base, unseen), 0.5);
  EXPECT_LT(mean_model_error(here, unseen), 0.05);
  EXPECT_EQ(here.machine, "another machine");
  EXPECT_EQ(here.threads, 2);
  ASSERT_EQ(here.errors.size(), 2u);
  EXPECT_EQ(here.errors[0].method, "takt");
  EXPECT_LT(here.errors[0].figures.mape, 0.08);
  EXPECT_EQ(here.errors[1].method, "as it was");
  EXPECT_GT(here.errors[1].figures.mape, 0.5);
  EXPECT_GT(here.model_width, 0);
  EXPECT_LT(here.model_width, 0.2);
}

TEST_F(Calibration, on_its_own_machine_little_changes) {
  const Dataset same = drawn_dataset(10, 30, 0.02, shipped_law({1e9, 1e9}), 9);
  const Dataset unseen = drawn_dataset(10, 30, 0.02, shipped_law({1e9, 1e9}), 99);
  EXPECT_LT(mean_model_error(calibrated(base, same), unseen), mean_model_error(base, unseen) + 0.01);
}

TEST_F(Calibration, a_file_keeps_the_corrections) {
  const Predictor here = calibrated(base, another_machine(10, 5));
  std::map<std::string, std::string> files;
  for (const auto& [name, text] : tree_files(here)) files[name] = text;
  const std::string json = predictor_json(here, {});
  const Predictor read = parse_predictor(json, "p", [&](const std::string& name) { return files.at(name); });
  EXPECT_EQ(predictor_json(read, {}), json);
  const Dataset unseen = another_machine(3, 78);
  EXPECT_EQ(mean_model_error(read, unseen), mean_model_error(here, unseen));
}

TEST_F(Calibration, too_few_models_and_another_runtime_are_refused) {
  const auto refusal = [&](const Dataset& dataset) {
    try {
      calibrated(base, dataset);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  EXPECT_THAT(refusal(another_machine(4, 5)), testing::HasSubstr("needs at least 5 models, and the dataset has 4"));
  Dataset other = another_machine(6, 5);
  for (CollectedModel& model : other.models) model.runtime = "openvino";
  EXPECT_THAT(refusal(other), testing::HasSubstr("measured with openvino"));
}

}  // namespace
}  // namespace takt
