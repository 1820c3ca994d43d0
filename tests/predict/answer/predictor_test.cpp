#include "predict/answer/predictor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>

#include "base/basics/error.h"
#include "predict/answer/predict_words.h"
#include "predict/answer/predictor_file.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::HasSubstr;

const TreeSettings few_trees{.trees = 120};

/// Convolutions reach a fifth of the peak, with Relu a little less; sums a half of the bandwidth.
double law_of(const KernelFacts& facts) {
  const double roof = roofline_us(facts, {1e9, 1e9}, 1);
  return roof * (facts.op_type == "Add" ? 2.0 : facts.op_type == "Conv" ? 5.0 : 5.5);
}

std::vector<std::size_t> first(std::size_t count) {
  std::vector<std::size_t> which(count);
  for (std::size_t i = 0; i < count; ++i) which[i] = i;
  return which;
}

std::vector<KernelFacts> facts_in(const CollectedModel& model) {
  std::vector<KernelFacts> facts;
  for (const CollectedKernel& one : model.kernels) facts.push_back(one.facts);
  return facts;
}

class Predictors : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_train_trees()) GTEST_SKIP() << "no XGBoost in this binary";
    predictor = train(dataset, first(20), few_trees);
    predictor.model_width = 0.1, predictor.measured_width = 0.02;
    predictor.kernel_width = {{KernelGroup::conv, 0.2}, {KernelGroup::other, 0.1}};
  }
  Dataset dataset = drawn_dataset(24, 30, 0, law_of);
  Predictor predictor;
};

TEST_F(Predictors, a_law_that_is_known_is_found) {
  for (std::size_t m = 20; m < 24; ++m) {
    const ModelPrediction prediction = predict(predictor, facts_in(dataset.models[m]));
    EXPECT_NEAR(prediction.us / (dataset.models[m].latency_ms * 1000), 1, 0.03) << m;
    EXPECT_GT(prediction.share(Tier::trained), 0.99);  // two small kernels may be equal
    EXPECT_NEAR(prediction.overhead_us, 10 + 0.5 * 30, 1e-6);
    EXPECT_LT(prediction.low_us, prediction.us);
    EXPECT_GT(prediction.high_us, prediction.us);
  }
}

TEST_F(Predictors, sums_are_those_of_the_kernels_and_the_overhead) {
  const ModelPrediction prediction = predict(predictor, facts_in(dataset.models[21]));
  double sum = prediction.overhead_us;
  for (const KernelPrediction& kernel : prediction.kernels) sum += kernel.us;
  EXPECT_NEAR(prediction.us, sum, 1e-9 * sum);
}

TEST_F(Predictors, what_records_cost_is_taken_out_of_kernels_and_of_their_sum) {
  const auto facts = facts_in(dataset.models[21]);
  const ModelPrediction before = predict(predictor, facts);
  predictor.overhead = {10, -2};
  const ModelPrediction after = predict(predictor, facts);
  double recorded = 0, sum = 0;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    EXPECT_EQ(after.kernels[i].recorded_us, before.kernels[i].recorded_us);
    EXPECT_NEAR(after.kernels[i].us, std::max(after.kernels[i].recorded_us - 2, after.kernels[i].recorded_us / 20),
                1e-9);
    EXPECT_LT(after.kernels[i].low_us, after.kernels[i].us);
    EXPECT_GT(after.kernels[i].high_us, after.kernels[i].us);
    recorded += after.kernels[i].recorded_us, sum += after.kernels[i].us;
  }
  EXPECT_NEAR(after.us, recorded + 10 - 2 * static_cast<double>(facts.size()), 1e-9 * recorded);
  EXPECT_NEAR(after.us, sum + after.overhead_us, 1e-9 * recorded);
}

TEST_F(Predictors, a_kernel_in_a_place_that_was_measured_has_its_measured_time) {
  const KernelFacts known = dataset.models[3].kernels[4].facts;
  const auto one = predict(predictor, std::vector<KernelFacts>{known});
  EXPECT_EQ(one.kernels.front().tier, Tier::measured);
  EXPECT_NEAR(one.kernels.front().us, dataset.models[3].kernels[4].latency_ms * 1000, 1e-6);
  KernelFacts elsewhere = known;
  elsewhere[Feature::model_weight_bytes] = 1e8;  // a model whose weights push everything out of the caches
  EXPECT_EQ(predict(predictor, std::vector<KernelFacts>{elsewhere}).kernels.front().tier, Tier::trained);
}

