// A run that goes into a trace comes out again, every nanosecond of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/basics/error.h"
#include "pipeline/record/measured_runs.h"
#include "pipeline/record/pipeline_trace_file.h"
#include "places.h"
#include "trace/chrome/reader.h"
#include "trace/write/chrome_writer.h"

namespace takt {
namespace {

PipelineRun through_text(const PipelineRun& run) {
  const TraceRead read = parse_chrome_trace(to_chrome_json(to_trace(run)), "run.json");
  EXPECT_TRUE(read.faults.empty());
  return read_pipeline_run(read.trace, "run.json");
}

std::string all_text(const Accounts& a) {
  std::string text = to_text(a);
  for (const Table& table : tables(a)) text += to_csv(table);
  return text;
}

TEST(PipelineTrace, a_thousand_random_runs_come_back_from_the_trace) {
  for (std::uint64_t seed = 0; seed < random_cases(1000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const PipelineRun run = seed % 2 == 0 ? random_run(seed) : measured(seed);
    expect_same(run, read_pipeline_run(to_trace(run), "run"));
    if (HasFatalFailure()) return;
  }
}

TEST(PipelineTrace, what_follows_from_the_order_of_forking_stages_is_not_written) {
  int forking = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const PipelineRun run = random_graph_run(seed);
    const Trace trace = to_trace(run);
    expect_same(run, read_pipeline_run(trace, "run"));
    if (HasFatalFailure()) return;
    forking += !is_chain(run.shape);
    EXPECT_EQ(trace.provenance_json().find("\"entered\""), std::string::npos);
    EXPECT_EQ(trace.provenance_json().find("\"delivered\""), std::string::npos);
    EXPECT_EQ(trace.provenance_json().find("\"version\":2") != std::string::npos, !is_chain(run.shape));
  }
  EXPECT_GT(forking, 200);
}

std::string in_pieces(const PipelineRun& run, std::size_t events_at_once) {
  std::string text;
  stream_pipeline_trace(
      run, [&](std::string_view piece) { text += piece; }, events_at_once);
  return text;
}

TEST(PipelineTrace, written_in_pieces_of_any_size_it_is_the_same_text) {
  for (std::uint64_t seed = 0; seed < random_cases(300); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const PipelineRun run = seed % 2 == 0 ? any_random_run(seed) : measured(seed);
    const std::string whole = to_chrome_json(to_trace(run));
    for (const std::size_t events : {std::size_t{1}, 1 + seed % 9, std::size_t{8192}})
      ASSERT_TRUE(in_pieces(run, events) == whole) << "pieces of " << events;
  }
}

TEST(PipelineTrace, in_pieces_a_run_without_batches_and_one_of_a_single_stage_are_the_same_text) {
  PipelineRun none = random_run(1);
  none.schedule = {}, none.counters.clear(), none.copies.clear(), none.warmup = 0;
  EXPECT_EQ(in_pieces(none, 4), to_chrome_json(to_trace(none)));
  for (const int stages : {1, 2, 3}) {  // no arrows, one for each event, and two
    std::vector<FlowStage> shape;
    std::vector<StageTime> times;
    for (int s = 0; s < stages; ++s) shape.push_back(stage_on(0)), times.push_back(takes(5));
    const PipelineRun run = simulated_run(pipeline(shape, 3), times);
    EXPECT_EQ(in_pieces(run, 2), to_chrome_json(to_trace(run))) << stages;
  }
}

TEST(PipelineTrace, runs_come_back_from_the_text_of_the_trace) {
  for (std::uint64_t seed = 0; seed < random_cases(200); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const PipelineRun run = seed % 2 == 0 ? random_run(seed / 2) : measured(seed);
    expect_same(run, through_text(run));
    if (HasFatalFailure()) return;
  }
}

TEST(PipelineTrace, tables_from_the_trace_are_those_of_the_run_byte_by_byte) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const PipelineRun run = seed % 2 == 0 ? random_run(seed) : measured(seed);
    ASSERT_EQ(all_text(account(run)), all_text(account(through_text(run))));
  }
}

