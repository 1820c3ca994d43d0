// Profiles of runs on a simulated machine with the noise of real ones: no runtime, no clock, fixed seeds.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/statistics/random.h"
#include "measure/compare/compare.h"

namespace takt {

/// Standard deviations of logarithms, unless said otherwise.
struct Machine {
  double sigma = 0.03;      ///< of a sample
  double correlation = 0;   ///< of neighbouring samples, 0..1
  double start_sigma = 0;   ///< of a factor that a start of the program brings, and of another one for each operator
  double shared_sigma = 0;  ///< of another factor of a start, for all operators
  double drift_sigma = 0;   ///< of a random walk inside the run, as it stands at its end
  double preempted = 0;     ///< share of runs that another program interrupts, for up to 30 times the run's own time
  double burst = 0;         ///< share of the run, in one piece, in which everything takes 1.6 times as long
  int ops = 30, samples = 100;
  bool virtual_clock = false;
};

/// What two busy programs on two processors do to a run.
inline Machine loaded_machine(int ops) {
  return {.sigma = 0.08,
          .correlation = 0.7,
          .start_sigma = 0.02,
          .drift_sigma = 0.05,
          .preempted = 0.3,
          .ops = ops,
          .samples = 400};
}

struct Planted {
  double one = 1;  ///< how many times as long operator 7 takes
  double all = 1;  ///< … and every operator
};

inline Nanoseconds whole_nanoseconds(double time) { return Nanoseconds(static_cast<std::int64_t>(time)); }

inline RecordedProfile run_on(const Machine& machine, std::uint64_t seed, const Planted& planted = {}) {
  Random random(seed * 0x9E3779B97F4A7C15u + 1);
  RecordedProfile profile;
  profile.origin = std::to_string(seed) + ".json", profile.from.model = "m.onnx", profile.from.runtime = "sim";
  profile.virtual_clock = machine.virtual_clock;
  std::vector<double> own;
  double start = std::exp(machine.start_sigma * standard_normal(random)) * planted.all;
  if (machine.shared_sigma > 0) start *= std::exp(machine.shared_sigma * standard_normal(random));
  for (int op = 0; op < machine.ops; ++op) {
    profile.ops.push_back({"op" + std::to_string(op), "Conv", "", {}, {}, {}});
    const double usual = 50'000.0 * (1 + (machine.ops > 8 ? op % 5 : 0));
    own.push_back(usual * start * std::exp(machine.start_sigma * standard_normal(random)) *
                  (op == 7 ? planted.one : 1));
  }
  double walk = 0;
  std::vector<double> noise(own.size());
  for (double& value : noise) value = standard_normal(random);
  const double fresh = std::sqrt(1 - machine.correlation * machine.correlation);
  for (int run = 0; run < machine.samples; ++run) {
    walk += machine.drift_sigma / std::sqrt(machine.samples) * standard_normal(random);
    const double at = (run + 0.5) / machine.samples;
    const double burst = at > 0.3 && at < 0.3 + machine.burst ? 1.6 : 1;
    double whole = 5000;
    const bool interrupted = uniform(random) < machine.preempted;
    const auto victim = static_cast<std::size_t>(uniform(random) * machine.ops);
    for (std::size_t op = 0; op < own.size(); ++op) {
      noise[op] = machine.correlation * noise[op] + fresh * standard_normal(random);
      double time = own[op] * burst * std::exp(walk + machine.sigma * noise[op]);
      if (interrupted && op == victim) time += 30 * uniform(random) * uniform(random) * own[op] * machine.ops;
      profile.ops[op].samples.push_back(whole_nanoseconds(time));
      whole += time;
    }
    profile.samples.push_back(whole_nanoseconds(whole));
  }
  return profile;
}

inline std::vector<RecordedProfile> runs_on(const Machine& machine, int runs, std::uint64_t seed,
                                            const Planted& planted = {}) {
  std::vector<RecordedProfile> made;
  for (int run = 0; run < runs; ++run) made.push_back(run_on(machine, seed + static_cast<std::uint64_t>(run), planted));
  return made;
}

inline Comparison compare(const RecordedProfile& before, const RecordedProfile& after,
                          const CompareSettings& settings = {}) {
  return compare_profiles({&before, 1}, {&after, 1}, settings, false);
}

inline bool is_change(const Change& change) {
  return change.verdict == Verdict::slower || change.verdict == Verdict::faster;
}

inline bool any_change(const Comparison& comparison) {
  return is_change(comparison.whole) || std::any_of(comparison.ops.begin(), comparison.ops.end(), is_change);
}

}  // namespace takt
