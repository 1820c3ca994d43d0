// Who owns the bytes of a tensor: shared memory is let go in time and never written to, buffers come back, parts of a
// tensor are views of it.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "base/basics/error.h"
#include "flow/flow_words.h"
#include "model/runtime/models.h"
#include "pipeline/engine/batch_values.h"
#include "pipeline/stages/buffer_pool.h"
#include "pipeline/stages/tensor_split.h"
#include "refused.h"

namespace takt {
namespace {

SharedTensor shared_floats(const Shape& shape, const std::vector<float>& values) {
  return std::make_shared<const HostTensor>(floats("x", shape, values));
}

TEST(Bytes, what_is_changed_through_one_is_seen_through_no_other) {
  const auto memory = std::make_shared<std::vector<std::byte>>(4, std::byte{1});
  const Bytes shared(memory, memory->data(), 4);
  Bytes copy = shared;
  EXPECT_EQ(std::as_const(copy).data(), memory->data()) << "shared memory is not copied";
  copy[0] = std::byte{9};
  EXPECT_EQ((*memory)[0], std::byte{1});
  EXPECT_EQ(shared[0], std::byte{1});
  EXPECT_FALSE(copy.is_shared());
  EXPECT_FALSE(copy == shared);
  copy[0] = std::byte{1};
  EXPECT_TRUE(copy == shared);
  copy.resize(5);
  EXPECT_FALSE(copy == shared);
  EXPECT_EQ(copy[4], std::byte{0});
}

TEST(Bytes, the_owner_is_let_go_with_the_last_copy) {
  auto memory = std::make_shared<std::vector<std::byte>>(4);
  const std::weak_ptr<std::vector<std::byte>> watched = memory;
  auto first = std::make_unique<Bytes>(memory, memory->data(), 4);
  auto second = std::make_unique<Bytes>(*first);
  memory.reset();
  first.reset();
  EXPECT_FALSE(watched.expired());
  second->resize(2);
  EXPECT_TRUE(watched.expired()) << "what has bytes of its own needs no owner";
}

TEST(BufferPool, nobody_gets_a_buffer_that_another_holds_and_one_that_came_back_is_used_again) {
  BufferPool pool(1000);
  std::vector<std::shared_ptr<std::byte>> held;
  std::set<std::byte*> different;
  for (int i = 0; i < 20; ++i) {
    held.push_back(pool.take());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(held.back().get()) % 64, 0u);
    different.insert(held.back().get());
  }
  EXPECT_EQ(different.size(), 20u);
  std::byte* const back = held[7].get();
  held[7].reset();
  EXPECT_EQ(pool.take().get(), back);
}

TEST(BufferPool, buffers_outlive_the_pool) {
  auto pool = std::make_unique<BufferPool>(8);
  const auto held = pool->take();
  pool.reset();
  *held = std::byte{5};
  EXPECT_EQ(*held, std::byte{5});
}

TEST(BufferPool, threads_never_hold_the_same_buffer) {
  BufferPool pool(sizeof(int));
  std::atomic<int> torn{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        const auto buffer = pool.take();
        auto* const number = reinterpret_cast<volatile int*>(buffer.get());
        *number = t;
        std::this_thread::yield();
        torn += *number != t;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(torn, 0);
}

FlowShape four_in_a_row() { return pipeline(std::vector(4, stage_on(0)), 1); }

TEST(BatchValues, a_value_is_let_go_when_the_last_stage_that_reads_it_has_taken_it) {
  std::vector<OpenedStage> stages(4);
  stages[1].links = {{0, 0, 0}};
  stages[2].links = {{0, 0, 1}, {0, 0, 2}, {1, 0, 0}};
  BatchValues values(stages, four_in_a_row());
  values.set_source(5, {shared_floats({1}, {1}), nullptr});
  std::weak_ptr<const HostTensor> read, unread, delivered;
  const auto give = [&](int stage, std::weak_ptr<const HostTensor>& watched) {
    auto value = shared_floats({1}, {2});
    watched = value;
    values.set_outputs(5, stage, {std::move(value)});
  };
  ASSERT_EQ(values.take_inputs(5, 0).size(), 1u) << "an input that was not given keeps what it has";
  give(0, read);
  EXPECT_EQ(values.take_inputs(5, 1).size(), 1u);
  EXPECT_FALSE(read.expired()) << "stage 2 reads it, too";
  give(1, unread);
  EXPECT_EQ(values.take_inputs(5, 2).size(), 3u);
  EXPECT_TRUE(read.expired());
  EXPECT_TRUE(unread.expired());
  give(2, unread);
  EXPECT_TRUE(unread.expired()) << "nobody reads it";
  give(3, delivered);
  EXPECT_FALSE(delivered.expired());
  EXPECT_EQ(values.deliver(5).size(), 1u);
  EXPECT_TRUE(delivered.expired());
}

TEST(BatchValues, stages_side_by_side_may_take_a_value_in_any_order) {
  std::vector<OpenedStage> stages(4);
  stages[1].links = stages[2].links = {{0, 0, 0}};
  for (const auto& order : {std::vector{1, 2}, std::vector{2, 1}}) {
    BatchValues values(stages, four_in_a_row());
    auto value = shared_floats({1}, {2});
    const std::weak_ptr<const HostTensor> watched = value;
    values.set_outputs(0, 0, {std::move(value)});
    for (const int stage : order) {
      EXPECT_FALSE(watched.expired());
      ASSERT_EQ(values.take_inputs(0, stage).size(), 1u);
    }
    EXPECT_TRUE(watched.expired());
  }
}

TEST(TensorSplit, rows_along_the_first_axis_are_views_that_keep_the_whole) {
  auto whole = shared_floats({3, 2}, {1, 2, 3, 4, 5, 6});
  const auto* const memory = whole->bytes.data();
  auto parts = split_tensor(whole, 0, {1, 2});
  whole.reset();
  EXPECT_EQ(parts[0]->bytes.data(), memory);
  EXPECT_EQ(parts[1]->bytes.data(), memory + 2 * sizeof(float));
  EXPECT_EQ(parts[1]->shape, (Shape{2, 2}));
  EXPECT_EQ(values_of(*parts[1]), (std::vector<float>{3, 4, 5, 6}));
  const auto merged = merge_tensors(parts, 0);
  EXPECT_EQ(merged.bytes.data(), memory) << "they still lie together";
  parts.clear();
  EXPECT_EQ(values_of(merged), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(TensorSplit, parts_that_do_not_lie_together_are_copied_in_order) {
  const auto whole = shared_floats({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto columns = split_tensor(whole, 1, {1, 3});
  EXPECT_EQ(values_of(*columns[0]), (std::vector<float>{1, 5}));
  EXPECT_EQ(values_of(*columns[1]), (std::vector<float>{2, 3, 4, 6, 7, 8}));
  EXPECT_EQ(values_of(merge_tensors(columns, 1)), values_of(*whole));
  const auto rows = split_tensor(whole, 0, {1, 1});
  EXPECT_EQ(values_of(merge_tensors({rows[1], rows[0]}, 0)), (std::vector<float>{5, 6, 7, 8, 1, 2, 3, 4}));
  EXPECT_EQ(values_of(merge_tensors({rows[0], rows[0]}, 0)), (std::vector<float>{1, 2, 3, 4, 1, 2, 3, 4}));
  const auto another = shared_floats({1, 4}, {9, 9, 9, 9});
  EXPECT_EQ(values_of(merge_tensors({rows[0], another}, 0)), (std::vector<float>{1, 2, 3, 4, 9, 9, 9, 9}));
}

TEST(TensorSplit, strings_are_copied) {
  const auto words =
      std::make_shared<const HostTensor>(HostTensor{"w", ElementType::string, {3}, {}, {"a", "bb", "ccc"}});
  const auto parts = split_tensor(words, 0, {2, 1});
  EXPECT_EQ(parts[0]->strings, (std::vector<std::string>{"a", "bb"}));
  EXPECT_EQ(merge_tensors(parts, 0).strings, words->strings);
}

TEST(TensorSplit, rows_that_do_not_add_up_are_refused) {
  const auto whole = shared_floats({3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(refused_with([&] {
              split_tensor(whole, 0, {1, 1});
            }),
            "tensor 'x' {3,2}: its axis 0 is not split into 1 + 1 rows; give the parts of this tensor");
  EXPECT_EQ(refused_with([&] { split_tensor(whole, 2, {1, 2}); }), "tensor 'x' {3,2}: it has no axis 2 to split along");
}

}  // namespace
}  // namespace takt