TEST_F(Predictors, what_nobody_has_seen_has_a_number_and_a_wide_interval) {
  const auto strange = predict(predictor, std::vector<KernelFacts>{kernel("Fft", KernelGroup::other, 1e6, 1e5)});
  const KernelPrediction& one = strange.kernels.front();
  EXPECT_EQ(one.tier, Tier::roofline);
  EXPECT_EQ(strange.share(Tier::roofline), 1);
  EXPECT_GT(one.us, 0);
  EXPECT_GT(one.high_us / one.low_us, 20);
  EXPECT_EQ(
      predict(predictor, std::vector<KernelFacts>{kernel("MaxPool", KernelGroup::pool, 1, 8)}).kernels.front().tier,
      Tier::roofline);
}

TEST_F(Predictors, work_beyond_the_training_is_said_and_still_scales) {
  const KernelFacts large = kernel("Conv", KernelGroup::conv, 1e12, 1e9);
  const auto one = predict(predictor, std::vector<KernelFacts>{large}).kernels.front();
  EXPECT_TRUE(one.is_beyond);
  EXPECT_NEAR(one.us / law_of(large), 1, 0.2);  // trees on milliseconds would repeat the largest that they know
  EXPECT_GT(std::log(one.high_us / one.us), 0.25);
}

/// The dataset's convolutions, as those of float32 pictures and windows of 3.
Dataset of_pictures(Dataset dataset) {
  for (CollectedModel& model : dataset.models)
    for (CollectedKernel& one : model.kernels) {
      one.facts[Feature::element_bits] = 32;
      if (one.facts.group != KernelGroup::conv) continue;
      one.facts[Feature::height_in] = one.facts[Feature::width_in] = 14;
      one.facts[Feature::window_height] = one.facts[Feature::window_width] = 3;
    }
  return dataset;
}

TEST_F(Predictors, numbers_and_dimensions_that_were_not_trained_on_are_never_called_trained) {
  const Dataset pictures = of_pictures(dataset);
  const Predictor of_floats = train(pictures, first(20), few_trees);
  const auto predicted = [&](const KernelFacts& facts) {
    return predict(of_floats, std::vector<KernelFacts>{facts}).kernels.front();
  };
  KernelFacts conv = pictures.models[21].kernels[0].facts;
  ASSERT_EQ(conv.op_type, "Conv");
  EXPECT_EQ(predicted(conv).tier, Tier::trained);
  for (const double bits : {4.0, 8.0, 16.0, 64.0}) {
    KernelFacts other = conv;
    other[Feature::element_bits] = bits;
    EXPECT_EQ(predicted(other).tier, Tier::roofline) << bits;
    EXPECT_GT(predicted(other).high_us / predicted(other).low_us, 20) << bits;
  }
  KernelFacts volume = conv;  // 1xCxDxHxW: features of pictures do not apply
  volume[Feature::height_in] = volume[Feature::width_in] = std::nan("");
  EXPECT_EQ(predicted(volume).tier, Tier::roofline);
  conv[Feature::element_bits] = std::nan("");
  EXPECT_EQ(predicted(conv).tier, Tier::trained) << "a type that is not known is no other type";
}

TEST_F(Predictors, windows_longer_than_those_trained_on_are_extrapolated) {
  const Dataset pictures = of_pictures(dataset);
  const Predictor of_windows = train(pictures, first(20), few_trees);
  for (const Feature side : {Feature::window_height, Feature::window_width}) {
    KernelFacts conv = pictures.models[21].kernels[0].facts;
    EXPECT_FALSE(predict(of_windows, std::vector<KernelFacts>{conv}).kernels.front().is_beyond);
    conv[side] = 13;
    EXPECT_TRUE(predict(of_windows, std::vector<KernelFacts>{conv}).kernels.front().is_beyond);
  }
}

