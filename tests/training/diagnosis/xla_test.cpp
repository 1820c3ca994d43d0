// Traces of XLA's profiler: real ones of small trainings by JAX 0.10.2 on a CPU (traces/jax_*.trace.json.gz), each with
// a fault planted in its loop, and made ones of devices.
#include "training/steps/xla_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "places.h"
#include "trace/read/reader.h"
#include "training/diagnosis/diagnosis.h"
#include "training/steps/roles.h"

namespace takt {
namespace {

using enum TrainingCause;

Diagnosis of_jax(const std::string& name) {
  return diagnose(name, read_trace(source_dir() / "tests/training/diagnosis/traces" / (name + ".trace.json.gz")).trace);
}

struct JaxTraining {
  const char* name;
  std::optional<TrainingCause> cause;  // of the first verdict; nullopt: none that says more than that it computes
  const char* says = "";               // in its evidence and advice
};

class Jax : public testing::TestWithParam<JaxTraining> {};

TEST_P(Jax, has_its_steps_and_its_cause) {
  const Diagnosis one = of_jax(GetParam().name);
  ASSERT_EQ(one.steps.list.size() + one.steps.warm_up.size(), 10u);
  EXPECT_EQ(one.steps.source, StepSource::marks);
  EXPECT_EQ(one.steps.list.back().number, 13) << "step_num of the last one";
  for (const Abstention& abstention : one.abstentions)
    EXPECT_EQ(name_of(abstention.cause), name_of(data_starvation)) << "a processor has no multiprocessors to fill";
  std::optional<TrainingCause> first;
  if (!one.verdicts.empty()) first = one.verdicts[0].verdict.cause;
  if (!GetParam().cause) {
    EXPECT_TRUE(!first || *first == compute_bound || *first == warm_up) << one.verdicts[0].verdict.evidence;
    return;
  }
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(name_of(*first), name_of(*GetParam().cause));
  EXPECT_THAT(one.verdicts[0].verdict.evidence + " " + one.verdicts[0].verdict.fix,
              testing::HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(Of, Jax,
                         testing::Values(JaxTraining{"jax_none", std::nullopt},
                                         JaxTraining{"jax_input", host_bound, "jaxtrain.py:19 get"},
                                         JaxTraining{"jax_input_without_frames", host_bound, "python_tracer_level"},
                                         JaxTraining{"jax_gc", host_bound, "gc collect"},
                                         JaxTraining{"jax_recompile", host_bound, "JAX_EXPLAIN_CACHE_MISSES"},
                                         JaxTraining{"jax_transfer", exposed_copy, "between host and device"}),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

/// Six executions of a function of ten operations of 100 µs, each called after `own` µs of the program's own.
Trace gpu_trace(double own, const char* thread, bool has_numbers) {
  Trace trace;
  const ProcessId host = trace.add_process("/host:CPU", 701), gpu = trace.add_process("/device:GPU:0", 1);
  const RowId python = trace.add_row(host, "python", 5), work = trace.add_row(gpu, thread, 13),
              modules = trace.add_row(gpu, "XLA Modules", 22), steps = trace.add_row(gpu, "Steps", 21);
  const auto add = [&](RowId row, const std::string& name, double start, double length, const TraceValues& args = {}) {
    const EventId event = trace.add_event(row, name, "", Nanoseconds(static_cast<std::int64_t>(start * 1000)),
                                          Nanoseconds(static_cast<std::int64_t>(length * 1000)));
    if (!args.empty()) trace.set_args(event, args);
  };
  double now = 100, busy = 0;
  for (int step = 0; step < 6; ++step) {
    const double begin = now;
    now += own;
    add(python, "PjitFunction(train_step)", now, 40);
    add(python, "PjitFunction(train_step)", now + 1, 38);
    add(python, "PjRtCApiLoadedExecutable::Execute", now + 5, 30);
    const double start = std::max(now + 30, busy);
    for (int i = 0; i < 10; ++i) {
      const bool sends = i == 9;
      TraceValues args{{"hlo_op", "fusion." + std::to_string(i)}, {"hlo_module", "jit_train_step"}};
      if (has_numbers) args.push_back({"run_id", std::to_string(1000 + step)});
      add(work, sends ? "ncclDevKernel_AllReduce_Sum_f32_RING_LL" : "loop_add_fusion_" + std::to_string(i),
          start + 100 * i, 100, args);
    }
    busy = start + 1000;
    add(modules, "jit_train_step(123)", start, 1000);
    add(steps, std::to_string(step), start, 1000);
    add(python, "$array.py:631 block_until_ready", now + 41, busy + 3 - now - 41);
    add(python, "$array.py:640 _value", now + 50, busy + 2 - now - 50);
    now = busy + 5;
    add(python, "train", begin, now - begin, {{"step_num", std::to_string(40 + step)}});
  }
  return trace;
}

TEST(XlaRows, of_a_device_have_steps_work_and_its_launches) {
  for (const char* thread : {"Stream #13(Compute)", "XLA Ops"})
    for (const bool has_numbers : {true, false}) {
      const Diagnosis one = diagnose("made", gpu_trace(3'000, thread, has_numbers));
      ASSERT_EQ(one.steps.list.size(), 6u);
      EXPECT_EQ(one.steps.list.front().number, 40);
      EXPECT_NEAR(static_cast<double>(one.breakdown.sum(StepPart::kernel)) / 6e6, 0.9, 0.01);
      EXPECT_NEAR(static_cast<double>(one.breakdown.sum(StepPart::communication)) / 6e6, 0.1, 0.01);
      ASSERT_FALSE(one.verdicts.empty());
      EXPECT_EQ(one.verdicts[0].verdict.cause, host_bound);
      EXPECT_NEAR(static_cast<double>(one.verdicts[0].verdict.total()) / 6e6, 3.0, 0.1);
    }
}

/// Six steps of a loop of ten layers, each with a sum over all devices of 25 µs in 100; all but `bare` µs of the loop
/// is in what it runs.
Diagnosis of_loop(double bare) {
  Trace trace;
  const RowId python = trace.add_row(trace.add_process("/host:CPU", 701), "python", 5),
              ops = trace.add_row(trace.add_process("/device:TPU:0", 3), "XLA Ops", 3);
  const auto add = [&](RowId row, const std::string& name, double start, double length, const TraceValues& args) {
    const EventId event = trace.add_event(row, name, "", Nanoseconds(static_cast<std::int64_t>(start * 1000)),
                                          Nanoseconds(static_cast<std::int64_t>(length * 1000)));
    trace.set_args(event, args);
  };
  for (int step = 0; step < 6; ++step) {
    const double begin = 100 + (1'010 + bare) * step;
    add(ops, "while.1", begin + 5, 1'000 + bare, {{"hlo_category", "while"}});
    for (int i = 0; i < 10; ++i) {
      add(ops, "fusion.1", begin + 5 + 100 * i, 75, {{"hlo_category", "convolution fusion"}});
      add(ops, "all-reduce.1", begin + 80 + 100 * i, 25, {{"hlo_category", "all-reduce"}});
    }
    add(python, "train", begin, 1'010 + bare, {{"step_num", std::to_string(step)}});
  }
  return diagnose("made", trace);
}

TEST(XlaRows, a_loop_counts_as_what_it_runs) {
  const Diagnosis one = of_loop(0);
  EXPECT_NEAR(static_cast<double>(one.breakdown.sum(StepPart::kernel)) / 6e6, 0.75, 0.01);
  EXPECT_NEAR(static_cast<double>(one.breakdown.sum(StepPart::communication)) / 6e6, 0.25, 0.01);
  ASSERT_FALSE(one.verdicts.empty());
  EXPECT_EQ(one.verdicts[0].verdict.cause, exposed_communication);
  EXPECT_EQ(of_loop(1'000).breakdown.sum(StepPart::communication), 0) << "what else it ran was not recorded";
}

/// A program and a device's stream, event by event; times in microseconds.
struct XlaLine {
  Trace trace;
  RowId python = trace.add_row(trace.add_process("/host:CPU", 701), "python", 5);
  ProcessId gpu = trace.add_process("/device:GPU:0", 1);
  RowId stream = trace.add_row(gpu, "Stream #13(Compute)", 13), ops = trace.add_row(gpu, "XLA Ops", 23);

  void add(RowId row, const std::string& name, std::int64_t start, std::int64_t length, const TraceValues& args = {}) {
    const EventId event = trace.add_event(row, name, "", Nanoseconds(start * 1000), Nanoseconds(length * 1000));
    if (!args.empty()) trace.set_args(event, args);
  }
  void call(const std::string& function, std::int64_t start, std::int64_t length) {
    add(python, "PjitFunction(" + function + ")", start, length);
    add(python, "PjRtCApiLoadedExecutable::Execute", start + length - 3, 2);
    add(python, "CommonPjRtLoadedExecutable::ExecuteHelperOnSingleDevice", start + length - 2, 1);
  }
  void work(const std::string& function, const std::string& run, std::int64_t start) {
    const TraceValues args{{"hlo_op", "dot"}, {"hlo_module", "jit_" + function}, {"run_id", run}};
    add(stream, "dot", start, 90, args);
    add(ops, "dot", start, 90, args);
  }
  /// The numbers of spans of the role, by start.
  std::vector<std::int64_t> numbers(Role role) const {
    std::vector<std::int64_t> list;
    for (const HostSpan& span : activity_of(trace).host)
      if (span.role == role) list.push_back(span.correlation);
    return list;
  }
  std::vector<std::int64_t> numbers_of_work() const {
    std::vector<std::int64_t> list;
    for (const DeviceSpan& work : activity_of(trace).device) list.push_back(work.correlation);
    return list;
  }
};
using Numbers = std::vector<std::int64_t>;

TEST(XlaRows, join_executions_with_calls_of_their_function_in_their_order) {
  XlaLine line;
  line.call("f", 0, 10);
  line.call("f", 10, 10);
  line.call("f", 20, 30);
  line.add(line.python, "PjitFunction(h)", 21, 4);  // is traced, not called
  line.call("g", 60, 10);
  line.call("f", 1000, 10);  // its work is not in the trace
  line.work("f", "7", 100);
  line.work("f", "8", 200);
  line.work("f", "9", 300);
  line.work("g", "5", 400);
  EXPECT_EQ(line.numbers(Role::launch), (Numbers{7, 8, 9, 5, 0}));
  EXPECT_EQ(line.numbers_of_work(), (Numbers{7, 8, 9, 5})) << "of the stream alone";
}

TEST(XlaRows, join_work_with_calls_by_what_is_drawn_around_it) {
  XlaLine line;
  const RowId modules = line.trace.add_row(line.gpu, "XLA Modules", 22);
  line.call("f", 0, 10);
  line.call("f", 10, 10);
  for (const std::int64_t start : {100, 200}) {
    line.add(modules, "jit_f(123)", start, 90);
    line.add(line.stream, "dot", start, 90, {{"hlo_op", "dot"}});
  }
  line.add(line.stream, "dot", 290, 10, {{"hlo_op", "dot"}});
  EXPECT_EQ(line.numbers(Role::launch), (Numbers{1, 2}));
  EXPECT_EQ(line.numbers_of_work(), (Numbers{1, 2, 0})) << "the last is in none";
}

TEST(XlaRows, leave_calls_of_the_devices_runtime_with_their_work) {
  XlaLine line;
  line.call("f", 0, 10);
  line.add(line.python, "cuLaunchKernel", 4, 1, {{"correlation_id", "77"}});
  line.add(line.stream, "dot", 100, 90, {{"hlo_op", "dot"}, {"run_id", "7"}, {"correlation_id", "77"}});
  EXPECT_EQ(line.numbers(Role::launch), Numbers{77}) << "executions are no launches then";
  EXPECT_EQ(line.numbers_of_work(), Numbers{77});
}

TEST(XlaRows, join_copies_with_what_puts_there) {
  XlaLine line;
  line.add(line.stream, "MemcpyH2D", 1, 1);
  line.add(line.python, "DevicePut", 10, 5);
  line.add(line.stream, "MemcpyH2D", 20, 5);
  line.add(line.stream, "MemcpyH2D", 30, 5);
  line.add(line.python, "DevicePut", 40, 5);
  line.add(line.stream, "MemcpyH2D", 50, 5);
  line.call("f", 60, 10);
  line.work("f", "7", 100);
  EXPECT_EQ(line.numbers_of_work(), (Numbers{0, -1, -1, -2, 7}));
  EXPECT_EQ(line.numbers(Role::op), (Numbers{-1, -2, 0}));
}

TEST(XlaRows, count_calls_that_wait_once) {
  XlaLine line;
  line.call("f", 0, 10);
  line.add(line.python, "$array.py:631 block_until_ready", 20, 100);
  line.add(line.python, "np.asarray(jax.Array)", 21, 98);
  line.add(line.python, "$array.py:640 _value", 22, 98);
  line.add(line.python, "$array.py:640 _value", 120, 5);
  EXPECT_EQ(line.numbers(Role::synchronisation).size(), 2u);
}

TEST(XlaRows, of_other_profilers_are_none) {
  Trace other;
  const RowId row = other.add_row(other.add_process("/host:CPU", 1), "python", 1);
  EXPECT_FALSE(XlaRows(other).is_xla()) << "nothing of XLA's in it: TensorFlow's timeline";
  other.add_event(row, "PjitFunction(f)", "", Nanoseconds(0), Nanoseconds(1));
  EXPECT_TRUE(XlaRows(other).is_xla());
  Trace named;
  named.add_event(named.add_row(named.add_process("python", 1), "main", 1), "PjitFunction(f)", "", Nanoseconds(0),
                  Nanoseconds(1));
  EXPECT_FALSE(XlaRows(named).is_xla()) << "no process is named as XLA's are";
}

Role role_on_row(const char* process, const char* thread, const std::string& name, const TraceValues& args = {}) {
  Trace trace;
  const RowId row = trace.add_row(trace.add_process(process, 1), thread, 1);
  const EventId marker = trace.add_event(row, "PjitFunction(f)", "", Nanoseconds(0), Nanoseconds(1));
  trace.set_args(marker, TraceValues{{"hlo_op", "dot"}});
  const EventId event = trace.add_event(row, name, "", Nanoseconds(0), Nanoseconds(1));
  if (!args.empty()) trace.set_args(event, args);
  return XlaRows(trace).role_of(trace.events()[static_cast<std::size_t>(event)]);
}

TEST(XlaRows, have_roles_by_process_thread_name_and_arguments) {
  const auto in_program = [](const std::string& name) { return role_on_row("/host:CPU", "python", name); };
  EXPECT_EQ(in_program("PjitFunction(train_step)"), Role::op);
  EXPECT_EQ(in_program("CommonPjRtLoadedExecutable::ExecuteHelperOnSingleDevice"), Role::launch);
  EXPECT_EQ(in_program("np.asarray(jax.Array)"), Role::synchronisation);
  EXPECT_EQ(in_program("$array.py:631 block_until_ready"), Role::synchronisation);
  EXPECT_EQ(in_program("$mine.py:631 block_until_ready"), Role::frame);
  EXPECT_EQ(in_program("$pjit.py:250 cache_miss"), Role::compilation);
  EXPECT_EQ(in_program("backend_compile_and_load"), Role::compilation);
  EXPECT_EQ(in_program("PjRtCpuClient::Compile"), Role::compilation);
  EXPECT_EQ(in_program("$loader.py:12 __next__"), Role::data_wait);
  EXPECT_EQ(in_program("get_batch"), Role::data_wait);
  EXPECT_EQ(in_program("augment"), Role::annotation);
  EXPECT_EQ(in_program("PythonRefManager::CollectGarbage"), Role::none);
  EXPECT_EQ(in_program("cuLaunchKernel"), Role::launch);
  const char* worker = "tf_XLAPjRtCpuClient/12";
  EXPECT_EQ(role_on_row("/host:CPU", worker, "dot.1", {{"hlo_op", "dot.1"}}), Role::kernel);
  EXPECT_EQ(role_on_row("/host:CPU", worker, "ThunkExecutor::Execute"), Role::none);
  EXPECT_EQ(role_on_row("/host:CPU", worker, "H2D Dispatch"), Role::copy);
  EXPECT_EQ(role_on_row("/host:CPU", worker, "ThunkExecutor::Execute (wait for completion)"), Role::kernel);
  EXPECT_EQ(role_on_row("/host:CPU", worker, "augment"), Role::none);
  EXPECT_EQ(role_on_row("/host:CPU", "pjrt_pool/3", "augment"), Role::none);
  EXPECT_EQ(in_program("ExecuteReplicated.__call__"), Role::launch);
  const auto on_tpu = [](const std::string& name) { return role_on_row("/device:TPU:0", "XLA Ops", name); };
  EXPECT_EQ(on_tpu("fusion.3"), Role::kernel);
  EXPECT_EQ(on_tpu("all-reduce.1"), Role::communication);
  EXPECT_EQ(on_tpu("async-collective-done.1"), Role::communication);
  EXPECT_EQ(on_tpu("copy-start.2"), Role::copy);
  EXPECT_EQ(on_tpu("copy-done.2"), Role::copy);
  EXPECT_EQ(on_tpu("copy.2"), Role::kernel) << "turns a layout, on the device";
  EXPECT_EQ(on_tpu("infeed.1"), Role::none) << "the device waits";
  EXPECT_EQ(role_on_row("/device:TPU:0", "XLA Ops", "fusion.3", {{"hlo_category", "all-reduce-scatter fusion"}}),
            Role::communication);
  EXPECT_EQ(role_on_row("/device:TPU:0", "XLA Ops", "fusion.3", {{"hlo_category", "loop fusion"}}), Role::kernel);
  EXPECT_EQ(role_on_row("/device:GPU:0", "Stream #14(MemcpyH2D)", "MemcpyH2D"), Role::copy);
  EXPECT_EQ(role_on_row("/device:GPU:0", "Stream #13(Compute)", "Memset"), Role::fill);
  EXPECT_EQ(role_on_row("/device:GPU:0", "XLA Modules", "jit_f(1)"), Role::none);
  EXPECT_EQ(role_on_row("/device:GPU:0", "Steps", "1"), Role::none);
}

}  // namespace
}  // namespace takt
