// Several sessions of a model at once, and several requests of one.
#include <gmock/gmock.h>

#include <numeric>

#include "measure/run/run.h"
#include "model/onnx/builder.h"
#include "test_folder.h"

namespace takt {
namespace {

class Several : public testing::Test {
 protected:
  Several() {
    ModelBuilder b;
    b.output(b.node("MatMul", {b.input("x", ElementType::f32, {64, 64}), b.weight({64, 64})}));
    path_ = folder_.write("m.onnx", b.serialize());
    settings_.runtime = "sim", settings_.device = "sim:CPU";
    settings_.warmup_iterations = 2, settings_.iterations = 6;
  }
  RunResult run() { return run_model(path_, settings_, RunPasses::plain); }

  TestFolder folder_;
  std::filesystem::path path_;
  RunSettings settings_;
};

TEST_F(Several, instances_count_together_and_apart) {
  settings_.instances = 3;
  const RunResult result = run();
  ASSERT_EQ(result.instances.size(), 3u);
  const RunPass& all = result.plain.value();
  EXPECT_EQ(all.warmup.size(), 6u);
  EXPECT_EQ(all.samples.size(), 18u);
  EXPECT_EQ(all.host_samples.size(), 18u);
  EXPECT_EQ(all.starts.size(), 18u);
  double rates = 0;
  Nanoseconds longest{};
  for (std::size_t i = 0; i < 3; ++i) {
    const RunPass& one = result.instances[i];
    ASSERT_EQ(one.samples.size(), 6u);
    EXPECT_TRUE(std::equal(one.samples.begin(), one.samples.end(), all.samples.begin() + static_cast<long>(6 * i)));
    const auto sum = std::accumulate(one.samples.begin(), one.samples.end(), Nanoseconds(0));
    rates += 6e9 / static_cast<double>(sum.count());
    longest = std::max(longest, one.load_time);
  }
  EXPECT_NEAR(all.runs_per_second.value() / rates, 1, 1e-12) << "of all instances together";
  EXPECT_EQ(all.load_time, longest);
}

TEST_F(Several, requests_count_together_and_the_window_is_that_of_all) {
  for (const int requests : {1, 2, 3}) {
    settings_.requests = requests;
    const RunResult result = run();
    const Throughput& all = result.throughput.value();
    EXPECT_EQ(all.requests, requests);
    EXPECT_EQ(all.completed, 6u);
    EXPECT_NEAR(all.per_second, 6e9 / static_cast<double>(all.window.count()), 1e-6);
    const RunPass& pass = result.plain.value();
    EXPECT_EQ(pass.host_samples, pass.samples);
    ASSERT_EQ(pass.samples.size(), 6u);
    ASSERT_EQ(pass.starts.size(), 6u);
    EXPECT_EQ(pass.starts.back() + pass.samples.back(), all.window) << "until the last one completes";
    EXPECT_EQ(pass.runs_per_second, all.per_second);
    EXPECT_THAT(result.notes,
                testing::Contains(testing::HasSubstr(std::to_string(requests) +
                                                     (requests == 1 ? " request in flight" : " requests in f"))));
  }
}

TEST_F(Several, of_several_instances_the_first_tells_how_far_they_are) {
  settings_.instances = 3;
  std::vector<std::string> told;
  run_model(path_, settings_, RunPasses::plain, [&](std::string_view phase, std::uint64_t done, std::uint64_t total) {
    told.push_back(std::string(phase) + " " + std::to_string(done) + "/" + std::to_string(total));
  });
  EXPECT_THAT(told, testing::ElementsAre("plain 0/6", "plain 1/6", "plain 2/6", "plain 3/6", "plain 4/6", "plain 5/6"));
}

}  // namespace
}  // namespace takt
