#include "predict/answer/tables.h"

#include <gtest/gtest.h>

#include "predict/answer/predict_words.h"
#include "predict/answer/predicted_trace.h"

namespace takt {
namespace {

PredictedModel two_kernels() {
  PredictedModel model;
  model.model = "dir/net.onnx", model.facts.model = "net.onnx";
  for (const char* name : {"first", "second"}) {
    model.facts.names.emplace_back(name);
    model.facts.kernels.push_back(kernel("Conv_Relu", KernelGroup::conv, 100, 10));
    model.prediction.kernels.push_back({Tier::trained, 1.0004, 0.5, 2, false});
  }
  model.prediction.kernels[1].tier = Tier::roofline;
  model.prediction.overhead_us = 3;
  model.prediction.us = 5.0008, model.prediction.low_us = 4, model.prediction.high_us = 6;
  return model;
}

// 1.0004 and 2.0008 us: ends are rounded, so the second is a nanosecond longer, and the whole is 5.001 us long.
TEST(PredictedTrace, kernels_follow_one_another_and_the_whole_is_as_long_as_predicted) {
  const Trace trace = predicted_trace({two_kernels()});
  ASSERT_EQ(trace.events().size(), 3u);
  EXPECT_EQ(trace.events()[0].duration_ns, 1000);
  EXPECT_EQ(trace.events()[1].start_ns, 1000);
  EXPECT_EQ(trace.events()[1].duration_ns, 1001);
  EXPECT_EQ(trace.events()[2].start_ns + trace.events()[2].duration_ns, 5001);
}

TEST(PredictedTrace, a_negative_overhead_is_no_event) {
  PredictedModel model = two_kernels();
  model.prediction.overhead_us = -1, model.prediction.us = 1.0008;
  EXPECT_EQ(predicted_trace({model}).events().size(), 2u);
}

TEST(PredictTables, shares_of_time_add_up) {
  const auto tables = predict_tables({two_kernels()});
  ASSERT_EQ(tables.size(), 2u);
  double sum = 0;
  for (const char* name : {"measured_percent", "trained_percent", "roofline_percent"})
    sum += std::get<double>(some_columns(tables[0], {name}).rows[0][0]);
  EXPECT_DOUBLE_EQ(sum, 100);
  EXPECT_EQ(tables[1].rows.size(), 2u);
}

TEST(EvaluateTables, models_without_a_figure_are_rows_and_count_nothing) {
  std::vector<EvaluatedModel> models(2);
  models[0].model = "a.onnx", models[0].prediction = two_kernels().prediction, models[0].measured_us = 5.5;
  models[1].model = "b.onnx", models[1].problem = "is no model";
  const auto tables = evaluate_tables(models);
  EXPECT_EQ(tables[1].rows.size(), 2u);
  const auto row = errors_of(models);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->figures.count, 1u);
  EXPECT_NEAR(row->figures.bias, 5.0008 / 5.5 - 1, 1e-12);
  EXPECT_EQ(row->figures.coverage, 1);
  EXPECT_FALSE(errors_of({models[1]}));
}

TEST(EvaluateTables, errors_of_several_models_are_means) {
  std::vector<EvaluatedModel> models(4);
  const double us = two_kernels().prediction.us;
  for (std::size_t m = 0; m < 3; ++m) models[m].prediction = two_kernels().prediction;
  models[0].measured_us = us / 1.2, models[0].noise = 0.02;
  models[1].measured_us = us / 0.9, models[1].noise = 0.04;
  models[2].noise = 9;  // never measured
  const auto row = errors_of(models);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->figures.count, 2u);
  EXPECT_NEAR(row->figures.mape, 0.15, 1e-12);
  EXPECT_NEAR(row->figures.bias, 0.05, 1e-12);
  EXPECT_NEAR(row->noise.value(), 0.03, 1e-12);
}

}  // namespace
}  // namespace takt
