// Whole texts of a profile: why runs were slow and what to do, what the process used, and what shapes are known.
#include <gmock/gmock.h>

#include "measure/open/model_shapes.h"
#include "measure/report/usage_json.h"
#include "measure/run/label.h"
#include "measure/timing/instability.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

/// A hundred runs of 1 ms each, of which every twentieth takes `slow`; `use` says what each used.
template <typename Use>
RunPass hundred_runs(Nanoseconds slow, const Use& use) {
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

InstabilityVerdict only_verdict(const RunPass& pass, const CpuLimit& limit = {2, std::nullopt}) {
  const Instability found = find_instability(pass, limit).value();
  EXPECT_EQ(found.verdicts.size(), 1u);
  return found.verdicts.at(0);
}

RunPass waiting_runs(bool knows_machine) {
  return hundred_runs(3ms, [&](Usage& used, bool is_slow) {
    used.cpu_time = 1ms, used.run_delay = is_slow ? 2ms : 2us;
    if (knows_machine) used.machine_busy = is_slow ? 3ms : 1ms;
  });
}

TEST(InstabilityEvidence, of_other_programs) {
  const std::string waited =
      "waiting time for a CPU, summed over the model's threads: 2.00 ms in a slow run, 2.00 µs in a typical one";
  const InstabilityVerdict unknown = only_verdict(waiting_runs(false));
  EXPECT_EQ(unknown.cause, Cause::preempted);
  EXPECT_EQ(unknown.evidence, waited);
  EXPECT_EQ(unknown.fix, "stop the other processes, or reserve CPUs for the model (taskset -c LIST takt run ...)");
  RunPass pass = waiting_runs(true);  // 10 of 110 ms
  EXPECT_EQ(only_verdict(pass).evidence,
            "other processes used 0.09 of 2 CPUs (the system does not report which); " + waited);
  pass.programs = {{"cc", 1, {7}, 11ms}};
  EXPECT_EQ(only_verdict(pass).evidence,
            "other processes used 0.09 of 2 CPUs (the system does not report which); " + waited)
      << "for an unknown time";
  pass.watched = 110ms;
  EXPECT_EQ(only_verdict(pass).evidence, "other processes used 0.09 of 2 CPUs: cc (process 7) 0.10; " + waited);
  pass.programs = {{"cc", 1, {7}, 5001us}};
  EXPECT_EQ(only_verdict(pass).evidence, "other processes used 0.09 of 2 CPUs: cc (process 7) 0.05; " + waited);
  pass.programs = {{"cc", 1, {7}, 4999us}};
  EXPECT_EQ(only_verdict(pass).evidence,
            "other processes used 0.09 of 2 CPUs: cc (process 7) 0.05, and others that the system does not "
            "report; " +
                waited)
      << "less than half";
}

TEST(InstabilityEvidence, of_too_many_threads) {
  const RunPass pass = hundred_runs(3ms, [](Usage& used, bool is_slow) {
    used.cpu_time = used.run_delay = is_slow ? 3ms : 1ms, used.machine_busy = used.cpu_time;
  });
  const InstabilityVerdict verdict = only_verdict(pass, {2, 0.5});
  EXPECT_EQ(verdict.cause, Cause::oversubscribed);
  EXPECT_EQ(
      verdict.evidence,
      "waiting time for a CPU, summed over the model's threads: 3.00 ms in a slow run, 1.00 ms in a typical one; 2.0 "
      "of its threads were ready to run on 0.5 CPUs");
  EXPECT_EQ(verdict.fix, "use --threads 1 or fewer");
  EXPECT_NE(only_verdict(pass, {1, std::nullopt}).evidence.find("ready to run on 1 CPU"), std::string::npos);
}

TEST(InstabilityEvidence, of_a_limit_and_of_a_clock) {
  const RunPass held = hundred_runs(1ms, [](Usage& used, bool) { used.throttled = 50us; });
  EXPECT_EQ(only_verdict(held, {2, 0.5}).evidence,
            "the control group throttled the process for 5.00 ms in total: it may use 0.5 CPUs");
  EXPECT_EQ(only_verdict(held, {1, 4}).evidence,
            "the control group throttled the process for 5.00 ms in total: it may use 1 CPU");
  EXPECT_EQ(only_verdict(held).fix, "raise the container's CPU limit (cpu.max), or use fewer --threads");
  const RunPass slowed = hundred_runs(2ms, [](Usage& used, bool is_slow) { used.mhz = is_slow ? 1500 : 3000; });
  const InstabilityVerdict clock = only_verdict(slowed);
  EXPECT_EQ(clock.cause, Cause::throttled);
  EXPECT_NEAR(clock.share, 1, 1e-9);
  EXPECT_EQ(clock.evidence, "1500 MHz in slow runs, 3000 MHz typically");
  EXPECT_EQ(clock.fix, "fix the clock (cpupower frequency-set -g performance), and check cooling and power limits");
  const RunPass partly = hundred_runs(3ms, [](Usage& used, bool is_slow) { used.mhz = is_slow ? 2000 : 3000; });
  EXPECT_NEAR(only_verdict(partly).share, 0.5, 1e-9) << "1 of 2 ms: a third of 3 ms is lost to the clock";
}

TEST(InstabilityEvidence, of_stolen_time_and_of_page_faults) {
  const RunPass stolen = hundred_runs(3ms, [](Usage& used, bool is_slow) { used.steal = is_slow ? 2ms : 0ms; });
  EXPECT_EQ(only_verdict(stolen).evidence,
            "the hypervisor gave 4.5 % of the virtual CPUs' time to others (steal time)");
  EXPECT_EQ(only_verdict(stolen).fix, "measure on a dedicated machine, or on dedicated virtual CPUs");
  const RunPass grown = hundred_runs(3ms, [](Usage& used, bool is_slow) { used.minor_faults = is_slow ? 1010 : 10; });
  EXPECT_EQ(only_verdict(grown).evidence, "1010 page faults in a slow run, 10 in a typical one; 0 read from disk");
  EXPECT_EQ(only_verdict(grown).fix,
            "keep memory between runs: bind outputs, or use a malloc that returns less to the system");
  EXPECT_NEAR(only_verdict(grown).share, 0.5, 1e-9) << "those beyond the usual ones, by 1 µs each";
  const RunPass read = hundred_runs(3ms, [](Usage& used, bool is_slow) { used.major_faults = is_slow ? 10 : 0; });
  EXPECT_EQ(only_verdict(read).evidence, "0 page faults in a slow run, 0 in a typical one; 50 read from disk");
  EXPECT_EQ(only_verdict(read).fix,
            "leave memory free so that weights stay resident, and warm up longer (--warmup-iter)");
}

TEST(InstabilityEvidence, of_first_runs) {
  RunPass pass;
  for (int i = 0; i < 60; ++i) {
    pass.samples.push_back(i == 0 ? 9ms : i == 1 ? 5ms : 1ms);
    pass.usage.push_back({1, pass.samples.back(), {}});
  }
  const InstabilityVerdict verdict = only_verdict(pass);
  EXPECT_EQ(verdict.cause, Cause::first_run_effects);
  EXPECT_EQ(verdict.evidence, "the first run took 9.00 ms, the second 5.00 ms, the median is 1.00 ms");
  EXPECT_EQ(verdict.fix, "warm up longer (--warmup-iter)");
}

TEST(InstabilityEvidence, of_the_plain_pass_or_else_of_the_profiled_one) {
  RunResult result;
  EXPECT_FALSE(find_instability(result));
  result.cpu_limit = {2, std::nullopt};
  result.profiled = waiting_runs(true);
  EXPECT_EQ(find_instability(result).value().verdicts.size(), 1u);
  result.plain = hundred_runs(1ms, [](Usage&, bool) {});
  EXPECT_EQ(find_instability(result).value().verdicts.size(), 0u);
}

TEST(UsageJson, has_a_list_for_each_figure_and_null_for_what_is_not_told) {
  RunPass pass;
  Usage all;
  all.run_delay = 1ns, all.cpu_time = 2ns, all.voluntary_switches = 3, all.involuntary_switches = 4;
  all.minor_faults = 5, all.major_faults = 6, all.machine_busy = 7ns, all.steal = 8ns, all.throttled = 9ns;
  all.mhz = 3000.5;
  pass.usage = {{1, 100ns, all}, {20, 200ns, {}}};
  const std::string text = R"({
"runs": [1, 20],
"wall_ns": [100, 200],
"run_delay_ns": [1, null],
"cpu_time_ns": [2, null],
"voluntary_switches": [3, null],
"involuntary_switches": [4, null],
"minor_faults": [5, null],
"major_faults": [6, null],
"machine_busy_ns": [7, null],
"steal_ns": [8, null],
"throttled_ns": [9, null],
"mhz": [3000.5, null])";
  EXPECT_EQ(usage_json(pass), text + "\n}");
  pass.cache_walks = {40us, 41us};
  EXPECT_EQ(usage_json(pass), text + ",\n\"cache_walk_ns\": [40000, 41000]\n}");
}

