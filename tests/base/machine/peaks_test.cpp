// Tiny measurements. No test looks at how fast anything is, but by the test's own clock.
#include "base/machine/peaks.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/basics/error.h"
#include "base/machine/caches.h"
#include "base/machine/peak_kernels.h"
#include "base/system/affinity.h"
#include "places.h"

namespace takt {
namespace {

TEST(Peaks, a_short_measurement_has_every_figure) {
  std::uint64_t last = 0, total = 0;
  PeakSettings settings{2, 1, std::chrono::milliseconds(1), 1 << 22};
  const Peaks peaks = measure_peaks(settings, [&](std::uint64_t done, std::uint64_t all) { last = done, total = all; });
  EXPECT_EQ(last, total);
  EXPECT_EQ(peaks.threads, 2);
  EXPECT_TRUE(best_compute(peaks, NumberType::f32, true));
  for (const ComputePeaks& compute : peaks.compute) {
    EXPECT_GT(compute.rate.one.best, 0) << compute.instructions;
    EXPECT_GE(compute.rate.one.best, compute.rate.one.median) << compute.instructions;
    EXPECT_GT(compute.rate.all.median, 0) << compute.instructions << ": all threads were measured, too";
  }
  ASSERT_FALSE(peaks.levels.empty());
  EXPECT_EQ(peaks.levels.back().name, "DRAM");
  for (const LevelPeaks& level : peaks.levels) {
    EXPECT_GT(level.read.all.best, 0) << level.name;
    EXPECT_GT(level.copy.one.best, 0) << level.name;
  }
  EXPECT_GT(peaks.wake_up.count(), 0);
}

TEST(Peaks, are_measured_in_turns_that_are_told_one_by_one) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> told;
  const PeakSettings settings{1, 3, std::chrono::milliseconds(1), 1 << 21};
  const Nanoseconds begin = steady_now();
  const Peaks peaks = measure_peaks(settings, [&](auto done, auto all) { told.emplace_back(done, all); });
  const Nanoseconds took = steady_now() - begin;
  // With one thread and with all: each kind of arithmetic, and reading and copying of each level. Then a thread wakes.
  const std::uint64_t probes = 2 * peaks.compute.size() + 4 * peaks.levels.size();
  ASSERT_EQ(told.size(), 3 * (probes + 1));
  for (std::size_t i = 0; i < told.size(); ++i)
    EXPECT_EQ(told[i], std::pair(std::uint64_t{i + 1}, std::uint64_t{told.size()}));
  EXPECT_GE(took, std::chrono::milliseconds(3 * probes)) << "none is shorter than its turn";
  std::vector<PeakPair> pairs;
  for (const ComputePeaks& one : peaks.compute) pairs.push_back(one.rate);
  for (const LevelPeaks& one : peaks.levels) pairs.push_back(one.read), pairs.push_back(one.copy);
  for (const PeakPair& pair : pairs) {
    EXPECT_GE(pair.one.best, pair.one.median);
    EXPECT_GE(pair.all.best, pair.all.median);
    EXPECT_GT(pair.one.median, 0);
    EXPECT_GT(pair.all.median, 0);
    EXPECT_GE(pair.all.best, pair.one.best) << "the same thread, measured a second time, and never called slower";
  }
  ASSERT_EQ(peaks.compute.size(), compute_kernels().size());
  for (std::size_t i = 0; i < peaks.compute.size(); ++i) {
    EXPECT_EQ(peaks.compute[i].type, compute_kernels()[i].type);
    EXPECT_EQ(peaks.compute[i].instructions, compute_kernels()[i].instructions);
  }
  EXPECT_EQ(peaks.reads_with, read_kernel().instructions);
  if (peaks.others_busy) {
    EXPECT_GE(*peaks.others_busy, 0);
    EXPECT_LE(*peaks.others_busy, 1);
  }
}

TEST(Peaks, of_levels_are_those_of_which_the_memory_holds_twice_as_much) {
  const auto levels_of = [](std::int64_t memory, int threads) {
    std::string words;
    for (const LevelPeaks& level : measure_peaks({threads, 1, std::chrono::milliseconds(1), memory}).levels)
      words += level.name + " " + std::to_string(level.bytes_one.value_or(-1)) + " " +
               std::to_string(level.bytes_all.value_or(-1)) + "\n";
    return words;
  };
  const auto expected = [](std::int64_t arena, int threads) {
    std::string words;
    for (const CacheLevel& cache : detect_caches())
      if (2 * cache.bytes <= arena)
        words += "L" + std::to_string(cache.level) + " " + std::to_string(cache.bytes) + " " +
                 std::to_string(cache.bytes * std::max(1, threads / cache.shared_by)) + "\n";
    return words + "DRAM -1 -1\n";
  };
  EXPECT_EQ(levels_of(0, 1), expected(1 << 20, 1)) << "a mebibyte is the least";
  EXPECT_EQ(levels_of(1 << 22, 4), expected(1 << 22, 4));
  for (const CacheLevel& cache : detect_caches())
    if (cache.level == 2 && cache.bytes > 1 << 19 && cache.bytes <= 1 << 23) {
      EXPECT_EQ(levels_of(2 * cache.bytes, 1), expected(2 * cache.bytes, 1));
      EXPECT_EQ(levels_of(2 * cache.bytes - 1, 1), expected(2 * cache.bytes - 1, 1));
    }
}

// By the test's own clock, best of many, which interference makes slower on both sides: what is told a thousand times
// too fast or slow shows, and half of it does not.
TEST(Peaks, are_in_operations_and_bytes_per_second) {
  const auto best_of_many = [](double amount, const auto& work) {
    double best = 0;
    for (int turn = 0; turn < 100; ++turn) {
      const Nanoseconds begin = steady_now();
      work();
      best =
          std::max(best, amount / static_cast<double>(std::max<std::int64_t>((steady_now() - begin).count(), 1)) * 1e9);
    }
    return best;
  };
  const Peaks peaks = measure_peaks({1, 2, std::chrono::milliseconds(2), 1 << 21});
  for (std::size_t i = 0; i < peaks.compute.size(); ++i) {
    const ComputeKernel& kernel = compute_kernels()[i];
    const double own = best_of_many(kernel.flops_per_round * 4096, [&] { kernel.run(4096); });
    EXPECT_GT(peaks.compute[i].rate.one.best, own / 10) << kernel.instructions;
    EXPECT_LT(peaks.compute[i].rate.one.best, own * 10) << kernel.instructions;
  }
  // What fits the nearest cache, many times over, as a call takes as long as a good part of it.
  struct alignas(4096) Block {
    std::array<std::byte, 8192> bytes{};
  };
  const Block from;
  Block to;
  const double read =
      best_of_many(256.0 * sizeof from, [&] { read_kernel().read(from.bytes.data(), sizeof from, 256); });
  const double copied = best_of_many(256.0 * 2 * sizeof from, [&] {
    for (int i = 0; i < 256; ++i) {
      std::memcpy(&to, &from, sizeof from);
      asm volatile("" : : "r"(&to) : "memory");
    }
  });
  for (const LevelPeaks& level : peaks.levels) {
    EXPECT_LT(level.read.one.best, read * 10) << level.name;
    EXPECT_LT(level.copy.one.best, copied * 10) << level.name;
  }
  EXPECT_GT(peaks.levels.front().read.one.best, read / 10);
  EXPECT_GT(peaks.levels.front().copy.one.best, copied / 10);
}

TEST(Peaks, of_waking_a_thread_are_microseconds) {
  double least = 1e12;  // where others have the machine, a thread wakes late
  for (int turn = 0; turn < 20 && least > 900; ++turn)
    least = std::min(least, measure_peaks({1, 1, std::chrono::milliseconds(1), 0}).wake_up.count());
  EXPECT_LT(least, 900);
  EXPECT_GT(least, 0.05);
}

TEST(Peaks, of_no_rounds_are_refused) {
  try {
    measure_peaks({1, 0});
    ADD_FAILURE() << "measured";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_STREQ(error.what(), "peaks need at least one round of measuring");
  }
}

TEST(Peaks, are_measured_for_about_ten_seconds_unless_said_otherwise) {
  const PeakSettings settings;
  EXPECT_EQ(settings.threads, 0);
  EXPECT_EQ(settings.rounds, 8);
  EXPECT_EQ(settings.turn, Duration(45'000));
  EXPECT_EQ(settings.memory_bytes, 1'073'741'824);
  EXPECT_EQ(measure_peaks({0, 1, std::chrono::milliseconds(1), 0}).threads, usable_core_count());
}

TEST(Peaks, the_best_of_arithmetic_is_the_first_of_equals_and_of_its_threads) {
  Peaks peaks;
  const auto add = [&](NumberType type, const char* name, double one, double all) {
    peaks.compute.push_back({type, name, {{one, 1}, {all, 2}}});
  };
  add(NumberType::f32, "a", 3, 5), add(NumberType::f32, "b", 4, 5), add(NumberType::int8, "c", 9, 9);
  EXPECT_EQ(best_compute(peaks, NumberType::f32, true)->instructions, "b");
  EXPECT_EQ(best_compute(peaks, NumberType::f32, false)->instructions, "a");
  EXPECT_EQ(best_compute(peaks, NumberType::int8, false)->instructions, "c");
  EXPECT_EQ(best_compute(peaks, NumberType::f16, false), nullptr);
  EXPECT_EQ(name_of(NumberType::f32), "float32");
  EXPECT_EQ(name_of(NumberType::f16), "float16");
  EXPECT_EQ(name_of(NumberType::bf16), "bfloat16");
  EXPECT_EQ(name_of(NumberType::int8), "int8");
}

TEST(Peaks, bandwidth_of_a_level_is_that_of_the_fastest_from_it_on_and_none_of_no_level) {
  Peaks peaks;
  EXPECT_EQ(bandwidth_of(peaks, 0, true), 0);
  peaks.levels.resize(2);
  peaks.levels[0].read.one = {0.25, 0.25}, peaks.levels[0].copy.one = {0.5, 0.5};
  peaks.levels[1].read.one = {0.75, 0.75}, peaks.levels[1].copy.all = {8, 8};
  EXPECT_EQ(bandwidth_of(peaks, 0, true), 0.75);
  EXPECT_EQ(bandwidth_of(peaks, 0, false), 8);
  EXPECT_EQ(bandwidth_of(peaks, 2, true), 0);
}

TEST(MeasurePeaks, a_thread_that_cannot_start_is_an_error_and_no_wait_without_end) {
  if (is_sanitized()) GTEST_SKIP() << "the test takes address space away, and a sanitizer needs it";
  const auto crowd = [] {
    const rlimit space{std::uint64_t{1} << 30, std::uint64_t{1} << 30};  // stacks of some hundred threads
    setrlimit(RLIMIT_AS, &space);
    PeakSettings settings;
    settings.threads = 4000, settings.rounds = 1, settings.memory_bytes = 1 << 24;
    try {
      measure_peaks(settings);
    } catch (const Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
      std::_Exit(1);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(crowd(), testing::ExitedWithCode(1), "start as many threads");
}

}  // namespace
}  // namespace takt
