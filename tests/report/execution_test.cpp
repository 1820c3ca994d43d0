#include "report/results/execution.h"

#include <gtest/gtest.h>

namespace takt {
namespace {

/// conv makes a (100 bytes), relu of it b (50), which add reads with a and makes c (10), which nobody reads.
std::string profile(const std::string& size_of_b = "50") {
  return R"({"graph_exec": {"comp_seq": ["1", "2", "9", "3"],
    "operator": {"3": {"name": "add", "type": "Add", "input": ["a", "b"], "output": ["c"]},
                 "1": {"name": "conv", "type": "Conv", "input": ["w"], "output": ["a"]},
                 "2": {"name": "relu", "type": "Relu", "input": ["a"], "output": ["b"]},
                 "9": {"name": "gone", "type": "Gone", "input": [], "output": []}},
    "var": {"a": {"mem_plan": {"mem_chunk_id": "x"}}, "b": {"mem_plan": {"mem_chunk_id": "y"}},
            "c": {"mem_plan": {"mem_chunk_id": "z"}}, "w": {"mem_plan": null}},
    "mem_chunk": {"x": {"size": 100}, "y": {"size": )" +
         size_of_b + R"(}, "z": {"size": 10}}},
   "profiler": {"device": {"1": {"t0": {"start": 0.5, "end": 1.5}, "t1": {"start": 0.5, "end": 2}},
                           "2": {"t0": {"start": 2, "end": 2.25}}, "3": {"t0": {"start": 3, "end": 3.5}}}}})";
}

TEST(Execution, operators_that_ran_stand_in_their_order_with_the_time_of_their_longest_thread) {
  const auto steps = execution_of(profile());
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].name, "conv");
  EXPECT_EQ(steps[0].kind, "k1");
  EXPECT_EQ(steps[0].time, Duration(1.5e6));
  EXPECT_EQ(steps[1].type, "Relu");
  EXPECT_EQ(steps[2].time, Duration(0.5e6));
}

TEST(Execution, a_result_lives_until_its_last_reader_and_one_that_nobody_reads_to_the_end) {
  const auto steps = execution_of(profile());
  EXPECT_EQ(steps[0].alive, 100);
  EXPECT_EQ(steps[1].alive, 150);
  EXPECT_EQ(steps[2].alive, 160);
}

TEST(Execution, an_operator_reads_the_steps_that_made_its_inputs_and_weights_are_made_by_none) {
  const auto steps = execution_of(profile());
  EXPECT_EQ(steps[0].reads, std::vector<std::size_t>{});
  EXPECT_EQ(steps[1].reads, std::vector<std::size_t>{0});
  EXPECT_EQ(steps[2].reads, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(steps[2].level, 2u);
}

TEST(Execution, without_a_size_no_bytes_are_told_and_without_an_order_nothing) {
  for (const ReportStep& step : execution_of(profile("null"))) EXPECT_FALSE(step.alive) << step.name;
  for (const ReportStep& step : execution_of(profile("-1"))) EXPECT_FALSE(step.alive) << step.name;
  for (const char* text : {"", "a,b\n1,2", "[]", "3", "{}", R"({"graph_exec": {"comp_seq": [3, null, "1"]}})"})
    EXPECT_TRUE(execution_of(text).empty()) << text;
}

}  // namespace
}  // namespace takt
