#include "predict/answer/validation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/basics/error.h"
#include "places.h"
#include "predict/answer/predict_words.h"
#include "predict/fit/baselines.h"
#include "refused.h"

namespace takt {
namespace {

/// A law that no line of FLOPs knows: efficiency grows with the work per byte.
double uneven_law(const KernelFacts& facts) {
  const double roof = roofline_us(facts, {1e9, 1e9}, 1);
  const double intensity = facts[Feature::flops] / facts[Feature::input_bytes];
  return roof * (2 + 8 / (1 + intensity / 6));
}

TEST(Validation, parts_keep_together_what_belongs_together) {
  Dataset dataset = drawn_dataset(8, 6, 0, uneven_law);
  dataset.models[1].architecture = dataset.models[0].architecture;  // another batch of the same one
  const Parts parts = parts_of(dataset, Split::model, 4, 1);
  EXPECT_EQ(parts.count, 4);
  EXPECT_EQ(parts.of[0], parts.of[1]);
  std::set<int> seen;
  for (const auto& of_model : parts.of) {
    EXPECT_EQ(std::set<int>(of_model.begin(), of_model.end()).size(), 1u);
    seen.insert(of_model.front());
  }
  EXPECT_EQ(seen.size(), 4u);
  const Parts families = parts_of(dataset, Split::family, 2, 1);
  EXPECT_EQ(families.count, 4);
  EXPECT_EQ(families.of[0], families.of[4]);
  EXPECT_NE(families.of[0], families.of[3]);
}

TEST(Validation, equal_kernels_are_never_on_both_sides) {
  Dataset dataset = drawn_dataset(4, 6, 0, uneven_law);
  dataset.models[2].kernels = dataset.models[0].kernels;
  const Parts parts = parts_of(dataset, Split::kernel, 5, 1);
  EXPECT_EQ(parts.of[0], parts.of[2]);
}

TEST(Validation, soup_is_trained_on_and_never_predicted) {
  Dataset dataset = drawn_dataset(8, 6, 0, uneven_law);
  for (const std::size_t m : {2u, 5u}) dataset.models[m].family = "soup";
  dataset.models[2].kernels[3] = dataset.models[0].kernels[3];
  for (const Split split : {Split::model, Split::family, Split::zoo}) {
    const Parts parts = parts_of(dataset, split, 4, 1);
    for (std::size_t m = 0; m < dataset.models.size(); ++m) {
      EXPECT_EQ(parts.is_predicted[m], m != 2 && m != 5) << m;
      for (const int part : parts.of[m]) EXPECT_EQ(part == Parts::always_trained_on, m == 2 || m == 5) << m;
    }
    for (int part = 0; part < parts.count; ++part) {
      const Dataset rest = without_part(dataset, parts, part);
      EXPECT_EQ(std::count_if(rest.models.begin(), rest.models.end(), [](auto& one) { return one.family == "soup"; }),
                2);
    }
  }
  EXPECT_EQ(without_part(dataset, parts_of(dataset, Split::zoo, 4, 1), 0).models.size(), 2u);
  // By kernel, one that stands in a random chain, too, is left out there as well.
  const Parts kernels = parts_of(dataset, Split::kernel, 4, 1);
  EXPECT_EQ(kernels.of[2][3], kernels.of[0][3]);
  EXPECT_EQ(kernels.of[2][0], Parts::always_trained_on);
  dataset.models[2].family = dataset.models[5].family = "resnet";
  EXPECT_EQ(parts_of(dataset, Split::zoo, 4, 1).count, 0);
}

TEST(Validation, soup_adds_a_row_for_the_whole_zoo) {
  if (!can_train_trees()) GTEST_SKIP() << "no XGBoost in this binary";
  Dataset dataset = drawn_dataset(24, 12, 0.02, uneven_law);
  for (std::size_t m = 0; m < 12; ++m) dataset.models[m].family = "soup";
  ValidationSettings settings;
  settings.trees.trees = 50, settings.forest_trees = 10;
  settings.folds = 3, settings.baselines = false;
  bool is_there = false;
  for (const ErrorRow& row : validate(dataset, settings).errors) {
    EXPECT_EQ(row.figures.count, row.level == "model" ? 12u : 12u * 12) << row.split;
    is_there = is_there || row.split == "zoo";
  }
  EXPECT_TRUE(is_there);
}

TEST(Validation, errors_are_those_of_the_noise_and_intervals_hold) {
  if (is_sanitized()) GTEST_SKIP() << only_more_cases;
  if (!can_train_trees()) GTEST_SKIP() << "no XGBoost in this binary";
  constexpr double noise = 0.05;
  const Dataset dataset = drawn_dataset(40, 30, noise, uneven_law);
  ValidationSettings settings;
  settings.trees.trees = 100, settings.forest_trees = 20;
  settings.folds = 4;
  const Validation validation = validate(dataset, settings);
  std::map<std::string, ErrorFigures> by_name;
  for (const ErrorRow& row : validation.errors) by_name[row.split + " " + row.level + " " + row.method] = row.figures;
  EXPECT_EQ(by_name.size(), 6u * 5);  // kernels of three splits, models of two
  const ErrorFigures& kernels = by_name.at("model kernel takt");
  EXPECT_EQ(kernels.count, 40u * 30);
  EXPECT_LT(kernels.mape, 0.1);  // noise alone is 4 %
  EXPECT_GE(*kernels.coverage, 0.87);
  EXPECT_LE(*kernels.coverage, 0.93);
  const ErrorFigures& models = by_name.at("model model takt");
  EXPECT_LT(models.mape, 0.04);
  EXPECT_GE(*models.coverage, 0.8);  // of forty: 36 ± 2
  for (const char* method : {"source's recipe", "FLOPs", "roofline"}) {
    EXPECT_GT(by_name.at(std::string("family kernel ") + method).mape, by_name.at("family kernel takt").mape) << method;
    EXPECT_GT(by_name.at(std::string("model kernel ") + method).mape, kernels.mape) << method;
  }
  EXPECT_TRUE(validation.is_width_certain);
  EXPECT_GT(validation.model_width, 0);
  EXPECT_EQ(validation.kernel_width.size(), 2u);
}

TEST(Validation, one_architecture_cannot_be_tested) {
  const Dataset dataset = drawn_dataset(1, 30, 0, uneven_law);
  EXPECT_EQ(refused_with([&] { validate(dataset, {}); }),
            "the dataset has only one architecture, so no other can be held out for testing; collect more models");
}

TEST(Baselines, lines_of_flops_find_lines_of_flops) {
  const Dataset dataset = drawn_dataset(6, 30, 0, [](const KernelFacts& facts) {
    return facts.op_type == "Add" ? 3 + facts[Feature::flops] * 1e-3 : 7 + facts[Feature::flops] * 2e-4;
  });
  std::vector<KernelSample> samples;
  for (const CollectedModel& one : dataset.models)
    for (const CollectedKernel& each : one.kernels) samples.push_back(sample_of(one, each));
  const FlopsLaw law(samples);
  EXPECT_NEAR(law.predict_us(kernel("Conv", KernelGroup::conv, 1e7, 1)), 7 + 2000, 1);
  EXPECT_NEAR(law.predict_us(kernel("Add", KernelGroup::other, 1e6, 1)), 3 + 1000, 1);
}

TEST(Baselines, a_scaled_roofline_has_one_factor) {
  const Dataset dataset = drawn_dataset(6, 30, 0, [](const KernelFacts& facts) {
    return 7 * roofline_us(facts, {1e9, 1e9}, 0);
  });
  std::vector<KernelSample> samples;
  for (const CollectedModel& one : dataset.models)
    for (const CollectedKernel& each : one.kernels) samples.push_back(sample_of(one, each));
  const ScaledRoofline roof(samples, {1e9, 1e9});
  EXPECT_NEAR(roof.predict_us(kernel("Conv", KernelGroup::conv, 1e9, 1)) / 7e6, 1, 0.5);
}

TEST(Validation, stops_when_it_is_asked_to) {
  if (!can_train_trees()) GTEST_SKIP() << "no XGBoost in this binary";
  const std::atomic<bool> stop = true;
  ValidationSettings settings;
  settings.stop = &stop;
  try {
    validate(drawn_dataset(8, 6, 0, uneven_law), settings);
    ADD_FAILURE() << "it trained";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "stopped while training");
  }
}

}  // namespace
}  // namespace takt
