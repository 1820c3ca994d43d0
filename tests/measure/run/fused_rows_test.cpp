// Real runtimes fuse, block and rename; whatever they do, a row is named after what its kernel computes.
#include <gmock/gmock.h>
#include <onnx-ml.pb.h>

#include <algorithm>

#include "measure/operators/op_profile.h"
#include "measure/run/run.h"
#include "model/inputs/spec.h"
#include "model/onnx/builder.h"
#include "model/onnx/onnx.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::IsSupersetOf;
using testing::UnorderedElementsAre;

class FusedRows : public testing::TestWithParam<std::string> {
 protected:
  OpProfile profile_of(const ModelBuilder& model, const std::string& inputs = "") {
    RunSettings settings;
    if (!inputs.empty()) settings.inputs = parse_input_specs(inputs);
    settings.runtime = GetParam();
    settings.threads = 1;
    settings.iterations = 3;
    settings.warmup_iterations = 1;
    result_ = run_model(folder_.write("m.onnx", model.serialize()), settings, RunPasses::both);
    return profile_ops(result_);
  }

  static const OpRow* row_with(const OpProfile& profile, const std::string& op) {
    for (const OpRow& row : profile.ops)
      if (std::find(row.model_ops.begin(), row.model_ops.end(), op) != row.model_ops.end()) return &row;
    return nullptr;
  }

  TestFolder folder_;
  RunResult result_;
};

std::string conv(ModelBuilder& b, const std::string& x, std::int64_t in, std::int64_t out, std::int64_t stride,
                 const std::string& name) {
  return b.node("Conv", {x, b.weight({out, in, 3, 3}), b.weight({out})},
                {{"pads", {1, 1, 1, 1}}, {"strides", {stride, stride}}, {"kernel_shape", {3, 3}}}, {name, "", {}, {}});
}

std::string one(ModelBuilder& b, const std::string& type, const std::vector<std::string>& inputs,
                const std::string& name) {
  return b.node(type, inputs, {}, {name, "", {}, {}});
}

/// Two residual blocks, the second with a convolution on its short way.
ModelBuilder residual() {
  ModelBuilder b;
  auto x = one(b, "Relu", {conv(b, b.input("x", ElementType::f32, {1, 3, 32, 32}), 3, 16, 1, "stem")}, "stem_relu");
  auto y = one(b, "Relu", {conv(b, x, 16, 16, 1, "a1")}, "a1_relu");
  x = one(b, "Relu", {one(b, "Add", {conv(b, y, 16, 16, 1, "a2"), x}, "a_add")}, "a_relu");
  y = one(b, "Relu", {conv(b, x, 16, 32, 2, "b1")}, "b1_relu");
  const auto shorter = conv(b, x, 16, 32, 2, "b_short");
  x = one(b, "Relu", {one(b, "Add", {conv(b, y, 32, 32, 1, "b2"), shorter}, "b_add")}, "b_relu");
  b.output(one(b, "Flatten", {one(b, "GlobalAveragePool", {x}, "pool")}, "flat"), ElementType::f32, {1, 32});
  return b;
}

TEST_P(FusedRows, sums_and_activations_of_residual_blocks_are_on_the_convolution_that_computes_them) {
  const OpProfile profile = profile_of(residual());
  for (const std::string name : {"stem", "a1", "a2", "b1", "b2", "b_short"}) {
    const OpRow* row = row_with(profile, name);
    ASSERT_TRUE(row) << name;
    EXPECT_EQ(row->name, name);
    EXPECT_EQ(row->type, "Conv");
  }
  EXPECT_THAT(row_with(profile, "stem")->model_ops, UnorderedElementsAre("stem", "stem_relu"));
  EXPECT_THAT(row_with(profile, "a1")->model_ops, UnorderedElementsAre("a1", "a1_relu"));
  EXPECT_THAT(row_with(profile, "a2")->model_ops, UnorderedElementsAre("a2", "a_add", "a_relu"));
  EXPECT_THAT(row_with(profile, "b1")->model_ops, UnorderedElementsAre("b1", "b1_relu"));
  // One of the two convolutions that the sum joins computes it.
  std::vector<std::string> joined = row_with(profile, "b2")->model_ops;
  const auto& others = row_with(profile, "b_short")->model_ops;
  joined.insert(joined.end(), others.begin(), others.end());
  EXPECT_THAT(joined, UnorderedElementsAre("b2", "b_short", "b_add", "b_relu"));
  ASSERT_TRUE(row_with(profile, "pool"));
  EXPECT_EQ(row_with(profile, "pool")->name, "pool");
  EXPECT_EQ(profile.known_share, 1);
}

