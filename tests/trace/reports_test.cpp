// Traces with properties that public reports told of, each with what is true of it: made by a generator, times and
// counts worked out from how they were made.
#include <gtest/gtest.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "places.h"
#include "trace/events/gpu_time.h"
#include "trace/read/merge.h"
#include "trace/read/reader.h"
#include "trace/read/tables.h"
#include "trace/write/perfetto_writer.h"

namespace takt {
namespace {

const std::string trace_reports = "tests/trace/reports/", training_reports = "tests/training/diagnosis/reports/";

/// As `takt trace check` reads it.
TraceRead checked(const std::string& path) {
  return read_trace(source_dir() / (path + ".gz"), {.find_overlaps = true, .checks_json = true});
}

using Counts = std::map<std::string, std::uint64_t>;

Counts rules_broken_in(const TraceRead& read) {
  Counts counts;
  for (const TraceFault& fault : read.faults) counts[std::string(name_of(fault.rule))] = fault.count;
  return counts;
}

struct ReportedFile {
  std::string path;
  std::size_t events;
  Counts faults;
};

TEST(ReportedFiles, have_the_events_and_the_faults_that_are_true) {
  const ReportedFile files[] = {
      {trace_reports + "turns_0.json", 155, {}},
      {trace_reports + "async_46_years_before.json", 367, {{"far_ts", 1}}},
      {trace_reports + "kernel_an_hour_before.json", 367, {{"far_ts", 1}}},
      {trace_reports + "long_key_first.json", 10, {}},
      {trace_reports + "long_first_packet.pftrace", 19, {{"unread_packet", 1}}},
      {trace_reports + "path_beside.json", 100, {{"not_json", 1}}},
      {trace_reports + "path_within.json", 100, {{"not_json", 1}}},
      {trace_reports + "escaped_quotes.json", 100, {{"not_json", 1}}},
      {trace_reports + "bare_words.json", 20, {{"argument_not_a_number", 15}, {"zero_ts", 10}}},
      {trace_reports + "back_to_back.json", 6, {}},
      {trace_reports + "quotes.json", 99, {{"malformed_event", 1}}},
      {trace_reports + "control.json", 100, {{"control_character", 1}}},
      {trace_reports + "key.json", 100, {{"malformed_event", 1}, {"zero_tid", 50}}},
      {trace_reports + "text_ids.json", 64, {}},
      // Of 6 steps the last three have no times: 120 operators, launches and kernels, and 3 waits.
      {training_reports + "zero_ts.json", 732, {{"zero_ts", 363}}},
      {training_reports + "overflow.json", 808, {{"stream_overrun", 8}}},
      {training_reports + "graph_lost.json", 480, {{"launch_without_work", 18}}},
      {training_reports + "last_lost.json", 856, {{"launch_without_work", 120}}},
  };
  for (const ReportedFile& file : files) {
    const TraceRead read = checked(file.path);
    EXPECT_EQ(read.trace.events().size(), file.events) << file.path;
    EXPECT_EQ(rules_broken_in(read), file.faults) << file.path;
  }
}

TEST(ReportedFiles, of_ordinary_trainings_have_no_fault) {
  for (const char* name : {"h100_churn", "h100_empty_cache", "h100_none", "h100_sync", "h100_workers", "pytorch_churn",
                           "pytorch_io", "pytorch_none", "pytorch_sync", "pytorch_tiny"})
    EXPECT_EQ(rules_broken_in(checked("tests/training/diagnosis/traces/" + std::string(name) + ".json")), Counts{})
        << name;
  for (const char* name : {"accum_8_8", "comm", "cuda_item", "deferred", "logging", "mtia_item", "one_forward",
                           "rocm_item", "turns", "slow_rank_0", "cpu_gc_each_step"})
    EXPECT_EQ(rules_broken_in(checked(training_reports + name + ".json")), Counts{}) << name;
}

TEST(ReportedDevices, of_two_ranks_that_take_turns_are_two) {
  std::vector<MergeInput> inputs;
  for (const char* rank : {"0", "1"})
    inputs.push_back({checked(trace_reports + "turns_" + rank + ".json").trace, std::string("rank ") + rank, rank, {}});
  const auto times = gpu_times(merge_traces(inputs));
  ASSERT_EQ(times.size(), 2u);
  for (const GpuTime& time : times) {
    EXPECT_EQ(time.total, Nanoseconds(89'950'000)) << time.device;
    EXPECT_EQ(time.compute, Nanoseconds(47'500'000)) << time.device;
    EXPECT_EQ(time.idle, Nanoseconds(42'450'000)) << time.device;
  }
}

std::int64_t summary_of_file(const std::string& path, std::string_view column) {
  const NamedTrace named{path, checked(path)};
  const Table table = some_columns(trace_summary_table(std::span(&named, 1)), {column});
  return std::get<std::int64_t>(table.rows.at(0).at(0));
}

TEST(ReportedTimes, that_are_missing_or_far_away_make_neither_trace_nor_device_last_for_years) {
  const struct {
    std::string path;
    std::int64_t length, kernels, total, busy;  // microseconds
  } files[] = {
      {trace_reports + "async_46_years_before.json", 60'000, 120, 59'950, 54'000},
      {trace_reports + "kernel_an_hour_before.json", 60'000, 120, 59'950, 54'000},
      {training_reports + "zero_ts.json", 63'000, 120, 30'950, 24'000},
  };
  for (const auto& file : files) {
    EXPECT_EQ(summary_of_file(file.path, "duration_ns"), file.length * 1000) << file.path;
    const auto times = gpu_times(checked(file.path).trace);
    ASSERT_EQ(times.size(), 1u) << file.path;
    EXPECT_EQ(times[0].events, file.kernels) << file.path;
    EXPECT_EQ(times[0].total, Nanoseconds(file.total * 1000)) << file.path;
    EXPECT_EQ(times[0].compute, Nanoseconds(file.busy * 1000)) << file.path;
  }
}

TEST(ReportedPaths, whose_backslashes_json_refuses_are_named_and_what_stands_around_is_kept) {
  for (const char* name : {"path_beside", "path_within"}) {
    const TraceRead read = checked(trace_reports + name + ".json");
    const TraceProperty* const property = read.trace.property("traceName");
    ASSERT_NE(property, nullptr) << name;
    EXPECT_NE(property->json.find("C:"), std::string::npos) << property->json;
    EXPECT_NE(property->json.find(".pt.trace.json"), std::string::npos) << property->json;
  }
  EXPECT_NE(checked(trace_reports + "escaped_quotes.json").trace.property("metadata"), nullptr);
}

TEST(ReportedPackets, that_are_longer_than_what_is_looked_at_are_read_again) {
  const Trace first = checked(trace_reports + "long_key_first.json").trace;
  const std::string written = to_perfetto(first);
  EXPECT_GT(written.size(), 4096u);
  const Trace again = parse_trace(written).trace;
  ASSERT_EQ(again.events().size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(again.events()[i].duration_ns, first.events()[i].duration_ns);
  EXPECT_EQ(again.properties().size(), first.properties().size());
}

std::map<std::string, std::vector<std::int64_t>> micros_by_name(const std::string& name) {
  std::map<std::string, std::vector<std::int64_t>> lengths;
  const Trace trace = checked(trace_reports + name + ".json").trace;
  for (const TraceEvent& event : trace.events()) lengths[trace.text(event.name)].push_back(event.duration_ns / 1000);
  return lengths;
}
using Lengths = std::map<std::string, std::vector<std::int64_t>>;

TEST(ReportedPairs, at_one_time_and_of_one_id_are_matched) {
  EXPECT_EQ(micros_by_name("back_to_back"),
            (Lengths{{"alpha", {500}}, {"beta", {400}}, {"s1", {283}}, {"s2", {64}}, {"s3", {0}}, {"s4", {153}}}));
  EXPECT_EQ(micros_by_name("begin_first"), (Lengths{{"s1", {283}}, {"s2", {64}}}));
  EXPECT_EQ(micros_by_name("async_same_id"), (Lengths{{"parent", {5}}, {"t0", {3}}, {"t1", {3}}}));
  EXPECT_EQ(micros_by_name("async_same_name"), (Lengths{{"parse", {5000, 2000}}}));
}

}  // namespace
}  // namespace takt
