// Small parts of which traces are made: arguments, times in text, lists of faults, what a file says of itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "trace/events/args.h"
#include "trace/events/decimal_time.h"
#include "trace/events/faults.h"
#include "trace/events/gpu_time.h"
#include "trace/events/recorder_faults.h"
#include "trace/events/trace.h"
#include "trace/events/trace_origin.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t int32_least = std::numeric_limits<std::int32_t>::min(),
                       int32_most = std::numeric_limits<std::int32_t>::max();

std::vector<TraceArg> all_of_run(const ArgStore& store, std::uint32_t run) {
  std::vector<TraceArg> list;
  for (const TraceArg arg : TraceArgs(store, run)) list.push_back(arg);
  return list;
}

/// Values of every kind and width, on both sides of the borders between them.
std::vector<TraceArg> every_kind() {
  return {{StringId{1}, int32_least},
          {StringId{2}, int32_most},
          {StringId{3}, int32_least - 1},
          {StringId{4}, int32_most + 1},
          {StringId{5}, std::numeric_limits<std::int64_t>::min()},
          {StringId{6}, 0.1},
          {StringId{7}, StringId{8}},
          {StringId{9}, TraceJson{StringId{10}}},
          {StringId{1}, std::int64_t{-1}}};
}

TEST(ArgStore, gives_back_values_of_every_kind) {
  ArgStore store;
  EXPECT_EQ(store.add({}), 0u);
  EXPECT_EQ(store.add(every_kind()), 1u);
  EXPECT_EQ(store.add(std::vector<TraceArg>{{StringId{7}, StringId{3}}}), 2u);
  EXPECT_EQ(store.add(every_kind()), 3u);
  EXPECT_EQ(all_of_run(store, 1), every_kind());
  EXPECT_THAT(all_of_run(store, 2), ElementsAre(TraceArg{StringId{7}, StringId{3}}));
  EXPECT_EQ(all_of_run(store, 3), every_kind());
  EXPECT_TRUE(TraceArgs(store, 0).empty());
  EXPECT_EQ(store.runs(), 4u);
  EXPECT_EQ(store.values(), 2u * (5 + 4 * 2) + 1);
  store.clear();
  EXPECT_EQ(store.runs(), 1u);
  EXPECT_EQ(store.add(every_kind()), 1u);
  EXPECT_EQ(all_of_run(store, 1), every_kind());
}

TEST(ArgStore, tells_hundreds_of_shapes_apart) {
  ArgStore store;
  std::vector<std::vector<TraceArg>> runs;
  for (std::uint32_t i = 0; i < 600; ++i) {
    std::vector<TraceArg>& run = runs.emplace_back();
    for (std::uint32_t k = 0; k <= i % 3; ++k)
      run.push_back({StringId{i / 3 % 150 + k}, i % 2 == 0 ? decltype(TraceArg::value)(std::int64_t{i}) : StringId{i}});
    store.add(run);
  }
  for (std::uint32_t i = 0; i < 600; ++i) ASSERT_EQ(all_of_run(store, i + 1), runs[i]) << i;
}

TEST(ArgStore, of_another_is_added_with_its_texts_renumbered) {
  ArgStore store, other;
  store.add(every_kind());
  other.add(every_kind());
  other.add(std::vector<TraceArg>{{StringId{2}, StringId{0}}, {StringId{3}, std::int64_t{3}}});
  std::vector<StringId> strings;
  for (std::uint32_t i = 0; i < 11; ++i) strings.push_back(StringId{100 + i});
  EXPECT_EQ(store.append(other, strings), 1u);
  std::vector<TraceArg> renumbered = every_kind();
  for (TraceArg& arg : renumbered) arg.key = StringId{static_cast<std::uint32_t>(arg.key) + 100};
  renumbered[6].value = StringId{108};
  renumbered[7].value = TraceJson{StringId{110}};
  EXPECT_EQ(all_of_run(store, 1), every_kind());
  EXPECT_EQ(all_of_run(store, 2), renumbered);
  EXPECT_THAT(all_of_run(store, 3),
              ElementsAre(TraceArg{StringId{102}, StringId{100}}, TraceArg{StringId{103}, std::int64_t{3}}));
}