/// Operators without names, as some exporters write them.
TEST_P(FusedRows, models_without_names_have_the_same_groups) {
  ModelBuilder b;
  auto x = b.node("Relu", {conv(b, b.input("x", ElementType::f32, {1, 3, 32, 32}), 3, 16, 1, "")}, {});
  auto y = b.node("Relu", {conv(b, x, 16, 16, 1, "")}, {});
  x = b.node("Relu", {b.node("Add", {conv(b, y, 16, 16, 1, ""), x}, {})}, {});
  b.output(b.node("GlobalAveragePool", {x}, {}), ElementType::f32, {1, 16, 1, 1});
  for (auto& node : *b.graph().mutable_node()) node.clear_name();
  const OpProfile profile = profile_of(b);
  std::vector<std::size_t> sizes;
  for (const OpRow& row : profile.ops)
    if (row.type == "Conv") sizes.push_back(row.model_ops.size());
  EXPECT_THAT(sizes, testing::ElementsAre(2, 2, 3));
}

TEST_P(FusedRows, activations_of_several_operators_are_on_one_row) {
  ModelBuilder b;
  auto x = conv(b, b.input("x", ElementType::f32, {1, 3, 32, 32}), 3, 16, 1, "c0");
  x = one(b, "Mul", {x, one(b, "Sigmoid", {x}, "sigmoid0")}, "mul0");
  x = conv(b, x, 16, 16, 1, "c1");
  x = one(b, "Mul", {x, one(b, "Sigmoid", {x}, "sigmoid1")}, "mul1");
  b.output(conv(b, x, 16, 8, 1, "c2"), ElementType::f32, {1, 8, 32, 32});
  const OpProfile profile = profile_of(b);
  for (const std::string n : {"0", "1"}) {
    ASSERT_TRUE(row_with(profile, "mul" + n));
    EXPECT_THAT(row_with(profile, "mul" + n)->model_ops, IsSupersetOf({"sigmoid" + n, "mul" + n}));
    EXPECT_EQ(row_with(profile, "c" + n)->name, "c" + n);
  }
  EXPECT_EQ(profile.known_share, 1);
}

/// Turns of a loop over a product and a Tanh; ONNX Runtime alone tells what bodies did.
ModelBuilder loop_of(std::int64_t turns) {
  ModelBuilder body("body"), b;
  body.symbolic_input("turn", ElementType::i64, "");
  body.symbolic_input("go_on", ElementType::boolean, "");
  body.symbolic_input("state", ElementType::f32, "?,?");
  body.output(body.node("Identity", {"go_on"}, {}, {"keep", "", {"goes_on"}, {}}), ElementType::boolean, {});
  body.node("MatMul", {"state", "weights"}, {}, {"product", "", {"p"}, {}});
  body.output(body.node("Tanh", {"p"}, {}, {"tanh", "", {"next"}, {}}));
  const auto x = b.symbolic_input("x", ElementType::f32, "batch,32");
  b.weight({32, 32}, "weights");
  const auto in = one(b, "Relu", {x}, "before");
  b.node("Loop", {b.integers({turns}, {}, "turns"), "", in}, {}, {"loop", "", {"looped"}, {{"body", &body}}});
  b.output(one(b, "Relu", {"looped"}, "after"));
  return b;
}

TEST_P(FusedRows, operators_of_a_body_have_rows_with_their_calls_and_the_loop_keeps_the_rest) {
  if (GetParam() != "onnxruntime") GTEST_SKIP() << "tells nothing of bodies";
  constexpr std::int64_t turns = 7;
  const OpProfile profile = profile_of(loop_of(turns));
  const OpRow* product = row_with(profile, "loop > product");
  const OpRow* loop = row_with(profile, "loop");
  ASSERT_TRUE(product && loop);
  EXPECT_EQ(product->name, "loop > product");
  EXPECT_EQ(product->type, "MatMul");
  EXPECT_EQ(product->calls, profile.runs * turns);
  ASSERT_FALSE(product->output_shapes.empty()) << "known from an inference alone";
  const double rows = static_cast<double>(product->output_shapes[0].at(0));
  EXPECT_EQ(product->flops, 2 * rows * 32 * 32 * turns);
  EXPECT_EQ(loop->calls, profile.runs);
  EXPECT_EQ(loop->flops, 0) << "its work is that of its body";
  Nanoseconds sum = profile.unattributed;
  for (const OpRow& row : profile.ops) sum += row.total;
  EXPECT_EQ(sum, profile.measured);
  for (const Nanoseconds rest : profile.unattributed_samples) EXPECT_GE(rest.count(), 0) << "nothing is counted twice";
}

