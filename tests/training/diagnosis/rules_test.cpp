// Each rule of the diagnosis on a hand-made case: the borders of its thresholds, its price and its words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "training/diagnosis/verdict.h"

namespace takt {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t step_ns = 1'000'000;

/// Four steps of a millisecond. With a device each launches a kernel from 5 to 505 µs and waits for it until 510 µs, so
/// that what is taken out of the program behind makes the step as much shorter. Times in microseconds.
class Asked {
 public:
  explicit Asked(bool has_device = true, int steps = 4) {
    for (int i = 0; i < steps; ++i) list_.push_back({i, span_of(i), span_of(i)});
    steps_.source = StepSource::marks, steps_.list = list_;
    activity.trains = {true, false, false};
    activity.expects_device = has_device;
    if (!has_device) return;
    each(Role::launch, "cudaLaunchKernel", 0, 5, 1);
    kernel_ = {Role::kernel, 5, 500, 1};
    work(kernel_);
    each(Role::synchronisation, "cudaStreamSynchronize", 10, 500);
  }

  struct Work {
    Role role{};
    double start = 0, length = 0;
    std::int64_t number = 0;  // of the call within its step; 0: none
    std::string name = "gemm";
    std::int64_t device = 0;
    std::optional<float> occupancy{};
    bool is_pair = false;
  };
  void work(const Work& one) {
    for (std::size_t i = 0; i < list_.size(); ++i)
      activity.device.push_back({within(i, one.start, one.length), trace.intern(one.name), RowId{2}, one.role,
                                 one.number == 0 ? 0 : static_cast<std::int64_t>(i) * 100 + one.number, one.device, 0,
                                 one.is_pair, one.occupancy});
  }
  /// A span of the program in every step.
  void each(Role role, const std::string& name, double start, double length, std::int64_t number = 0, RowId row = {}) {
    for (std::size_t i = 0; i < list_.size(); ++i) {
      HostSpan span{within(i, start, length), trace.intern(name), row, role};
      if (number != 0) span.correlation = static_cast<std::int64_t>(i) * 100 + number;
      span.is_top = true, span.self_ns = span.span.end - span.span.start;
      const bool is_named = role == Role::frame || role == Role::profiling || role == Role::compilation;
      (is_named ? activity.named : activity.host).push_back(span);
    }
  }
  /// The same stretch of every step.
  Intervals times(double start, double length) const {
    Intervals all;
    for (std::size_t i = 0; i < list_.size(); ++i) all.push_back(within(i, start, length));
    return all;
  }
  void take(double at, std::int64_t bytes, std::int64_t device) {
    for (std::size_t i = 0; i < list_.size(); ++i)
      activity.memory.push_back({within(i, at, 0).start, bytes, {}, device});
  }
  void forget_device() { activity.device.clear(); }

  RuleOutcome operator()(RuleOutcome (*look)(const TrainingCase&)) {
    sort_by_start(activity.host);
    sort_by_start(activity.device);
    std::sort(activity.memory.begin(), activity.memory.end(),
              [](const MemoryMoment& a, const MemoryMoment& b) { return a.time < b.time; });
    const Breakdown breakdown = break_down(activity, steps_);
    const Replay replay(activity, steps_);
    return look({trace, activity, steps_, breakdown, idle, line, replay});
  }

  Trace trace;
  Activity activity;
  IdleCauses idle;
  HostLine line;

 private:
  static TimeInterval span_of(int step) { return {step * step_ns, (step + 1) * step_ns}; }
  TimeInterval within(std::size_t step, double start, double length) const {
    const auto from = list_[step].span.start + static_cast<std::int64_t>(start * 1000);
    return {from, from + static_cast<std::int64_t>(length * 1000)};
  }

