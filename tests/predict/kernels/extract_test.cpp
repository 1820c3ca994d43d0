#include "predict/kernels/extract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "predict/kernels/real_models.h"

namespace takt {
namespace {

struct Named {
  std::string name;
  ZooModel model;
};

void PrintTo(const Named& named, std::ostream* out) { *out << named.name; }

class ExtractedZoo : public testing::TestWithParam<Named> {};

/// The promise: every kernel of every model, fused and blocked ones too, gives the numbers that it gives inside.
TEST_P(ExtractedZoo, every_kernel_gives_the_numbers_that_it_gives_inside) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  const OptimisedKernels kernels = kernels_of(write_zoo_model(folder, GetParam().model), {});
  ExtractSettings settings;
  settings.all_kernels = true;
  const auto extracted = extract_kernels(kernels, settings);
  ASSERT_EQ(extracted.size(), kernels.graph.kernels.size());
  for (const ExtractedKernel& one : extracted) {
    EXPECT_EQ(one.problem.value_or(""), "") << one.id;
    ASSERT_TRUE(one.difference) << one.id;
    EXPECT_LE(*one.difference, 1e-5) << one.id << " of " << one.kernel;
  }
}

/// And every record alone, without the model, runs.
TEST_P(ExtractedZoo, every_record_makes_a_model_that_runs) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  OptimisedKernels kernels = kernels_of(write_zoo_model(folder, GetParam().model), {});
  KernelFile file;
  add(file, std::move(kernels.graph), std::move(kernels.records));
  for (const ExtractedKernel& one : extract_records(file, "CPU", {})) {
    EXPECT_EQ(one.problem.value_or(""), "") << one.id;
    EXPECT_EQ(one.runs, true) << one.id;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, ExtractedZoo,
                         testing::Values(Named{"resnet", {"resnet", 10, 0.25, 2, 64}},
                                         Named{"bottlenecks", {"resnet", 26, 0.25, 1, 64}},
                                         Named{"vgg", {"vgg", 11, 0.25, 1, 64}},
                                         Named{"mobilenet", {"mobilenetv2", 10, 0.35, 1, 64}},
                                         Named{"squeezenet", {"squeezenet", 11, 0.5, 1, 64}},
                                         Named{"densenet", {"densenet", 59, 0.375, 1, 64}},
                                         Named{"efficientnet", {"efficientnet", 9, 0.5, 1, 64}},
                                         Named{"inception", {"inception", 5, 0.5, 1, 64}},
                                         Named{"transformer", {"transformer", 2, 0.5, 2, 16}},
                                         Named{"mlp", {"mlp", 3, 0.5, 3, 100}}, Named{"sage", {"sage", 1, 0.05, 1, 20}},
                                         Named{"gcn", {"gcn", 1, 0.05, 1, 20}}, Named{"gat", {"gat", 1, 0.05, 1, 20}}),
                         [](const auto& one) { return one.param.name; });

/// What a runtime saves still points at the files that it left the weights in.
TEST(Extract, weights_beside_the_model_come_along) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  folder.write("weights.bin", std::string(64 * 64 * sizeof(float), '\x3d'));
  ModelBuilder b;
  auto& weight = *b.graph().add_initializer();
  weight.set_name("w"), weight.set_data_type(onnx::TensorProto::FLOAT);
  weight.add_dims(64), weight.add_dims(64);
  weight.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& place = *weight.add_external_data();
  place.set_key("location"), place.set_value("weights.bin");
  b.output(b.node("MatMul", {b.input("x", ElementType::f32, {3, 64}), "w"}), ElementType::f32, {3, 64});
  const OptimisedKernels kernels = kernels_of(folder.write("matmul.onnx", b.serialize()), {});
  const auto extracted = extract_kernels(kernels, {});
  ASSERT_EQ(extracted.size(), 1u);
  EXPECT_EQ(extracted[0].problem.value_or(""), "");
  EXPECT_EQ(extracted[0].difference, 0);
}