/// As many turns as the input says: OpenVINO compiles the loop above only in few forms.
ModelBuilder asked_loop() {
  ModelBuilder body("body"), b;
  body.input("turn", ElementType::i64, {});
  body.input("go_on", ElementType::boolean, {});
  body.input("state", ElementType::f32, {4, 32});
  body.output(body.node("Identity", {"go_on"}, {}, {.outputs = {"goes_on"}}), ElementType::boolean, {});
  body.output(body.node("Tanh", {body.node("MatMul", {"state", body.weight({32, 32})})}), ElementType::f32, {4, 32});
  const auto x = b.input("x", ElementType::f32, {4, 32});
  const auto turns = b.input("turns", ElementType::i64, {});
  b.output(b.node("Loop", {turns, "", x}, {}, {.outputs = {"looped"}, .subgraphs = {{"body", &body}}}),
           ElementType::f32, {4, 32});
  return b;
}

TEST_P(FusedRows, the_work_of_bodies_is_counted_once_whoever_has_rows_for_them) {
  const OpProfile profile = profile_of(asked_loop(), "turns:7");
  double flops = 0;
  for (const OpRow& row : profile.ops) flops += row.flops.value_or(0);
  EXPECT_EQ(flops, 7 * 2 * 4 * 32 * 32) << "the products of seven turns; a Tanh has none";
  EXPECT_EQ(profile.known_share, 1);
}

/// One branch multiplies, the other adds; a value decides.
ModelBuilder choice_of(bool multiplies) {
  ModelBuilder yes("yes"), no("no"), b;
  const auto x = b.symbolic_input("x", ElementType::f32, "8,64");
  b.weight({64, 64}, "weights");
  yes.output(yes.node("MatMul", {"in", "weights"}, {}, {"product", "", {"r_yes"}, {}}), ElementType::f32, {8, 64});
  no.output(no.node("Neg", {"in"}, {}, {"neg", "", {"r_no"}, {}}), ElementType::f32, {8, 64});
  const auto in = b.node("Relu", {x}, {}, {"before", "", {"in"}, {}});
  // No runtime can say it before it runs: the largest of what Relu gives is never below 0.
  const auto largest = b.node("ReduceMax", {in}, {{"keepdims", 0}}, {"largest", "", {}, {}});
  const auto below = b.node("Less", {largest, b.floats({multiplies ? 1e30f : -1.f}, {})}, {}, {"below", "", {}, {}});
  b.node("If", {below}, {}, {"choice", "", {"chosen"}, {{"then_branch", &yes}, {"else_branch", &no}}});
  b.output(one(b, "Relu", {"chosen"}, "after"), ElementType::f32, {8, 64});
  return b;
}

TEST_P(FusedRows, the_branch_that_ran_is_what_counts) {
  for (const bool multiplies : {true, false}) {
    const OpProfile profile = profile_of(choice_of(multiplies));
    double flops = 0;
    for (const OpRow& row : profile.ops) {
      EXPECT_TRUE(row.flops) << row.name;
      flops += row.flops.value_or(0);
    }
    EXPECT_GE(flops, multiplies ? 2 * 8 * 64 * 64 : 0);
    EXPECT_LE(flops - (multiplies ? 2 * 8 * 64 * 64 : 8 * 64), 3.1 * 8 * 64) << "two Relu and a maximum";
  }
}

/// Sizes that only an inference tells: how many numbers are not zero.
TEST_P(FusedRows, sizes_that_depend_on_values_are_those_of_an_inference) {
  if (GetParam() != "onnxruntime") GTEST_SKIP() << "the shapes of its own nodes are still open";
  ModelBuilder b;
  const auto x = b.symbolic_input("x", ElementType::f32, "batch,64");
  const auto places = one(b, "NonZero", {x}, "places");
  const auto picked = one(b, "GatherND", {x, b.node("Transpose", {places}, {}, {"turned", "", {}, {}})}, "picked");
  b.output(one(b, "Exp", {one(b, "Neg", {picked}, "neg")}, "exp"));
  const OpProfile profile = profile_of(b);
  ASSERT_TRUE(row_with(profile, "neg"));
  EXPECT_GT(row_with(profile, "neg")->flops.value_or(0), 32) << "of the 64 generated numbers most are not zero";
  EXPECT_EQ(profile.known_share, 1);
}

INSTANTIATE_TEST_SUITE_P(Runtimes, FusedRows, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const auto& name : runtime_names())
                             if (name != "sim") names.push_back(name);
                           return names;
                         }()),
                         [](const auto& instance) { return instance.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FusedRows);

}  // namespace
}  // namespace takt
