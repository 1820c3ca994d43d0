#include "predict/answer/evaluated_file.h"

#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "base/system/provenance.h"
#include "predict/answer/tables.h"
#include "test_folder.h"

namespace takt {
namespace {

/// As 'takt evaluate --format json' prints it.
std::string evaluation_json(const Evaluation& evaluation, const std::string& seed = "1") {
  Provenance provenance;
  provenance.command = {"takt", "evaluate"}, provenance.cpu = "two cores", provenance.settings = {{"seed", seed}};
  return to_json(evaluate_tables(evaluation), to_json(provenance));
}

EvaluatedModel judged_model(const std::string& name, double measured_us, double us, int round) {
  EvaluatedModel model;
  model.model = name, model.measured_us = measured_us, model.round = round, model.noise = 0.0625;
  ModelPrediction& prediction = model.prediction.emplace();
  prediction.us = us, prediction.low_us = us / 2, prediction.high_us = us * 2;
  prediction.load = round == 1 ? LoadShare{1.5, "probe", false} : LoadShare{};
  model.interval_runs = round * 30;
  return model;
}

std::vector<EvaluatedModel> five_models() {
  std::vector<EvaluatedModel> models{judged_model("dir/a.onnx", 1000, 1250, 1),
                                     judged_model("dir/a.onnx", 1000, 750, 2), judged_model("dir/b.onnx", 500, 2000, 1),
                                     judged_model("dir/b.onnx", 500, 500, 2)};
  models.emplace_back();
  models.back().model = "dir/c.onnx", models.back().problem = "is no model";
  models[0].kernels = {{KernelGroup::conv, 50, 40}, {KernelGroup::pool, 10, 12.5}};
  models[2].kernels = {{KernelGroup::conv, 200, 210}, {KernelGroup::conv, 32, 48}};
  return models;
}

std::string refusal_of_merge(const std::vector<std::filesystem::path>& files) {
  try {
    merge_evaluations(files);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MergedEvaluations, of_two_shards_are_the_whole) {
  const TestFolder folder;
  const auto all = five_models();
  const auto first = folder.write("1.json", evaluation_json(std::vector{all[0], all[1]}));
  const auto second = folder.write("2.json", evaluation_json(std::vector{all[2], all[3], all[4]}));
  EXPECT_EQ(evaluation_json(merge_evaluations({first, second})), evaluation_json(all));
}

TEST(MergedEvaluations, of_one_model_twice_or_of_other_settings_are_refused) {
  const TestFolder folder;
  const auto all = five_models();
  const auto first = folder.write("1.json", evaluation_json(std::vector{all[0]}));
  const auto again = folder.write("again.json", evaluation_json(std::vector{all[0]}));
  const auto other = folder.write("other.json", evaluation_json(std::vector{all[2]}, "2"));
  EXPECT_EQ(refusal_of_merge({first, again}),
            again.string() + ": model 'dir/a.onnx' is also in an earlier evaluation; leave one out");
  EXPECT_EQ(
      refusal_of_merge({first, other}),
      other.string() + ": was evaluated differently from the first file (seed \"2\" instead of \"1\"); leave it out");
}

TEST(MergedEvaluations, of_another_result_are_refused) {
  const TestFolder folder;
  const auto file = folder.write("sweep.json", R"({"takt": {"cpu": "two cores"}, "tables": {"stages": []}})");
  EXPECT_EQ(refusal_of_merge({file}),
            file.string() + ": is not an evaluation; give what 'takt evaluate --format json' printed");
}

}  // namespace
}  // namespace takt
