#include "measure/timing/instability.h"

#include <gtest/gtest.h>

#include <random>

namespace takt {
namespace {

using namespace std::chrono_literals;

/// A pass written down by hand: runs of about 1 ms on two processors, each with what the process used.
class PassSketch {
 public:
  /// One thread that always runs, on a machine where nobody else does anything.
  PassSketch& run(Nanoseconds sample) {
    pass_.samples.push_back(sample);
    Usage used;
    used.run_delay = 2us;
    used.cpu_time = sample;
    used.minor_faults = 0, used.major_faults = 0;
    used.machine_busy = sample;
    used.steal = 0ns, used.throttled = 0ns;
    used.mhz = 3000;
    pass_.usage.push_back({1, sample + 1us, used});
    return *this;
  }
  Usage& last() { return pass_.usage.back().used; }

  /// Of a hundred runs every twentieth takes 3 ms; `slow` says what it used besides.
  template <typename Change>
  PassSketch& hundred_runs(Change slow) {
    for (int i = 0; i < 100; ++i) {
      bool is_slow = i % 20 == 10;
      run(is_slow ? 3ms : 1ms + Nanoseconds(i * 100));
      if (is_slow) slow(last());
    }
    return *this;
  }

  /// A turn begins here, and the caches took so long just before.
  PassSketch& turn(Nanoseconds walk) {
    pass_.block_starts.push_back(pass_.samples.size());
    pass_.cache_walks.push_back(walk);
    return *this;
  }

  Instability judge(CpuLimit limit = {2, std::nullopt}) const { return find_instability(pass_, limit).value(); }
  const RunPass& pass() const { return pass_; }