TEST(PipelineTrace, a_copy_is_a_span_beside_its_execution_and_rows_never_overlap) {
  std::size_t copies = 0;
  for (std::uint64_t seed = 1; seed < 200; seed += 2) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const PipelineRun run = measured(seed);
    const Trace trace = to_trace(run);
    std::map<RowId, std::vector<std::pair<std::int64_t, std::int64_t>>> rows;
    for (const TraceEvent& event : trace.events()) {
      rows[event.row].emplace_back(event.start_ns, event.start_ns + event.duration_ns);
      copies += trace.text(event.name) == "copy";
    }
    for (auto& [row, spans] : rows) {
      std::sort(spans.begin(), spans.end());
      for (std::size_t i = 1; i < spans.size(); ++i) ASSERT_LE(spans[i - 1].second, spans[i].first);
    }
  }
  EXPECT_GT(copies, 100u);
}

TEST(PipelineTrace, a_trace_with_other_copies_than_it_counts_is_refused) {
  const auto trace_refusal = [](const PipelineRun& run, const std::string& from, const std::string& to) {
    std::string text = to_chrome_json(to_trace(run));
    const auto place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    if (place != std::string::npos) text.replace(place, from.size(), to);
    try {
      read_pipeline_run(parse_chrome_trace(text, "run.json").trace, "run.json");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  auto run = simulated_run(pipeline({stage_on(0)}, 2), {takes(5'000)});
  add_copies(run);
  ASSERT_EQ(run.copies.size(), 2u);
  EXPECT_EQ(trace_refusal(run, "\"copy\":1", "\"copy\":1"), "");
  for (const auto& [from, to, why] :
       {std::tuple("\"copy\":1", "\"copy\":0", "the trace has copy 0 twice"),
        {"\"copy\":1", "\"copy\":2", "the trace has more copies than its description says"},
        {"\"copy\":1", "\"other\":1", "the trace has fewer copies than its description counts"},
        {"\"copies\":2", "\"copies\":3", "the trace has fewer copies than its description counts"},
        {"\"copies\":2", "\"copies\":5", "the trace has fewer copies than its description says"},
        {"\"copies\":2", "\"copies\":-1", "the trace has fewer copies than its description says"},
        {"\"of\":\"outputs\"", "\"of\":\"nothing\"", "the trace does not report what copy 1 belongs to"}})
    EXPECT_EQ(trace_refusal(run, from, to), std::string("run.json: ") + why + "; record the run again") << to;
  EXPECT_NE(trace_refusal(run, "\"of\":\"outputs\"", "\"of\":\"inputs\"").find("out of order"), std::string::npos);
}

PipelineRun sharing_run() {
  auto run = simulated_run(pipeline({stage_on(0), stage_on(1)}, 2), {takes(4), takes(2)});
  run.contention.emplace();
  run.contention->resources = {{PressureLaw::queue, {0.25, 1}, {0.5, 0}}, {PressureLaw::share, {0, 0.1}, {1, 0.3}}};
  run.contention->combination = Combination::largest;
  return run;
}

TEST(PipelineTrace, shared_resources_come_back_and_older_programs_know_that_they_do_not_know_them) {
  expect_same(sharing_run(), through_text(sharing_run()));
  const std::string text = to_chrome_json(to_trace(sharing_run()));
  EXPECT_NE(text.find("\"version\":3"), text.npos);
  const auto refusal = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const auto found = changed.find(from);
    EXPECT_NE(found, changed.npos) << from;
    changed.replace(found, from.size(), to);
    try {
      read_pipeline_run(parse_chrome_trace(changed, "x.json").trace, "x.json");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal("\"queue\",\"pressure\"", "\"cubic\",\"pressure\""),
            "x.json: the description of the pipeline is damaged; record the run again");
  EXPECT_EQ(refusal("\"largest\"", "\"least\""),
            "x.json: the description of the pipeline is damaged; record the run again");
  EXPECT_NE(refusal("[0.25,1.0]", "[0.25]"), "");
  EXPECT_NE(refusal("[0.25,1.0]", "[0.25,1.5]"), "");
}

TEST(PipelineTrace, a_run_without_batches_comes_back) {
  const auto run = simulated_run(pipeline({stage_on(0)}, 0), {takes(5)});
  expect_same(run, through_text(run));
}

TEST(PipelineTrace, arrows_lead_from_each_stage_to_the_next_and_through_the_parts) {
  const auto run = simulated_run(pipeline({stage_on(0), stage_over({0, 1}), stage_on(1)}, 3),
                                 {takes(2), takes(1, {4, 3}, 1), takes(2)});
  const Trace trace = to_trace(run);
  std::multiset<std::uint64_t> in, out;
  for (const TraceFlow& flow : trace.flows()) {
    if (flow.in) in.insert(flow.bind_id);
    if (flow.out) out.insert(flow.bind_id);
  }
  EXPECT_EQ(in, out);
  EXPECT_EQ(in.size(), 3U * (1 + 2 + 2 + 1));
  EXPECT_EQ(std::set<std::uint64_t>(in.begin(), in.end()).size(), in.size());
}

TEST(PipelineTrace, arrows_lead_along_every_way_of_stages_that_fork_and_meet) {
  auto shape = pipeline({stage_on(0), stage_on(1), stage_on(2), stage_on(3)}, 3);
  shape.stages[2].after = {0};
  shape.stages[3].after = {1, 2};
  const Trace trace = to_trace(simulated_run(shape, {takes(2), takes(3), takes(4), takes(2)}));
  std::multiset<std::uint64_t> in, out;
  for (const TraceFlow& flow : trace.flows()) {
    if (flow.in) in.insert(flow.bind_id);
    if (flow.out) out.insert(flow.bind_id);
  }
  EXPECT_EQ(in, out);
  EXPECT_EQ(in.size(), 3U * 4);
  EXPECT_EQ(std::set<std::uint64_t>(in.begin(), in.end()).size(), in.size());
}

TEST(PipelineTrace, counters_return_to_zero) {
  const Trace trace = to_trace(random_run(5));
  std::map<StringId, double> last;
  for (const TraceCounter& counter : trace.counters()) {
    EXPECT_GE(counter.value, 0);
    last[counter.name] = counter.value;
  }
  EXPECT_FALSE(last.empty());
  for (const auto& [name, value] : last) EXPECT_EQ(value, 0) << trace.text(name);
}

std::string trace_refusal(const Trace& trace) {
  try {
    read_pipeline_run(trace, "x.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(PipelineTrace, a_trace_of_something_else_is_refused) {
  EXPECT_EQ(trace_refusal(Trace()),
            "x.json: not the trace of a pipeline run by takt; make one with 'takt pipeline run'");
  Trace other;
  other.set_provenance_json(R"({"pipeline": 3})");
  EXPECT_NE(trace_refusal(other), "");
  other.set_provenance_json(R"({"pipeline": {"version": 1}})");
  EXPECT_EQ(trace_refusal(other), "x.json: the description of the pipeline is damaged; record the run again");
  other.set_provenance_json(R"({"pipeline": {"version": 99}})");
  EXPECT_EQ(trace_refusal(other), "x.json: the run was written by another version of takt; read it with that version");
}

/// The text of a small run with one piece replaced, read again.
std::string refusal_after(const std::string& from, const std::string& to) {
  const auto run = simulated_run(pipeline({stage_on(0), stage_on(1)}, 2), {takes(4), takes(2)});
  std::string text = to_chrome_json(to_trace(run));
  const auto found = text.find(from);
  EXPECT_NE(found, text.npos) << from;
  text.replace(found, from.size(), to);
  return trace_refusal(parse_chrome_trace(text, "x.json").trace);
}

TEST(PipelineTrace, contradictions_are_refused_in_one_sentence) {
  const std::string no_run = "not a run of a pipeline: ", damaged = "the description of the pipeline is damaged";
  struct Case {
    std::string from, to, why;
  };
  for (const Case& one : std::vector<Case>{
           {"\"executions\":4", "\"executions\":5", "the trace has fewer executions than its description says"},
           {"\"executions\":4", "\"executions\":3", "the trace has more executions than its description says"},
           {"\"executions\":4", "\"executions\":400000000000",
            "the trace has fewer executions than its description says"},
           {"\"execution\":1", "\"execution\":0", "the trace has execution 0 twice"},
           {"\"batch_id\":1", "\"batch_id\":-1", "the trace has an execution 2 without a batch"},
           {"\"batch_id\":1", "\"batch_id\":9223372036854775807",
            no_run + "batch 1 in stage 0 has a missing or a duplicate execution"},
           {"\"stage\":1", "\"stage\":2", "the trace has an execution 1 without a stage of the pipeline"},
           {"\"replica\":0", "\"replica\":7", "the trace has an execution 0 without a replica of its stage"},
           {"\"part\":0", "\"part\":1", "the trace has an execution 0 without a part of its stage"},
           {"\"phase\":\"run\"", "\"phase\":\"walk\"", "the trace has an execution 0 without a phase"},
           {"\"phase\":\"run\"", "\"phase\":\"merge\"",
            no_run + "execution 0 splits a batch in a stage that is not split"},
           {"\"ready_ns\":0", "\"ready_ns\":99", no_run + "execution 0 has times out of order"},
           {"\"ready_ns\":0", "\"ready\":0", "the trace does not report when execution 0 became ready"},
           {"\"execution\":3", "\"exec\":3", "the trace has fewer executions than its description counts"},
           {"\"left\":[4,6,8,10]", "\"left\":[4,6,8,10.5]", damaged},
           {"\"queue\":1", "\"queue\":0", no_run + "stage 0: a queue of 0 holds no batch; use 1 or more"},
           {"\"queue\":1", "\"queue\":\"many\"", damaged},
           {"\"left\":[4,6,8,10]", "\"left\":[4,6,8]", "times of batches are missing or do not fit the executions"},
           {"\"left\":[4,6,8,10]", "\"left\":\"all\"", "the times of the batches are damaged"},
           {"\"left\":[4,6,8,10]", "\"left\":[4,6,8,9]", no_run + "batch 1 in stage 1 has times out of order"},
           {"\"left\":[4,6,8,10]", "\"left\":[4,6,8,9223372036854775807]",
            no_run + "batch 1 in stage 1 has a time out of range"},
           {"\"first_start_ns\":0", "\"first_start_ns\":-9223372036854775807",
            no_run + "execution 0 has a time out of range"},
           {"\"first_start_ns\":0", "\"first_start_ns\":9223372036854775807", "the trace has times out of range"},
           {"\"admitted\":[0,0]", "\"admitted\":[0]", "times of batches are missing or do not fit the executions"}})
    EXPECT_EQ(refusal_after(one.from, one.to), "x.json: " + one.why + "; record the run again") << one.to;
}

TEST(PipelineTrace, spans_that_end_before_they_start_are_refused) {
  PipelineRun run = simulated_run(pipeline({stage_on(0)}, 2), {takes(5'000)});
  add_copies(run);
  const auto refused_with = [&](std::string_view argument) {
    Trace trace = to_trace(run);
    for (std::size_t i = 0; i < trace.events().size(); ++i) {
      for (const TraceArg& value : trace.args(trace.events()[i]))
        if (trace.text(value.key) == argument) trace.set_duration(EventId(i), Nanoseconds(-1));
    }
    return trace_refusal(trace);
  };
  EXPECT_EQ(refused_with("execution"),
            "x.json: the trace has an execution 0 that ends before it starts; record the run again");
  EXPECT_EQ(refused_with("copy"), "x.json: the trace has a copy 0 that ends before it starts; record the run again");
}

TEST(PipelineTrace, a_counter_of_centuries_is_refused) {
  PipelineRun run = simulated_run(pipeline({stage_on(0)}, 1), {takes(5'000)});
  run.counters.resize(1);
  run.counters[0].hardware = Nanoseconds(3'000'000);
  std::string text = to_chrome_json(to_trace(run));
  const std::string name = "\"hw_time_ms\":3.0";
  ASSERT_NE(text.find(name), std::string::npos) << text;
  EXPECT_EQ(trace_refusal(parse_chrome_trace(text, "x.json").trace), "");
  text.replace(text.find(name), name.size(), "\"hw_time_ms\":3.0e12");
  EXPECT_THAT(trace_refusal(parse_chrome_trace(text, "x.json").trace),
              testing::HasSubstr("has a counter that is out of range"))
      << text;
}

TEST(PipelineTrace, of_a_run_that_cannot_be_none_is_written) {
  PipelineRun run = simulated_run(pipeline({stage_on(0), stage_on(1)}, 2), {takes(4), takes(2)});
  run.name.clear();
  run.warmup = -1;
  const auto refusal = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal([&] { to_trace(run); }), testing::StartsWith("pipeline run: not a run of a pipeline"));
  std::string written;
  EXPECT_THAT(refusal([&] { stream_pipeline_trace(run, [&](std::string_view piece) { written += piece; }); }),
              testing::StartsWith("pipeline run: not a run of a pipeline"));
  EXPECT_EQ(written, "");
  run.name = "mine";
  EXPECT_THAT(refusal([&] { to_trace(run); }), testing::StartsWith("mine: not a run of a pipeline"));
  run.warmup = 0;
  run.provenance_json = "[1]";
  EXPECT_EQ(refusal([&] { to_trace(run); }),
            "pipeline run: the provenance is not a JSON object; pass an object or nothing");
}

}  // namespace
}  // namespace takt
