// What a stage is called, what is told of its inputs, and what simulated parts of it take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "pipeline/stages/merged_memory.h"
#include "pipeline/stages/simulated_times.h"
#include "pipeline/stages/stage_model.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

StageSpec stage_of(const std::string& rest) {
  return parse_pipeline("stages:\n  - {name: a, " + rest + "}\n", "p.yaml").stages.at(0);
}

TEST(StageWords, say_what_stands_for_a_model) {
  EXPECT_EQ(model_name(stage_of("dummy: {wait: 4ms}")), "wait 4.00 ms");
  EXPECT_EQ(model_name(stage_of("dummy: {time: 5ms}, device: CPU")), "busy 5.00 ms");
  EXPECT_EQ(model_name(stage_of("dummy: {time: 5ms}, device: sim:CPU")), "dummy");
  EXPECT_EQ(model_name(stage_of("dummy: {matmul: 8}, device: CPU")), "dummy MatMul 8");
  StageSpec stage;
  stage.model = "models/net.onnx";
  EXPECT_EQ(model_name(stage), "net.onnx");
}

TEST(StageWords, of_inputs_have_their_names) {
  StageSpec stage;
  stage.inputs = {{"a:b", "{1,3}"}, {"ids", "{2}"}};
  HostTensor given;
  given.name = "more", given.shape = {4, 5};
  stage.given = {std::make_shared<HostTensor>(given)};
  stage.data = {{"frames", {{"x.npy", "y.npy"}, 0}}, {"made", {{}, 7}}};
  EXPECT_THAT(input_texts(stage), ElementsAre(R"(a\:b:{1,3})", "ids:{2}", "more:{4,5}"));
  const auto specs = input_specs(stage);
  ASSERT_EQ(specs.size(), 4u);
  EXPECT_EQ(specs[0].name, "a:b");
  EXPECT_EQ(std::get<Shape>(specs[0].content), (Shape{1, 3}));
  EXPECT_EQ(specs[1].name, "ids");
  EXPECT_EQ(specs[2].name, "more");
  EXPECT_EQ(std::get<Shape>(specs[2].content), (Shape{4, 5}));
  EXPECT_EQ(specs[2].text, "{4,5}");
  EXPECT_EQ(specs[3].name, "frames");
  EXPECT_EQ(std::get<std::filesystem::path>(specs[3].content), "x.npy") << "the first of those that take turns";
}

TEST(SimulatedTimes, of_parts_are_their_shares) {
  SimulatedTimes times(
      parse_pipeline("stages:\n  - {name: a, split: {devices: [sim:GPU, sim:NPU], ratio: [0.25, 0.75]},\n"
                     "     dummy: {time: {sim:GPU: 10ns, sim:NPU: 45ns}, partition: 4ns, merge: 5ns}}\n"
                     "  - {name: b, dummy: {wait: 6ns}}\n  - {name: c, dummy: {time: 7ns}, device: sim:CPU}\n",
                     "p.yaml"));
  const auto takes = [&](int stage, int part, FlowPhase phase = FlowPhase::run) {
    Execution what;
    what.stage = stage, what.part = part, what.phase = phase;
    return times.service(what).count();
  };
  EXPECT_EQ(takes(0, 0), 3) << "2.5 ns rounded";
  EXPECT_EQ(takes(0, 1), 34) << "33.75 ns";
  EXPECT_EQ(takes(0, 0, FlowPhase::partition), 4);
  EXPECT_EQ(takes(0, 0, FlowPhase::merge), 5);
  EXPECT_EQ(takes(1, 0), 6);
  EXPECT_EQ(takes(2, 0), 7);
  EXPECT_EQ(times.usual_time(2), 7ns);
  Execution waiting, working;
  waiting.stage = 1, working.stage = 2;
  EXPECT_FALSE(times.computes(waiting));
  EXPECT_TRUE(times.computes(working));
  EXPECT_THAT(times.devices(0), ElementsAre("sim:GPU", "sim:NPU"));
  EXPECT_THAT(times.devices(1), ElementsAre("wait"));
  EXPECT_THAT(times.ratio(0), ElementsAre(0.25, 0.75));
}

TEST(SimulatedTimes, balance_parts_by_their_speeds) {
  EXPECT_THAT(balanced_ratio({10ns, 30ns}), ElementsAre(testing::DoubleEq(0.75), testing::DoubleEq(0.25)));
  EXPECT_THAT(balanced_ratio({0ns, 1ns, 2ns}),
              ElementsAre(testing::DoubleEq(0.4), testing::DoubleEq(0.4), testing::DoubleEq(0.2)));
}

TEST(SimulatedTimes, have_noise_of_their_own_for_each_batch_stage_and_part) {
  const TestFolder folder;
  folder.write("box.yaml", "{law: table, ops: {}, unknown_op_ns: 0, noise: {shape: lognormal, sigma: 0.2}}");
  const auto file =
      folder.write("p.yaml",
                   "stages:\n  - {name: a, dummy: {time: 2s}, split: {devices: [sim:box, sim:box], ratio: "
                   "[0.5, 0.5]}}\n  - {name: b, dummy: {time: 1s}, device: sim:box}\n");
  SimulatedTimes times(read_pipeline(file));
  std::set<Nanoseconds> drawn;
  for (const std::int64_t batch : {0, 1, 2})
    for (const auto& [stage, part] : {std::pair(0, 0), {0, 1}, {1, 0}}) {
      Execution what;
      what.batch = batch, what.stage = stage, what.part = part, what.phase = FlowPhase::run;
      drawn.insert(times.service(what));
      EXPECT_EQ(drawn.count(times.service(what)), 1u) << "the same again";
    }
  EXPECT_EQ(drawn.size(), 9u);
}

TEST(MergedMemory, gives_parts_of_a_batch_the_rows_behind_each_other) {
  MergedMemory memory;
  memory.part_sizes = {{8, 0}, {16}};
  HostTensor first, second;
  first.bytes = std::vector<std::byte>(24), second.bytes = std::vector<std::byte>(4);
  memory.open({std::make_shared<HostTensor>(first), std::make_shared<HostTensor>(second)});
  const auto begin = memory.take(0, 0, 7, 0), end = memory.take(0, 1, 7, 0);
  ASSERT_TRUE(begin && end);
  EXPECT_EQ(end.get() - begin.get(), 8);
  EXPECT_EQ(memory.take(0, 0, 7, 1), nullptr) << "parts that are not all of it";
  EXPECT_EQ(memory.take(0, 0, 7, 2), nullptr) << "no such output";
  const auto other = memory.take(0, 1, 8, 0), replica = memory.take(1, 1, 8, 0), again = memory.take(0, 1, 8, 0);
  EXPECT_NE(other.get(), end.get()) << "another batch";
  EXPECT_NE(replica.get(), other.get());
  EXPECT_NE(again.get(), other.get()) << "a part that comes again";
}

}  // namespace
}  // namespace takt