  std::vector<TrainingStep> list_;
  Steps steps_;
  Work kernel_;
};

std::string evidence_of(const RuleOutcome& one) { return one.verdict ? one.verdict->evidence : one.missing; }
std::string fix_of(const RuleOutcome& one) { return one.verdict ? one.verdict->fix : ""; }
/// Microseconds per step.
double price_of(const RuleOutcome& one) { return one.verdict ? static_cast<double>(one.verdict->total()) / 4000 : 0; }

RuleOutcome waits(double synchronisation, double other, int reads = 0) {
  Asked asked;
  for (int i = 0; i < reads; ++i) asked.each(Role::scalar_read, "aten::item", 600 + 20 * i, 10);
  asked.idle.synchronisation = asked.times(510, synchronisation);
  asked.idle.other = asked.times(800, other);
  return asked(look_for_synchronisation);
}

TEST(Rules, of_waits_ask_for_two_hundredths_of_the_step_behind_the_waits) {
  const RuleOutcome found = waits(20, 30, 2);
  EXPECT_EQ(evidence_of(found),
            "1.0 calls per step wait for the device, which is then idle for 20.0 µs per step; 2.0 values per step are "
            "read back (item, nonzero)");
  EXPECT_EQ(price_of(found), 490) << "the step without its kernel, and without the launch that stays";
  EXPECT_THAT(evidence_of(waits(50, 0)), EndsWith("idle for 50.0 µs per step"));
  EXPECT_EQ(evidence_of(waits(19.999, 30.001)), "") << "the device waits for something else";
}

TEST(Rules, of_waits_without_a_device_count_five_reads_outside_the_optimizer) {
  const auto reads = [](int count) {
    Asked asked(false);
    for (int i = 0; i < count; ++i) asked.each(Role::scalar_read, "aten::item", 100 + 20 * i, 10);
    asked.each(Role::optimizer, "Optimizer.step#SGD.step", 800, 100);
    asked.each(Role::scalar_read, "aten::item", 850, 10);
    return asked(look_for_synchronisation);
  };
  EXPECT_EQ(evidence_of(reads(5)),
            "5.0 values per step are read back (item, nonzero), which takes 50.0 µs per step here; with a device, each "
            "read waits until the device is done");
  EXPECT_EQ(price_of(reads(5)), 50);
  EXPECT_EQ(evidence_of(reads(4)), "");
}

RuleOutcome launches(double launching, double idle, double runner = 0, double last_kernel = 0) {
  Asked asked;
  if (last_kernel > 0) asked.work({Role::kernel, 700, last_kernel});
  if (runner > 0) asked.each(Role::op, "aten::mul", 510, runner);
  asked.line.launching = asked.times(510, launching);
  asked.idle.launch = asked.times(510, idle);
  return asked(look_for_tiny_kernels);
}

TEST(Rules, of_launches_ask_for_a_tenth_of_the_step_in_which_device_and_program_wait_for_them) {
  EXPECT_EQ(
      evidence_of(launches(100, 120, 60)),
      "1 kernels per step, with a median time of 500 µs; the device waits 120 µs per step for launches, 60.0 µs of "
      "it in aten::mul");
  EXPECT_EQ(price_of(launches(100, 120)), 100);
  EXPECT_EQ(price_of(launches(120, 100)), 100);
  EXPECT_EQ(evidence_of(launches(99.999, 120)), "");
  EXPECT_EQ(evidence_of(launches(120, 99.999)), "");
  EXPECT_THAT(evidence_of(launches(100, 120, 59.999)), EndsWith("for launches")) << "less than half of it";
  EXPECT_EQ(price_of(launches(200, 100, 0, 5)), 105) << "kernels of 5 µs would vanish in others";
  EXPECT_EQ(price_of(launches(200, 100, 0, 5.001)), 100);
}

RuleOutcome calls(const std::string& name, double length, double idle) {
  Asked asked;
  asked.each(Role::allocation, name, 600, length);
  asked.each(Role::allocation, "cudaFree", 800, 1);
  asked.idle.allocation = asked.times(600, idle - 10);
  asked.idle.other = asked.times(900, 10);
  return asked(look_for_churn);
}

TEST(Rules, of_churn_ask_for_a_twentieth_of_the_step_in_calls) {
  const RuleOutcome found = calls("cudaMalloc", 100, 50);
  EXPECT_EQ(
      evidence_of(found),
      "2.0 calls per step allocate or free device memory and take 101 µs per step; the device is idle for 40.0 µs "
      "of it");
  EXPECT_EQ(price_of(found), 101) << "what the program needs for it";
  EXPECT_THAT(fix_of(found), EndsWith("(or set expandable_segments)."));
  EXPECT_EQ(evidence_of(calls("cudaMalloc", 48.999, 50)), "");
  EXPECT_EQ(price_of(calls("cudaMalloc", 49, 50)), 50);
  EXPECT_THAT(fix_of(calls("cuMemMap", 100, 200)), EndsWith("use less of it (smaller batch, checkpointing)."));
}

/// Blocks of 4 MB, which operators of `micros` in all take.
RuleOutcome turnover(bool on_device, int blocks, double micros, std::int64_t held = 4'000'000,
                     bool is_loaders = false) {
  Asked asked(on_device);
  const std::int64_t device = on_device ? 1 : 0;
  for (int i = 0; i < blocks; ++i)
    asked.take(600 + 2 * i, 4'000'000, device), asked.take(601 + 2 * i, -4'000'000, device);
  asked.take(500, held - 4'000'000, device), asked.take(999, 4'000'000 - held, device);
  asked.take(510, 1 << 30, 1 - device), asked.take(520, -(1 << 30), 1 - device);
  asked.each(Role::op, "aten::empty", 600, micros);
  for (HostSpan& span : asked.activity.host) span.takes_memory = span.role == Role::op;
  if (is_loaders) asked.each(Role::data_wait, "enumerate(DataLoader)#x", 600, micros);
  return asked(look_for_churn);
}

TEST(Rules, of_turnover_ask_for_four_times_the_memory_and_an_eighth_of_the_step) {
  EXPECT_EQ(
      evidence_of(turnover(false, 4, 125)),
      "15.3 MiB allocated per step in 4 blocks, 4 times the memory in use; operators that allocate it and giving it back "
      "take 125 µs per step");
  EXPECT_EQ(price_of(turnover(false, 4, 125)), 125);
  EXPECT_EQ(evidence_of(turnover(false, 4, 124.999)), "");
  EXPECT_EQ(evidence_of(turnover(false, 3, 125)), "");
  EXPECT_EQ(evidence_of(turnover(false, 4, 125, 5'000'000)), "") << "17 of 5 MB";
  EXPECT_EQ(evidence_of(turnover(false, 4, 125, 4'000'000, true)), "") << "of a loader";
  EXPECT_EQ(
      evidence_of(turnover(true, 4, 50)),
      "15.3 MiB allocated per step in 4 blocks, 4 times the memory in use; operators that allocate it and kernels "
      "that fill it take 50.0 µs per step");
  EXPECT_EQ(evidence_of(turnover(true, 4, 49.999)), "");
}

TEST(Rules, of_small_kernels_weigh_them_by_their_times) {
  Asked asked;
  asked.forget_device();
  asked.work({Role::kernel, 5, 400, 1, "gemm", 0, 0.25F});
  asked.work({Role::kernel, 405, 100, 0, "add", 0, 0.75F});
  asked.work({Role::kernel, 505, 100, 0, "untold"});
  const RuleOutcome found = asked(look_for_small_batch);
  EXPECT_EQ(evidence_of(found),
            "kernels run for 60 % of the time, but occupy only 35 % of the device's multiprocessors (time-weighted)");
  EXPECT_NEAR(price_of(found), 600 * 0.65, 0.01);
}

RuleOutcome copies(double length, const std::string& name = "Memcpy HtoD (Pinned -> Device)") {
  Asked asked;
  asked.work({Role::copy, 480, 25 + length, 0, name});  // 25 µs beside a kernel
  asked.work({Role::copy, 700, 90, 0, "Memcpy DtoD (Device -> Device)"});
  asked.work({Role::copy, 100, 10, 0, "Memcpy DtoH (Device -> Pageable)"});
  return asked(look_for_exposed_copies);
}

TEST(Rules, of_copies_ask_for_a_tenth_of_the_step_without_kernels) {
  EXPECT_EQ(evidence_of(copies(100)),
            "copies between host and device take 100 µs per step while no kernel runs; 4 of 8 use pageable memory");
  EXPECT_EQ(price_of(copies(100)), 100);
  EXPECT_EQ(evidence_of(copies(99.999)), "");
  for (const char* name : {"HtoD", "DtoH", "HostToDevice", "DeviceToHost"}) EXPECT_EQ(price_of(copies(150, name)), 150);
  EXPECT_THAT(fix_of(copies(100)), testing::StartsWith("Copy from pinned memory"));
  Asked pinned;
  pinned.work({Role::copy, 600, 200, 0, "HtoD"});
  EXPECT_THAT(fix_of(pinned(look_for_exposed_copies)), testing::StartsWith("Copy less, or on a stream"));
  Asked lost;
  lost.each(Role::launch, "cudaMemcpyAsync", 600, 5);
  EXPECT_EQ(evidence_of(lost(look_for_exposed_copies)), "events of the copies that the program launched");
}

/// So much communication of all ranks, then of pairs, on that many devices.
RuleOutcome sent(double shared, double pairs, int devices = 1) {
  Asked asked;
  for (int device = 0; device < devices; ++device) asked.work({Role::communication, 600, shared, 0, "all", device});
  if (pairs > 0) asked.work({Role::communication, 600 + shared, pairs, 0, "sendrecv", 0, {}, true});
  return asked(look_for_exposed_communication);
}

TEST(Rules, of_communication_ask_for_a_twentieth_of_the_step_and_say_with_whom) {
  EXPECT_EQ(evidence_of(sent(50, 0)), "communication between ranks takes 50.0 µs per step while nothing is computed");
  EXPECT_EQ(evidence_of(sent(49.999, 0)), "");
  EXPECT_EQ(price_of(sent(100, 100)), 200);
  EXPECT_THAT(evidence_of(sent(100, 100)), Not(HasSubstr("receives")));
  EXPECT_EQ(evidence_of(sent(100, 101)),
            "communication between ranks takes 201 µs per step while nothing is computed, 101 µs of it sends and "
            "receives, which last until the other rank comes");
  EXPECT_EQ(evidence_of(sent(100, 0, 2)),
            "communication between the devices of this process takes 100 µs per step while nothing is computed");
}

TEST(Rules, of_full_use_ask_for_four_fifths_of_the_step) {
  const auto use = [](bool has_device, double length) {
    Asked asked(has_device);
    asked.forget_device();
    if (has_device) asked.work({Role::kernel, 0, length});
    asked.each(Role::op, "aten::mm", 0, has_device ? 10 : length);
    return evidence_of(asked(look_for_full_use));
  };
  EXPECT_EQ(use(true, 800), "80 % of step time is compute");
  EXPECT_EQ(use(true, 799.999), "");
  EXPECT_EQ(use(false, 800), "80 % of step time is compute");
  EXPECT_EQ(use(false, 799.999), "");
}

TEST(Rules, of_devices_in_turn_ask_for_a_tenth_that_the_busiest_does_not_have) {
  const auto turns = [](double second) {
    Asked asked;
    asked.work({Role::kernel, 405, 100 + second, 0, "gemm", 1});
    asked.work({Role::communication, 900, 100, 0, "all", 2});
    return asked(look_for_serial_devices);
  };
  EXPECT_EQ(evidence_of(turns(100)),
            "2 devices of this process work one after the other; each computes for 35 % of the time on average");
  EXPECT_EQ(price_of(turns(100)), 100);
  EXPECT_EQ(evidence_of(turns(99.999)), "");
}

RuleOutcome own_code(bool has_device, const std::vector<std::pair<std::string, double>>& places, Role role = Role::none,
                     double covered = 0) {
  Asked asked(has_device);
  double start = 550;
  for (const auto& [name, length] : places) {
    asked.line.own.push_back({name, asked.times(start, length), {}});
    start += length + 10;
  }
  asked.idle.other = asked.times(0, 1000);
  if (role != Role::none) asked.each(role, "inside", 550, covered);
  return asked(look_for_own_code);
}

TEST(Rules, of_own_code_ask_for_a_twentieth_or_without_a_device_a_tenth) {
  EXPECT_EQ(evidence_of(own_code(true, {{"'a'", 50}})),
            "the device waits while the program does something else: 50.0 µs in 'a' per step");
  EXPECT_EQ(price_of(own_code(true, {{"'a'", 50}})), 50);
  EXPECT_EQ(evidence_of(own_code(true, {{"'a'", 49.999}})), "");
  EXPECT_EQ(evidence_of(own_code(false, {{"'a'", 100}})),
            "no operator runs while the program does something else: 100 µs in 'a' per step");
  EXPECT_EQ(evidence_of(own_code(false, {{"'a'", 99.999}})), "");
}

TEST(Rules, of_own_code_name_three_places_of_a_twentieth_each_and_whose_it_is) {
  const auto named = [](double third) {
    return evidence_of(
        own_code(true, {{"'a'", 200}, {"between x and y", 80}, {"'c'", third}, {"'d'", 20 - third / 2}}));
  };
  EXPECT_THAT(named(16), EndsWith(": 200 µs in 'a', 80.0 µs between x and y, 16.0 µs in 'c' per step"));
  EXPECT_THAT(named(15), EndsWith(": 200 µs in 'a', 80.0 µs between x and y per step")) << "15 of 307";
  const std::vector<std::pair<std::string, double>> place{{"'a'", 100}};
  const auto of = [&](Role role, double covered) { return own_code(true, place, role, covered); };
  EXPECT_THAT(evidence_of(of(Role::profiling, 51)), HasSubstr("for the profiler itself: 100 µs in 'a' per step"));
  EXPECT_THAT(evidence_of(of(Role::profiling, 50)), HasSubstr("does something else"));
  EXPECT_THAT(evidence_of(of(Role::compilation, 51)), HasSubstr("while the network is compiled again: 100 µs in 'a'"));
  EXPECT_THAT(fix_of(of(Role::compilation, 50)), EndsWith("Record with with_stack=True to see the line of code."));
  EXPECT_THAT(fix_of(of(Role::frame, 50)), EndsWith("while the step runs."));
}

TEST(Rules, of_the_rest_name_the_largest_cause_of_idle_time) {
  struct Case {
    Intervals IdleCauses::*set;
    TrainingCause cause;
    std::string what;
  };
  for (const auto& [set, cause, what] :
       {Case{&IdleCauses::data_wait, TrainingCause::data_starvation, "the training loop waits for its batch"},
        Case{&IdleCauses::allocation, TrainingCause::allocator_churn, "memory of the device is allocated or freed"},
        Case{&IdleCauses::own, TrainingCause::host_bound, "the program does something else"},
        Case{&IdleCauses::synchronisation, TrainingCause::host_synchronisation,
             "the program goes on after waiting for it"},
        Case{&IdleCauses::launch, TrainingCause::tiny_kernels, "the program launches one kernel after the other"},
        Case{&IdleCauses::seldom, TrainingCause::host_bound, "the program does something else, at changing places"},
        Case{&IdleCauses::other, TrainingCause::host_bound, "the trace shows nothing that it waits for"}}) {
    Asked asked;
    double start = 600;
    for (auto part : {&IdleCauses::data_wait, &IdleCauses::allocation, &IdleCauses::own, &IdleCauses::synchronisation,
                      &IdleCauses::launch, &IdleCauses::seldom, &IdleCauses::other}) {
      asked.idle.*part = asked.times(start, part == set ? 40 : 10);
      start += 50;
    }
    const RuleOutcome found = asked(look_at_rest);
    ASSERT_TRUE(found.verdict) << what << ": exactly a tenth";
    EXPECT_EQ(found.verdict->cause, cause);
    EXPECT_EQ(price_of(found), 40);
    EXPECT_EQ(evidence_of(found), "the device is idle for 10 % of the time; for 40.0 µs per step of it " + what);
    EXPECT_THAT(fix_of(found), testing::StartsWith("Record with with_stack=True"));
    asked.idle.*set = asked.times(600, 39.999);
    EXPECT_EQ(evidence_of(asked(look_at_rest)), "");
  }
  Asked alike;
  alike.idle.launch = alike.times(600, 60), alike.idle.other = alike.times(700, 60);
  EXPECT_EQ(alike(look_at_rest).verdict->cause, TrainingCause::tiny_kernels) << "of equal ones the first";
  Asked alone;
  alone.activity.host.clear();
  alone.idle.other = alone.times(600, 100);
  EXPECT_THAT(fix_of(alone(look_at_rest)), testing::StartsWith("Record the program, too"));
}

/// The words of waits of 200 µs for batches of which operators run for so much, on the loop's thread or a worker's.
std::string loader_words(double working, RowId row, const std::string& loader = "enumerate(DataLoader)#_Single") {
  Asked asked(false);
  asked.each(Role::data_wait, loader, 100, 400);
  if (working > 0) asked.each(Role::op, "aten::add", 100, working, 0, row);
  return evidence_of(asked(look_for_data_starvation));
}

TEST(Rules, of_waits_for_batches_say_what_the_loader_does) {
  constexpr RowId loop{0}, worker{1};
  const std::string begin = "the training loop waits 400 µs per step for its batch while nothing else runs; ";
  EXPECT_EQ(loader_words(200, loop), begin + "CPU bound: operators run in 50 % of the wait");
  EXPECT_EQ(loader_words(200, worker), begin + "CPU bound: operators run in 50 % of the wait");
  EXPECT_EQ(loader_words(196, worker), begin + "I/O bound: operators run in only 49 % of the wait");
  EXPECT_THAT(loader_words(196, loop), HasSubstr("; operators run in 49 % of the wait; the rest is reading"));
  EXPECT_THAT(loader_words(300, loop, "_MultiProcessing"), HasSubstr("the loader's workers are separate processes"));
}

}  // namespace
}  // namespace takt
