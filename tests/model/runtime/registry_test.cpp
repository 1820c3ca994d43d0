// Which runtimes there are, and which of them a file is for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "model/registry/asked.h"
#include "model/runtime/runtime.h"
#include "refused.h"

namespace takt {
namespace {

bool is_built(const std::string& name) {
  const auto names = runtime_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(Registry, an_unknown_name_gets_the_nearest) {
  try {
    make_runtime("openvin");
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::unsupported);
    EXPECT_STREQ(e.what(), "runtime 'openvin': unknown; did you mean 'openvino'?");
  }
}

TEST(Registry, every_runtime_is_either_there_or_missing) {
  auto all = runtime_names();
  const auto missing = missing_runtime_names();
  all.insert(all.end(), missing.begin(), missing.end());
  EXPECT_THAT(all, testing::UnorderedElementsAre("openvino", "onnxruntime", "sim"));
  for (const auto& name : missing)
    EXPECT_EQ(refused_with([&] { make_runtime(name); })
                  .rfind("runtime '" + name + "': left out of this binary; configure with -DTAKT_WITH_" +
                             upper_case(name) + "=ON, or use ",
                         0),
              0u);
}

TEST(Registry, each_runtime_says_how_it_works) {
  const auto told = [](const RuntimeTraits& traits) {
    std::string words;
    for (const auto& [is, word] : {std::pair(traits.is_simulated, "simulated "),
                                   {traits.shares_threads, "shares_threads "},
                                   {traits.has_streams, "streams "},
                                   {traits.times_requests, "times_requests "},
                                   {traits.reshapes, "reshapes "},
                                   {traits.uses_ir, "ir "},
                                   {traits.saves_graph, "saves_graph "},
                                   {traits.reads_other_formats, "other_formats "}})
      if (is) words += word;
    for (const ElementType type : traits.precisions) words += std::string(type_name(type)) + ' ';
    for (const auto& [key, value] : traits.as_written) words += key + '=' + value;
    return words;
  };
  const std::map<std::string, std::string> right = {
      {"sim", "simulated streams "},
      {"onnxruntime", "saves_graph graph_optimization_level=disabled"},
      {"openvino", "shares_threads streams times_requests reshapes ir other_formats float32 bfloat16 float16 "}};
  for (const auto& name : runtime_names()) EXPECT_EQ(told(make_runtime(name)->traits()), right.at(name)) << name;
}

TEST(Registry, endings_tell_models_from_other_files) {
  for (const char* model : {"a.onnx", "a.ONNX", "b/c.xml"}) EXPECT_TRUE(is_model_file(model)) << model;
  for (const char* other : {"a.yaml", "onnx", "a.onnx.gz", ""}) EXPECT_FALSE(is_model_file(other)) << other;
}

TEST(Registry, a_runtime_s_own_format_decides) {
  EXPECT_EQ(runtime_for("a.xml").name, "openvino");
  EXPECT_EQ(runtime_for("a.xml").why, "for .xml files");
  if (!is_built("onnxruntime")) GTEST_SKIP() << "onnxruntime is not in this binary";
  EXPECT_EQ(runtime_for("a.Onnx").name, "onnxruntime");
  EXPECT_EQ(runtime_for("a.Onnx").why, "for .onnx files");
  EXPECT_EQ(runtime_for("a.bin").name, "onnxruntime") << "most models are ONNX, whatever they are called";
}

TEST(Registry, without_it_another_real_runtime_that_reads_the_file_is_chosen) {
  if (is_built("onnxruntime") || !is_built("openvino")) GTEST_SKIP() << "needs a binary with openvino alone";
  EXPECT_EQ(runtime_for("a.onnx").name, "openvino");
  EXPECT_EQ(runtime_for("a.onnx").why, "onnxruntime is not in this binary");
}

TEST(Registry, a_simulated_device_is_never_chosen_for_a_real_one) {
  if (is_built("onnxruntime") || is_built("openvino")) GTEST_SKIP() << "needs a binary without real runtimes";
  EXPECT_EQ(refused_with([] { make_runtime(runtime_for("a.onnx").name); }),
            "runtime 'onnxruntime': left out of this binary; configure with -DTAKT_WITH_ONNXRUNTIME=ON, or use sim");
}

TEST(Registry, a_device_that_the_files_own_runtime_lacks_is_asked_of_another_one) {
  if (!is_built("onnxruntime") || !is_built("openvino")) GTEST_SKIP() << "needs two runtimes that read a file";
  using Devices = std::vector<DeviceStatus>;
  std::map<std::string, ToldDevices> told{
      {"onnxruntime", {"1", Devices{{"CPU", "", {}}, {"GPU", "", "built without CUDA"}}, ""}},
      {"openvino", {"2", Devices{{"CPU", "", {}}, {"GPU.0", "", {}}}, ""}}};
  const auto choice = [&](const char* model, const char* device) {
    return runtime_for_device(model, device, [&](const std::string& name) { return told.at(name); });
  };
  EXPECT_EQ(choice("a.onnx", "cuda:0").name, "openvino");
  EXPECT_EQ(choice("a.onnx", "GPU").why, "onnxruntime has no GPU");
  EXPECT_EQ(choice("a.onnx", "cpu").name, "onnxruntime");
  EXPECT_EQ(choice("a.xml", "GPU").why, "for .xml files") << "no other reads it";
  told["onnxruntime"].devices[1].reason.reset();
  EXPECT_EQ(choice("a.onnx", "GPU").name, "onnxruntime");
  told["onnxruntime"].reason = "it cannot be asked: a crash", told["openvino"].devices.pop_back();
  try {
    choice("a.onnx", "GPU");
    ADD_FAILURE() << "chosen";
  } catch (const Error& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "a.onnx: device GPU cannot be used (onnxruntime: it cannot be asked: a crash; openvino: it has no device of "
        "this name); use CPU");
  }
}

}  // namespace
}  // namespace takt
