#include "pipeline/stages/tensor_split.h"

#include <gmock/gmock.h>

#include "base/basics/error.h"
#include "model/runtime/models.h"

namespace takt {
namespace {

using testing::ElementsAre;

SharedTensor shared(HostTensor tensor) { return std::make_shared<const HostTensor>(std::move(tensor)); }

template <typename Call>
std::string split_refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "";
}

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
  EXPECT_EQ(split_refusal([] {
              rows_of({0.5, 0.25, 0.25}, 2);
            }),
            "2 rows cannot be split into 3 parts; use fewer parts");
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
  const auto of_split = [&](const SharedTensor& tensor, int axis) {
    return split_refusal([&] { split_tensor(tensor, axis, {1, 1}); });
  };
  EXPECT_EQ(of_split(whole, 2), "tensor 'x' {2,3}: it has no axis 2 to split along");
  EXPECT_EQ(of_split(whole, -1), "tensor 'x' {2,3}: it has no axis -1 to split along");
  EXPECT_EQ(of_split(whole, 1),
            "tensor 'x' {2,3}: its axis 1 is not split into 1 + 1 rows; give the parts of this tensor");
  EXPECT_EQ(of_split(nullptr, 0), "a value to split is null; give one");
  EXPECT_EQ(of_split(shared({"y", ElementType::i4, {2}, std::vector<std::byte>(1), {}}), 0),
            "tensor 'y': int4 cannot be split");
  EXPECT_EQ(of_split(shared({"y", ElementType::f32, {2}, std::vector<std::byte>(7), {}}), 0),
            "tensor 'y' holds 7 bytes, but {2} of float32 is 8 bytes");

  const auto of_merge = [](const std::vector<SharedTensor>& parts, int axis) {
    return split_refusal([&] { merge_tensors(parts, axis); });
  };
  EXPECT_EQ(of_merge({whole, shared(floats("x", {1, 4}, {1, 2, 3, 4}))}, 0),
            "tensor 'x': parts of {2,3} and {1,4} do not match along axis 0");
  HostTensor other = *whole;
  other.type = ElementType::i32;
  EXPECT_EQ(of_merge({whole, shared(other)}, 1), "tensor 'x': parts of {2,3} and {2,3} do not match along axis 1")
      << "numbers of another type";
  EXPECT_EQ(of_merge({whole, nullptr}, 0), "a part to merge is null; give a value for every part");
  EXPECT_EQ(of_merge({}, 0), "no parts to merge were given; give one or more");
  const auto many = shared({"z", ElementType::f32, {INT64_MAX / 2 + 1, 0}, {}, {}});
  EXPECT_EQ(of_merge({many, many}, 0), "tensor 'z': its parts have too many rows");
}

}  // namespace
}  // namespace takt
