#include "training/diagnosis/simulated_program.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace takt {
namespace {

constexpr double begin_us = 1000, wait_us = 2, after_launch_us = 6, pause_us = 115;

/// One rank: a thread of the program, a device with three streams, and a second device.
class RankLine {
 public:
  RankLine(const SimulatedProgram& program, int rank) : p_(program), rank_(rank) {
    host_ = trace_.add_row(trace_.add_process("python", 10), "main", 10);
    const ProcessId gpu = trace_.add_process("GPU", 1);
    compute_ = {trace_.add_row(gpu, "stream 7", 7), 0, 0};
    copies_ = {trace_.add_row(gpu, "stream 13", 13), 0, 0};
    network_ = {trace_.add_row(gpu, "stream 20", 20), 0, 0};
    if (p_.has_turns || p_.has_pipeline)
      second_ = {trace_.add_row(trace_.add_process("GPU 1", 2), "stream 8", 8), 1, 0};
    trace_.set_property("deviceProperties", R"([{"id":0}])");
    if (p_.ranks > 1)
      trace_.set_property("distributedInfo",
                          R"({"rank":)" + std::to_string(rank) + R"(,"world_size":)" + std::to_string(p_.ranks) + "}");
  }

  /// Up to the gradients.
  void compute(int step) {
    start_ = now_;
    host_span("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "user_annotation", p_.loader);
    Stream& copying = p_.copies_aside ? copies_ : compute_;
    launch(copying, "Memcpy HtoD (Pinned -> Device)", "gpu_memcpy", "cudaMemcpyAsync", p_.copy, 0);
    const double factor = slowness(step);
    for (int i = 0; i < p_.kernels; ++i) {
      const bool on_second = (p_.has_turns || p_.has_pipeline) && 2 * i >= p_.kernels;
      Stream& stream = on_second ? second_ : compute_;
      const double earliest = i == 0 ? copying.until : on_second && p_.has_turns ? compute_.until : 0;
      launch(stream, "gemm" + std::to_string(i), "kernel", "cudaLaunchKernel", p_.kernel * factor * varied(step, i),
             std::max(earliest, p_.has_turns ? second_.until : 0));
      if (p_.waits > 0 && i % (p_.kernels / p_.waits) == 0) read_value();
      if (p_.pauses > 0 && i % (p_.kernels / p_.pauses) == 0) now_ += pause_us;
      if (p_.allocation > 0 && i % 8 == 0) allocate();
      if (p_.sends_early && i % 8 == 7 && 2 * i > p_.kernels) send(p_.sending * 8 / p_.kernels);
    }
    if (!p_.sends_early && p_.sending > 0 && p_.ranks == 1) send(p_.sending);
    exchange_asked_ = now_;
  }

  /// When this rank is ready for the others.
  double ready() const { return std::max(compute_.until, exchange_asked_ + after_launch_us); }
  void exchange(double end) {
    launch(network_, "ncclDevKernel_AllReduce", "kernel", "cudaLaunchKernel", end - ready(), ready());
    compute_.until = std::max(compute_.until, network_.until);
  }

  void finish(int step) {
    launch(compute_, "adam", "kernel", "cudaLaunchKernel", p_.kernel, std::max(network_.until, second_.until));
    const bool is_long = step % p_.period == p_.period - 1;
    if (is_long && p_.validation > 0)
      for (int i = 0; i < 16; ++i) launch(compute_, "evaluate", "kernel", "cudaLaunchKernel", p_.validation / 16, 0);
    if (p_.reads_loss) read_value();
    now_ += p_.own_code + (is_long ? p_.checkpoint : 0);
    add(host_, "ProfilerStep#" + std::to_string(step), "user_annotation", start_, now_);
  }

  double end() const { return std::max({now_, compute_.until, second_.until, network_.until}); }
  Trace trace() { return std::move(trace_); }

 private:
  struct Stream {
    RowId row{};
    std::int64_t device = 0;
    double until = 0;
  };

  double slowness(int step) const {
    const bool is_slow = rank_ == 1 % p_.ranks && p_.slow_rank > 0;
    const bool has_turn = p_.uneven > 0 && step % p_.ranks == rank_;
    const double grown = 2 * step >= p_.steps ? p_.growth : 0;
    return (1 + grown) * (1 + (is_slow ? p_.slow_rank : 0) + (has_turn ? p_.uneven : 0) + p_.evened);
  }
  /// 2 % more or less.
  double varied(int step, int kernel) const {
    Random random(p_.seed + static_cast<std::uint64_t>(step * 1000 + kernel));
    return 0.98 + 0.04 * uniform(random);
  }
  EventId add(RowId row, const std::string& name, const char* category, double from, double to) {
    return trace_.add_event(row, name, category, Nanoseconds(std::llround(from * 1000)),
                            Nanoseconds(std::llround(to * 1000) - std::llround(from * 1000)));
  }
  void host_span(const char* name, const char* category, double length) {
    add(host_, name, category, now_, now_ + length);
    now_ += length + 1;
  }
  void launch(Stream& stream, const std::string& name, const char* category, const char* call, double length,
              double earliest) {
    add(host_, "aten::" + name.substr(0, 4), "cpu_op", now_, now_ + p_.launch);
    const double called = now_ + p_.launch / 2;
    const TraceValues number{{"correlation", ++correlation_}, {"blocks per SM", p_.fill}, {"device", stream.device}};
    trace_.set_args(add(host_, call, "cuda_runtime", called, called + 3), number);
    const double start = std::max({stream.until, called + after_launch_us, earliest});
    trace_.set_args(add(stream.row, name, category, start, start + length), number);
    stream.until = start + length;
    now_ += p_.launch + 1;
  }
  void send(double length) {
    launch(network_, "ncclDevKernel_AllReduce", "kernel", "cudaLaunchKernel", length, compute_.until);
  }
  void wait(const char* name) {
    const double until = std::max({now_, compute_.until, second_.until}) + wait_us;
    trace_.set_args(add(host_, name, "cuda_runtime", now_, until), TraceValues{{"correlation", ++correlation_}});
    now_ = until + 1;
  }
  void read_value() {
    launch(compute_, "Memcpy DtoH (Device -> Pageable)", "gpu_memcpy", "cudaMemcpyAsync", 1.5, 0);
    wait("cudaStreamSynchronize");
    now_ += 5;
  }
  void allocate() {
    const double until = std::max(now_, compute_.until) + p_.allocation;
    add(host_, "cudaFree", "cuda_runtime", now_, until);
    now_ = compute_.until = until;
  }

  const SimulatedProgram& p_;
  int rank_;
  Trace trace_;
  RowId host_{};
  Stream compute_, copies_, network_, second_;
  double now_ = begin_us, start_ = 0, exchange_asked_ = 0;
  std::int64_t correlation_ = 0;
};

constexpr std::array<std::string_view, fault_count> names{
    "own_code",   "launches",   "waits",  "loader",        "allocation", "copies",    "sending",
    "checkpoint", "validation", "growth", "small_kernels", "turns",      "slow_rank", "uneven_ranks"};

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
      program.reads_loss = false;
      break;
    case Fault::waits:
      program.waits = program.pauses = program.kernels / 2;
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
    case Fault::sending:
      program.sending = (program.sends_early ? 0.6 : 0.2) * step + strength * step;
      break;
    case Fault::checkpoint:
      program.checkpoint = program.period * strength * step;
      break;
    case Fault::validation:
      program.validation = program.period * strength * step;
      break;
    case Fault::growth:
      program.growth = 0.3 + strength;
      break;
    case Fault::small_kernels:
      program.fill = 0.4 - 0.3 * strength;
      break;
    case Fault::turns:
      program.has_turns = true;
      break;
    case Fault::slow_rank:
      program.ranks = 4;
      program.slow_rank = 0.1 + strength;
      break;
    case Fault::uneven_ranks:
      program.ranks = 4;
      program.uneven = 0.2 + strength;
      break;
  }
}