 private:
  RunPass pass_;
};

std::vector<Cause> causes(const Instability& found) {
  std::vector<Cause> list;
  for (const auto& verdict : found.verdicts) list.push_back(verdict.cause);
  return list;
}

using Causes = std::vector<Cause>;

TEST(Instability, run_delay_while_others_run_is_preemption) {
  PassSketch pass;
  pass.hundred_runs([](Usage& used) {
    used.cpu_time = 1ms, used.run_delay = 2ms;
    used.machine_busy = 3ms;  // 2 ms of it another program's
  });
  auto found = pass.judge();
  EXPECT_EQ(causes(found), Causes{Cause::preempted});
  EXPECT_EQ(found.slow_runs, 5u);
  EXPECT_NEAR(found.slow_ratio, 3 / 1.005, 0.01);
  EXPECT_NEAR(found.verdicts[0].share, 1, 0.01);
  EXPECT_NE(
      found.verdicts[0].evidence.find(
          "waiting time for a CPU, summed over the model's threads: 2.00 ms in a slow run, 2.00 µs in a typical one"),
      std::string::npos)
      << found.verdicts[0].evidence;
}

TEST(Instability, preemption_names_the_programs_that_did_it) {
  PassSketch pass;
  pass.hundred_runs([](Usage& used) { used.cpu_time = 1ms, used.run_delay = 2ms, used.machine_busy = 3ms; });
  RunPass watched = pass.pass();
  watched.watched = 200ms;
  watched.programs = {{"python3", 1, {12}, 60ms}, {"cc1plus", 4, {1, 2, 3, 4}, 30ms}, {"sshd", 1, {5}, 1ms}};
  const auto found = find_instability(watched, {2, std::nullopt}).value();
  ASSERT_EQ(causes(found), Causes{Cause::preempted});
  const auto& verdict = found.verdicts[0];
  ASSERT_EQ(verdict.programs.size(), 2u) << "sshd used a hundredth of what all used";
  EXPECT_EQ(verdict.programs[0].name, "python3");
  EXPECT_NE(verdict.evidence.find("CPUs: python3 (process 12) 0.30, cc1plus (4 processes) 0.15;"), std::string::npos)
      << verdict.evidence;
  const Table table = instability_table(found);
  EXPECT_EQ(table.columns[3].name, "programs");
  EXPECT_EQ(std::get<std::string>(table.rows[0][3]), "python3 (process 12), cc1plus (4 processes)");
}

TEST(Instability, programs_that_the_system_hides_are_not_invented) {
  PassSketch pass;
  pass.hundred_runs([](Usage& used) { used.cpu_time = 1ms, used.run_delay = 2ms, used.machine_busy = 3ms; });
  RunPass hidden = pass.pass();
  hidden.watched = 200ms;
  const auto none = find_instability(hidden, {2, std::nullopt}).value();
  EXPECT_NE(none.verdicts.at(0).evidence.find("(the system does not report which)"), std::string::npos);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(instability_table(none).rows[0][3]));
  hidden.programs = {{"sshd", 1, {5}, 1ms}};
  const auto little = find_instability(hidden, {2, std::nullopt}).value();
  EXPECT_NE(little.verdicts.at(0).evidence.find("sshd (process 5) 0.01, and others that the system does not report"),
            std::string::npos)
      << little.verdicts.at(0).evidence;
}

TEST(Instability, causes_within_the_program_have_no_culprits) {
  PassSketch pass;
  pass.hundred_runs([](Usage& used) { used.minor_faults = 1500; });
  RunPass watched = pass.pass();
  watched.watched = 200ms, watched.programs = {{"python3", 1, {12}, 60ms}};
  const auto found = find_instability(watched, {2, std::nullopt}).value();
  ASSERT_EQ(causes(found), Causes{Cause::page_faults});
  EXPECT_TRUE(found.verdicts[0].programs.empty());
}

TEST(Instability, a_hundredth_of_the_time_waited_is_what_an_idle_system_takes) {
  PassSketch pass;
  // Five runs of a hundred wait, and their whole excess is run delay; of all the time that is 1.4 %.
  for (int i = 0; i < 100; ++i) {
    pass.run(i % 20 == 10 ? 1300us : 1000us);
    pass.last().cpu_time = 1ms, pass.last().run_delay = i % 20 == 10 ? 300us : 0us, pass.last().machine_busy = 1300us;
  }
  EXPECT_TRUE(pass.judge().verdicts.empty());
}

TEST(Instability, delay_between_own_threads_is_oversubscription) {
  PassSketch pass;
  // Three threads on two processors: each run uses both fully, and a third of the demand waits.
  for (int i = 0; i < 100; ++i) {
    Nanoseconds sample = i % 20 == 10 ? 3ms : 1ms;
    pass.run(sample);
    pass.last().cpu_time = 2 * sample, pass.last().machine_busy = 2 * sample;
    pass.last().run_delay = sample;
  }
  auto found = pass.judge();
  EXPECT_EQ(causes(found), Causes{Cause::oversubscribed});
  EXPECT_EQ(found.verdicts[0].fix, "use --threads 2 or fewer");
}

TEST(Instability, of_every_run_is_named_though_none_stands_out) {
  PassSketch pass;
  for (int i = 0; i < 50; ++i) {
    pass.run(2ms);
    pass.last().cpu_time = 1ms, pass.last().run_delay = 1ms;
    pass.last().machine_busy = 2ms;
  }
  auto found = pass.judge({1, std::nullopt});
  EXPECT_EQ(causes(found), Causes{Cause::preempted});
  EXPECT_NEAR(found.waiting, 0.5, 1e-9);
}

TEST(Instability, a_control_group_that_holds_back_throttles) {
  PassSketch pass;
  pass.hundred_runs([](Usage& used) { used.cpu_time = 1ms, used.throttled = 2ms; });
  EXPECT_EQ(causes(pass.judge({2, 0.5})), Causes{Cause::throttled});
}

TEST(Instability, a_clock_that_drops_throttles) {
  PassSketch pass;
  pass.hundred_runs([](Usage& used) { used.mhz = 1000; });
  auto found = pass.judge();
  ASSERT_EQ(causes(found), Causes{Cause::throttled});
  EXPECT_EQ(found.verdicts[0].evidence, "1000 MHz in slow runs, 3000 MHz typically");
}

TEST(Instability, stolen_time_is_named_though_its_ticks_are_coarse) {
  PassSketch pass;
  pass.hundred_runs([](Usage&) {});
  for (int i = 0; i < 20; ++i) pass.run(1ms);
  pass.last().steal = 10ms;  // one tick, found in a run that did not suffer
  EXPECT_EQ(causes(pass.judge()), Causes{Cause::steal});
}

TEST(Instability, page_faults_in_slow_runs_are_named) {
  PassSketch pass;
  pass.hundred_runs([](Usage& used) { used.minor_faults = 1500; });
  auto found = pass.judge();
  ASSERT_EQ(causes(found), Causes{Cause::page_faults});
  EXPECT_EQ(found.verdicts[0].evidence, "1500 page faults in a slow run, 0 in a typical one; 0 read from disk");
}

TEST(Instability, a_fault_that_reads_from_disk_costs_a_hundred_others) {
  PassSketch pass;
  pass.hundred_runs([](Usage& used) { used.major_faults = 15; });
  const auto found = pass.judge();
  ASSERT_EQ(causes(found), Causes{Cause::page_faults});
  EXPECT_EQ(found.verdicts[0].evidence, "0 page faults in a slow run, 0 in a typical one; 75 read from disk");
}

// 3 ms, 4 ms … 7 ms: the slow runs are all five, not only the slowest.
TEST(Instability, slow_runs_are_the_slowest_twentieth) {
  PassSketch pass;
  for (int i = 0; i < 100; ++i) {
    pass.run(i % 20 == 10 ? 3ms + i / 20 * 1ms : 1ms);
    if (i % 20 == 10) pass.last().minor_faults = (2 + i / 20) * 1000;
  }
  const auto found = pass.judge();
  ASSERT_EQ(causes(found), Causes{Cause::page_faults});
  EXPECT_EQ(found.verdicts[0].evidence, "4000 page faults in a slow run, 0 in a typical one; 0 read from disk");
  EXPECT_NEAR(found.verdicts[0].share, 1, 1e-9);
}

TEST(Instability, the_cause_of_most_of_the_excess_comes_first) {
  PassSketch pass;
  pass.hundred_runs([](Usage& used) { used.throttled = 600us, used.minor_faults = 1300; });
  EXPECT_EQ(causes(pass.judge()), (Causes{Cause::page_faults, Cause::throttled}));
}

TEST(Instability, an_excess_of_a_twentieth_is_not_worth_a_cause) {
  PassSketch pass;
  for (int i = 0; i < 100; ++i) {
    pass.run(i % 20 == 10 ? 1050us : 1ms);
    if (i % 20 == 10) pass.last().minor_faults = 50;
  }
  EXPECT_TRUE(pass.judge().verdicts.empty());
}

/// Ten turns of ten runs, of which the fifth to the seventh take longer.
PassSketch three_slow_turns(Nanoseconds slow, Nanoseconds walk_beside) {
  PassSketch pass;
  for (int turn = 0; turn < 10; ++turn) {
    const bool is_slow = turn >= 4 && turn < 7;
    pass.turn(is_slow ? walk_beside : 40us + Nanoseconds(turn * 500));
    for (int i = 0; i < 10; ++i) pass.run((is_slow ? slow : 1ms) + Nanoseconds(i * 100));
  }
  return pass;
}

TEST(Instability, turns_in_which_the_caches_answer_late_shared_the_core) {
  const Instability found = three_slow_turns(1400us, 100us).judge();
  ASSERT_EQ(causes(found), Causes{Cause::shared_core});
  EXPECT_NEAR(found.verdicts[0].share, 1, 0.01);
  EXPECT_EQ(found.verdicts[0].evidence,
            "in 3 of 10 blocks cache accesses took 2.5 times as long, and runs 1.40 times: another process or virtual "
            "machine was on the same core");
}

TEST(Instability, a_core_is_not_called_shared_for_walks_that_differ_little_or_runs_that_do_not) {
  EXPECT_EQ(causes(three_slow_turns(1400us, 55us).judge()), Causes{}) << "memory lies in another place";
  EXPECT_EQ(causes(three_slow_turns(1020us, 100us).judge()), Causes{});
  PassSketch unrelated;
  for (int turn = 0; turn < 10; ++turn) {
    unrelated.turn(turn % 2 == 0 ? 40us : 100us);
    for (int i = 0; i < 10; ++i) unrelated.run(i == 3 ? 3ms : 1ms);
  }
  EXPECT_EQ(causes(unrelated.judge()), Causes{}) << "in every turn a run is slow";
}

TEST(Instability, turns_that_differ_anyway_are_not_laid_on_a_neighbour) {
  PassSketch drifting;
  for (int turn = 0; turn < 20; ++turn) {
    const bool is_late = turn == 5 || turn == 10 || turn == 14;  // of 1.2, 1.1 and 1.2 ms
    drifting.turn(is_late ? 100us : 40us);
    for (int i = 0; i < 10; ++i) drifting.run(1ms + turn % 3 * 100us + Nanoseconds(i * 100));
  }
  EXPECT_EQ(causes(drifting.judge()), Causes{});
}

TEST(Instability, what_a_run_waited_is_no_doing_of_a_neighbour) {
  PassSketch waiting;
  for (int turn = 0; turn < 10; ++turn) {
    const bool is_slow = turn >= 4 && turn < 7;
    waiting.turn(is_slow ? 100us : 40us);
    for (int i = 0; i < 10; ++i) {
      waiting.run(is_slow ? 1400us : 1ms);
      if (is_slow) waiting.last().run_delay = 400us, waiting.last().machine_busy = 1800us;
    }
  }
  EXPECT_EQ(causes(waiting.judge()), Causes{Cause::preempted});
}

TEST(Instability, slow_first_runs_are_first_run_effects) {
  PassSketch pass;
  pass.run(9ms).run(5ms).run(2ms);
  pass.last().minor_faults = 1000;  // growing arenas fault; the cause is that they grow in the first runs
  for (int i = 0; i < 60; ++i) pass.run(1ms + Nanoseconds(i % 7 * 1000));
  EXPECT_EQ(causes(pass.judge()), Causes{Cause::first_run_effects});
}

TEST(Instability, first_runs_that_were_preempted_are_not_first_run_effects) {
  PassSketch pass;
  for (int i = 0; i < 3; ++i) {
    pass.run(5ms);
    pass.last().run_delay = 4ms, pass.last().cpu_time = 1ms, pass.last().machine_busy = 5ms;
  }
  for (int i = 0; i < 57; ++i) pass.run(1ms);
  EXPECT_EQ(causes(pass.judge()), Causes{Cause::preempted});
}

TEST(Instability, without_delay_or_another_sign_has_no_name) {
  PassSketch pass;
  pass.hundred_runs([](Usage&) {});
  auto found = pass.judge();
  EXPECT_GT(found.slow_ratio, 2.9);
  EXPECT_EQ(causes(found), Causes{});
}

TEST(Instability, finds_nothing_in_noise) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> time(0, 0.15), delay(0, 1.0);
  int named = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    PassSketch pass;
    for (int i = 0; i < 200; ++i) {
      pass.run(Nanoseconds(static_cast<std::int64_t>(1e6 * time(random))));
      // Wake-ups cost some microseconds, the system's own work some of the machine.
      pass.last().run_delay = Nanoseconds(static_cast<std::int64_t>(5e3 * delay(random)));
      pass.last().machine_busy = *pass.last().cpu_time + 20us;
      pass.last().minor_faults = static_cast<std::int64_t>(random() % 4);
      pass.last().mhz = 3000 + static_cast<double>(random() % 50);
    }
    named += !pass.judge().verdicts.empty();
  }
  EXPECT_EQ(named, 0);
}

