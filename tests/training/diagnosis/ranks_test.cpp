// What ranks do to each other, by traces of a job whose truth is known: each step computes, then all ranks reduce.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "base/basics/error.h"
#include "base/statistics/random.h"
#include "places.h"
#include "refused.h"
#include "test_folder.h"
#include "training/diagnosis/diagnosis.h"
#include "training/diagnosis/tables.h"
#include "training/steps/ranks.h"

namespace takt {
namespace {

using Work = std::vector<std::vector<double>>;  // by step and rank, ms

struct Job {
  Work work;
  double moving = 1;                         // ms of each reduction
  std::vector<std::int64_t> clocks{};        // by rank, ms that its clock is ahead
  std::vector<std::int64_t> first_number{};  // by rank, of its steps
};

constexpr std::int64_t ms = 1'000'000;
std::int64_t ns(double milliseconds) { return static_cast<std::int64_t>(milliseconds * 1e6); }

/// The device computes in kernels of a millisecond, and the reduction ends for all when the last one has come.
std::vector<NamedTrace> traces_of(const Job& job) {
  const std::size_t ranks = job.work.front().size();
  std::vector<NamedTrace> traces(ranks);
  std::vector<RowId> host, stream;
  std::vector<std::int64_t> clock(ranks), correlation(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    Trace& trace = traces[rank].read.trace;
    traces[rank].file = "rank" + std::to_string(rank);
    traces[rank].read.rank = static_cast<std::int64_t>(rank);
    trace.set_property("distributedInfo", R"({"rank":0,"world_size":)" + std::to_string(ranks) + "}");
    host.push_back(trace.add_row(trace.add_process("python", 10), "main", 10));
    stream.push_back(trace.add_row(trace.add_process("GPU", 1), "stream 7", 7));
    clock[rank] = 5 * ms + (job.clocks.empty() ? 0 : job.clocks[rank] * ms);
  }
  for (std::size_t step = 0; step < job.work.size(); ++step) {
    const double last = *std::max_element(job.work[step].begin(), job.work[step].end());
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      Trace& trace = traces[rank].read.trace;
      const std::int64_t begin = clock[rank], end = begin + ns(last + job.moving);
      const auto work = [&](const char* name, std::int64_t from, std::int64_t to) {
        const TraceValues number{{"correlation", ++correlation[rank]}};
        trace.set_args(trace.add_event(host[rank], "cudaLaunchKernel", "cuda_runtime",
                                       Nanoseconds(begin + correlation[rank] % 50 * 1000), Nanoseconds(900)),
                       number);
        trace.set_args(trace.add_event(stream[rank], name, "kernel", Nanoseconds(from), Nanoseconds(to - from)),
                       number);
      };
      const std::int64_t computed = begin + ns(job.work[step][rank]);
      for (std::int64_t at = begin + 60'000; at < computed; at += ms) work("gemm", at, std::min(at + ms, computed));
      work("ncclDevKernel_AllReduce_Sum_f32", computed, end);
      trace.add_event(host[rank], "cudaDeviceSynchronize", "cuda_runtime", Nanoseconds(begin + 55'000),
                      Nanoseconds(end - begin - 55'000));
      const std::int64_t number =
          static_cast<std::int64_t>(step) + (job.first_number.empty() ? 0 : job.first_number[rank]);
      trace.add_event(host[rank], "ProfilerStep#" + std::to_string(number), "user_annotation", Nanoseconds(begin),
                      Nanoseconds(end - begin));
      clock[rank] = end;
    }
  }
  return traces;
}

Work same_work(std::size_t ranks, std::size_t steps, double each) {
  return Work(steps, std::vector<double>(ranks, each));
}

const TrainingVerdict* verdict_of(const Diagnosis& one, TrainingCause cause) {
  for (const PlacedVerdict& placed : one.verdicts)
    if (placed.verdict.cause == cause) return &placed.verdict;
  return nullptr;
}

double saved_ms(const Diagnosis& one, const TrainingVerdict& verdict) {
  return static_cast<double>(verdict.total()) / 1e6 / static_cast<double>(one.steps.list.size());
}

TEST(RankVerdicts, one_or_several_slow_ranks_are_named_and_the_others_wait_for_them) {
  for (const std::vector<std::size_t>& slow : {std::vector<std::size_t>{2}, {1, 2}, {0, 3, 5}}) {
    Job job{.work = same_work(8, 6, 20), .moving = 0.5, .clocks = {0, 10'000, -3, 5, 7, 0, 2, 1}};
    for (auto& step : job.work)
      for (const std::size_t rank : slow) step[rank] = 28;
    const auto all = diagnose(traces_of(job));
    for (std::size_t rank = 0; rank < 8; ++rank) {
      const auto* verdict = verdict_of(all[rank], TrainingCause::straggler);
      ASSERT_NE(verdict, nullptr) << rank;
      EXPECT_NEAR(saved_ms(all[rank], *verdict), 8, 0.01);
      EXPECT_EQ(all[rank].verdicts[0].verdict.cause, TrainingCause::straggler);
      EXPECT_EQ(verdict_of(all[rank], TrainingCause::exposed_communication), nullptr) << "the link is fast";
      const bool is_slow = std::find(slow.begin(), slow.end(), rank) != slow.end();
      EXPECT_EQ(verdict->evidence.find("waits") != std::string::npos, !is_slow) << verdict->evidence;
    }
    EXPECT_TRUE(diagnosis_text(all, {}).starts_with("All 8 ranks: straggler: rank"));
  }
}

TEST(RankVerdicts, work_that_is_uneven_from_step_to_step_is_no_straggler) {
  Job job{.work = same_work(4, 12, 20)};
  double gain = 0;
  for (std::size_t step = 0; step < 12; ++step) {
    job.work[step][step * 7 % 4] = 32;
    gain += 12 - 3;
  }
  const auto all = diagnose(traces_of(job));
  for (const Diagnosis& one : all) {
    EXPECT_EQ(verdict_of(one, TrainingCause::straggler), nullptr);
    const auto* verdict = verdict_of(one, TrainingCause::uneven_ranks);
    ASSERT_NE(verdict, nullptr);
    EXPECT_NEAR(saved_ms(one, *verdict), gain / 12, 0.01);
    EXPECT_NE(verdict->evidence.find("4 of 4 in turn"), std::string::npos) << verdict->evidence;
  }
}

TEST(RankVerdicts, a_slow_link_is_communication_of_all) {
  const auto all = diagnose(traces_of({.work = same_work(4, 6, 20), .moving = 8}));
  for (const Diagnosis& one : all) {
    ASSERT_FALSE(one.verdicts.empty());
    EXPECT_EQ(one.verdicts[0].verdict.cause, TrainingCause::exposed_communication);
    EXPECT_NEAR(saved_ms(one, one.verdicts[0].verdict), 8, 0.2);
    EXPECT_EQ(verdict_of(one, TrainingCause::straggler), nullptr);
  }
}

TEST(RankVerdicts, a_late_start_is_said_and_is_no_straggler) {
  Job job{.work = same_work(4, 6, 20)};
  job.work[0][1] = 35;
  const auto all = diagnose(traces_of(job));
  for (const Diagnosis& one : all) EXPECT_EQ(verdict_of(one, TrainingCause::straggler), nullptr);
  const auto* verdict = verdict_of(all[1], TrainingCause::warm_up);
  ASSERT_NE(verdict, nullptr);
  EXPECT_EQ(verdict->evidence, "rank 1 is 15.0 ms late in the first common step, and the others wait for it once");
}

/// Four stages of 40 ms each; a micro batch needs 5 ms from one to the next, there and back, and 0.2 ms to be sent.
std::vector<NamedTrace> pipeline() {
  constexpr double passing = 5, sending = 0.2, computing = 40, starting = 0.05,
                   step_ms = 3 * passing + 2 * sending + computing + starting;
  std::vector<NamedTrace> traces(4);
  for (std::size_t rank = 0; rank < traces.size(); ++rank) {
    Trace& trace = traces[rank].read.trace;
    traces[rank].file = "rank" + std::to_string(rank);
    traces[rank].read.rank = static_cast<std::int64_t>(rank);
    const RowId host = trace.add_row(trace.add_process("python", 10), "main", 10);
    const RowId stream = trace.add_row(trace.add_process("GPU", 1), "stream 7", 7);
    std::int64_t number = 0;
    for (int step = 0; step < 6; ++step) {
      double now = 5 + step * step_ms;
      trace.add_event(host, "ProfilerStep#" + std::to_string(step), "user_annotation", Nanoseconds(ns(now)),
                      Nanoseconds(ns(step_ms)));
      const std::int64_t begin = ns(now);
      now += starting;
      const auto work = [&](const char* name, double length, const char* collective) {
        const EventId call = trace.add_event(host, "cudaLaunchKernel", "cuda_runtime",
                                             Nanoseconds(begin + number % 42 * 1000), Nanoseconds(900));
        trace.set_args(call, TraceValues{{"correlation", ++number}});
        TraceValues values{{"correlation", number}};
        if (collective != nullptr) values.emplace_back("Collective name", std::string(collective));
        trace.set_args(trace.add_event(stream, name, "kernel", Nanoseconds(ns(now)), Nanoseconds(ns(length))), values);
        now += length;
      };
      work("ncclDevKernel_SendRecv()", sending + passing * static_cast<double>(rank), "recv");
      for (int i = 0; i < 40; ++i) work("gemm", computing / 40, nullptr);
      work("ncclDevKernel_SendRecv()", sending + passing * static_cast<double>(3 - rank), "recv");
    }
  }
  return traces;
}

TEST(RankVerdicts, a_rank_that_stood_still_once_is_no_straggler) {
  Job job{same_work(4, 10, 20), 1};
  job.work[5][2] = 2000;
  for (const Diagnosis& one : diagnose(traces_of(job))) {
    EXPECT_EQ(verdict_of(one, TrainingCause::straggler), nullptr);
    EXPECT_EQ(verdict_of(one, TrainingCause::exposed_communication), nullptr);
  }
  for (auto& step : job.work) step[1] += 8;  // and a slow one beside it
  const auto all = diagnose(traces_of(job));
  const auto* verdict = verdict_of(all[1], TrainingCause::straggler);
  ASSERT_NE(verdict, nullptr);
  EXPECT_NEAR(saved_ms(all[1], *verdict), 8, 1);
}

/// In each of eight layers one of the ranks in turn computes 2 ms, the others 1; all meet behind it.
std::vector<NamedTrace> ranks_with_experts(std::size_t ranks, bool is_even) {
  constexpr int steps = 6, layers = 8;
  std::vector<NamedTrace> traces(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    Trace& trace = traces[rank].read.trace;
    traces[rank].file = "rank" + std::to_string(rank);
    traces[rank].read.rank = static_cast<std::int64_t>(rank);
    trace.set_property("distributedInfo", R"({"rank":0,"world_size":)" + std::to_string(ranks) + "}");
    const RowId host = trace.add_row(trace.add_process("python", 10), "main", 10);
    const RowId stream = trace.add_row(trace.add_process("GPU", 1), "stream 7", 7);
    std::int64_t now = 5 * ms, number = 0;
    const auto work = [&](const char* name, std::int64_t length) {
      const TraceValues values{{"correlation", ++number}, {"Collective name", std::string("all_to_allv")}};
      trace.set_args(
          trace.add_event(host, "cudaLaunchKernel", "cuda_runtime", Nanoseconds(now - 50'000), Nanoseconds(900)),
          values);
      trace.set_args(trace.add_event(stream, name, "kernel", Nanoseconds(now), Nanoseconds(length)), values);
      now += length;
    };
    for (int step = 0; step < steps; ++step) {
      const std::int64_t begin = now - 60'000;
      for (int layer = 0; layer < layers; ++layer) {
        const bool is_late = static_cast<std::size_t>(layer + step) % ranks == rank && !is_even;
        work("grouped_gemm", is_late || is_even ? 2 * ms : ms);
        work("ncclDevKernel_SendRecv", is_late || is_even ? ms / 5 : ms + ms / 5);
      }
      now += 60'000;
      trace.add_event(host, "ProfilerStep#" + std::to_string(step), "user_annotation", Nanoseconds(begin),
                      Nanoseconds(now - 60'000 - begin));
    }
  }
  return traces;
}

TEST(RankVerdicts, work_that_is_uneven_from_layer_to_layer_is_no_slow_link) {
  for (const Diagnosis& one : diagnose(ranks_with_experts(4, false))) {
    const auto* verdict = verdict_of(one, TrainingCause::uneven_ranks);
    ASSERT_NE(verdict, nullptr);
    EXPECT_EQ(verdict, &one.verdicts[0].verdict);
    EXPECT_NEAR(saved_ms(one, *verdict), 6, 0.2) << "three of four layers wait a millisecond";
  }
  for (const Diagnosis& one : diagnose(ranks_with_experts(4, true)))
    EXPECT_EQ(verdict_of(one, TrainingCause::uneven_ranks), nullptr);
}

TEST(RankVerdicts, stages_of_a_pipeline_wait_for_each_other_and_not_for_the_link) {
  for (const Diagnosis& one : diagnose(pipeline())) {
    const auto* verdict = verdict_of(one, TrainingCause::pipeline_bubble);
    ASSERT_NE(verdict, nullptr);
    EXPECT_NEAR(saved_ms(one, *verdict), 15, 0.1);
    EXPECT_EQ(one.verdicts[0].verdict.cause, TrainingCause::pipeline_bubble);
    EXPECT_EQ(verdict_of(one, TrainingCause::straggler), nullptr);
    EXPECT_EQ(verdict_of(one, TrainingCause::exposed_communication), nullptr) << "0.4 ms of 55";
  }
}

TEST(RankVerdicts, a_slow_rank_says_what_it_does_longer) {
  Job job{.work = same_work(4, 6, 20)};
  for (auto& step : job.work) step[1] = 28;
  const auto all = diagnose(traces_of(job));
  const auto* verdict = verdict_of(all[1], TrainingCause::straggler);
  ASSERT_NE(verdict, nullptr);
  EXPECT_NE(verdict->evidence.find("most of the difference is kernel"), std::string::npos) << verdict->evidence;
  EXPECT_NE(verdict->fix.find("temperature of that device"), std::string::npos) << verdict->fix;
}

TEST(RankFiles, of_a_folder_are_its_traces_by_name) {
  const TestFolder folder;
  const auto second = folder.write("b/rank1.json.gz", "x"), first = folder.write("b/rank0.pftrace", "x");
  folder.write("b/notes.txt", "x");
  const std::vector<std::filesystem::path> expected{"alone.json", first, second};
  EXPECT_EQ(with_files_of_folders({"alone.json", folder / "b"}), expected);
  EXPECT_EQ(refused_with([&] { with_files_of_folders({folder.path()}); }),
            folder.path().string() + ": the folder has no traces (.json, .json.gz, .pftrace)")
      << "no trace lies in it itself";
}

TEST(RankVerdicts, steps_are_matched_by_number_and_missing_ranks_are_told) {
  Job job{.work = same_work(4, 5, 20), .first_number = {1, 1, 0, 1}};
  job.work[0] = {30, 30, 30, 30};
  auto traces = traces_of(job);
  for (const Diagnosis& one : diagnose(traces)) EXPECT_EQ(verdict_of(one, TrainingCause::straggler), nullptr);
  traces.erase(traces.begin() + 1);
  for (const Diagnosis& one : diagnose(traces)) {
    ASSERT_FALSE(one.abstentions.empty());
    EXPECT_EQ(one.abstentions.back().missing, "the trace of rank 1");
  }
}

/// Random jobs: which ranks are slow, or none, or in turn; how much; how fast the link is; whose clock is off.
TEST(RankVerdicts, random_jobs_of_eight_ranks_are_told_right) {
  Random random(11);
  int wrong = 0, off = 0, judged = 0;
  for (int i = 0; i < static_cast<int>(random_cases(60)); ++i) {
    const int kind = i % 5;  // none, one slow, two slow, in turn, slow link
    const double excess = 2 + 10 * uniform(random);
    Job job{.work = same_work(8, 8, 20), .moving = kind == 4 ? 3 + 6 * uniform(random) : 0.3};
    for (int rank = 0; rank < 8; ++rank) job.clocks.push_back(static_cast<std::int64_t>(10'000 * uniform(random)));
    const auto first = static_cast<std::size_t>(7.99 * uniform(random));
    double gain = kind == 4 ? job.moving : 0;
    for (std::size_t step = 0; step < 8; ++step) {
      for (double& each : job.work[step]) each += 0.2 * uniform(random);
      auto& work = job.work[step];
      if (kind == 1 || kind == 2) work[first] += excess;
      if (kind == 2) work[(first + 3) % 8] += excess;
      if (kind == 3) work[(first + step * 5) % 8] += 3 + excess;
      const double most = *std::max_element(work.begin(), work.end());
      std::vector<double> sorted = work;
      std::sort(sorted.rbegin(), sorted.rend());
      if (kind == 1 || kind == 2) gain += (most - sorted[static_cast<std::size_t>(kind)]) / 8;
      if (kind == 3) gain += (most - std::accumulate(work.begin(), work.end(), 0.0) / 8) / 8;
    }
    const auto all = diagnose(traces_of(job));
    const TrainingCause truth[] = {TrainingCause::compute_bound, TrainingCause::straggler, TrainingCause::straggler,
                                   TrainingCause::uneven_ranks, TrainingCause::exposed_communication};
    ++judged;
    const TrainingVerdict& verdict = all[first].verdicts.at(0).verdict;
    wrong += verdict.cause == truth[kind] ? 0 : 1;
    off += std::abs(saved_ms(all[first], verdict) - gain) <= 0.1 * gain + 0.05 ? 0 : 1;
  }
  EXPECT_EQ(judged, static_cast<int>(random_cases(60)));
  EXPECT_LE(wrong, 1);
  EXPECT_LE(off, 3);
}

}  // namespace
}  // namespace takt
