// Several parts, replicas and batches that are inside a stage at once.
#include <gtest/gtest.h>

#include "pipeline/engine/batches_under_way.h"
#include "pipeline/stages/merged_memory.h"

namespace takt {
namespace {

SharedTensor bytes_of(std::size_t count) {
  HostTensor tensor;
  tensor.bytes.resize(count);
  return std::make_shared<const HostTensor>(std::move(tensor));
}

/// Three parts of two outputs; the third output is not the sum of its parts.
struct ThreeParts {
  ThreeParts() {
    memory.part_sizes = {{4, 8, 1}, {2, 6, 1}, {1, 5, 1}};
    memory.open({bytes_of(7), bytes_of(19), bytes_of(4)});
  }
  MergedMemory memory;
};

TEST(MergedMemory, has_the_rows_of_each_part_behind_those_before) {
  ThreeParts three;
  for (const int replica : {0, 1}) {
    const auto first = three.memory.take(replica, 0, 5, 0), second = three.memory.take(replica, 1, 5, 0),
               third = three.memory.take(replica, 2, 5, 0);
    EXPECT_EQ(second.get() - first.get(), 4);
    EXPECT_EQ(third.get() - first.get(), 6);
    const auto last = three.memory.take(replica, 2, 5, 1), middle = three.memory.take(replica, 1, 5, 1);
    EXPECT_EQ(last.get() - middle.get(), 6);
    EXPECT_EQ(last.get() - three.memory.take(replica, 0, 5, 1).get(), 14) << "in any order";
  }
  EXPECT_FALSE(three.memory.take(0, 0, 5, 2)) << "it is merged by copying";
  EXPECT_FALSE(three.memory.take(0, 0, 5, 3)) << "there is none";
  EXPECT_FALSE(MergedMemory().take(0, 0, 5, 0)) << "not open yet";
}

TEST(MergedMemory, of_several_replicas_and_batches_is_apart) {
  ThreeParts three;
  const auto first = three.memory.take(0, 0, 5, 0), other = three.memory.take(1, 0, 6, 0);
  EXPECT_NE(first, other);
  EXPECT_EQ(three.memory.take(1, 1, 6, 0).get() - other.get(), 4);
  EXPECT_EQ(three.memory.take(0, 1, 5, 0).get() - first.get(), 4);
  const auto next = three.memory.take(0, 0, 7, 0);
  EXPECT_NE(next, first) << "the batch before was never complete";
  EXPECT_EQ(three.memory.take(0, 2, 7, 0).get() - next.get(), 6);
  const auto again = three.memory.take(0, 0, 7, 0);
  EXPECT_NE(again, next) << "nobody writes twice to the same rows";
}

TEST(BatchesUnderWay, are_apart_and_those_to_come_find_nothing_of_those_before) {
  BatchesUnderWay under_way(2);
  const auto execution = [](std::int64_t batch, int stage) {
    ExecutionRecord record;
    record.what.batch = batch, record.what.stage = stage;
    return record;
  };
  for (const std::int64_t batch : {3, 4}) {
    BatchRecord times;
    times.arrived = Nanoseconds(batch);
    under_way.admit(batch, times);
    EXPECT_EQ(under_way.visit(batch, 1).stage, 1);
    EXPECT_EQ(under_way.visit(batch, 1).batch, batch);
  }
  under_way.add(execution(3, 0));
  const std::size_t first = under_way.last_record();
  under_way.add(execution(4, 0));
  const std::size_t second = under_way.last_record();
  under_way.add(execution(3, 1));
  EXPECT_EQ(under_way.execution(execution(3, 0).what, first).what.stage, 0);
  EXPECT_EQ(under_way.execution(execution(3, 1).what, under_way.last_record()).what.stage, 1);
  EXPECT_EQ(under_way.execution(execution(4, 0).what, second).what.batch, 4);
  EXPECT_EQ(under_way.passage(3).steps.size(), 2u);
  EXPECT_EQ(under_way.passage(4).steps.size(), 1u);
  under_way.add_copy({.batch = 3});
  EXPECT_EQ(under_way.passage(3).copies.size(), 1u);
  EXPECT_EQ(under_way.passage(4).copies.size(), 0u);
  EXPECT_EQ(under_way.size(), 2u);
  under_way.visit(3, 0).left = Nanoseconds(9);
  under_way.forget(3);
  EXPECT_EQ(under_way.size(), 1u);
  under_way.admit(7, {});
  EXPECT_EQ(under_way.size(), 2u);
  EXPECT_EQ(under_way.passage(7).batch, 7);
  EXPECT_EQ(under_way.visit(7, 0).left, Nanoseconds(0));
  EXPECT_EQ(under_way.visit(7, 0).batch, 7);
  EXPECT_TRUE(under_way.passage(7).steps.empty());
  EXPECT_TRUE(under_way.passage(7).copies.empty());
  EXPECT_EQ(under_way.batch(4).arrived, Nanoseconds(4));
}

}  // namespace
}  // namespace takt