TEST(Instability, of_few_samples_or_a_simulated_clock_is_not_judged) {
  PassSketch four;
  for (int i = 0; i < 4; ++i) four.run(1ms);
  EXPECT_FALSE(find_instability(four.pass(), {}));
  RunPass simulated;
  simulated.samples.assign(100, 1ms);
  EXPECT_FALSE(find_instability(simulated, {}));
}

TEST(Instability, what_the_system_does_not_tell_is_no_cause) {
  PassSketch pass;
  pass.hundred_runs([](Usage&) {});
  RunPass silent = pass.pass();
  for (auto& span : silent.usage) span.used = Usage();
  EXPECT_EQ(causes(find_instability(silent, {2, std::nullopt}).value()), Causes{});
}

TEST(Instability, of_spans_of_several_runs_belongs_to_the_span_of_the_slow_run) {
  RunPass pass;
  for (int i = 0; i < 100; ++i) pass.samples.push_back(i % 20 == 10 ? 110us : 10us);
  for (int i = 0; i < 20; ++i) {
    bool slow = i % 4 == 2;
    Usage used;
    used.run_delay = slow ? 100us : 0us;
    used.cpu_time = 50us;
    used.machine_busy = slow ? 150us : 50us;
    pass.usage.push_back({5, slow ? 150us : 50us, used});
  }
  auto found = find_instability(pass, {1, std::nullopt}).value();
  ASSERT_EQ(causes(found), Causes{Cause::preempted});
  EXPECT_NEAR(found.verdicts[0].share, 1, 1e-9);
}