TEST(DecimalTime, is_rounded_to_the_nanosecond_away_from_zero) {
  using Time = std::tuple<const char*, std::int64_t, bool>;
  for (const auto& [text, nanoseconds, exact] :
       {Time{"0", 0, true},
        {"1.5", 1500, true},
        {"-1.5", -1500, true},
        {"12.345", 12'345, true},
        {"1.2345", 1235, false},
        {"1.2344", 1234, false},
        {"-1.2345", -1235, false},
        {"1.2340", 1234, true},
        {"0.0005", 1, false},
        {"0.00049", 0, false},
        {"1.", 1000, true},
        {".5", 500, true},
        {"1e3", 1'000'000, true},
        {"1E+2", 100'000, true},
        {"1.5e-3", 2, false},
        {"1.5e1", 15'000, true},
        {"00000000000000001", 1000, true},
        {"0e99999999999999999999", 0, true},
        {"1e-99999999999999999999", 0, false},
        // Doubles of microseconds hold halves below 2^43 and whole ones below 2^53.
        {"8796093022207.5", 8'796'093'022'207'500, true},
        {"8796093022208.5", 8'796'093'022'208'500, false},
        {"8796093022208.000", 8'796'093'022'208'000, true},
        {"8796093022207.5000", 8'796'093'022'207'500, true},
        {"8796093022208.5000", 8'796'093'022'208'500, false},
        {"4611686018427386", 4'611'686'018'427'386'000, true},
        {"4611686018427387", 4'611'686'018'427'387'000, true}}) {
    const DecimalTime time = parse_microseconds(text);
    EXPECT_EQ(time.outcome, DecimalTime::Outcome::good) << text;
    EXPECT_EQ(time.nanoseconds, nanoseconds) << text;
    EXPECT_EQ(time.exact, exact) << text;
  }
}

TEST(DecimalTime, of_other_text_or_centuries_is_none) {
  for (const char* text : {"", "-", ".", "+1", "NaN", "1x", "1.2x", "1.2.3", "1e", "1ex", "e5", "1 "})
    EXPECT_EQ(parse_microseconds(text).outcome, DecimalTime::Outcome::not_a_number) << text;
  for (const char* text : {"4611686018427388", "-4611686018427388", "46116860184273870.5", "1e99999999999999999999",
                           "1e16", "99999999999999999999.0"})
    EXPECT_EQ(parse_microseconds(text).outcome, DecimalTime::Outcome::out_of_range) << text;
}

std::vector<std::string> faults_in_words(const FaultList& faults) {
  std::vector<std::string> lines;
  for (const TraceFault& fault : faults.list())
    lines.push_back(std::string(name_of(fault.rule)) + " " + std::to_string(fault.count) + " " + fault.first);
  return lines;
}

TEST(FaultList, of_two_counts_both_and_has_the_first_place) {
  const auto list = [](std::uint64_t order, const char* place, std::uint64_t count) {
    FaultList faults;
    faults.add(
        TraceRule::missing_ts, order, [&] { return std::string(place); }, count);
    return faults;
  };
  FaultList late = list(5, "late", 2), early = list(3, "early", 4), same = list(3, "same", 1), none;
  late.merge(early);
  EXPECT_THAT(faults_in_words(late), ElementsAre("missing_ts 6 early"));
  late.merge(same), late.merge(list(4, "later", 1)), late.merge(none);
  EXPECT_THAT(faults_in_words(late), ElementsAre("missing_ts 8 early"));
  none.merge(late);
  EXPECT_THAT(faults_in_words(none), ElementsAre("missing_ts 8 early"));
  EXPECT_EQ(none.count(TraceRule::missing_ts), 8u);
  none.add(TraceRule::missing_ts, 2, [] { return std::string("first"); });
  none.add(TraceRule::missing_ts, 2, [] { return std::string("as early"); });
  none.add(TraceRule::empty, 9, [] { return std::string("the file"); });
  EXPECT_THAT(faults_in_words(none), ElementsAre("empty 1 the file", "missing_ts 10 first"))
      << "in the order of the rules";
}

TEST(RecorderFaults, are_what_was_dropped_and_an_end_that_did_not_come) {
  const auto found = [](const std::string& provenance) {
    FaultList faults;
    add_recorder_faults(provenance, faults);
    return faults_in_words(faults);
  };
  EXPECT_THAT(found(R"({"recorder":{"dropped":3,"first_dropped_ns":-12,"ended":true}})"),
              ElementsAre("dropped_events 3 -12 ns"));
  EXPECT_THAT(found(R"({"recorder":{"dropped":1,"first_dropped_ns":1.5}})"),
              ElementsAre("dropped_events 1 an unknown time"));
  EXPECT_THAT(found(R"({"recorder":{"dropped":1,"ended":false}})"),
              ElementsAre("dropped_events 1 an unknown time", "recording_cut 1 the end"));
  for (const char* nothing : {"", "[1]", "7", "{}", R"({"recorder":7})", R"({"recorder":{"dropped":0}})",
                              R"({"recorder":{"dropped":-1,"ended":"no"}})", R"({"recorder":{"dropped":1.5}})"})
    EXPECT_THAT(found(nothing), IsEmpty()) << nothing;
}

TEST(TraceOrigin, is_the_rank_and_the_host_that_the_file_tells) {
  const auto rank = [](const char* json) {
    Trace trace;
    trace.set_property("other", R"({"rank":9})");
    trace.set_property("distributedInfo", json);
    return rank_of(trace);
  };
  EXPECT_EQ(rank(R"({"rank":3})"), 3);
  EXPECT_EQ(rank(R"({"rank":"4"})"), 4);
  for (const char* none : {R"({"rank":1.5})", R"({"rank":"x"})", R"({"rank":null})", "{}", "[3]", "3", "{"})
    EXPECT_EQ(rank(none), std::nullopt) << none;
  EXPECT_EQ(rank_of(Trace()), std::nullopt);
  const auto host = [](const char* json) {
    Trace trace;
    trace.set_provenance_json(json);
    return host_of(trace);
  };
  EXPECT_EQ(host(R"({"host":"node7"})"), "node7");
  for (const char* none : {"", "{}", R"({"host":7})", R"(["host"])", "{"}) EXPECT_EQ(host(none), "") << none;
}

TEST(GpuWork, is_told_by_category_and_name) {
  for (const char* category : {"gpu_memcpy", "gpu_memset", "memcpy", "memset", "GPU_Memcpy"})
    EXPECT_EQ(gpu_work(category, "ncclKernel"), GpuWork::memory) << category;
  for (const char* name : {"Memcpy HtoD", "Memset (Device)"}) EXPECT_EQ(gpu_work("kernel", name), GpuWork::memory);
  for (const char* name : {"gemm", "my Memcpy", "reduce_kernel", ""})
    EXPECT_EQ(gpu_work("Kernel", name), GpuWork::compute) << name;
  for (const char* name : {"ncclDevKernel_AllReduce",
                           "rcclKernel",
                           "oneccl_allreduce",
                           "hcclAllReduce",
                           "mscclKernel",
                           "deep_ep::combine",
                           "nvshmem_put",
                           "rocshmem_put",
                           "cross_device_reduce_1stage",
                           "quick_reduce",
                           "quickreduce",
                           "multimem_all",
                           "all_reduce_kernel",
                           "AllReduce_Kernel",
                           "allReduceKernel",
                           "one_shot_all_reduce",
                           "two_shot_all_reduce",
                           "all_gather_kernel",
                           "allgather_kernel",
                           "allGatherKernel",
                           "reduce_scatter_kernel",
                           "reducescatter_kernel",
                           "all_to_all_kernel",
                           "alltoall_kernel"})
    EXPECT_EQ(gpu_work("kernel", name), GpuWork::communication) << name;
  for (const char* category : {"cuda_runtime", "", "kernels", "cpu_op"})
    EXPECT_EQ(gpu_work(category, "ncclKernel"), GpuWork::none) << category;
}

}  // namespace
}  // namespace takt