TEST_F(Predictors, trees_are_told_how_a_convolution_fits_the_loops_that_compute_it) {
  KernelFacts conv = kernel("Conv", KernelGroup::conv, 1000, 10);
  conv[Feature::channels_in] = 12, conv[Feature::channels_out] = 20, conv[Feature::groups] = 2;
  conv[Feature::width_in] = 26, conv[Feature::width_out] = 13, conv[Feature::window_height] = 3;
  conv[Feature::stride] = 4, conv[Feature::padding] = 4;
  const auto told = [&](const std::string& name) {
    const auto row = predictor.trees.features_of(conv);
    const auto& features = predictor.trees.groups().at(KernelGroup::conv).features;
    EXPECT_EQ(row.size(), features.size());
    for (std::size_t i = 0; i < features.size(); ++i)
      if (features[i].name == name) return static_cast<double>(row[i]);
    ADD_FAILURE() << name;
    return 0.0;
  };
  EXPECT_NEAR(told("fill_of_8"), 20.0 / 24, 1e-6);
  EXPECT_NEAR(told("fill_of_16"), 20.0 / 32, 1e-6);
  EXPECT_EQ(told("rest_of_6"), 1);
  EXPECT_NEAR(told("border"), 1 - std::pow(1 - 1.0 / 13, 2), 1e-6) << "one place of 13 in each direction";
  EXPECT_EQ(told("rows_read_bytes"), 3 * 26 * 6 * 4);
  conv[Feature::columns] = 10;
  EXPECT_NEAR(told("fill_of_8"), 10.0 / 16, 1e-6) << "of a group";
  conv[Feature::padding] = std::nan("");
  EXPECT_TRUE(std::isnan(told("border")));
  conv[Feature::width_out] = std::nan("");
  EXPECT_TRUE(std::isnan(told("fill_of_8"))) << "a sequence";
  for (const TrainedFeature& feature : predictor.trees.groups().at(KernelGroup::other).features)
    EXPECT_NE(feature.name, "fill_of_8");
}

TEST_F(Predictors, a_sum_takes_what_an_add_takes) {
  const KernelFacts add = kernel("Add", KernelGroup::other, 1234, 98765),
                    sum = kernel("Sum", KernelGroup::other, 1234, 98765);
  const auto both = predict(predictor, std::vector<KernelFacts>{add, sum}).kernels;
  EXPECT_EQ(both[1].tier, Tier::trained);
  EXPECT_EQ(both[1].us, both[0].us);
}

TEST_F(Predictors, a_model_without_kernels_takes_the_overhead) {
  EXPECT_EQ(predict(predictor, {}).us, predictor.overhead.whole({}, 0));
}

const LoadLaw some_law("probe",
                       {{"probe_wait_ratio", 0.01, 1.02, -0.3, 0, 2}, {"probe_compute_flops", 5e10, 0.9, 0.1, -0.1, 1}},
                       {{1.5, 0.1}, {3, 0.2}});

TEST_F(Predictors, a_file_says_the_same) {
  predictor.load_laws = {some_law};
  std::map<std::string, std::string> files;
  for (const auto& [name, text] : tree_files(predictor)) files[name] = text;
  const std::string json = predictor_json(predictor, {});
  const Predictor read = parse_predictor(json, "p", [&](const std::string& name) { return files.at(name); });
  EXPECT_EQ(predictor_json(read, {}), json);
  const auto facts = facts_in(dataset.models[22]);
  EXPECT_EQ(predict(read, facts).us, predict(predictor, facts).us);
  EXPECT_EQ(predict(read, facts).high_us, predict(predictor, facts).high_us);
}

