#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "model/runtime/models.h"
#include "refused.h"

namespace takt {
namespace {

class Sim : public testing::Test {
 protected:
  std::unique_ptr<Session> open(const std::string& description, std::uint64_t seed = 1) {
    const auto path = folder_.write("model.onnx", conv_matmul().serialize());
    model_ = read_onnx(path);
    SessionSettings settings;
    settings.device = "sim:edge";
    settings.device_description = folder_.write("edge.yaml", description);
    settings.profile_ops = true;
    settings.seed = seed;
    return runtime_->open(path, &model_.graph, settings);
  }

  TestFolder folder_;
  OnnxModel model_;
  std::unique_ptr<Runtime> runtime_ = make_runtime("sim");
};

constexpr const char* table =
    "law: table\nclock: virtual\nunknown_op_ns: 7\noverhead_ns: 1000\nops: {Conv: 100, Relu: 10, MatMul: 50}\n";

TEST_F(Sim, a_virtual_run_is_the_sum_of_its_parts) {
  const auto session = open(table);
  EXPECT_EQ(session->device(), "sim:edge");
  // Conv 100, Relu 10, Reshape 7 (not listed), MatMul 50, and 1000 outside of all operators.
  EXPECT_EQ(session->run().count(), 1167);
  const auto ops = session->last_ops();
  ASSERT_TRUE(ops);
  ASSERT_EQ(ops->size(), 4u);
  EXPECT_EQ((*ops)[3].node->name, "matmul");
  EXPECT_EQ((*ops)[3].start.count(), 117);
  EXPECT_EQ((*ops)[3].duration.count(), 50);
}

TEST_F(Sim, the_same_seed_gives_the_same_times_and_values) {
  const std::string noisy = std::string(table) + "noise: {shape: lognormal, sigma: 0.2}\n";
  const auto a = open(noisy, 5), b = open(noisy, 5), c = open(noisy, 6);
  bool differs = false;
  for (int i = 0; i < 10; ++i) {
    const auto time = a->run();
    EXPECT_EQ(time, b->run());
    differs |= time != c->run();
  }
  EXPECT_TRUE(differs);
  EXPECT_EQ(a->outputs_of_last_run()[0].bytes, b->outputs_of_last_run()[0].bytes);
}

TEST_F(Sim, virtual_requests_complete_one_after_the_other) {
  const auto session = open(table);
  const auto request = session->make_request();
  std::vector<std::int64_t> completed;
  for (int i = 0; i < 3; ++i) {
    request->start_async([&](Nanoseconds at, std::optional<std::string>) { completed.push_back(at.count()); });
    request->wait();
  }
  EXPECT_THAT(completed, testing::ElementsAre(1167, 2334, 3501));
}

TEST_F(Sim, a_device_fails_as_its_description_says) {
  const auto failure_of = [&](const std::string& fault) {
    const auto session = open(std::string(table) + "name: bad-" + fault + "\nfails: {as: " + fault + "}\n");
    try {
      session->run();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("ran");
  };
  EXPECT_THAT(failure_of("memory"), testing::HasSubstr("out of memory"));
  EXPECT_THAT(failure_of("lost"), testing::HasSubstr("device lost"));
  EXPECT_THAT(failure_of("lost"), testing::HasSubstr("device lost"));
  const auto crashing = open(std::string(table) + "fails: {as: crash}\n");
  EXPECT_DEATH(crashing->run(), "");
}

TEST_F(Sim, a_device_fails_from_a_size_on_and_a_lost_one_stays_lost) {
  const auto failing = open(std::string(table) + "name: fragile\nfails: {as: lost, from_bytes: 1000000000}\n");
  EXPECT_EQ(failing->run().count(), 1167);
  const auto lost = [&](Session& session) { return refused_with([&] { session.run(); }); };
  const std::string why =
      (folder_ / "model.onnx").string() + ": sim: sim:fragile: device lost, as its description says";
  EXPECT_EQ(lost(*open(std::string(table) + "name: fragile\nfails: {as: lost}\n")), why);
  EXPECT_EQ(lost(*failing), why);
}

TEST_F(Sim, a_real_clock_really_waits) {
  const auto session = open("law: table\nunknown_op_ns: 1000\noverhead_ns: 500000\nops: {Conv: 1000000}\n");
  const auto begin = steady_now();
  const auto wall = session->run();
  EXPECT_LE(wall, steady_now() - begin);
  EXPECT_GE(wall.count(), 1'503'000);
  EXPECT_GE(session->last_ops()->front().duration.count(), 1'000'000);
}

TEST_F(Sim, an_operator_that_the_device_lacks_is_refused) {
  try {
    open(std::string(table) + "unsupported_ops: [MatMul]\n");
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::unsupported);
    EXPECT_THAT(e.what(), testing::HasSubstr("'matmul'"));
  }
}

TEST_F(Sim, compute_takes_the_numbers_of_a_real_runtime_or_says_that_there_is_none) {
  const std::string computing = std::string(table) + "compute: true\n";
  if (runtime_names().size() == 1) {
    EXPECT_EQ(refused_with([&] { open(computing); }),
              "sim: 'compute: true' needs a real runtime, and this binary has none; configure with "
              "-DTAKT_WITH_ONNXRUNTIME=ON or remove the key");
    return;
  }
  const auto session = open(computing);
  session->set_inputs({floats("x", {1, 1, 4, 4}, std::vector<float>(16, 1.0f))});
  EXPECT_EQ(session->run().count(), 1167);
  EXPECT_THAT(values_of(session->outputs_of_last_run()[0]), testing::ElementsAre(90.0f));
}

TEST_F(Sim, notes_say_that_it_is_simulated) {
  EXPECT_THAT(open(table)->notes(), testing::Contains(testing::HasSubstr("simulated")));
}

}  // namespace
}  // namespace takt
