// How many runs are made, which of them count, and what is told of them: on a clock that the test sets.
#include <gmock/gmock.h>

#include <atomic>

#include "base/basics/error.h"
#include "measure/open/fitting.h"
#include "measure/run/fake_session.h"
#include "measure/run/results.h"
#include "measure/timing/measure.h"
#include "refused.h"

namespace takt {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

RunPass pass_with_warmup(std::vector<Nanoseconds> warmup, bool profiled = false) {
  RunPass pass;
  pass.profiled = profiled, pass.warmup = std::move(warmup);
  return pass;
}

/// Every run takes as long; what is asked of the session is written down.
struct Counting : FakeSession {
  explicit Counting(Nanoseconds each) {
    next_time = [this, each] {
      ++ran;
      return each;
    };
  }
  void set_inputs(const std::vector<HostTensor>& inputs) override { asked.push_back(inputs.at(0).name); }
  Nanoseconds copy_outputs() override { return ns(7); }
  std::optional<std::vector<std::vector<OpSample>>> all_ops() override { return told; }
  int ran = 0;
  std::vector<std::string> asked;
  std::vector<std::vector<OpSample>> told;
};

RunSettings without_warmup() {
  RunSettings settings;
  settings.warmup_iterations = 0;
  return settings;
}

TEST(MeasureBorders, how_many_runs_are_still_to_come) {
  struct Case {
    std::optional<int> iterations;
    std::optional<Duration> time;
    std::vector<Nanoseconds> warmup;
    bool profiled;
    std::size_t left;
  };
  const std::vector<Case> cases{
      {7, {}, {}, false, 7},
      {7, 100us, {10us}, false, 7},
      {15, 100us, {3us, 10us}, false, 10},  // by the last run of the warm-up
      {{}, 100us, {}, false, 100},          // of a microsecond each, when nothing is known
      {{}, 5us, {10us}, false, 1},
      {{}, 1s, {1us}, false, 1'000'000},
      {{}, 1s, {1us}, true, 2000},
      {{}, 1s, {500us}, true, 2000},
      {{}, 1s, {501us}, true, 1996},
      {{}, {}, {20us}, false, 1000},
      {{}, {}, {50ms}, false, 20},
      {{}, {}, {900ms}, false, 10},
      {{}, {}, {Nanoseconds(0)}, false, 1000},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Counting session(1us);
    RunSettings settings = without_warmup();
    settings.iterations = cases[i].iterations, settings.time = cases[i].time;
    const Measurement measurement(session, settings, nullptr, pass_with_warmup(cases[i].warmup, cases[i].profiled));
    EXPECT_EQ(measurement.runs_left(), cases[i].left) << i;
  }
}

TEST(MeasureBorders, once_there_are_samples_their_mean_tells_how_many_are_left) {
  Counting session(40us);
  RunSettings settings = without_warmup();
  settings.time = 1ms;
  Measurement measurement(session, settings, nullptr, pass_with_warmup({10us}));
  EXPECT_EQ(measurement.runs_left(), 100u);
  measurement.run_block(5, [] {});
  EXPECT_EQ(measurement.runs_left(), 20u);
  EXPECT_EQ(measurement.runs_done(), 5u);
  EXPECT_EQ(measurement.measured(), 200us);
  settings.iterations = 8, settings.time.reset();
  EXPECT_EQ(measurement.runs_left(), 3u);
  settings.iterations = 4;
  EXPECT_EQ(measurement.runs_left(), 0u);
}

TEST(MeasureBorders, when_a_measurement_is_done) {
  const auto runs_of = [](Nanoseconds each, std::optional<int> iterations, std::optional<Duration> time,
                          bool profiled) {
    Counting session(each);
    RunSettings settings = without_warmup();
    settings.iterations = iterations, settings.time = time;
    Measurement measurement(session, settings, nullptr, pass_with_warmup({}, profiled));
    measurement.run_block(SIZE_MAX, [] {});
    return measurement.runs_done();
  };
  EXPECT_EQ(runs_of(10us, {}, 100us, false), 10u);
  EXPECT_EQ(runs_of(10us, {}, 101us, false), 11u);
  EXPECT_EQ(runs_of(1us, {}, 5ms, true), 2000u) << "of each all operators are kept";
  EXPECT_EQ(runs_of(1us, {}, 5ms, false), 5000u);
  EXPECT_EQ(runs_of(10us, 4, 100us, false), 4u);
  EXPECT_EQ(runs_of(10us, 14, 100us, false), 10u);
  EXPECT_EQ(runs_of(1s, 3, {}, false), 3u);
  EXPECT_EQ(runs_of(1us, 3000, {}, true), 3000u) << "as many as asked for";
  EXPECT_EQ(runs_of(1s, {}, 1us, false), 1u);
  EXPECT_EQ(runs_of(99ms, {}, {}, false), 11u);
  EXPECT_EQ(runs_of(100ms, {}, {}, false), 10u);
  EXPECT_EQ(runs_of(1ms, {}, {}, false), 1000u);
}

TEST(MeasureBorders, warm_up_is_a_number_of_runs_and_a_time) {
  const auto warmed = [](int iterations, std::optional<Duration> time, std::vector<Nanoseconds> before) {
    Counting session(30us);
    RunSettings settings;
    settings.warmup_iterations = iterations, settings.warmup_time = time;
    Measurement measurement(session, settings, nullptr, pass_with_warmup(before));
    EXPECT_EQ(measurement.is_warm(), !before.empty());
    measurement.warm_up();
    return session.ran;
  };
  EXPECT_EQ(warmed(3, {}, {}), 3);
  EXPECT_EQ(warmed(3, {}, {5us}), 2);
  EXPECT_EQ(warmed(2, 90us, {}), 3);
  EXPECT_EQ(warmed(2, 91us, {}), 4);
  EXPECT_EQ(warmed(5, 90us, {}), 5);
  EXPECT_EQ(warmed(2, 90us, {1us, 30us}), 2) << "what was spent before counts";
  EXPECT_EQ(warmed(0, {}, {}), 0);
}

TEST(MeasureBorders, another_session_goes_on_after_a_warm_up_of_its_own) {
  Counting first(10us), second(20us);
  RunSettings settings;
  settings.warmup_iterations = 3, settings.iterations = 2;
  std::atomic<bool> stop = false;
  settings.stop = &stop;
  Measurement measurement(first, settings, nullptr, pass_with_warmup({}));
  EXPECT_TRUE(measurement.go_on_with(second));
  EXPECT_EQ(second.ran, 3);
  measurement.run_block(2, [] {});
  EXPECT_THAT(measurement.finish().samples, ElementsAre(ns(20'000), ns(20'000)));
  EXPECT_EQ(first.ran, 0);
  settings.warmup_iterations = 0;
  EXPECT_FALSE(Measurement(first, settings, nullptr, {}).go_on_with(second));
  settings.warmup_iterations = 3, stop = true;
  EXPECT_FALSE(Measurement(first, settings, nullptr, {}).go_on_with(second));
  EXPECT_EQ(second.ran, 5) << "nothing more";
}

TEST(MeasureBorders, short_runs_settle_for_two_milliseconds) {
  const auto settled = [](Nanoseconds each, std::vector<Nanoseconds> known) {
    Counting session(each);
    const RunSettings settings = without_warmup();
    Measurement measurement(session, settings, nullptr, pass_with_warmup(known));
    measurement.settle();
    return session.ran;
  };
  EXPECT_EQ(settled(2ms, {}), 1);
  EXPECT_EQ(settled(Nanoseconds(1'999'999), {}), 2);
  EXPECT_EQ(settled(1ns, {}), 500);
  EXPECT_EQ(settled(2ms, {1us, 10ms}), 0) << "nobody would notice";
  EXPECT_EQ(settled(2ms, {10ms, Nanoseconds(9'999'999)}), 1);
}

TEST(MeasureBorders, a_run_to_the_host_lasts_until_its_outputs_are_there) {
  Counting session(10us);
  RunSettings settings = without_warmup();
  settings.copy_to_host = true, settings.iterations = 2;
  Measurement measurement(session, settings, nullptr, {});
  measurement.run_block(5, [] {});
  EXPECT_EQ(measurement.measured(), ns(20'014));
  EXPECT_THAT(measurement.finish().samples, ElementsAre(ns(10'007), ns(10'007)));
}

TEST(MeasureBorders, inputs_take_turns_from_the_first_on) {
  Counting session(10us);
  RunSettings settings = without_warmup();
  settings.iterations = 5;
  std::vector<std::vector<HostTensor>> inputs(3);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    inputs[i].push_back(HostTensor{std::string(1, static_cast<char>('a' + i)), ElementType::f32, {}, {}, {}});
  Measurement measurement(session, settings, nullptr, {});
  measurement.take_turns(inputs);
  measurement.run_block(2, [] {});
  measurement.run_block(9, [] {});
  EXPECT_THAT(session.asked, ElementsAre("a", "b", "c", "a", "b"));
  EXPECT_THAT(measurement.finish().block_starts, ElementsAre(0, 2));
}

TEST(MeasureBorders, a_run_that_fails_when_it_was_asked_to_stop_is_no_run) {
  std::atomic<bool> stop = false;
  FakeSession session;
  int ran = 0;
  bool stops = true;
  session.next_time = [&]() -> Nanoseconds {
    if (++ran < 3) return ns(5);
    stop = stops;
    throw Error(ErrorKind::runtime, "cancelled");
  };
  RunSettings settings = without_warmup();
  settings.iterations = 9, settings.stop = &stop;
  Measurement measurement(session, settings, nullptr, {});
  measurement.run_block(9, [] {});
  EXPECT_TRUE(measurement.is_done());
  EXPECT_THAT(measurement.finish().samples, ElementsAre(ns(5), ns(5)));
  stop = stops = false;
  Measurement failing(session, settings, nullptr, {});
  EXPECT_EQ(refused_with([&] { failing.run_block(9, [] {}); }), "cancelled") << "nobody asked it to";
  EXPECT_EQ(refused_with([&] { failing.finish(); }), "stopped before the first measured run") << "there is no run";
}

/// Operators of two warm-up runs and three samples, or of as many as the runtime still has: the newest.
TEST(MeasureBorders, operators_that_come_at_the_end_belong_to_the_last_runs) {
  const auto ops_of = [](std::size_t told) {
    Counting session(10us);
    session.told.resize(told);
    for (std::size_t i = 0; i < told; ++i) session.told[i].push_back(sample(std::to_string(told - i), "", 0, 0));
    RunSettings settings;
    settings.warmup_iterations = 2, settings.iterations = 3;
    Measurement measurement(session, settings, nullptr, pass_with_warmup({}, true));
    measurement.warm_up();
    measurement.run_block(3, [] {});
    std::string names;
    try {
      for (const auto& run : measurement.finish().ops) names += run.at(0).node->name;
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return names;
  };
  EXPECT_EQ(ops_of(5), "321");
  EXPECT_EQ(ops_of(4), "321");
  EXPECT_EQ(ops_of(3), "321");
  EXPECT_EQ(ops_of(7), "321");
  EXPECT_EQ(ops_of(2), "the runtime reported operator times for 2 of 3 runs; use fewer iterations (--iter)");
  EXPECT_EQ(ops_of(0), "the runtime reported operator times for 0 of 3 runs; use fewer iterations (--iter)");
}

TEST(MeasureBorders, progress_is_of_all_passes_together) {
  const auto told = [](bool plain, bool profiled, int iterations) {
    Counting first(20ms), second(20ms);
    RunSettings settings = without_warmup();
    settings.iterations = iterations;
    std::vector<Measurement> passes;
    if (plain) passes.emplace_back(first, settings, nullptr, pass_with_warmup({}, false));
    if (profiled) passes.emplace_back(second, settings, nullptr, pass_with_warmup({}, true));
    std::vector<std::string> lines;
    measure(passes, [&](std::string_view phase, std::uint64_t done, std::uint64_t total) {
      lines.push_back(std::string(phase) + " " + std::to_string(done) + "/" + std::to_string(total));
    });
    return lines;
  };
  EXPECT_THAT(told(true, false, 2), ElementsAre("plain 0/2", "plain 1/2"));
  EXPECT_THAT(told(false, true, 1), ElementsAre("profiled 0/1"));
  EXPECT_THAT(told(true, true, 2), ElementsAre("plain and profiled 0/4", "plain and profiled 1/4",
                                               "plain and profiled 2/4", "plain and profiled 3/4"));
}

TEST(MeasureBorders, two_passes_take_turns_of_a_twentieth) {
  for (const auto& [iterations, block] : {std::pair<int, std::size_t>{39, 1}, {40, 2}, {60, 3}}) {
    Counting first(20ms), second(20ms);
    RunSettings settings = without_warmup();
    settings.iterations = iterations;
    std::vector<Measurement> passes;
    passes.emplace_back(first, settings, nullptr, RunPass());
    passes.emplace_back(second, settings, nullptr, RunPass());
    measure(passes, {});
    EXPECT_EQ(passes[1].finish().block_starts.at(1), block) << iterations;
  }
}

TEST(ProfilingCost, is_of_the_blocks_that_both_have) {
  const auto blocks = [](std::vector<Nanoseconds> samples) {
    RunPass pass;
    for (std::size_t i = 0; i < samples.size(); ++i) pass.block_starts.push_back(i);
    pass.samples = std::move(samples);
    return pass;
  };
  EXPECT_DOUBLE_EQ(profiling_cost(blocks({10us, 20us, 30us}), blocks({20us, 60us})).value().ratio, 2.5);
  EXPECT_DOUBLE_EQ(profiling_cost(blocks({10us, 20us}), blocks({20us, 60us, 90us})).value().ratio, 2.5);
  EXPECT_FALSE(profiling_cost(blocks({10us, 0us}), blocks({20us, 60us})));
  EXPECT_TRUE(profiling_cost(blocks({10us, 10us, 10us, 10us, 10us}), blocks({20us, 20us, 20us, 20us, 20us}))->interval);
  EXPECT_FALSE(profiling_cost(blocks({10us, 10us, 10us, 10us}), blocks({20us, 20us, 20us, 20us}))->interval);
}

/// A runtime with two settings worth trying, or none.
struct TunableRuntime : Runtime {
  std::vector<Tuning> known;
  std::string_view name() const override { return "tunable"; }
  std::string version() const override { return "1"; }
  std::vector<DeviceStatus> devices() override { return {}; }
  std::unique_ptr<Session> open(const std::filesystem::path&, const Graph*, const SessionSettings&) override {
    return nullptr;
  }
  std::vector<Tuning> tunings() override { return known; }
  std::optional<std::map<std::string, PartialShape>> infer_shapes(const std::filesystem::path&,
                                                                  const std::map<std::string, Shape>&) override {
    return std::nullopt;
  }
};

TEST(Fitting, tries_the_defaults_each_setting_and_numbers_of_threads) {
  TunableRuntime runtime;
  const auto tried = [&](int cores, std::optional<int> threads) {
    std::vector<std::string> words;
    for (const auto& one : candidates_for(runtime, cores, threads)) words.push_back(to_string(one));
    return words;
  };
  EXPECT_THAT(tried(6, {}), ElementsAre("defaults")) << "it has nothing to try";
  runtime.known = {{{"busy_wait", "off"}}, {{"a", "1"}, {"b_c", "2"}}};
  EXPECT_THAT(tried(6, {}),
              ElementsAre("defaults", "busy wait off", "a 1, b c 2", "threads 1", "threads 3", "threads 6"));
  EXPECT_THAT(tried(3, {}), ElementsAre("defaults", "busy wait off", "a 1, b c 2", "threads 1", "threads 3"));
  EXPECT_THAT(tried(1, {}), ElementsAre("defaults", "busy wait off", "a 1, b c 2", "threads 1"));
  EXPECT_THAT(tried(6, 2), ElementsAre("threads 2", "threads 2, busy wait off", "threads 2, a 1, b c 2"));
}

TEST(Fitting, takes_bursts_of_twenty_milliseconds_in_fifteen_rounds) {
  const auto runs_of = [](Nanoseconds each) {
    int ran = 0;
    const auto result = fit({{}, {3, {}}}, [&](const Candidate& candidate) {
      auto session = std::make_unique<FakeSession>();
      session->next_time = [&ran, each, is_first = !candidate.threads] {
        ran += is_first;
        return each;
      };
      return session;
    });
    EXPECT_EQ(result.rows.at(1).median, Duration(each));
    EXPECT_EQ(result.best, 0u) << "no faster";
    return ran;
  };
  EXPECT_EQ(runs_of(1ms), 3 + 15 * 20);
  EXPECT_EQ(runs_of(999us), 3 + 15 * 21);
  EXPECT_EQ(runs_of(10us), 3 + 15 * 50);
  EXPECT_EQ(runs_of(15ms), 3 + 15 * 3);
}

TEST(Fitting, the_fastest_wins_wherever_it_stands) {
  const auto best = [](std::vector<int> microseconds) {
    std::vector<Candidate> candidates;
    for (const int time : microseconds) candidates.push_back({time, {}});
    const auto result = fit(candidates, [](const Candidate& candidate) {
      auto session = std::make_unique<FakeSession>();
      session->next_time = [each = std::chrono::microseconds(*candidate.threads)] { return Nanoseconds(each); };
      return session;
    });
    return result.best;
  };
  EXPECT_EQ(best({1000, 900, 800}), 2u);
  EXPECT_EQ(best({1000, 800, 900}), 1u);
  EXPECT_EQ(best({1000, 800, 800}), 1u);
  EXPECT_EQ(best({1000, 1100, 1000}), 0u);
}

}  // namespace
}  // namespace takt
