// Two sessions that share their weights compute what sessions of their own compute.
#include <gmock/gmock.h>

#include "runtime/models.h"

namespace takt {
namespace {

/// Weights that kernels pack (products), that they read where they lie (an addition, rows of a table), that one
/// optimiser or another changes (a convolution and a product behind it), and one that two operators read.
ModelBuilder many_weights() {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {4, 256});
  const auto square = b.weight({256, 256}, "square");
  auto h = b.node("MatMul", {b.node("MatMul", {x, square}), square});
  h = b.node("Add", {h, b.weight({64, 4, 256}, "table")});
  h = b.node("Gather", {h, b.integers({3, 60})});
  h = b.node("Conv", {h, b.weight({64, 4, 256}, "kernel")}, {{"strides", {1}}});
  h = b.node("Mul", {h, b.floats({2.5f}, {1, 1, 1}, "scale")});
  b.output(b.node("Gemm", {b.node("Reshape", {h, b.integers({1, 128})}), b.weight({128, 512}, "last")}));
  return b;
}

class OpenPair : public testing::TestWithParam<std::string> {};

TEST_P(OpenPair, gives_the_results_of_sessions_of_their_own_and_operator_times_of_one) {
  const TestFolder folder;
  const auto path = folder.write("model.onnx", many_weights().serialize());
  const OnnxModel model = read_onnx(path);
  const auto runtime = make_runtime(GetParam());
  SessionSettings settings;
  settings.threads = 1;
  if (!runtime->shares_weights()) GTEST_SKIP() << "its sessions share nothing";
  std::vector<float> values;
  for (int i = 0; i < 1024; ++i) values.push_back(static_cast<float>(i % 37) / 18 - 1);
  const auto results = [&](Session& session) {
    session.set_inputs({floats("x", {4, 256}, values)});
    session.run();
    session.run();
    return session.outputs_of_last_run().at(0).bytes;
  };
  const auto alone = results(*runtime->open(path, &model.graph, settings));
  auto pair = runtime->open_pair(path, &model.graph, settings);
  ASSERT_TRUE(pair);
  EXPECT_EQ(results(*pair->plain), alone);
  EXPECT_EQ(results(*pair->profiled), alone);
  EXPECT_FALSE(pair->plain->all_ops());
  const auto runs = pair->profiled->all_ops().value();
  ASSERT_THAT(runs, testing::SizeIs(2));
  for (const OpSample& op : runs[0]) EXPECT_EQ(op.node->provider, "CPUExecutionProvider") << op.node->name;
  EXPECT_GT(pair->profiled_load.count(), 0);
  pair->plain.reset();
  EXPECT_EQ(results(*pair->profiled), alone) << "the weights are not the other session's";
}

INSTANTIATE_TEST_SUITE_P(Runtimes, OpenPair, testing::ValuesIn(runtime_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace takt
