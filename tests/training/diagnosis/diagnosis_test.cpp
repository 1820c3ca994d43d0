// The diagnosis against causes that are known because they were planted.
#include "training/diagnosis/diagnosis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/basics/error.h"
#include "places.h"
#include "refused.h"
#include "trace/read/merge.h"
#include "training/diagnosis/made_training.h"
#include "training/diagnosis/tables.h"

namespace takt {
namespace {

using enum TrainingCause;

std::string causes_of(const Diagnosis& one) {
  std::string text;
  for (const PlacedVerdict& placed : one.verdicts)
    text += std::string(name_of(placed.verdict.cause)) + " (" + placed.verdict.evidence + "); ";
  return text;
}

bool abstains(const Diagnosis& one, TrainingCause cause) {
  return std::any_of(one.abstentions.begin(), one.abstentions.end(),
                     [&](const Abstention& abstention) { return abstention.cause == cause; });
}

/// Causes but the one that says that there is nothing to mend.
std::size_t wrongs(const Diagnosis& one) {
  return static_cast<std::size_t>(
      std::count_if(one.verdicts.begin(), one.verdicts.end(),
                    [](const PlacedVerdict& placed) { return placed.verdict.cause != compute_bound; }));
}

class Planted : public testing::TestWithParam<MadeTraining> {};

TEST_P(Planted, cause_is_the_first_verdict_whatever_the_seed) {
  for (std::uint64_t seed = 1; seed <= random_cases(5); ++seed) {
    MadeTraining made = GetParam();
    made.seed = seed;
    const Diagnosis one = diagnose("made", made_training(made));
    ASSERT_FALSE(one.verdicts.empty()) << "seed " << seed;
    EXPECT_EQ(one.verdicts[0].verdict.cause, *made.cause) << "seed " << seed << ": " << causes_of(one);
    EXPECT_FALSE(one.verdicts[0].verdict.evidence.empty());
    EXPECT_TRUE(one.verdicts[0].verdict.fix.ends_with('.'));
  }
}

std::vector<MadeTraining> planted() {
  std::vector<MadeTraining> all;
  for (const Strength strength : {Strength::mild, Strength::strong}) {
    for (const TrainingCause cause : {data_starvation, host_synchronisation, tiny_kernels, allocator_churn, small_batch,
                                      exposed_copy, exposed_communication, rising_step_time})
      all.push_back({.cause = cause, .strength = strength});
    for (const TrainingCause cause : {data_starvation, host_synchronisation, tiny_kernels, allocator_churn})
      all.push_back({.cause = cause, .strength = strength, .has_device = false});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Causes, Planted, testing::ValuesIn(planted()), [](const auto& parameter) {
  const MadeTraining& made = parameter.param;
  return std::string(name_of(*made.cause)) + (made.strength == Strength::mild ? "_mild" : "_strong") +
         (made.has_device ? "" : "_without_device");
});

TEST(Diagnosis, finds_nothing_in_healthy_trainings) {
  for (std::uint64_t seed = 1; seed <= random_cases(200); ++seed) {
    MadeTraining made;
    made.seed = seed;
    made.has_device = seed % 2 == 0;
    made.steps = 5 + static_cast<int>(seed % 7);
    made.tells_ranks = made.has_device && seed % 3 == 0;
    made.time_scale = seed % 5 == 0 ? 0.2 : 1;  // then the loader has a large share of a step that takes no time
    const Diagnosis one = diagnose("made", made_training(made));
    EXPECT_EQ(wrongs(one), 0u) << "seed " << seed << ": " << causes_of(one);
  }
}

TEST(Diagnosis, the_price_of_tiny_operators_has_interrupted_ones_and_some_bookkeeping) {
  for (const std::int64_t pause : {200'000, 5'000'000}) {  // once per step, in the middle of the chain
    Trace trace;
    const RowId loop = trace.add_row(trace.add_process("train", 1), "main", 1);
    const auto add = [&](const std::string& name, const std::string& category, std::int64_t start,
                         std::int64_t length) {
      trace.add_event(loop, name, category, Nanoseconds(start), Nanoseconds(length));
    };
    std::int64_t now = 0;
    constexpr std::int64_t lengths = 990 * 5'000 + 10 * 60'000, gaps = 1'000 * 1'000;
    for (int step = 0; step < 6; ++step) {
      const std::int64_t start = now;
      for (int i = 0; i < 1000; ++i) {
        const std::int64_t length = i % 100 == 7 ? 60'000 : 5'000;
        add("aten::mul", "cpu_op", now, length);
        now += length + 1'000 + (i == 500 ? pause : 0);
      }
      add("aten::conv", "cpu_op", now, 3'000'000);
      now += 3'000'000;
      add("ProfilerStep#" + std::to_string(step), "user_annotation", start, now - start);
    }
    const Diagnosis one = diagnose("chain", trace);
    ASSERT_FALSE(one.verdicts.empty());
    EXPECT_EQ(one.verdicts[0].verdict.cause, tiny_kernels);
    const double counted = std::min(static_cast<double>(pause), 0.05 * (lengths + gaps));
    EXPECT_NEAR(static_cast<double>(one.verdicts[0].verdict.total()) / 6, lengths + gaps + counted, 10'000) << pause;
  }
}

TEST(Diagnosis, a_tiny_step_may_spend_a_sixth_in_the_loader) {
  Trace trace;
  const RowId row = trace.add_row(trace.add_process("python"), "main");
  for (int step = 0; step < 8; ++step) {
    const std::int64_t start = step * 3'000'000;
    trace.add_event(row, "ProfilerStep#" + std::to_string(step), "user_annotation", Nanoseconds(start),
                    Nanoseconds(3'000'000));
    trace.add_event(row, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "cpu_op", Nanoseconds(start),
                    Nanoseconds(510'000));
    trace.add_event(row, "aten::mm", "cpu_op", Nanoseconds(start + 520'000), Nanoseconds(2'400'000));
  }
  const Diagnosis one = diagnose("tiny", trace);
  EXPECT_NEAR(one.breakdown.share(StepPart::data_wait), 0.17, 1e-9);
  EXPECT_EQ(wrongs(one), 0u) << causes_of(one);
}

TEST(Diagnosis, healthy_is_said_only_where_every_rule_could_look) {
  const Trace whole = made_training({});
  EXPECT_TRUE(diagnose("made", whole).is_healthy());
  EXPECT_FALSE(diagnose("made", without_names(whole, "DataLoader")).is_healthy());
}

class Stripped : public testing::TestWithParam<int> {};

TEST_P(Stripped, a_rule_whose_signal_is_missing_abstains_by_name) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  const auto strong = [seed](TrainingCause cause, bool has_device = true) {
    return made_training({.cause = cause, .strength = Strength::strong, .seed = seed, .has_device = has_device});
  };
  const auto has_category = [](const std::string& category) {
    return [category](const Trace& trace, const TraceEvent& event) { return trace.text(event.category) == category; };
  };
  const auto no_device_work = [](const Trace& trace, const TraceEvent& event) {
    return trace.text(event.category) == "kernel" || trace.text(event.category) == "gpu_memcpy";
  };
  const std::pair<TrainingCause, Trace> stripped[] = {
      {data_starvation, without_names(strong(data_starvation), "DataLoader")},
      {data_starvation, without_names(strong(data_starvation, false), "DataLoader")},
      {host_synchronisation, without(strong(host_synchronisation), has_category("cuda_runtime"))},
      {tiny_kernels, without_names(strong(tiny_kernels), "cudaLaunchKernel")},
      {tiny_kernels, without(strong(tiny_kernels), no_device_work)},
      {allocator_churn, without(strong(allocator_churn), has_category("cuda_runtime"))},
      {allocator_churn, without_names(strong(allocator_churn, false), "[memory]")},
      {small_batch, without_argument(strong(small_batch), "blocks per SM")},
      {exposed_copy, without(strong(exposed_copy), has_category("gpu_memcpy"))},
      {exposed_communication, without_names(strong(exposed_communication), "ncclDevKernel")},
      {rising_step_time,
       made_training({.cause = rising_step_time, .strength = Strength::strong, .seed = seed, .steps = 4})},
  };
  for (const auto& [cause, trace] : stripped) {
    const Diagnosis one = diagnose("made", trace);
    EXPECT_TRUE(abstains(one, cause)) << name_of(cause);
    // What keeps the device waiting is said all the same, by what is left to see of it.
    for (const PlacedVerdict& placed : one.verdicts) EXPECT_NE(placed.verdict.cause, cause) << causes_of(one);
    EXPECT_FALSE(one.is_healthy()) << name_of(cause);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Stripped, testing::Range(1, 11));

TEST(Diagnosis, the_speed_up_that_it_predicts_is_what_taking_out_the_cause_brings) {
  const std::pair<TrainingCause, bool> cases[] = {
      {data_starvation, true}, {data_starvation, false},      {host_synchronisation, true},
      {tiny_kernels, true},    {tiny_kernels, false},         {allocator_churn, true},
      {exposed_copy, true},    {exposed_communication, true}, {rising_step_time, true}};
  for (const auto& [cause, has_device] : cases) {
    for (const Strength strength : {Strength::mild, Strength::strong}) {
      const Diagnosis sick =
          diagnose("sick", made_training({.cause = cause, .strength = strength, .seed = 3, .has_device = has_device}));
      const Diagnosis well = diagnose("well", made_training({.seed = 3, .has_device = has_device}));
      const double gain = static_cast<double>(sick.breakdown.total) / static_cast<double>(well.breakdown.total);
      EXPECT_NEAR(sick.speed_up(sick.verdicts[0].verdict), gain, 0.15 * gain)
          << name_of(cause) << (has_device ? "" : " without a device")
          << (strength == Strength::mild ? ", mild" : ", strong");
    }
  }
}

TEST(Diagnosis, a_program_that_is_late_with_every_launch_is_launch_bound_whatever_it_does_meanwhile) {
  // A kernel of 1 µs every 5 µs, launched 1 µs before it begins; between launches there is only the program's own code.
  Trace trace;
  const RowId host = trace.add_row(trace.add_process("python"), "main");
  const RowId stream = trace.add_row(trace.add_process("GPU"), "stream 7");
  for (std::int64_t i = 0; i < 5 * 200; ++i) {
    if (i % 200 == 0)
      trace.add_event(host, "ProfilerStep#" + std::to_string(i / 200), "user_annotation", Nanoseconds(i * 5000),
                      Nanoseconds(1'000'000));
    trace.set_args(
        trace.add_event(host, "cudaLaunchKernel", "cuda_runtime", Nanoseconds(i * 5000 + 2000), Nanoseconds(500)),
        TraceValues{{"correlation", i + 1}});
    trace.set_args(trace.add_event(stream, "add", "kernel", Nanoseconds(i * 5000 + 3000), Nanoseconds(1000)),
                   TraceValues{{"correlation", i + 1}});
  }
  const Diagnosis one = diagnose("late", trace);
  ASSERT_FALSE(one.verdicts.empty());
  EXPECT_EQ(one.verdicts[0].verdict.cause, tiny_kernels);
  EXPECT_LE(one.speed_up(one.verdicts[0].verdict), 100);
  EXPECT_GT(one.speed_up(one.verdicts[0].verdict), 4);
}

TEST(Diagnosis, temporaries_that_a_devices_allocator_hands_out_for_nothing_are_no_churn) {
  for (const int temporaries : {4, 60}) {
    Trace trace = made_training({.steps = 6});
    const std::vector<TraceEvent> events = trace.events();
    std::int64_t held = 0;
    for (const TraceEvent& event : events) {
      if (trace.text(event.name) != "aten::loss") continue;
      for (int i = 0; i < 2 * temporaries; ++i) {
        const std::int64_t bytes = i % 2 == 0 ? 32 << 20 : -(32 << 20);
        held += bytes;
        const EventId moment =
            trace.add_event(event.row, "[memory]", "", Nanoseconds(event.start_ns + i), Nanoseconds(0));
        trace.set_args(moment,
                       TraceValues{{"Bytes", bytes}, {"Total Allocated", held}, {"Device Type", std::int64_t{1}}});
      }
    }
    const Diagnosis one = diagnose("made", trace);
    EXPECT_EQ(wrongs(one), 0u) << causes_of(one);
  }
}

TEST(Diagnosis, a_verdict_says_where) {
  const Diagnosis sick = diagnose("made", made_training({.cause = data_starvation, .seed = 3}));
  EXPECT_EQ(sick.verdicts[0].steps, (std::vector<std::int64_t>{3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(sick.verdicts[0].span.start, sick.steps.list.front().span.start);
  EXPECT_EQ(sick.verdicts[0].span.end, sick.steps.list.back().span.end);
}

TEST(Diagnosis, the_breakdown_adds_up_in_every_step) {
  for (const TrainingCause cause : {data_starvation, host_synchronisation, tiny_kernels, exposed_copy}) {
    const Diagnosis one = diagnose("made", made_training({.cause = cause}));
    ASSERT_EQ(one.breakdown.by_step.size(), one.steps.list.size());
    for (std::size_t i = 0; i < one.steps.list.size(); ++i) {
      const auto& parts = one.breakdown.by_step[i];
      const TimeInterval span = one.steps.list[i].span;
      EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}), span.end - span.start);
      for (const std::int64_t part : parts) EXPECT_GE(part, 0);
    }
  }
}

TEST(Diagnosis, of_several_causes_the_most_expensive_comes_first) {
  std::size_t several = 0;
  for (const Strength strength : {Strength::mild, Strength::strong})
    for (const double slower : {1.2, 1.5, 3.0}) {
      std::vector<NamedTrace> ranks;
      for (int rank = 0; rank < 3; ++rank) {
        NamedTrace& one = ranks.emplace_back();
        one.file = "rank" + std::to_string(rank);
        one.read.trace = made_training({.cause = host_synchronisation,
                                        .strength = strength,
                                        .seed = static_cast<std::uint64_t>(rank + 1),
                                        .time_scale = rank == 1 ? slower : 1,
                                        .tells_ranks = true});
        one.read.rank = rank;
      }
      for (const Diagnosis& one : diagnose(ranks)) {
        several += one.verdicts.size() > 1;
        EXPECT_TRUE(std::is_sorted(
            one.verdicts.begin(), one.verdicts.end(),
            [](const PlacedVerdict& a, const PlacedVerdict& b) { return a.verdict.total() > b.verdict.total(); }))
            << causes_of(one);
      }
    }
  EXPECT_GT(several, 2u);
}

TEST(Diagnosis, a_slow_rank_is_named_and_one_rank_alone_is_not_judged) {
  std::vector<NamedTrace> ranks;
  for (int rank = 0; rank < 3; ++rank) {
    NamedTrace& one = ranks.emplace_back();
    one.file = "rank" + std::to_string(rank);
    one.read.trace = made_training(
        {.seed = static_cast<std::uint64_t>(rank + 1), .time_scale = rank == 1 ? 1.4 : 1, .tells_ranks = true});
    one.read.rank = rank;
  }
  const auto all = diagnose(ranks);
  ASSERT_EQ(all[1].verdicts.size(), 1u) << causes_of(all[1]);
  EXPECT_EQ(all[1].verdicts[0].verdict.cause, straggler);
  EXPECT_EQ(wrongs(all[0]) + wrongs(all[2]), 0u);
  std::vector<MergeInput> inputs;
  for (const NamedTrace& one : ranks)
    inputs.push_back({one.read.trace, "rank " + std::to_string(*one.read.rank), one.file, Nanoseconds(0)});
  std::vector<NamedTrace> merged(1);
  merged[0].read.trace = merge_traces(inputs);
  const auto apart = diagnose(merged);
  ASSERT_EQ(apart.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(apart[i].rank, all[i].rank);
    EXPECT_EQ(apart[i].breakdown.total, all[i].breakdown.total);
  }
  ASSERT_EQ(apart[1].verdicts.size(), 1u) << causes_of(apart[1]);
  EXPECT_EQ(apart[1].verdicts[0].verdict.cause, straggler);
  ranks.resize(1);
  EXPECT_TRUE(abstains(diagnose(ranks)[0], straggler));
}

TEST(Diagnosis, a_trace_of_no_training_is_refused_and_one_without_steps_says_so) {
  Trace none;
  none.add_event(none.add_row(none.add_process("p"), "r"), "anything", "", Nanoseconds(0), Nanoseconds(5));
  EXPECT_EQ(
      refused_with([&] { diagnose("none", none); }),
      "none: the trace has no operators, kernels or step markers, so it is not a training that takt knows; give a "
      "trace of PyTorch's profiler, or list its contents with 'takt trace info'");
  Trace once;
  const RowId row = once.add_row(once.add_process("p"), "r");
  once.add_event(row, "aten::mm", "cpu_op", Nanoseconds(0), Nanoseconds(50));
  once.add_event(row, "aten::add", "cpu_op", Nanoseconds(70), Nanoseconds(30));
  const Diagnosis one = diagnose("once", once);
  EXPECT_EQ(one.steps.source, StepSource::none);
  EXPECT_EQ(one.breakdown.total, 100);
  EXPECT_EQ(one.breakdown.sum(StepPart::host_compute), 80);
  EXPECT_TRUE(one.verdicts.empty());
  EXPECT_FALSE(one.is_healthy());
}

TEST(Diagnosis, strange_traces_give_a_result) {
  Trace odd = made_training({});
  const RowId row{0};
  odd.add_event(row, "a \"quoted\"\nname", "cpu_op", Nanoseconds(2'000'000), Nanoseconds(-500));
  odd.add_event(row, "ProfilerStep#", "user_annotation", Nanoseconds(0), Nanoseconds(10));
  odd.add_event(row, "ProfilerStep#7", "user_annotation", Nanoseconds(0), Nanoseconds(-10));
  const Diagnosis one = diagnose("odd", odd);
  EXPECT_EQ(one.steps.list.size(), 8u);
  const std::string text = diagnosis_text(std::span(&one, 1), {});
  EXPECT_NE(text.find("8 steps (ProfilerStep markers)"), std::string::npos) << text;
}

TEST(Diagnosis, numbers_of_steps_are_told_as_ranges) {
  const std::vector<std::int64_t> some{3, 4, 5, 9, 11, 12}, none;
  EXPECT_EQ(ranges_text(some), "3-5, 9, 11-12");
  EXPECT_EQ(ranges_text(none), "");
}

}  // namespace
}  // namespace takt
