// What `takt fit` refuses of a dataset that can be read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "cli/line/commands.h"
#include "predict/answer/predict_words.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::HasSubstr;

/// Two models, the second of them changed.
std::string fit_refusal(const std::function<void(CollectedModel& second)>& change) {
  const TestFolder folder;
  Dataset dataset = drawn_dataset(2, 3, 0, [](const KernelFacts&) { return 1.0; });
  change(dataset.models[1]);
  write_dataset(dataset, folder / "d.csv");
  const std::string out = (folder / "predictor").string();
  const std::vector<std::string> words{(folder / "d.csv").string(), "-o", out};
  try {
    fit_command.run(words);
  } catch (const Error& error) {
    EXPECT_FALSE(std::filesystem::exists(out));
    return error.what();
  }
  return "taken";
}

TEST(Fit, a_dataset_of_several_ways_of_measuring_is_refused) {
  using Model = CollectedModel;
  const std::pair<std::function<void(Model&)>, const char*> cases[] = {
      {[](Model& m) { m.machine = "another"; }, "machine 'a machine' and 'another'"},
      {[](Model& m) { m.runtime = "openvino"; }, "runtime 'onnxruntime' and 'openvino'"},
      {[](Model& m) { m.runtime_version = "2"; }, "runtime version '1' and '2'"},
      {[](Model& m) { m.device = "GPU"; }, "device 'CPU' and 'GPU'"},
      {[](Model& m) {
         m.threads = 2;
         for (CollectedKernel& one : m.kernels) one.facts[Feature::threads] = 2;
       },
       "threads '1' and '2'"},
  };
  for (const auto& [change, words] : cases)
    EXPECT_THAT(fit_refusal(change), HasSubstr(std::string("d.csv: models were measured with ") + words +
                                               "; use a separate dataset and predictor for each"));
}

TEST(Fit, a_dataset_of_loads_alone_is_refused) {
  const TestFolder folder;
  Dataset dataset = drawn_dataset(2, 3, 0, [](const KernelFacts&) { return 1.0; });
  for (CollectedModel& model : dataset.models) {
    model.load.asked = {"memory", 0.6, 2};
    model.load.seen = {{"probe_wait_ratio", 0.75}};
  }
  write_dataset(dataset, folder / "d.csv");
  const std::vector<std::string> words{(folder / "d.csv").string(), "-o", (folder / "predictor").string()};
  try {
    fit_command.run(words);
    ADD_FAILURE() << "taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("d.csv: contains no measurement without load"));
  }
}

}  // namespace
}  // namespace takt