TEST(Instability, table_has_a_row_per_cause) {
  PassSketch pass;
  pass.hundred_runs([](Usage& used) { used.minor_faults = 1500; });
  Table table = instability_table(pass.judge());
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.columns[1].name, "cause");
  EXPECT_EQ(std::get<std::string>(table.rows[0][1]), "page_faults");
}

// Five slow runs of 3 ms lost 2 ms each: 10 of 110.6 ms, on two processors 4.5 %.
TEST(Instability, stolen_time_is_a_share_of_all_processors_the_process_may_use) {
  PassSketch pass;
  pass.hundred_runs([](Usage& used) { used.steal = 2ms; });
  const auto found = pass.judge({2, std::nullopt});
  ASSERT_EQ(causes(found), Causes{Cause::steal});
  EXPECT_NE(found.verdicts[0].evidence.find("gave 4.5 % of"), std::string::npos) << found.verdicts[0].evidence;
}

/// A hundred runs of 1 ms each, of which every twentieth takes `slow`; `use` says what each used.
template <typename Use>
RunPass even_runs(Nanoseconds slow, const Use& use) {
  RunPass pass;
  for (int i = 0; i < 100; ++i) {
    const bool is_slow = i % 20 == 10;
    pass.samples.push_back(is_slow ? slow : 1ms);
    Usage used;
    use(used, is_slow);
    pass.usage.push_back({1, pass.samples.back(), used});
  }
  return pass;
}