void mend(SimulatedProgram& program, Fault fault) {
  switch (fault) {
    case Fault::own_code:
      program.own_code = 0;
      break;
    case Fault::launches:
      program.launch = 0.5;
      break;
    case Fault::waits:  // all of them: the loss, too
      program.waits = 0;
      program.reads_loss = false;
      break;
    case Fault::loader:
      program.loader = 0.1;
      break;
    case Fault::allocation:
      program.allocation = 0;
      break;
    case Fault::copies:
      program.copy = 0.1;
      break;
    case Fault::sending:
      program.sending = 0;
      break;
    case Fault::checkpoint:
      program.checkpoint = 0;
      break;
    case Fault::validation:
      program.validation = 0;
      break;
    case Fault::growth:
      program.growth = 0;
      break;
    case Fault::small_kernels:
      program.kernel *= program.fill;
      program.fill = 1;
      break;
    case Fault::turns:
      program.has_turns = false;
      program.has_pipeline = true;
      break;
    case Fault::slow_rank:
      program.slow_rank = 0;
      break;
    case Fault::uneven_ranks:
      program.evened = program.uneven / program.ranks;
      program.uneven = 0;
      break;
  }
}

/// Whether the work of the device, and the number of ranks, are as without it. Waits for the device hide what other
/// faults would cost without them, so they are planted alone.
bool leaves_kernels(Fault fault) {
  return fault == Fault::own_code || fault == Fault::loader || fault == Fault::allocation || fault == Fault::copies ||
         fault == Fault::sending || fault == Fault::checkpoint || fault == Fault::validation;
}

}  // namespace

