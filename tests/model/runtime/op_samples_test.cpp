// What is kept of every execution of an operator: loops execute some by the million.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "model/runtime/models.h"

namespace takt {
namespace {

static_assert(sizeof(OpSample) <= 48, "kept for every execution of every operator");

constexpr std::int64_t turns = 10'000;

/// x is doubled and halved in every turn.
ModelBuilder long_loop() {
  ModelBuilder body("body"), b;
  body.input("turn", ElementType::i64, {});
  body.input("go", ElementType::boolean, {});
  body.input("state", ElementType::f32, {1});
  body.output(body.node("Identity", {"go"}, {}, {.outputs = {"go_on"}}), ElementType::boolean, {});
  const auto twice = body.node("Add", {"state", "state"}, {}, {.name = "twice"});
  body.output(body.node("Mul", {twice, body.floats({0.5f}, {1})}, {}, {.name = "half", .outputs = {"next"}}),
              ElementType::f32, {1});
  const auto x = b.input("x", ElementType::f32, {1});
  b.output(b.node("Loop", {b.integers({turns}, {}), "", x}, {},
                  {.name = "loop", .outputs = {"y"}, .subgraphs = {{"body", &body}}}),
           ElementType::f32, {1});
  return b;
}

TEST(OpSamples, of_a_body_share_what_is_told_of_its_operators) {
  const auto names = runtime_names();
  if (std::find(names.begin(), names.end(), "onnxruntime") == names.end()) GTEST_SKIP() << "no runtime tells of bodies";
  const TestFolder folder;
  const auto path = folder.write("loop.onnx", long_loop().serialize());
  const OnnxModel model = read_onnx(path);
  const auto runtime = make_runtime("onnxruntime");
  SessionSettings settings;
  settings.threads = 1;
  settings.profile_ops = true;
  const auto session = runtime->open(path, &model.graph, settings);
  session->set_inputs({floats("x", {1}, {1})});
  constexpr int inferences = 3;  // the first has a file of its own
  for (int i = 0; i < inferences; ++i) session->run();
  const auto runs = session->all_ops().value();
  ASSERT_THAT(runs, testing::SizeIs(inferences));
  std::set<const ExecutedNode*> nodes;
  for (const auto& run : runs) {
    std::int64_t inside = 0;
    for (const OpSample& sample : run) nodes.insert(sample.node.get()), inside += sample.in_body;
    EXPECT_GE(inside, 2 * turns);
    EXPECT_EQ(run.capacity(), run.size()) << "no room is kept for more";
  }
  EXPECT_LE(nodes.size(), 6u) << "one each, in all runs";
}

}  // namespace
}  // namespace takt