Causes causes(const RunPass& pass, int cpus = 2) {
  return causes(find_instability(pass, CpuLimit{cpus, std::nullopt}).value());
}

TEST(InstabilityBorders, of_what_slow_runs_take_more) {
  const auto found = [](Nanoseconds slow, std::int64_t faults) {
    return causes(even_runs(slow, [&](Usage& used, bool is_slow) { used.minor_faults = is_slow ? faults : 0; }));
  };
  EXPECT_EQ(found(1100us, 1000), Causes{Cause::page_faults});
  EXPECT_EQ(found(1099us, 1000), Causes{});
  EXPECT_EQ(found(3ms, 500), Causes{Cause::page_faults}) << "a quarter of 2 ms, by 1 µs each";
  EXPECT_EQ(found(3ms, 499), Causes{});
}

// The threads wait 10 ms in all.
TEST(InstabilityBorders, of_waiting) {
  const auto slow_wait = [](Nanoseconds cpu) {
    return causes(even_runs(3ms,
                            [&](Usage& used, bool is_slow) {
                              used.run_delay = is_slow ? 2ms : 0ms, used.cpu_time = cpu;
                              used.machine_busy = cpu + 1ms;
                            }),
                  8);
  };
  EXPECT_EQ(slow_wait(4900us), Causes{Cause::preempted}) << "a fiftieth of their time";
  EXPECT_EQ(slow_wait(4901us), Causes{});
  const auto all_wait = [](Nanoseconds delay) {
    return causes(even_runs(
        1ms, [&](Usage& used, bool) { used.run_delay = delay, used.cpu_time = 1ms - delay, used.machine_busy = 2ms; }));
  };
  EXPECT_EQ(all_wait(50us), Causes{Cause::preempted}) << "a twentieth of every run";
  EXPECT_EQ(all_wait(49us), Causes{});
}

