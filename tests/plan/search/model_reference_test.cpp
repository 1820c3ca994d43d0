// What a model should give, and what roundings leave of it.
#include "plan/run/model_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/basics/half.h"
#include "model/inputs/tensor_values.h"
#include "model/onnx/builder.h"
#include "model/runtime/runtime.h"
#include "pipeline/engine/piece_runs.h"
#include "pipeline/stages/model_pieces.h"
#include "test_folder.h"

namespace takt {
namespace {

class Reference : public testing::Test {
 protected:
  void SetUp() override {
    if (real_runtimes().empty()) GTEST_SKIP() << "no real runtime in this binary";
  }

  std::unique_ptr<ModelReference> of(const ModelBuilder& builder, const std::vector<std::vector<float>>& inputs) {
    model_ = read_onnx_structure(folder_.write("model.onnx", builder.serialize()));
    graph_ = with_known_tensors(model_);
    std::vector<NamedValues> values;
    for (const auto& numbers : inputs) {
      const HostTensor x{"x", ElementType::f32, {static_cast<std::int64_t>(numbers.size())}, to_bytes(numbers), {}};
      values.push_back({{"x", std::make_shared<const HostTensor>(x)}});
    }
    return std::make_unique<ModelReference>(
        ReferenceModel{&model_, &graph_, find_cuts(graph_, 8), runtime_for("model.onnx").name, 1}, values);
  }

  static std::vector<double> numbers_of(const SharedTensor& tensor) {
    std::vector<double> numbers;
    for (std::size_t i = 0; i < count_of(*tensor); ++i) numbers.push_back(*value_at(*tensor, i));
    return numbers;
  }

  TestFolder folder_;
  OnnxModel model_;
  Graph graph_;
};

TEST_F(Reference, computes_a_model_of_halves_in_float32) {
  // In halves 2049 and 70000 are no numbers that stay what they are.
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f16, {2});
  const std::uint16_t large[] = {to_half(2048), to_half(60000)};
  const auto w = b.raw(ElementType::f16, {2}, std::string(reinterpret_cast<const char*>(large), sizeof large));
  const auto sum = b.node("Add", {x, w}, {}, {.outputs = {"sum"}});
  b.value_info("sum", ElementType::f16, {2});
  const auto twice = b.node("Add", {sum, sum}, {}, {.outputs = {"twice"}});
  b.output(twice, ElementType::f16, {2});
  const auto reference = of(b, {{1, 10000}, {2, 1}});
  EXPECT_EQ(reference->rounding(), Coarseness::half);
  ASSERT_EQ(reference->inputs(), 2u);
  EXPECT_THAT(numbers_of(reference->values(0).at("twice")), testing::ElementsAre(2 * 2049, 2 * 70000));
  const double large_half = from_half(to_half(60000));
  EXPECT_THAT(numbers_of(reference->values(1).at("twice")), testing::ElementsAre(2 * 2050, 2 * (large_half + 1)));
  EXPECT_TRUE(reference->values(0).contains("sum")) << "it crosses a cut";
}

TEST_F(Reference, knows_what_is_left_of_a_rounding) {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {4});
  const auto same = b.node("Mul", {x, b.floats({1, 1, 1, 1}, {4})}, {}, {.outputs = {"same"}});
  b.output(b.node("Sub", {b.node("Add", {same, b.floats({1e5f}, {})}), b.floats({1e5f}, {})}, {}, {.outputs = {"y"}}),
           ElementType::f32, {4});
  b.output(b.node("Neg", {same}, {}, {.outputs = {"negative"}}), ElementType::f32, {4});
  const auto reference = of(b, {{1, 2, 3, 4}});
  EXPECT_LE(reference->effect_on("negative", Coarseness::float32), 3e-6);
  EXPECT_GE(reference->effect_on("negative", Coarseness::float32), 1e-8);
  EXPECT_GE(reference->effect_on("y", Coarseness::float32), 1e-3) << "0.1 of what was added is off";
  EXPECT_GE(reference->effect_on("negative", Coarseness::brain), 1e-3);
  EXPECT_FALSE(reference->why_untold("y"));
}

TEST_F(Reference, says_where_random_numbers_are_drawn) {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {4});
  const auto noise = b.node("RandomNormalLike", {x}, {}, {.name = "dice"});
  b.output(b.node("Add", {x, noise}, {}, {.outputs = {"noisy"}}), ElementType::f32, {4});
  b.output(b.node("Neg", {x}, {}, {.outputs = {"negative"}}), ElementType::f32, {4});
  const auto reference = of(b, {{1, 2, 3, 4}});
  ASSERT_TRUE(reference->why_untold("noisy"));
  EXPECT_THAT(*reference->why_untold("noisy"), testing::HasSubstr("RandomNormalLike 'dice'"));
  EXPECT_FALSE(reference->why_untold("negative"));
}

TEST_F(Reference, a_dropout_that_draws_nothing_is_no_reason) {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {4});
  b.output(b.node("Dropout", {b.node("Neg", {x})}, {}, {.outputs = {"y"}}), ElementType::f32, {4});
  EXPECT_FALSE(of(b, {{1, 2, 3, 4}})->why_untold("y"));
}

TEST_F(Reference, says_where_there_are_no_numbers) {
  ModelBuilder b;
  b.output(b.node("Log", {b.input("x", ElementType::f32, {2})}, {}, {.outputs = {"y"}}), ElementType::f32, {2});
  const auto none = of(b, {{-1, -2}});
  ASSERT_TRUE(none->why_untold("y"));
  EXPECT_THAT(*none->why_untold("y"), testing::HasSubstr("only NaN or infinity for 'y'"));
  EXPECT_FALSE(of(b, {{-1, 2}})->why_untold("y")) << "one of two is a number";
}

TEST_F(Reference, leaves_out_an_input_that_gives_other_shapes) {
  ModelBuilder b;
  const auto found = b.node("NonZero", {b.input("x", ElementType::f32, {4})});
  b.output(b.node("Neg", {found}, {}, {.outputs = {"y"}}));
  EXPECT_EQ(of(b, {{1, 0, 0, 1}, {1, 1, 1, 0}})->inputs(), 1u);
  EXPECT_EQ(of(b, {{1, 0, 0, 1}, {0, 1, 1, 0}})->inputs(), 2u);
}

}  // namespace
}  // namespace takt
