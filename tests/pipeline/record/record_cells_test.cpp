// What stands behind which key of a pipeline's trace: the description of the run, and what each event tells.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pipeline/record/pipeline_run.h"
#include "pipeline/record/run_description.h"

namespace takt {
namespace {

using nlohmann::json;

Nanoseconds ns(std::int64_t count) { return Nanoseconds(count); }

/// Two stages on a device each; one batch, with counters and a copy. Visits begin later and end sooner than the
/// executions say, so that every column of times is written.
PipelineRun one_batch() {
  PipelineRun run;
  run.name = "pipe", run.warmup = 1, run.cores = 6, run.interrupted = true, run.failure = "it crashed";
  run.base_time = ns(5'000'000), run.provenance_json = R"({"host": "here"})";
  run.devices = {{"CPU", "openvino"}, {"NPU", "onnxruntime"}};
  run.shape.devices = {{7}, {}};
  run.stages = {{"read", "a.onnx", true, 71, {}, 8}, {"infer", "b.onnx", false, {}, {}, {}}};
  run.shape.stages = {{{{0}}, 3, true, {}}, {{{1}, {1}}, 4, false, {}}};
  run.shape.source = {true, 9, 10};
  run.contention =
      ContentionLaw{{{1, 1.5}, {1.25, 1}}, {{1, 1.75}}, {{PressureLaw::share, {0.125, 0.25}, {0.375, 0.5}}}};
  run.contention->combination = Combination::add;
  run.schedule.begin = ns(1), run.schedule.end = ns(500);
  run.schedule.executions = {{{0, 0, 0, 0, 0, FlowPhase::run}, ns(20), ns(30), ns(1'000'030)},
                             {{0, 1, 1, 0, 1, FlowPhase::run}, ns(1'000'040), ns(1'000'050), ns(1'000'250)}};
  run.schedule.visits = {{0, 0, 0, ns(21), ns(31), ns(32), ns(33), ns(34), ns(35)},
                         {0, 1, 1, ns(41), ns(42), ns(43), ns(44), ns(45), ns(46)}};
  run.schedule.batches = {{ns(11), ns(12), ns(13)}};
  run.counters = {{ns(750'000), ns(125'000), 4096}, {}};
  run.copies = {{0, 1, 1, 0, 1, true, ns(1'000'300), ns(1'000'340), 512}};
  return run;
}

TEST(Keys, of_the_description_of_a_run_have_their_values) {
  const json described = json::parse(describe_run(one_batch()));
  EXPECT_EQ(described["host"], "here");
  EXPECT_EQ(described["pipeline"], json::parse(R"({
    "version": 3, "name": "pipe",
    "devices": [{"name": "CPU", "runtime": "openvino", "requests": 7},
                {"name": "NPU", "runtime": "onnxruntime", "requests": null}],
    "stages": [{"name": "read", "model": "a.onnx", "copies_input": true, "input_bytes": 71, "ratio": [], "threads": 8,
                "replicas": [[0]], "queue": 3, "ordered": true},
               {"name": "infer", "model": "b.onnx", "copies_input": false, "input_bytes": null, "ratio": [],
                "threads": null, "replicas": [[1], [1]], "queue": 4, "ordered": false}],
    "source": {"open": true, "in_flight": 9, "batches": 10},
    "warmup": 1, "virtual_clock": false, "interrupted": true, "failure": "it crashed", "cores": 6,
    "contention": {"interference": [[1.0, 1.5], [1.25, 1.0]], "device_curve": [[1.0, 1.75]],
                   "resources": [{"law": "share", "pressure": [0.125, 0.25], "sensitivity": [0.375, 0.5]}],
                   "combine": "add"},
    "base_time_ns": 5000000, "begin_ns": 1, "end_ns": 500, "executions": 2, "first_start_ns": 30, "counters": true,
    "copies": 1,
    "times_ns": {"admitted": [12], "arrived": [11], "delivered": [13], "entered": [21, 41], "started": [31, 42],
                 "dispatched": [32, 43], "joined": [33, 44], "done": [34, 45], "left": [35, 46]}})"));
}

std::string told(const Trace& trace, const TraceEvent& event) {
  std::string text =
      fmt::format("{} {} {} {}", trace.text(event.name), trace.text(event.category), event.start_ns, event.duration_ns);
  for (const TraceArg arg : trace.args(event)) {
    text += fmt::format(" {}=", trace.text(arg.key));
    if (const auto* word = std::get_if<StringId>(&arg.value)) text += trace.text(*word);
    if (const auto* whole = std::get_if<std::int64_t>(&arg.value)) text += fmt::format("{}", *whole);
    if (const auto* number = std::get_if<double>(&arg.value)) text += fmt::format("{}", *number);
  }
  return text;
}

TEST(Keys, of_the_events_of_a_run_have_their_values) {
  const Trace trace = to_trace(one_batch());
  ASSERT_EQ(trace.events().size(), 3u);
  EXPECT_EQ(told(trace, trace.events()[0]),
            "read run 30 1000000 execution=0 batch_id=0 stage=0 replica=0 part=0 phase=run ready_ns=20 hw_time_ms=0.75 "
            "sw_overhead_ms=0.25 marshalling_ms=0.125 bytes_moved=4096");
  EXPECT_EQ(told(trace, trace.events()[1]),
            "infer run 1000050 200 execution=1 batch_id=0 stage=1 replica=1 part=0 phase=run ready_ns=1000040");
  EXPECT_EQ(told(trace, trace.events()[2]),
            "copy copy 1000300 40 copy=0 batch_id=0 stage=1 replica=1 part=0 of=outputs bytes=512");
  EXPECT_EQ(trace.rows()[0].name, "CPU");
  EXPECT_EQ(trace.rows()[1].name, "NPU");
  EXPECT_EQ(trace.base_time(), ns(5'000'000));
}

}  // namespace
}  // namespace takt
