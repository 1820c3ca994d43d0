// Trainings that never ran: programs that launch work on devices, streams, copies and ranks, simulated with what slows
// them and without it. So the right verdict and what the removal really saves are known.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/statistics/random.h"
#include "trace/events/trace.h"
#include "training/diagnosis/verdict.h"

namespace takt {

/// Times in microseconds; a fault of no strength is none.
struct SimulatedProgram {
  int kernels = 40, steps = 12, ranks = 1;
  std::uint64_t seed = 1;                        ///< of how work varies: the same with a fault and without
  double kernel = 300, launch = 12;              ///< work of the device, and of the program to give it
  bool reads_loss = true;                        ///< else the program runs ahead of the device
  bool copies_aside = false;                     ///< batches come on a stream of their own
  bool sends_early = false;                      ///< gradients are sent while others are computed
  double loader = 100, copy = 60, sending = 0;   ///< of a batch, and of all gradients
  double own_code = 0, allocation = 0;           ///< at the end of the step; of each of the blocks it takes
  double checkpoint = 0, validation = 0;         ///< every `period` steps, of the program and of the device
  double growth = 0;                             ///< from the middle on kernels take longer by this part
  double fill = 1;                               ///< of the device, by each kernel
  bool has_turns = false, has_pipeline = false;  ///< half of the network is on a second device
  double slow_rank = 0, uneven = 0;              ///< rank 1, or each step another, is slower by this part
  double evened = 0;                             ///< all ranks are slower by this part
  int waits = 0, period = 4;
  int pauses = 0;  ///< in which the program looks at values, however it got them
};

struct SimulatedRun {
  std::vector<Trace> ranks;
  double step = 0;  ///< mean, of the first rank
};
SimulatedRun simulate(const SimulatedProgram& program);

enum class Fault : std::uint8_t {
  own_code,
  launches,
  waits,
  loader,
  allocation,
  copies,
  sending,
  checkpoint,
  validation,
  growth,
  small_kernels,
  turns,
  slow_rank,
  uneven_ranks,
};
constexpr std::size_t fault_count = 14;
std::string_view name_of(Fault fault);
TrainingCause cause_of(Fault fault);
/// Whether both can be in one program, and told apart.
bool can_be_paired(Fault one, Fault other);

SimulatedProgram healthy_program(Random& random);

struct SimulatedFault {
  TrainingCause cause{};
  double saved = 0;  ///< per step, without it
};

struct SimulatedCase {
  SimulatedRun run;
  std::vector<SimulatedFault> faults;  ///< the one that costs most first
};
/// A program with these faults, of random strength, none of which saves less than a tenth of the step.
SimulatedCase simulated_case(std::span<const Fault> faults, Random& random);

}  // namespace takt
