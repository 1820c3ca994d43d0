#include "trace/write/csv_writer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/files/file.h"
#include "test_folder.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

TEST(TraceCsv, has_a_line_per_span_instant_and_value_of_a_counter) {
  Trace trace;
  const ProcessId process = trace.add_process("a, b", 7);
  const RowId row = trace.add_row(process, "row \"1\"", 3);
  trace.set_args(trace.add_event(row, "span", "op", 5ns, 10ns), {{"x", NAN}, {"y", TraceJsonText{"null"}}});
  trace.mark_instant(trace.add_event(row, "moment", "", 6ns, 0ns), InstantScope::row);
  trace.add_event(row, "short", "", 6ns, 0ns);
  trace.add_counter(process, "queue", 8ns, 0.1);
  const TestFolder folder;
  write_trace_csv(trace, folder / "t.csv");
  EXPECT_EQ(read_file(folder / "t.csv"),
            "process,pid,row,tid,name,category,start_ns,duration_ns,args,kind,value\n"
            "\"a, b\",7,\"row \"\"1\"\"\",3,span,op,5,10,\"{\"\"x\"\":null,\"\"y\"\":null}\",span,\n"
            "\"a, b\",7,\"row \"\"1\"\"\",3,moment,,6,0,,instant,\n"
            "\"a, b\",7,\"row \"\"1\"\"\",3,short,,6,0,,span,\n"
            "\"a, b\",7,,,queue,,8,,,counter,0.1\n");
}

}  // namespace
}  // namespace takt
