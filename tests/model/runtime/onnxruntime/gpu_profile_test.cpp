#include <gtest/gtest.h>

#include <chrono>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "model/onnxruntime/profile.h"

namespace takt::ort {
namespace {

using namespace std::chrono_literals;
using Kind = GpuActivity::Kind;

/// Two inferences of a copy-free chain A, B on the GPU, 100 us each on the host, as ONNX Runtime writes them.
constexpr const char* two_runs = R"([
{"cat":"Node","pid":1,"tid":1,"dur":10,"ts":1010,"ph":"X","name":"a_kernel_time","args":{"op_name":"MatMul","provider":"CUDAExecutionProvider"}},
{"cat":"Node","pid":1,"tid":1,"dur":10,"ts":1030,"ph":"X","name":"b_kernel_time","args":{"op_name":"Relu","provider":"CUDAExecutionProvider"}},
{"cat":"Session","pid":1,"tid":1,"dur":100,"ts":1000,"ph":"X","name":"model_run","args":{}},
{"cat":"Node","pid":1,"tid":1,"dur":10,"ts":2010,"ph":"X","name":"a_kernel_time","args":{"op_name":"MatMul","provider":"CUDAExecutionProvider"}},
{"cat":"Node","pid":1,"tid":1,"dur":10,"ts":2030,"ph":"X","name":"b_kernel_time","args":{"op_name":"Relu","provider":"CUDAExecutionProvider"}},
{"cat":"Session","pid":1,"tid":1,"dur":100,"ts":2000,"ph":"X","name":"model_run","args":{}}
])";

/// What is read of a file with this text.
Profile profile_of(const char* text, const std::vector<std::vector<GpuActivity>>& gpu) {
  const TemporaryFolder folder("takt");
  const auto file = folder.path() / "profile.json";
  write_file_atomically(file, text);
  return read_profile(file, gpu);
}

TEST(GpuProfile, nodes_have_the_gpus_times_where_it_told_them) {
  const std::vector<GpuActivity> first{{Kind::copy_to_gpu, 1004us, 1008us, 1003us},
                                       {Kind::kernel, 1030us, 1070us, 1012us},
                                       {Kind::kernel, 1070us, 1075us, 1033us},
                                       {Kind::copy_to_host, 1080us, 1090us, 1060us},
                                       {Kind::kernel, 1500us, 1600us, 1490us}};  // of another session, between the runs
  const Profile profile = profile_of(two_runs, {first, {}});
  ASSERT_EQ(profile.runs.size(), 2u);
  ASSERT_EQ(profile.nodes.size(), 4u);
  EXPECT_EQ(profile.nodes[0].name, "a");
  EXPECT_TRUE(profile.nodes[1].is_node);
  EXPECT_EQ(profile.nodes[2].name, "inputs to GPU");
  EXPECT_FALSE(profile.nodes[2].is_node);
  EXPECT_EQ(profile.nodes[3].name, "outputs to host");
  const ProfiledRun& run = profile.runs[0];
  ASSERT_EQ(run.size(), 4u);
  EXPECT_EQ(run[0].duration, 40us);
  EXPECT_EQ(run[0].start, 30us);
  EXPECT_EQ(run[1].duration, 5us);
  EXPECT_EQ(run[2].duration, 4us);
  EXPECT_EQ(run[2].start, 4us);
  EXPECT_EQ(run[3].duration, 10us);
  ASSERT_EQ(profile.runs[1].size(), 2u);
  EXPECT_EQ(profile.runs[1][0].duration, 20us)
      << "of this run the GPU told nothing: the host's time, to the next start";
}

/// An If on the GPU with a product in its branch.
constexpr const char* with_a_body = R"([
{"cat":"Node","pid":1,"tid":1,"dur":30,"ts":1020,"ph":"X","name":"inner_kernel_time","args":{"op_name":"MatMul","provider":"CUDAExecutionProvider"}},
{"cat":"Node","pid":1,"tid":1,"dur":80,"ts":1010,"ph":"X","name":"outer_kernel_time","args":{"op_name":"If","provider":"CUDAExecutionProvider"}},
{"cat":"Session","pid":1,"tid":1,"dur":100,"ts":1000,"ph":"X","name":"model_run","args":{}}
])";

TEST(GpuProfile, what_a_body_did_is_part_of_what_the_node_around_it_took) {
  const Profile profile = profile_of(with_a_body, {{{Kind::kernel, 1030us, 1070us, 1022us}}});
  ASSERT_EQ(profile.runs.size(), 1u);
  ASSERT_EQ(profile.runs[0].size(), 2u);
  for (const ProfiledExecution& one : profile.runs[0]) EXPECT_EQ(one.duration, 40us) << profile.nodes[one.node].name;
}

}  // namespace
}  // namespace takt::ort
