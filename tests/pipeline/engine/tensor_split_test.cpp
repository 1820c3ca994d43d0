#include "pipeline/stages/tensor_split.h"

#include <gmock/gmock.h>

#include "base/basics/error.h"
#include "model/runtime/models.h"

namespace takt {
namespace {

using testing::ElementsAre;

SharedTensor shared(HostTensor tensor) { return std::make_shared<const HostTensor>(std::move(tensor)); }

TEST(RowsOf, the_largest_remainders_get_what_is_left) {
  EXPECT_THAT(rows_of({0.5, 0.5}, 4), ElementsAre(2, 2));
  EXPECT_THAT(rows_of({0.25, 0.75}, 4), ElementsAre(1, 3));
  EXPECT_THAT(rows_of({0.45, 0.55}, 3), ElementsAre(1, 2));  // 1.35 and 1.65
  EXPECT_THAT(rows_of({0.55, 0.45}, 3), ElementsAre(2, 1));
  EXPECT_THAT(rows_of({0.27, 0.46, 0.27}, 10), ElementsAre(3, 4, 3));  // 2.7, 4.6, 2.7: two are left over
}

TEST(RowsOf, no_part_is_empty) {
  EXPECT_THAT(rows_of({0.1, 0.9}, 4), ElementsAre(1, 3));
  EXPECT_THAT(rows_of({0.01, 0.01, 0.98}, 4), ElementsAre(1, 1, 2));
  EXPECT_THAT(rows_of({0.9, 0.1}, 2), ElementsAre(1, 1));
  EXPECT_THROW(rows_of({0.5, 0.5}, 1), Error);
}

TEST(TensorSplit, cuts_along_any_axis_and_merges_to_what_it_was) {
  const auto whole = shared(floats("x", {2, 3}, {1, 2, 3, 4, 5, 6}));
  const auto columns = split_tensor(whole, 1, {1, 2});
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(columns[0]->shape, (Shape{2, 1}));
  EXPECT_THAT(values_of(*columns[0]), ElementsAre(1, 4));
  EXPECT_EQ(columns[1]->shape, (Shape{2, 2}));
  EXPECT_THAT(values_of(*columns[1]), ElementsAre(2, 3, 5, 6));
  const HostTensor merged = merge_tensors(columns, 1);
  EXPECT_EQ(merged.shape, whole->shape);
  EXPECT_EQ(merged.bytes, whole->bytes);

  const auto rows = split_tensor(whole, 0, {1, 1});
  EXPECT_THAT(values_of(*rows[1]), ElementsAre(4, 5, 6));
  EXPECT_EQ(merge_tensors(rows, 0).bytes, whole->bytes);
}

TEST(TensorSplit, cuts_strings_too) {
  const auto whole = shared({"words", ElementType::string, {2, 2}, {}, {"a", "b", "c", "d"}});
  const auto parts = split_tensor(whole, 1, {1, 1});
  EXPECT_THAT(parts[1]->strings, ElementsAre("b", "d"));
  EXPECT_EQ(merge_tensors(parts, 1).strings, whole->strings);
}

TEST(TensorSplit, refuses_what_does_not_fit) {
  const auto whole = shared(floats("x", {2, 3}, {1, 2, 3, 4, 5, 6}));
  EXPECT_THROW(split_tensor(whole, 2, {1, 1}), Error);
  EXPECT_THROW(split_tensor(whole, -1, {1, 1}), Error);
  EXPECT_THROW(split_tensor(whole, 1, {1, 1}), Error) << "three columns in two";
  const auto wide = shared(floats("x", {1, 4}, {1, 2, 3, 4}));
  EXPECT_THROW(merge_tensors({whole, wide}, 0), Error) << "three columns and four";
  HostTensor other = *whole;
  other.type = ElementType::i32;
  EXPECT_THROW(merge_tensors({whole, shared(other)}, 0), Error) << "numbers of another type";
  EXPECT_THROW(merge_tensors({}, 0), Error);
}

}  // namespace
}  // namespace takt