SimulatedRun simulate(const SimulatedProgram& program) {
  std::vector<RankLine> ranks;
  for (int rank = 0; rank < program.ranks; ++rank) ranks.emplace_back(program, rank);
  constexpr double moving_us = 300;
  for (int step = 0; step < program.steps; ++step) {
    double all_ready = 0;
    for (RankLine& rank : ranks) {
      rank.compute(step);
      all_ready = std::max(all_ready, rank.ready());
    }
    for (RankLine& rank : ranks) {
      if (program.ranks > 1) rank.exchange(all_ready + moving_us);
      rank.finish(step);
    }
  }
  SimulatedRun run;
  run.step = (ranks.front().end() - begin_us) / program.steps;
  for (RankLine& rank : ranks) run.ranks.push_back(rank.trace());
  return run;
}

std::string_view name_of(Fault fault) { return names[static_cast<std::size_t>(fault)]; }

TrainingCause cause_of(Fault fault) {
  using enum TrainingCause;
  constexpr std::array<TrainingCause, fault_count> causes{
      host_bound,      tiny_kernels,     host_synchronisation,  data_starvation,
      allocator_churn, exposed_copy,     exposed_communication, periodic_stall,
      periodic_stall,  rising_step_time, small_batch,           serial_devices,
      straggler,       uneven_ranks};
  return causes[static_cast<std::size_t>(fault)];
}

bool can_be_paired(Fault one, Fault other) {
  const auto can = [](Fault fault) { return fault == Fault::waits || leaves_kernels(fault); };
  return cause_of(one) != cause_of(other) && can(one) && can(other);
}

SimulatedProgram healthy_program(Random& random) {
  SimulatedProgram program;
  program.seed = random();
  program.kernels = 24 + static_cast<int>(40 * uniform(random));
  program.kernel = 150 + 400 * uniform(random);
  program.reads_loss = uniform(random) < 0.5;
  program.copies_aside = uniform(random) < 0.5;
  program.sends_early = uniform(random) < 0.5;
  program.sending = uniform(random) < 0.5 ? 0 : 0.03 * program.kernels * program.kernel;
  program.period = 3 + static_cast<int>(3 * uniform(random));
  return program;
}

SimulatedCase simulated_case(std::span<const Fault> faults, Random& random) {
  constexpr double least = 0.10;
  while (true) {
    SimulatedProgram program = healthy_program(random);
    for (const Fault fault : faults) plant(program, fault, 0.2 + 0.8 * uniform(random));
    SimulatedCase one{simulate(program), {}};
    for (const Fault fault : faults) {
      SimulatedProgram mended = program;
      mend(mended, fault);
      one.faults.push_back({cause_of(fault), one.run.step - simulate(mended).step});
    }
    std::sort(one.faults.begin(), one.faults.end(),
              [](const SimulatedFault& a, const SimulatedFault& b) { return a.saved > b.saved; });
    if (one.faults.back().saved >= least * one.run.step) return one;
  }
}

}  // namespace takt
