// What recording costs: a scope against two readings of the clock it uses, in CPU time, on one thread and on four.
//
// Compare the column CPU (the wall time of several threads is divided by their number): scope / clock_twice is the
// price. The last line tells how far the conversion of ticks to nanoseconds is off after a second.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "takt/recorder.h"

namespace {

void clock_twice(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(takt::TickClock::now());
    benchmark::DoNotOptimize(takt::TickClock::now());
  }
}
BENCHMARK(clock_twice)->Threads(1)->Threads(4);

takt::Recorder& shared_recorder() {
  static takt::Recorder recorder({.most_events = 1'000'000, .collect_every = std::chrono::milliseconds(1)});
  return recorder;
}

/// The buffer is emptied from time to time by the benchmark itself, outside the timed part, so that every event is
/// kept.
void scope(benchmark::State& state) {
  static const takt::EventName name("scope", "bench", "i");
  takt::Recorder recorder(
      {.events_per_thread = 65536, .most_events = 0, .collect_every = std::chrono::milliseconds(0)});
  std::uint32_t i = 0, since = 0;
  { takt::Scope first(recorder, name); }
  while (state.KeepRunningBatch(60000)) {
    for (since = 0; since < 60000; ++since) takt::Scope event(recorder, name, ++i);
    state.PauseTiming();
    recorder.collect();
    state.ResumeTiming();
  }
}
BENCHMARK(scope)->Threads(1)->Threads(4);

/// As a program has it by default, in a burst of 200,000 events that are all kept: with the thread that empties the
/// buffers, and with what this one does itself when it is faster.
void scope_default(benchmark::State& state) {
  static const takt::EventName name("scope", "bench", "i");
  takt::Recorder recorder;
  std::uint32_t i = 0;
  { takt::Scope first(recorder, name); }
  for (auto _ : state) takt::Scope event(recorder, name, ++i);
  if (recorder.dropped() > 0) state.SkipWithError("events were lost");
}
BENCHMARK(scope_default)->Iterations(200000)->Threads(1)->Threads(4);

/// With a thread that empties the buffers every millisecond, for longer than there is room for what it takes out.
void scope_collected(benchmark::State& state) {
  static const takt::EventName name("scope", "bench", "i");
  takt::Recorder& recorder = shared_recorder();
  std::uint32_t i = 0;
  for (auto _ : state) takt::Scope event(recorder, name, ++i);
}
BENCHMARK(scope_collected)->Threads(1)->Threads(4);

/// With an integer of 64 bits and a short text beside the number: three records instead of one.
void scope_arguments(benchmark::State& state) {
  static const takt::EventName name("scope", "bench", "i");
  static const takt::ArgumentName bytes("bytes"), file("file");
  takt::Recorder& recorder = shared_recorder();
  std::uint32_t i = 0;
  for (auto _ : state) {
    takt::Scope event(recorder, name, ++i);
    event.add(bytes, std::int64_t{i} << 32);
    event.add(file, "picture.png");
  }
}
BENCHMARK(scope_arguments)->Threads(1)->Threads(4);

void scope_disabled(benchmark::State& state) {
  static const takt::EventName name("scope");
  takt::Recorder recorder;
  recorder.enable(false);
  for (auto _ : state) {
    takt::Scope event(recorder, name);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(scope_disabled);

/// Largest difference between ticks converted at the end and CLOCK_MONOTONIC read beside them, over a second.
void print_conversion_error() {
  takt::Recorder recorder;
  struct Pair {
    std::uint64_t ticks, steady;
  };
  std::vector<Pair> pairs;
  for (int i = 0; i < 100; ++i) {
    Pair best{};
    std::uint64_t narrowest = UINT64_MAX;
    for (int k = 0; k < 50; ++k) {
      const std::uint64_t before = takt::TickClock::now();
      const std::uint64_t steady = takt::TickClock::monotonic_ns();
      const std::uint64_t after = takt::TickClock::now();
      if (after - before < narrowest) best = {before + (after - before) / 2, steady}, narrowest = after - before;
    }
    pairs.push_back(best);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  long long worst = 0;
  for (const Pair& pair : pairs) {
    const auto converted = recorder.steady_time(pair.ticks).count();
    worst = std::max(worst, std::llabs(converted - static_cast<long long>(pair.steady)));
  }
  std::printf("conversion of ticks over 1 s: off by at most %lld ns\n", worst);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  print_conversion_error();
  return 0;
}
