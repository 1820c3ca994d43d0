// Predictions, samples and simple laws with values worked out by hand; no trees are trained here.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/basics/error.h"
#include "base/table/csv.h"
#include "predict/answer/evaluate.h"
#include "predict/answer/predict_words.h"
#include "predict/answer/predictor.h"
#include "predict/fit/baselines.h"
#include "predict/fit/conformal.h"
#include "predict/fit/kernel_sample.h"

namespace takt {
namespace {

TEST(Prediction, of_a_known_and_a_strange_kernel_is_worked_out_by_hand) {
  Predictor predictor;
  predictor.trees = RatioTrees({1e9, 1e9}, 2);  // 1000 FLOP or bytes in a microsecond, and 2 us on top
  predictor.measured_width = 0.5, predictor.model_width = 0.25, predictor.overhead = {10, -1, {}};
  const std::vector<KernelFacts> kernels{kernel("Conv", KernelGroup::conv, 1e6, 1e5),
                                         kernel("Fft", KernelGroup::other, 5000, 1000)};
  predictor.known.add(kernels[0], 100);
  const ModelPrediction told = predict(predictor, kernels);
  ASSERT_EQ(told.kernels.size(), 2u);
  const KernelPrediction &known = told.kernels[0], &strange = told.kernels[1];
  EXPECT_EQ(known.tier, Tier::measured);
  EXPECT_DOUBLE_EQ(known.recorded_us, 100);
  EXPECT_DOUBLE_EQ(known.us, 99);
  EXPECT_DOUBLE_EQ(known.low_us, 100 * std::exp(-0.5) - 1);
  EXPECT_DOUBLE_EQ(known.high_us, 100 * std::exp(0.5) - 1);
  EXPECT_EQ(strange.tier, Tier::roofline);
  EXPECT_DOUBLE_EQ(strange.recorded_us, 7);
  EXPECT_DOUBLE_EQ(strange.us, 6);
  EXPECT_DOUBLE_EQ(strange.low_us, 7 * std::exp(-1.6) - 1) << "five times as fast";
  EXPECT_DOUBLE_EQ(strange.high_us, 7 * std::exp(1.6) - 1);
  EXPECT_FALSE(known.is_beyond || strange.is_beyond);
  EXPECT_DOUBLE_EQ(told.us, 107 + 10 - 2);
  EXPECT_DOUBLE_EQ(told.overhead_us, 10);
  EXPECT_DOUBLE_EQ(told.low_us, 109 * std::exp(-0.25) + strange.low_us) << "what is strange has its own width";
  EXPECT_DOUBLE_EQ(told.high_us, 109 * std::exp(0.25) + strange.high_us);
  EXPECT_DOUBLE_EQ(told.share(Tier::measured), 99.0 / 105);
  EXPECT_DOUBLE_EQ(told.share(Tier::roofline), 6.0 / 105);
  EXPECT_EQ(told.share(Tier::trained), 0);
  EXPECT_EQ(ModelPrediction().share(Tier::measured), 0);
  EXPECT_FALSE(told.load);
  EXPECT_EQ(std::string(name_of(Tier::measured)) + " " + std::string(name_of(Tier::trained)) + " " +
                std::string(name_of(Tier::roofline)),
            "measured trained roofline");
}

TEST(Prediction, what_is_measured_is_learnt_without_trees) {
  Dataset dataset = drawn_dataset(3, 4, 0, [](const KernelFacts&) { return 7.0; });
  for (CollectedModel& one : dataset.models)
    one.machine = "m", one.runtime = "r", one.runtime_version = "v", one.device = "CPU", one.threads = 6;
  dataset.models[1].architecture = dataset.models[0].architecture;
  std::vector<const CollectedModel*> models;
  for (const CollectedModel& one : dataset.models) models.push_back(&one);
  Predictor predictor;
  predictor.known.add(kernel("Conv", KernelGroup::conv, 1, 1), 5);
  const auto samples = learn_measured(models, predictor);
  EXPECT_EQ(predictor.machine + predictor.runtime + predictor.runtime_version + predictor.device, "mrvCPU");
  EXPECT_EQ(predictor.threads, 6);
  EXPECT_EQ(predictor.models, 3u);
  EXPECT_EQ(predictor.architectures, 2u);
  EXPECT_EQ(predictor.kernels, 12u);
  ASSERT_EQ(samples.size(), 12u);
  EXPECT_DOUBLE_EQ(samples[5].us, 7);
  EXPECT_EQ(samples[5].facts, &dataset.models[1].kernels[1].facts);
  EXPECT_DOUBLE_EQ(predictor.known.find(dataset.models[2].kernels[3].facts).value_or(0), 7);
  EXPECT_FALSE(predictor.known.find(kernel("Conv", KernelGroup::conv, 1, 1))) << "of another training";
  EXPECT_NEAR(predictor.overhead.fixed_us + 4 * predictor.overhead.per_kernel_us, 12, 1e-9);
}

TEST(KernelSample, counts_by_its_part_of_its_model_within_limits) {
  const auto weights = [](const std::vector<double>& ms) {
    CollectedModel made = model("m", "f");
    for (const double one : ms) made.kernels.push_back({kernel("Conv", KernelGroup::conv, 1, 1), "k", one, {}});
    std::vector<double> found;
    for (const CollectedKernel& one : made.kernels) {
      const KernelSample sample = sample_of(made, one);
      EXPECT_DOUBLE_EQ(sample.us, one.latency_ms * 1000);
      EXPECT_EQ(sample.facts, &one.facts);
      found.push_back(sample.weight);
    }
    return found;
  };
  EXPECT_EQ(weights({1, 1, 2}), (std::vector<double>{0.75, 0.75, 1.5}));
  EXPECT_EQ(weights({96, 1, 1, 1, 1}), (std::vector<double>{3, 0.1, 0.1, 0.1, 0.1})) << "4.8 and 0.05";
}

TEST(KernelSample, the_least_time_is_that_below_which_a_hundredth_lies) {
  std::vector<KernelSample> samples;
  for (int us = 101; us >= 1; --us) samples.push_back({nullptr, static_cast<double>(us), 1});
  EXPECT_DOUBLE_EQ(least_time_us(samples), 2);
  EXPECT_DOUBLE_EQ(least_time_us({{nullptr, 5, 1}}), 5);
}

TEST(Conformal, other_confidences_have_other_ranks) {
  std::vector<double> errors;
  for (int i = 9; i >= 1; --i) errors.push_back(i);
  EXPECT_EQ(conformal_width(errors, 0.5), 5);
  EXPECT_EQ(conformal_width(errors, 0.8), 8);
  EXPECT_EQ(conformal_width(errors, 0.81), 9);
  EXPECT_EQ(conformal_width(errors, 0.99), 9) << "the largest where a larger one is needed";
  EXPECT_EQ(conformal_width(errors, 0), 1);
  EXPECT_EQ(errors_needed(0.5), 1u);
  EXPECT_EQ(errors_needed(0.8), 4u);
  EXPECT_EQ(errors_needed(0.95), 19u);
}

TEST(FlopsLaw, is_the_line_through_two_kernels_of_a_kind_and_never_falls) {
  std::vector<KernelFacts> facts;
  facts.reserve(10);
  std::vector<KernelSample> samples;
  const auto add = [&](const char* type, double flops, double bytes, double us) {
    facts.push_back(kernel(type, KernelGroup::other, flops, bytes));
    samples.push_back({&facts.back(), us, 1});
  };
  add("Line", 10, 1, 12), add("Line", 20, 1, 22);
  add("Falls", 10, 1, 20), add("Falls", 20, 1, 10);
  add("Steep", 10, 1, 5), add("Steep", 20, 1, 15);
  add("Copy", 0, 40, 45), add("Copy", 0, 80, 85);
  add("Once", 30, 1, 7);
  const FlopsLaw law(samples);
  const auto us = [&](const char* type, double flops, double bytes) {
    return law.predict_us(kernel(type, KernelGroup::other, flops, bytes));
  };
  EXPECT_NEAR(us("Line", 30, 1), 32, 1e-9);
  EXPECT_NEAR(us("Falls", 1000, 1), 12, 1e-9) << "0.15 / 0.0125";
  EXPECT_NEAR(us("Steep", 52, 1), 30, 1e-9) << "10/3 over 52/9 for each";
  EXPECT_NEAR(us("Copy", 0, 100), 105, 1e-9) << "of what has no FLOPs the bytes count";
  EXPECT_NEAR(us("Once", 1000, 1), 7, 1e-9);
}

TEST(FlopsLaw, of_a_kind_that_nobody_has_seen_is_that_of_all) {
  const KernelFacts small = kernel("A", KernelGroup::other, 10, 1), large = kernel("B", KernelGroup::other, 20, 1);
  const FlopsLaw law(std::vector<KernelSample>{{&small, 12, 1}, {&large, 22, 1}});
  EXPECT_NEAR(law.predict_us(kernel("C", KernelGroup::other, 30, 1)), 32, 1e-9);
  EXPECT_NEAR(law.predict_us(kernel("A", KernelGroup::other, 30, 1)), 12, 1e-9);
}

TEST(ScaledRoofline, is_right_in_the_middle) {
  const KernelFacts one = kernel("A", KernelGroup::other, 10, 1);
  const std::vector<KernelSample> samples{{&one, 30, 1}, {&one, 90, 1}, {&one, 60, 1}};
  const ScaledRoofline law(samples, {1e6, 1e6});
  EXPECT_NEAR(law.predict_us(one), 60, 1e-9);
  // The least time is 30.6 us, so that 10 us of arithmetic more are 10 of 40.6 more.
  EXPECT_NEAR(law.predict_us(kernel("A", KernelGroup::other, 20, 1)), 60 * 50.6 / 40.6, 1e-9);
}

TEST(ErrorsOf, are_those_of_models_that_were_both_measured_and_predicted) {
  std::vector<EvaluatedModel> rows(4);
  const auto predicted = [](double us, double low, double high) {
    ModelPrediction prediction;
    prediction.us = us, prediction.low_us = low, prediction.high_us = high;
    return prediction;
  };
  rows[0].measured_us = 100, rows[0].prediction = predicted(110, 90, 130), rows[0].noise = 0.02;
  rows[1].measured_us = 100, rows[1].prediction = predicted(80, 70, 90), rows[1].noise = 0.04;
  rows[2].measured_us = 7, rows[2].noise = 9;
  rows[3].prediction = predicted(1, 1, 1);
  const auto row = errors_of(rows);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->figures.count, 2u);
  EXPECT_NEAR(row->figures.mape, 0.15, 1e-12);
  EXPECT_NEAR(row->figures.bias, -0.05, 1e-12);
  EXPECT_DOUBLE_EQ(*row->figures.coverage, 0.5);
  EXPECT_DOUBLE_EQ(*row->noise, 0.03);
  EXPECT_EQ(row->method, "takt");
  EXPECT_FALSE(errors_of({}));
  rows[0].noise.reset(), rows[1].noise.reset();
  EXPECT_FALSE(errors_of(rows)->noise);
}

/// One model of two kernels in which every figure is another one.
Dataset distinct_dataset() {
  CollectedModel made;
  made.model = "m.onnx", made.architecture = "arch", made.family = "fam", made.runtime = "run";
  made.runtime_version = "ver", made.device = "dev", made.machine = "mach", made.takt_version = "tv";
  made.measured_at = "at", made.threads = 3, made.rounds = 4, made.constants = {5e9, 6e9};
  made.load.asked = {"cache", 0.7, 8};
  made.load.others_busy = 0.09, made.load.run_delay = 0.1, made.load.steal = 0.11, made.load.canary = 0.12;
  double next = 20;
  for (const std::string_view name : seen_load_features()) made.load.seen.emplace(name, next += 1);
  made.latency_ms = 40, made.noise = 0.41, made.io_bytes = 42;
  for (int i = 0; i < 2; ++i) {
    CollectedKernel one;
    one.kernel = "node" + std::to_string(i), one.latency_ms = 50 + i, one.noise = 0.61 + i;
    one.facts.id = "id" + std::to_string(i), one.facts.op_type = "op", one.facts.layout = "lay";
    one.facts.number_type = "num", one.facts.input_shape = "shape", one.facts.group = KernelGroup::depthwise;
    for (std::size_t f = 0; f < feature_count; ++f)
      one.facts.features.push_back(1000.0 * (i + 1) + static_cast<double>(f));
    one.facts[Feature::threads] = 3;
    made.kernels.push_back(std::move(one));
  }
  return {{made}};
}

TEST(Dataset, every_figure_comes_back_to_its_place) {
  const std::string csv = dataset_csv(distinct_dataset());
  const CollectedModel read = parse_dataset(csv, "x").models.at(0);
  EXPECT_EQ(dataset_csv({{read}}), csv);
  const CollectedModel wanted = distinct_dataset().models[0];
  EXPECT_EQ(read.model + read.architecture + read.family + read.runtime + read.runtime_version + read.device +
                read.machine + read.takt_version + read.measured_at,
            "m.onnxarchfamrunverdevmachtvat");
  EXPECT_EQ(read.threads, 3);
  EXPECT_EQ(read.rounds, 4);
  EXPECT_EQ(read.constants, wanted.constants);
  EXPECT_EQ(read.load.asked, wanted.load.asked);
  EXPECT_EQ(read.load.seen, wanted.load.seen);
  EXPECT_EQ(read.load.others_busy, 0.09);
  EXPECT_EQ(read.load.run_delay, 0.1);
  EXPECT_EQ(read.load.steal, 0.11);
  EXPECT_EQ(read.load.canary, 0.12);
  EXPECT_EQ(read.latency_ms, 40);
  EXPECT_EQ(read.noise, 0.41);
  EXPECT_EQ(read.io_bytes, 42);
  ASSERT_EQ(read.kernels.size(), 2u);
  EXPECT_EQ(read.kernels[1].kernel, "node1");
  EXPECT_EQ(read.kernels[1].latency_ms, 51);
  EXPECT_EQ(read.kernels[1].noise, wanted.kernels[1].noise);
  EXPECT_EQ(read.kernels[1].facts.features, wanted.kernels[1].facts.features);
  EXPECT_EQ(read.kernels[1].facts.id + read.kernels[1].facts.op_type + read.kernels[1].facts.layout +
                read.kernels[1].facts.number_type + read.kernels[1].facts.input_shape,
            "id1oplaynumshape");
  EXPECT_EQ(read.kernels[1].facts.group, KernelGroup::depthwise);
}

/// The dataset whose cell of the second row is another one; what it is refused with.
std::string with_cell(const std::string& column, const std::string& value) {
  const auto rows = parse_csv(dataset_csv(distinct_dataset()), "x");
  std::string csv;
  bool found = false;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < rows[r].cells.size(); ++c) {
      const bool is_it = r == 2 && rows[0].cells[c] == column;
      found = found || is_it;
      csv += (is_it ? value : rows[r].cells[c]) + (c + 1 < rows[r].cells.size() ? "," : "\n");
    }
  EXPECT_TRUE(found) << column;
  try {
    parse_dataset(csv, "x");
    return "taken";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Dataset, rows_of_a_model_agree_in_everything_that_is_of_the_model) {
  EXPECT_EQ(with_cell("kernel", "other"), "taken");
  for (const char* column :
       {"others_busy",      "run_delay",    "steal",          "canary",  "probe_wait_ratio", "gpu_sm_clock_hertz",
        "model_latency_ms", "model_noise",  "model_io_bytes", "rounds",  "peak_flops_per_s", "peak_bytes_per_s",
        "threads",          "architecture", "family",         "runtime", "runtime_version",  "device",
        "machine",          "takt_version", "measured_at"})
    EXPECT_EQ(with_cell(column, "77"), "x:3: contradicts the previous row of model 'm.onnx'") << column;
}

TEST(Dataset, cells_are_taken_up_to_their_borders) {
  const std::string no_load =
      "x:3: 'stress', 'stress_kind' and 'stress_threads' are not a load; give a level up to 1, one of compute, memory "
      "and cache, and a number of threads; or 0, nothing and 0";
  EXPECT_EQ(with_cell("stress", "1.01"), no_load);
  EXPECT_EQ(with_cell("stress", "0"), no_load);
  EXPECT_EQ(with_cell("stress_threads", "0"), no_load);
  EXPECT_EQ(with_cell("stress_threads", "4097"), no_load);
  EXPECT_EQ(with_cell("stress_kind", ""), no_load);
  EXPECT_EQ(with_cell("rounds", "0"), "x:3: 'rounds' is '0'; give a whole number from 1");
  EXPECT_EQ(with_cell("rounds", "1000001"), "x:3: 'rounds' is '1000001'; give a whole number from 1");
  EXPECT_EQ(with_cell("latency_noise", "0"), "taken");
  EXPECT_EQ(with_cell("latency_noise", ""), "taken");
  EXPECT_EQ(with_cell("latency_noise", "-0.1"), "x:3: 'latency_noise' is '-0.1'; give a number from 0, or nothing");
  EXPECT_EQ(with_cell("Latency_ms", "0"), "x:3: 'Latency_ms' is '0'; give a number above 0");
  EXPECT_EQ(with_cell("Latency_ms", ""), "x:3: 'Latency_ms' is ''; give a number above 0");
  EXPECT_EQ(with_cell("flops", ""), "taken");
  for (const char* column : {"input_bytes", "output_bytes", "weight_bytes", "threads"})
    EXPECT_EQ(with_cell(column, ""), "x:3: '" + std::string(column) + "' is empty; give a number");
  for (const char* column :
       {"Kernel_ID", "OpType", "model", "architecture", "family", "kernel", "runtime", "device", "machine"})
    EXPECT_EQ(with_cell(column, ""), "x:3: '" + std::string(column) + "' is empty; give a string");
  for (const char* column : {"Input_Shape", "layout", "number_type"}) EXPECT_EQ(with_cell(column, ""), "taken");
}

}  // namespace
}  // namespace takt