TEST(Extract, a_row_says_what_was_taken_out_and_each_step_is_told) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  const OptimisedKernels kernels = kernels_of(write_zoo_model(folder, {"mlp", 3, 0.5, 1, 100}), {});
  std::vector<std::pair<std::uint64_t, std::uint64_t>> told;
  ExtractSettings settings;
  settings.all_kernels = true, settings.run = false;
  settings.progress = [&](auto done, auto all) { told.emplace_back(done, all); };
  const auto all = extract_kernels(kernels, settings);
  ASSERT_EQ(all.size(), kernels.graph.kernels.size());
  ASSERT_EQ(told.size(), all.size());
  std::set<std::string> different;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(told[i], std::pair(std::uint64_t{i}, std::uint64_t{all.size()}));
    EXPECT_EQ(all[i].id, kernels.graph.kernels[i].record);
    EXPECT_EQ(all[i].kernel, kernels.graph.kernels[i].name);
    EXPECT_EQ(all[i].name, kernels.records.at(all[i].id).name);
    EXPECT_FALSE(all[i].runs || all[i].difference || all[i].is_new) << "nobody asked";
    EXPECT_EQ(all[i].file, "");
    different.insert(all[i].id);
  }
  settings.all_kernels = false;
  EXPECT_EQ(extract_kernels(kernels, settings).size(), different.size());
  settings.record = *different.rbegin();
  const auto one = extract_kernels(kernels, settings);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].id, *different.rbegin());
  settings.all_kernels = true;
  EXPECT_EQ(extract_kernels(kernels, settings).size(),
            static_cast<std::size_t>(
                std::count_if(all.begin(), all.end(), [&](auto& each) { return each.id == one[0].id; })));
}

TEST(Extract, files_are_written_once_and_stay) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  const OptimisedKernels kernels = kernels_of(write_zoo_model(folder, {"mlp", 3, 0.5, 1, 100}), {});
  ExtractSettings settings;
  settings.folder = folder.path() / "kernels";
  const auto first = extract_kernels(kernels, settings);
  ASSERT_FALSE(first.empty());
  for (const auto& one : first) {
    EXPECT_TRUE(one.is_new);
    EXPECT_EQ(one.file.stem(), one.id);
    EXPECT_TRUE(std::filesystem::is_regular_file(one.file));
  }
  for (const auto& one : extract_kernels(kernels, settings)) EXPECT_FALSE(one.is_new);
}

TEST(Extract, a_group_of_openvino_is_taken_out_of_the_model) {
  if (!has_openvino()) GTEST_SKIP() << "this binary lacks OpenVINO";
  const TestFolder folder;
  RunSettings run;
  run.runtime = "openvino";
  const OptimisedKernels kernels = kernels_of(write_zoo_model(folder, {"resnet", 10, 0.25, 1, 64}), run);
  ExtractSettings settings;
  settings.folder = folder.path() / "kernels";
  std::size_t ran = 0;
  for (const auto& one : extract_kernels(kernels, settings))
    ran += one.name == "Conv_Add_Relu" && one.runs.value_or(false);
  EXPECT_GT(ran, 0u);
}

TEST(Extract, stops_when_it_is_asked_to_and_takes_no_group_out_of_what_is_no_onnx_file) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  OptimisedKernels kernels = kernels_of(write_zoo_model(folder, {"mlp", 3, 0.5, 1, 100}), {});
  ExtractSettings settings;
  const std::atomic<bool> stop = true;
  settings.stop = &stop;
  try {
    extract_kernels(kernels, settings);
    ADD_FAILURE() << "it went on";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                testing::MatchesRegex("stopped after [0-9]+ of [0-9]+ kernels; the same command resumes from here"));
  }
  kernels.is_saved = false;
  kernels.model.proto = nullptr;
  std::size_t refused = 0;
  for (const ExtractedKernel& one : extract_kernels(kernels, {}))
    refused += one.problem.value_or("").find("the model is not an ONNX file") != std::string::npos;
  EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace takt
