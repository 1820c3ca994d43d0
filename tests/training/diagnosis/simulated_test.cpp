// The diagnosis on simulated trainings with a fault, with two, and without: the right verdict and its price are known.
// TAKT_SIMULATED=500 draws so many of each kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "places.h"
#include "training/diagnosis/diagnosis.h"
#include "training/diagnosis/simulated_program.h"

namespace takt {
namespace {

unsigned draws(unsigned usual) {
  const char* asked = std::getenv("TAKT_SIMULATED");
  return asked != nullptr ? static_cast<unsigned>(std::strtoul(asked, nullptr, 10)) : random_cases(usual);
}

/// One per rank.
std::vector<Diagnosis> diagnoses_of(SimulatedRun& run) {
  std::vector<NamedTrace> traces;
  for (Trace& trace : run.ranks) {
    NamedTrace& one = traces.emplace_back();
    one.file = "made";
    if (run.ranks.size() > 1) one.read.rank = static_cast<std::int64_t>(traces.size()) - 1;
    one.read.trace = std::move(trace);
  }
  return diagnose(traces);
}

/// What is said of many cases.
class Counts {
 public:
  void judge(SimulatedCase one, const std::string& words) {
    const std::vector<Diagnosis> all = diagnoses_of(one.run);
    const Diagnosis& first = all.front();
    const double steps = static_cast<double>(first.steps.list.size());
    ++all_;
    const double length = static_cast<double>(first.breakdown.total) / 1000 / steps;
    std::string what;
    if (std::abs(length / one.run.step - 1) > 0.01) what += "length, ";
    const SimulatedFault* fault = found(first, one.faults);
    const double saved =
        first.verdicts.empty() ? 0 : static_cast<double>(first.verdicts[0].verdict.total()) / 1000 / steps;
    const bool is_off = fault != nullptr && std::abs(saved - fault->saved) > 0.1 * fault->saved;
    wrong_ += fault == nullptr ? 1 : 0;
    off_ += is_off ? 1 : 0;
    what += fault == nullptr ? "cause, " : is_off ? "price, " : "";
    if (!what.empty()) note(what + words, first, one, length);
  }
  void expect_all_held() const {
    EXPECT_LE(wrong_ * 100, all_ * 3) << text_;
    EXPECT_LE(off_ * 10, all_) << text_;
    EXPECT_EQ(text_.find("length"), std::string::npos) << text_;
  }

 private:
  /// The planted fault that the first verdict names, if none costs clearly more.
  static const SimulatedFault* found(const Diagnosis& one, const std::vector<SimulatedFault>& faults) {
    constexpr double alike = 0.85;
    if (one.verdicts.empty()) return nullptr;
    for (const SimulatedFault& fault : faults)
      if (fault.cause == one.verdicts[0].verdict.cause && fault.saved >= alike * faults.front().saved) return &fault;
    return nullptr;
  }
  void note(const std::string& what, const Diagnosis& one, const SimulatedCase& truth, double length) {
    text_ +=
        what + ": " + std::to_string(std::lround(length)) + " us of " + std::to_string(std::lround(truth.run.step));
    const auto steps = static_cast<double>(one.steps.list.size());
    for (const SimulatedFault& fault : truth.faults)
      text_ += ", has " + std::string(name_of(fault.cause)) + " " + std::to_string(std::lround(fault.saved));
    for (const PlacedVerdict& placed : one.verdicts)
      text_ += ", said " + std::string(name_of(placed.verdict.cause)) + " " +
               std::to_string(std::lround(static_cast<double>(placed.verdict.total()) / 1000 / steps));
    text_ += "\n";
  }

  std::string text_;
  int all_ = 0, wrong_ = 0, off_ = 0;
};

TEST(Simulated, faults_are_told_right_and_priced_as_their_removal_brings) {
  Random random(5);
  Counts counts;
  for (unsigned i = 0; i < draws(140); ++i) {
    const auto fault = static_cast<Fault>(i % fault_count);
    counts.judge(simulated_case(std::vector{fault}, random), std::string(name_of(fault)));
  }
  counts.expect_all_held();
}

TEST(Simulated, of_two_faults_the_one_that_costs_more_comes_first) {
  Random random(7);
  std::vector<std::vector<Fault>> pairs;
  for (std::size_t a = 0; a < fault_count; ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (can_be_paired(static_cast<Fault>(a), static_cast<Fault>(b)))
        pairs.push_back({static_cast<Fault>(b), static_cast<Fault>(a)});
  Counts counts;
  for (unsigned i = 0; i < draws(112); ++i) {
    const std::vector<Fault>& pair = pairs[i % pairs.size()];
    counts.judge(simulated_case(pair, random), std::string(name_of(pair[0])) + "+" + std::string(name_of(pair[1])));
  }
  counts.expect_all_held();
}

TEST(Simulated, healthy_programs_have_no_cause) {
  Random random(6);
  for (unsigned i = 0; i < draws(60); ++i) {
    SimulatedProgram healthy = healthy_program(random);
    healthy.ranks = i % 5 == 0 ? 2 : 1;
    // What ranks exchange takes 300 us, which is much of a shorter step.
    if (healthy.ranks > 1) healthy.kernels = std::max(healthy.kernels, static_cast<int>(8000 / healthy.kernel));
    SimulatedRun run = simulate(healthy);
    for (const Diagnosis& one : diagnoses_of(run))
      for (const PlacedVerdict& placed : one.verdicts)
        EXPECT_EQ(placed.verdict.cause, TrainingCause::compute_bound) << placed.verdict.evidence;
  }
}

}  // namespace
}  // namespace takt
