// What callbacks told, as PyTorch's profiler would have written it.
#include "training/trainer/operator_log.h"

#include <gtest/gtest.h>

#include "trace/write/chrome_writer.h"

namespace takt {
namespace {

LoggedThread two_operators() {
  LoggedThread thread;
  thread.name = "main";
  thread.number = 77;
  thread.names = {"ProfilerStep#2", "aten::linear"};
  thread.spans = {{.start_ns = 1000, .end_ns = 9000, .name = 0, .is_annotation = true},
                  {.start_ns = 2000,
                   .end_ns = 5000,
                   .name = 1,
                   .parent = 0,
                   .sequence = 4,
                   .forward_thread = 1,
                   .dims = 0,
                   .dim_count = 5},
                  {.start_ns = 6000, .end_ns = 0, .name = 1, .parent = 0}};
  thread.dims = {2, 64, 32, -1, 0};
  thread.memory = {{.time_ns = 2500, .bytes = 256, .allocated = 256, .device_type = 0, .device = -1}};
  return thread;
}

TEST(OperatorLog, becomes_a_trace_as_pytorch_writes_it) {
  const Trace trace = trace_of({two_operators(), {}}, {.with_stack = true, .system_minus_steady_ns = 1'000'000});
  ASSERT_EQ(trace.rows().size(), 1u);
  EXPECT_EQ(trace.rows()[0].tid, 77u);
  ASSERT_EQ(trace.events().size(), 3u);  // what had no end is left out
  EXPECT_EQ(trace.base_time().value(), Nanoseconds(1'001'000));
  const TraceEvent& linear = trace.events()[1];
  EXPECT_EQ(linear.start_ns, 1000);
  EXPECT_EQ(linear.duration_ns, 3000);
  EXPECT_EQ(trace.text(linear.category), "cpu_op");
  EXPECT_EQ(trace.text(trace.events()[0].category), "user_annotation");
  const std::string json = to_chrome_json(trace);
  EXPECT_NE(json.find(R"("Input Dims":[[64, 32], [], []])"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("Call stack":"ProfilerStep#2")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("Sequence number":4)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("Bytes":256)"), std::string::npos) << json;
}

TEST(OperatorLog, of_a_thread_that_only_took_memory_is_there) {
  LoggedThread thread;
  thread.name = "loader", thread.number = 78;
  thread.memory = {{.time_ns = 700, .bytes = -64, .allocated = 192, .device_type = 1, .device = 3}};
  const Trace trace = trace_of({two_operators(), thread}, {.system_minus_steady_ns = 1'000'000});
  EXPECT_EQ(trace.base_time().value(), Nanoseconds(1'000'700)) << "it was first";
  ASSERT_EQ(trace.rows().size(), 2u);
  EXPECT_EQ(trace.rows()[1].name, "loader");
  EXPECT_EQ(trace.rows()[1].tid, 78u);
  ASSERT_EQ(trace.events().size(), 4u);
  EXPECT_EQ(trace.events()[0].start_ns, 300);
  EXPECT_EQ(trace.events()[3].start_ns, 0);
  EXPECT_NE(to_chrome_json(trace).find(R"("args":{"Total Allocated":192,"Bytes":-64,"Device Type":1,"Device Id":3})"),
            std::string::npos)
      << to_chrome_json(trace);
}

TEST(OperatorLog, the_first_number_of_a_sequence_is_one) {
  LoggedThread first = two_operators(), none = two_operators();
  for (LoggedSpan& span : first.spans) span.sequence = 0;
  for (LoggedSpan& span : none.spans) span.sequence = -1;
  EXPECT_NE(to_chrome_json(trace_of({first}, {})).find(R"("Sequence number":0)"), std::string::npos);
  EXPECT_EQ(to_chrome_json(trace_of({none}, {})).find("Sequence number"), std::string::npos);
}

TEST(OperatorLog, of_nothing_is_a_trace_of_nothing) { EXPECT_TRUE(trace_of({}, {}).events().empty()); }

}  // namespace
}  // namespace takt