TEST_F(Predictors, of_a_gpu_take_what_asking_takes_and_a_file_says_the_same) {
  predictor.device = "GPU";
  predictor.overhead = {0, 0, Launching{30, 1e-4, {3, 20, 15, 13, 15, 1000}, 0.5}};
  const auto facts = facts_in(dataset.models[22]);
  std::vector<KernelTime> recorded;
  const ModelPrediction told = predict(predictor, facts, 2e6);
  for (std::size_t i = 0; i < facts.size(); ++i)
    recorded.push_back({told.kernels[i].recorded_us, host_work_of(facts[i])});
  EXPECT_DOUBLE_EQ(told.us, predictor.overhead.launching->whole(recorded, 2e6));
  EXPECT_NEAR(told.us - predict(predictor, facts).us, 200, 1e-6 * told.us) << "bringing 2 MB";
  std::map<std::string, std::string> files;
  for (const auto& [name, text] : tree_files(predictor)) files[name] = text;
  const std::string json = predictor_json(predictor, {});
  const Predictor read = parse_predictor(json, "p", [&](const std::string& name) { return files.at(name); });
  EXPECT_EQ(read.overhead.launching, predictor.overhead.launching);
  EXPECT_EQ(predict(read, facts, 2e6).us, told.us);
}

/// What a packed predictor is refused for; "not refused".
std::string packed_refusal(const std::string& bytes) {
  try {
    unpacked_predictor(bytes, "x.predictor");
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

TEST_F(Predictors, one_file_says_what_a_folder_says) {
  predictor.load_laws = {some_law};
  const TestFolder folder;
  const auto facts = facts_in(dataset.models[21]);
  const double us = predict(predictor, facts).us;
  for (const char* name : {"p.predictor", "below/p.predictor.gz"}) {
    write_predictor(predictor, folder.path() / name, {});
    const Predictor read = read_predictor(folder.path() / name);
    EXPECT_EQ(predict(read, facts).us, us) << name;
    EXPECT_EQ(read.load_laws.size(), 1u);
    write_predictor(read, folder.path() / "folder", {});  // trees that were packed are written as XGBoost's
    EXPECT_EQ(predict(read_predictor(folder.path() / "folder"), facts).us, us) << name;
  }
  EXPECT_LT(std::filesystem::file_size(folder.path() / "below/p.predictor.gz"),
            std::filesystem::file_size(folder.path() / "p.predictor"));
  EXPECT_FALSE(is_predictor_file("predictor"));
}

TEST_F(Predictors, one_file_that_is_damaged_is_refused) {
  const std::string packed = packed_predictor(predictor, {});
  EXPECT_EQ(packed_refusal(packed), "not refused");
  EXPECT_THAT(packed_refusal("text"), HasSubstr("x.predictor: is not a predictor"));
  EXPECT_THAT(packed_refusal(packed.substr(0, packed.size() - 1)), HasSubstr("x.predictor: is damaged"));
  EXPECT_THAT(packed_refusal(packed + "line"), HasSubstr("x.predictor: is damaged"));
  EXPECT_THAT(packed_refusal(packed + "\n"), HasSubstr("x.predictor: is damaged"));
  EXPECT_THAT(packed_refusal("takt predictor\n"), HasSubstr("has no predictor.json"));
  std::string changed = packed;
  changed[changed.size() - 1] ^= 1;
  EXPECT_THAT(packed_refusal(changed), HasSubstr("belongs to another predictor"));
}

TEST_F(Predictors, nothing_is_learnt_of_nothing) {
  try {
    train(dataset, {}, few_trees);
    ADD_FAILURE() << "trained";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "there are no models to train on; collect more");
  }
}

TEST_F(Predictors, files_of_something_else_are_refused) {
  predictor.load_laws = {some_law};
  std::map<std::string, std::string> files;
  for (const auto& [name, text] : tree_files(predictor)) files[name] = text;
  const std::string json = predictor_json(predictor, {});
  const auto refusal = [&](const std::string& from, const std::string& to) {
    std::string changed = json;
    const auto at = changed.find(from);
    EXPECT_NE(at, changed.npos) << from;
    changed.replace(at, from.size(), to);
    try {
      parse_predictor(changed, "p", [&](const std::string& name) { return files.at(name); });
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  for (const char* other : {"\"takt_predictor\": 2", "\"takt_predictor\": 4"})
    EXPECT_THAT(refusal("\"takt_predictor\": 3", other), HasSubstr("another version of takt"));
  EXPECT_THAT(refusal("\"takt_predictor\"", "\"takt_predicator\""), HasSubstr("is not a predictor"));
  EXPECT_THAT(refusal("\"threads\": 1", "\"threads\": 0"), HasSubstr("'threads'"));
  EXPECT_THAT(refusal("\"model_width\": 0.1", "\"model_width\": -0.1"), HasSubstr("'model_width'"));
  EXPECT_THAT(refusal("\"name\": \"flops\"", "\"name\": \"flop\""), HasSubstr("feature 'flop' is listed where"));
  EXPECT_THAT(refusal("\"group\": \"conv\"", "\"group\": \"kernels\""), HasSubstr("not a group of kernels"));
  EXPECT_THAT(refusal("\"feature\": \"probe_wait_ratio\"", "\"feature\": \"weather\""),
              HasSubstr("is not a load metric"));
  EXPECT_THAT(refusal("\"weight\": 1.02", "\"weight\": 1e9"), HasSubstr("which is out of range for a load model"));
  EXPECT_THAT(refusal("\"high\": 2.0", "\"high\": -2.0"), HasSubstr("'low' is above 'high'"));
  EXPECT_THAT(refusal("3.0,", "1.0,"), HasSubstr("is not [factor, width]"));
  EXPECT_THAT(refusal("\"machine\"", "\"machines\""), HasSubstr("'machines' is not a known key"));
  auto json_of = nlohmann::ordered_json::parse(json);
  const auto refused = [&](auto change) {
    auto changed = json_of;
    change(changed);
    try {
      parse_predictor(changed.dump(), "p", [&](const std::string& name) { return files.at(name); });
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  EXPECT_THAT(refused([](auto& p) { p["groups"][0]["correction"] = {1, 2}; }), HasSubstr("a constant and two slopes"));
  EXPECT_THAT(refused([](auto& p) {
                p["groups"][0]["correction"] = {1, 2, 51};
              }),
              HasSubstr("a constant and two slopes"));
  EXPECT_THAT(refused([](auto& p) { p["groups"][0]["words"] = {"b", "a"}; }), HasSubstr("'words' is not sorted"));
  EXPECT_THAT(refused([](auto& p) { p["groups"][0]["bases"] = {"a", "a"}; }), HasSubstr("has a duplicate"));
  EXPECT_THAT(refused([](auto& p) { p["groups"][0]["features"].erase(0); }), HasSubstr("its features differ"));
  EXPECT_THAT(refused([](auto& p) { p["groups"].push_back(p["groups"][0]); }), HasSubstr("a group is listed twice"));
  EXPECT_THAT(refused([](auto& p) { p["known"] = {{"record", 1, 2, 0}}; }), HasSubstr("an entry of 'known' is not"));
  EXPECT_THAT(refused([](auto& p) { p["load_laws"][0]["terms"].clear(); }), HasSubstr("has no terms or no widths"));
  for (const char* key : {"flops_per_s", "bytes_per_s", "least_kernel_us"})
    EXPECT_THAT(refused([&](auto& p) { p[key] = 0; }),
                HasSubstr(std::string("'") + key + "' is 0; give a number above it"));
  files["conv.boosting.json"] += " ";
  EXPECT_THAT(refusal("\"threads\": 1", "\"threads\": 1"),
              HasSubstr("conv.boosting.json belongs to another predictor"));
}

TEST(Predictor, one_predictor_stands_for_one_way_of_measuring) {
  Dataset dataset = drawn_dataset(2, 3, 0, law_of);
  EXPECT_NO_THROW(check_is_one_way(dataset, "x"));
  const auto refusal = [&](auto change) -> std::string {
    Dataset other = dataset;
    change(other.models[1]);
    try {
      check_is_one_way(other, "x");
    } catch (const Error& error) {
      return error.what();
    }
    return "not refused";
  };
  EXPECT_THAT(refusal([](auto& m) { m.threads = 2; }), HasSubstr("x: models were measured with threads '1' and '2'"));
  EXPECT_THAT(refusal([](auto& m) { m.machine = "m"; }), HasSubstr("with machine"));
  EXPECT_THAT(refusal([](auto& m) { m.runtime = "r"; }), HasSubstr("with runtime '"));
  EXPECT_THAT(refusal([](auto& m) { m.runtime_version = "0"; }), HasSubstr("with runtime version"));
  EXPECT_THAT(refusal([](auto& m) { m.device = "d"; }), HasSubstr("with device"));
}

}  // namespace
}  // namespace takt
