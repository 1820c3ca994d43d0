// Programs, devices and what slows them, simulated: a fault and the same program without it, so that the right verdict
// and its price are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/statistics/random.h"
#include "places.h"
#include "training/diagnosis/diagnosis.h"

namespace takt {
namespace {

using enum TrainingCause;

enum class Fault : std::uint8_t { own_code, launches, waits, loader, allocation, copies, communication, checkpoint };
constexpr int fault_count = 8;

/// Times in microseconds; a fault of no strength is none.
struct SimulatedProgram {
  int kernels = 40, steps = 12;
  double kernel = 300, launch = 12, reads_loss = 1;
  double own_code = 0, loader = 100, allocation = 0, copy = 60, communication = 0, checkpoint = 0;
  int waits = 0, period = 4;
};

/// One host thread, one stream and a network; a step ends with a value that is read back, or runs ahead.
class Simulation {
 public:
  explicit Simulation(const SimulatedProgram& program) : p_(program) {
    host_ = trace_.add_row(trace_.add_process("python", 10), "main", 10);
    const ProcessId gpu = trace_.add_process("GPU", 1);
    stream_ = trace_.add_row(gpu, "stream 7", 7);
    trace_.set_property("deviceProperties", R"([{"id":0}])");
  }

  Trace run() {
    for (int step = 0; step < p_.steps; ++step) {
      const double start = now_;
      span("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "user_annotation", p_.loader);
      launch("Memcpy HtoD (Pinned -> Device)", "gpu_memcpy", "cudaMemcpyAsync", p_.copy);
      for (int i = 0; i < p_.kernels; ++i) {
        launch("gemm" + std::to_string(i), "kernel", "cudaLaunchKernel", p_.kernel);
        if (p_.waits > 0 && i % (p_.kernels / p_.waits) == 0) read_value();
        if (p_.allocation > 0 && i % 8 == 0) allocate();
      }
      if (p_.communication > 0) launch("ncclDevKernel_AllReduce", "kernel", "cudaLaunchKernel", p_.communication);
      launch("adam", "kernel", "cudaLaunchKernel", p_.kernel);
      if (p_.reads_loss > 0) read_value();
      now_ += p_.own_code;
      if (step % p_.period == p_.period - 1) now_ += p_.checkpoint;
      add(host_, "ProfilerStep#" + std::to_string(step), "user_annotation", start, now_);
    }
    return std::move(trace_);
  }
  double end() const { return std::max(now_, device_); }

 private:
  EventId add(RowId row, const std::string& name, const char* category, double from, double to) {
    return trace_.add_event(row, name, category, Nanoseconds(std::llround(from * 1000)),
                            Nanoseconds(std::llround(to * 1000) - std::llround(from * 1000)));
  }
  void span(const char* name, const char* category, double length) {
    add(host_, name, category, now_, now_ + length);
    now_ += length + 1;
  }
  void launch(const std::string& name, const char* category, const char* call, double length) {
    add(host_, "aten::" + name.substr(0, 4), "cpu_op", now_, now_ + p_.launch);
    const double called = now_ + p_.launch / 2;
    const TraceValues number{{"correlation", ++correlation_}, {"blocks per SM", 4.0}, {"device", std::int64_t{0}}};
    trace_.set_args(add(host_, call, "cuda_runtime", called, called + 3), number);
    const double start = std::max(device_, called + 6);
    trace_.set_args(add(stream_, name, category, start, start + length), number);
    device_ = start + length;
    now_ += p_.launch + 1;
  }
  void wait(const char* name) {
    const double until = std::max(now_ + 2, device_ + 2);
    trace_.set_args(add(host_, name, "cuda_runtime", now_, until), TraceValues{{"correlation", ++correlation_}});
    now_ = until + 1;
  }
  void read_value() {
    launch("Memcpy DtoH (Device -> Pageable)", "gpu_memcpy", "cudaMemcpyAsync", 1.5);
    wait("cudaStreamSynchronize");
    now_ += p_.waits > 0 ? 120 : 5;
  }
  void allocate() {
    const double until = std::max(now_, device_) + p_.allocation;
    add(host_, "cudaFree", "cuda_runtime", now_, until);
    now_ = until;
    device_ = std::max(device_, now_);
  }

  const SimulatedProgram& p_;
  Trace trace_;
  RowId host_{}, stream_{};
  double now_ = 1000, device_ = 0;
  std::int64_t correlation_ = 0;
};

struct Truth {
  TrainingCause cause;
  double per_step_us, saved_us;  // of the fault
  Trace trace;
};

void plant(SimulatedProgram& program, Fault fault, double strength) {
  const double step = program.kernels * program.kernel;
  switch (fault) {
    case Fault::own_code:
      program.own_code = strength * step;
      break;
    case Fault::launches:
      program.kernel = 20;
      program.launch = 20 * (1.3 + 2 * strength);
      program.kernels = 200;
      program.reads_loss = 0;
      break;
    case Fault::waits:
      program.waits = program.kernels / 2;
      program.kernel = 150 + 100 * strength;
      break;
    case Fault::loader:
      program.loader = 3000 + strength * step;
      break;
    case Fault::allocation:
      program.allocation = 300 + 1000 * strength;
      break;
    case Fault::copies:
      program.copy = 0.3 * step + strength * step;
      break;
    case Fault::communication:
      program.communication = 0.2 * step + strength * step;
      break;
    case Fault::checkpoint:
      program.checkpoint = program.period * strength * step;
      break;
  }
}

double length_of_run(const SimulatedProgram& program) {
  Simulation simulation(program);
  static_cast<void>(simulation.run());
  return (simulation.end() - 1000) / program.steps;
}

Truth truth_of(Fault fault, Random& random) {
  constexpr TrainingCause causes[fault_count] = {host_bound,      tiny_kernels, host_synchronisation,  data_starvation,
                                                 allocator_churn, exposed_copy, exposed_communication, periodic_stall};
  SimulatedProgram healthy;
  healthy.kernels = 24 + static_cast<int>(40 * uniform(random));
  healthy.kernel = 150 + 400 * uniform(random);
  SimulatedProgram sick = healthy;
  plant(sick, fault, 0.2 + 0.8 * uniform(random));
  SimulatedProgram mended = sick;
  if (fault == Fault::waits) mended.waits = 0;
  if (fault == Fault::launches) mended.launch = 0.5;
  mended.own_code = mended.checkpoint = mended.allocation = mended.communication = 0;
  if (fault == Fault::copies) mended.copy = 0.1;
  if (fault == Fault::loader) mended.loader = 0.1;
  Simulation simulation(sick);
  Trace trace = simulation.run();
  const double length = (simulation.end() - 1000) / sick.steps;
  return {causes[static_cast<std::size_t>(fault)], length, length - length_of_run(mended), std::move(trace)};
}

TEST(Simulated, faults_are_told_right_and_priced_as_their_removal_brings) {
  Random random(5);
  std::map<int, int> wrong, off;
  int all = 0, wrongs = 0, offs = 0, long_steps = 0;
  for (unsigned i = 0; i < random_cases(160); ++i) {
    const int fault = static_cast<int>(i % fault_count);
    const Truth truth = truth_of(static_cast<Fault>(fault), random);
    const Diagnosis one = diagnose("made", truth.trace);
    ++all;
    const double step = static_cast<double>(one.breakdown.total) / 1000 / 12;
    long_steps += std::abs(step / truth.per_step_us - 1) <= 0.01 ? 0 : 1;
    const bool is_right = !one.verdicts.empty() && one.verdicts[0].verdict.cause == truth.cause;
    wrongs += is_right ? 0 : 1;
    wrong[fault] += is_right ? 0 : 1;
    if (!is_right) continue;
    const double saved = static_cast<double>(one.verdicts[0].verdict.total()) / 1000 / 12;
    const bool is_off = std::abs(saved - truth.saved_us) > 0.1 * truth.saved_us;
    offs += is_off ? 1 : 0;
    off[fault] += is_off ? 1 : 0;
  }
  std::string counts;
  for (int fault = 0; fault < fault_count; ++fault)
    counts += "fault " + std::to_string(fault) + ": " + std::to_string(wrong[fault]) + " wrong, " +
              std::to_string(off[fault]) + " off; ";
  EXPECT_LE(wrongs, all * 3 / 100) << counts;
  EXPECT_LE(offs, all / 10) << counts;
  EXPECT_EQ(long_steps, 0) << counts;
}

TEST(Simulated, healthy_programs_have_no_cause) {
  Random random(6);
  for (unsigned i = 0; i < random_cases(40); ++i) {
    SimulatedProgram healthy;
    healthy.kernels = 24 + static_cast<int>(40 * uniform(random));
    healthy.kernel = 150 + 400 * uniform(random);
    healthy.reads_loss = static_cast<double>(i % 2);
    Simulation simulation(healthy);
    const Diagnosis one = diagnose("made", simulation.run());
    for (const PlacedVerdict& placed : one.verdicts)
      EXPECT_EQ(placed.verdict.cause, compute_bound) << placed.verdict.evidence;
  }
}

}  // namespace
}  // namespace takt