TEST(InstabilityBorders, of_who_was_in_the_way) {
  const auto found = [](Nanoseconds delay, Nanoseconds busy) {
    return causes(
        even_runs(1ms,
                  [&](Usage& used, bool) { used.cpu_time = 500us, used.run_delay = delay, used.machine_busy = busy; }),
        1);
  };
  EXPECT_EQ(found(750us, 1250us), (Causes{Cause::preempted, Cause::oversubscribed})) << "a quarter its own threads";
  EXPECT_EQ(found(750us, 1251us), Causes{Cause::preempted});
  EXPECT_EQ(found(1250us, 750us), Causes{Cause::oversubscribed}) << "three quarters";
  EXPECT_EQ(found(1250us, 751us), (Causes{Cause::preempted, Cause::oversubscribed}));
}

TEST(InstabilityBorders, of_being_held_back) {
  const auto held = [](Nanoseconds time) {
    return causes(even_runs(1ms, [&](Usage& used, bool) { used.throttled = time; }));
  };
  EXPECT_EQ(held(50us), Causes{Cause::throttled}) << "a twentieth of the time";
  EXPECT_EQ(held(Nanoseconds(49'999)), Causes{});
  const auto slowed = [](double mhz) {
    return causes(even_runs(1100us, [&](Usage& used, bool is_slow) { used.mhz = is_slow ? mhz : 3000; }));
  };
  EXPECT_EQ(slowed(2850), Causes{Cause::throttled}) << "a twentieth below the usual";
  EXPECT_EQ(slowed(2851), Causes{});
}

TEST(InstabilityBorders, of_stolen_time) {
  const auto in_slow = [](Nanoseconds time, int cpus) {
    return causes(even_runs(1100us, [&](Usage& used, bool is_slow) { used.steal = is_slow ? time : 0us; }), cpus);
  };
  EXPECT_EQ(in_slow(201us, 1), Causes{Cause::steal}) << "1.005 of 100.5 ms";
  EXPECT_EQ(in_slow(200us, 1), Causes{});
  EXPECT_EQ(in_slow(402us, 2), Causes{Cause::steal}) << "of two processors";
  EXPECT_EQ(in_slow(400us, 2), Causes{});
  const auto in_all = [](Nanoseconds time) {
    return causes(even_runs(1ms, [&](Usage& used, bool) { used.steal = time; }), 1);
  };
  EXPECT_EQ(in_all(50us), Causes{Cause::steal});
  EXPECT_EQ(in_all(49us), Causes{});
}

TEST(InstabilityBorders, of_first_runs) {
  const auto found = [](Nanoseconds second, int others) {
    PassSketch pass;
    pass.run(9ms).run(second);
    for (int i = 0; i < others; ++i) pass.run(1ms);
    return causes(pass.judge());
  };
  EXPECT_EQ(found(1501us, 58), Causes{Cause::first_run_effects});
  EXPECT_EQ(found(1500us, 58), Causes{}) << "half as long again as the usual run";
  EXPECT_EQ(found(5ms, 4), Causes{Cause::first_run_effects});
  EXPECT_EQ(found(5ms, 3), Causes{}) << "of five runs three are not the first";
}

TEST(InstabilityBorders, of_programs_that_are_named) {
  const auto named = [](const std::vector<Nanoseconds>& times) {
    RunPass pass = even_runs(3ms, [](Usage& used, bool is_slow) {
      used.cpu_time = 1ms, used.run_delay = is_slow ? 2ms : 0ms, used.machine_busy = 3ms;
    });
    pass.watched = 200ms;
    int process = 0;
    for (const Nanoseconds time : times) ++process, pass.programs.push_back({"p", 1, {process}, time});
    return find_instability(pass, {2, std::nullopt}).value().verdicts.at(0).programs.size();
  };
  EXPECT_EQ(named({95ms, 5ms}), 2u) << "a twentieth";
  EXPECT_EQ(named({96ms, 4ms}), 1u);
  EXPECT_EQ(named({20ms, 20ms, 20ms}), 3u);
  EXPECT_EQ(named({20ms, 20ms, 20ms, 20ms}), 3u);
}

}  // namespace
}  // namespace takt