PartialShape shape_of(const std::vector<std::int64_t>& sizes) {
  PartialShape shape;
  for (const std::int64_t size : sizes) shape.push_back(size < 0 ? Dim{} : Dim{size, ""});
  return shape;
}

TEST(KnownShapes, add_only_what_is_not_known_yet) {
  struct Case {
    std::vector<std::int64_t> known, told, then;
  };
  for (const Case& c : std::vector<Case>{{{2, 3}, {4, 5}, {2, 3}},
                                         {{2, 3}, {-1, -1}, {2, 3}},
                                         {{2, 3}, {6}, {2, 3}},
                                         {{-1, 3}, {2, 3}, {2, 3}},
                                         {{5, -1}, {2, 3}, {2, 3}},
                                         {{-1, 3}, {6}, {6}},
                                         {{-1, 3}, {-1, -1, 3}, {-1, 3}},
                                         {{-1, -1}, {-1, 3}, {-1, 3}},
                                         {{2, -1}, {-1, -1}, {2, -1}},
                                         {{2, -1, -1}, {5, 3, -1}, {2, 3, -1}}}) {
    TensorShapes shapes{{"x", shape_of(c.known)}};
    add_known(shapes, {{"x", shape_of(c.told)}});
    EXPECT_EQ(to_string(shapes.at("x")), to_string(shape_of(c.then)))
        << to_string(shape_of(c.known)) << " and " << to_string(shape_of(c.told));
  }
  TensorShapes shapes;
  add_known(shapes, {{"y", shape_of({-1, 3})}});
  EXPECT_EQ(to_string(shapes.at("y")), to_string(shape_of({-1, 3})));
}

TEST(Precision, is_told_or_else_of_all_types_that_numbers_are_computed_in) {
  RunResult result;
  EXPECT_EQ(precision_of(result), "");
  Graph graph;
  graph.tensors.push_back({"x", ElementType::f32, {}, false, {}, {}, false});
  graph.inputs = {0};
  for (const ElementType type : {ElementType::u8, ElementType::i8, ElementType::f64, ElementType::f32, ElementType::f16,
                                 ElementType::bf16, ElementType::i32, ElementType::boolean, ElementType::u16}) {
    const auto made = static_cast<TensorId>(graph.tensors.size());
    graph.tensors.push_back({"y" + std::to_string(made), type, {}, false, {}, {}, false});
    graph.ops.push_back({"op" + std::to_string(made), "Cast", "", {0}, {no_tensor, made}, {}, {}, 0});
  }
  result.graph = graph;
  EXPECT_EQ(precision_of(result), "bfloat16+float16+float32+float64+int8+uint8");
  result.precision = ElementType::f16;
  EXPECT_EQ(precision_of(result), "float16");
}

}  // namespace
}  // namespace takt
