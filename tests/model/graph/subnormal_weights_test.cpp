// Which constants of a model are subnormal numbers, and how many of their numbers.
#include "model/onnx/subnormal_weights.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "base/files/file.h"
#include "model/onnx/builder.h"
#include "model/onnx/weights.h"
#include "onnx-ml.pb.h"
#include "test_folder.h"

namespace takt {
namespace {

constexpr float least_normal = std::numeric_limits<float>::min();

std::vector<float> mixed(std::size_t count, std::size_t subnormal) {
  std::vector<float> values(count, 0.5F);
  for (std::size_t i = 0; i < subnormal; ++i) values[i * count / subnormal] = i % 2 == 0 ? least_normal / 2 : -1e-40F;
  return values;
}

/// x · w, times each of the others.
ModelBuilder product(const std::vector<std::pair<std::string, std::vector<float>>>& weights) {
  ModelBuilder b;
  std::string value = b.input("x", ElementType::f32, {1});
  for (const auto& [name, values] : weights)
    value = b.node("Mul", {value, b.floats(values, {static_cast<std::int64_t>(values.size())}, name)});
  b.output(value);
  return b;
}

std::optional<SubnormalWeights> found_in(const ModelBuilder& b) {
  return subnormal_weights(*b.build().proto, "m.onnx");
}

TEST(SubnormalWeights, are_numbers_closer_to_zero_than_any_normal_one_and_not_zero) {
  EXPECT_FALSE(found_in(product({{"w", {0, -0.F, 1, -1, least_normal, -least_normal}}})));
  const auto found = found_in(product({{"w", {0, 1, least_normal / 2, -std::numeric_limits<float>::denorm_min()}}}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->worst, "w");
  EXPECT_EQ(found->share, 0.5);
  EXPECT_EQ(found->others, 0U);
}

TEST(SubnormalWeights, are_told_by_the_constant_with_the_largest_share) {
  const auto found =
      found_in(product({{"few", mixed(8, 1)}, {"none", {1}}, {"most", mixed(8, 6)}, {"half", mixed(8, 4)}}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->worst, "most");
  EXPECT_EQ(found->share, 0.75);
  EXPECT_EQ(found->others, 2U);
}

TEST(SubnormalWeights, of_a_large_tensor_are_estimated_from_its_beginning_to_its_end) {
  const auto found = found_in(product({{"w", mixed(1'000'000, 250'000)}}));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->share, 0.25, 0.01);
  for (const std::size_t begin : {std::size_t{0}, std::size_t{1'000'000 - 1024}}) {
    std::vector<float> values(1'000'000, 1);
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(begin), 1024, least_normal / 4);
    EXPECT_TRUE(found_in(product({{"w", values}}))) << "from " << begin;
  }
}

TEST(SubnormalWeights, are_found_in_doubles_in_constants_and_in_bodies) {
  const double tiny = std::numeric_limits<double>::min() / 2;
  std::string bytes(sizeof tiny, '\0');
  std::memcpy(bytes.data(), &tiny, sizeof tiny);
  ModelBuilder b;
  b.output(b.node("Add", {b.input("x", ElementType::f64, {1}), b.raw(ElementType::f64, {1}, bytes, "w")}));
  ASSERT_TRUE(found_in(b));
  EXPECT_EQ(found_in(b)->worst, "w");

  ModelBuilder typed = product({{"w", {1}}});
  auto& tensor = *typed.graph().mutable_initializer(0);
  tensor.clear_raw_data(), tensor.clear_float_data();
  tensor.add_float_data(least_normal / 2);
  EXPECT_TRUE(found_in(typed)) << "written as a list of numbers";

  ModelBuilder body("body");
  body.output(body.node("Identity", {body.floats({least_normal / 2}, {1}, "inside")}));
  ModelBuilder branches;
  branches.output(branches.node("If", {branches.input("c", ElementType::boolean, {})}, {},
                                {"if", "", {"y"}, {{"then_branch", &body}, {"else_branch", &body}}}));
  const auto found = found_in(branches);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->worst, "inside");
  EXPECT_EQ(found->others, 1U) << "of the other branch";
}

TEST(SubnormalWeights, are_found_in_files_beside_the_model) {
  const TestFolder folder;
  const OnnxModel model = product({{"w", mixed(100'000, 20'000)}}).build();
  write_onnx(model, folder / "m.onnx");
  OnnxModel structure = read_onnx_structure(folder / "m.onnx");
  WeightFiles files(folder / "m.onnx");
  write_with_weights(*structure.proto, files, folder / "beside.onnx", 0);
  ASSERT_TRUE(std::filesystem::exists(folder / "beside.onnx.data"));
  for (const char* name : {"m.onnx", "beside.onnx"}) {
    const auto found = subnormal_weights(*read_onnx_structure(folder / name).proto, folder / name);
    ASSERT_TRUE(found) << name;
    EXPECT_NEAR(found->share, 0.2, 0.01) << name;
  }
  const auto proto = read_onnx_structure(folder / "beside.onnx").proto;
  std::filesystem::remove(folder / "beside.onnx.data");
  EXPECT_FALSE(subnormal_weights(*proto, folder / "beside.onnx")) << "gone since";
}

}  // namespace
}  // namespace takt
