// Launch-bound tiny kernels: a device is done with each kernel before the program has given it the next one. Kernels
// of a few microseconds are no longer than starting one takes, so fused into others they would take next to nothing:
// they belong to the price. (Without a device: rule_tiny_operators.cpp.)
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "training/diagnosis/blocking_launches.h"
#include "training/diagnosis/rule_words.h"
#include "training/steps/call_names.h"
#include "training/steps/operator_kinds.h"

namespace takt {
namespace {

constexpr double least_launch_share = 0.10, nearly_all_tiny = 0.9;
constexpr std::int64_t tiny_kernel_ns = 5'000;

std::int64_t length_of_work(const DeviceSpan& work) { return work.span.end - work.span.start; }
bool is_tiny_kernel(const DeviceSpan& work) {
  return work.role == Role::kernel && length_of_work(work) <= tiny_kernel_ns;
}

/// Where hardly anything else is computed there is nothing to fuse tiny kernels into: then they remain, one close
/// behind the other.
bool can_be_fused(const TrainingCase& one) {
  std::int64_t tiny = 0, all = 0;
  for (const DeviceSpan& work : one.activity.device) {
    if (work.role != Role::kernel || !one.is_in_steps(work.span.start)) continue;
    all += length_of_work(work);
    if (is_tiny_kernel(work)) tiny += length_of_work(work);
  }
  return static_cast<double>(tiny) < nearly_all_tiny * static_cast<double>(all);
}

/// The step with all launches in one, as a graph has them, but no more than what the device waits for and tiny kernels
/// take: what the program could do earlier besides is no price of launches.
std::vector<std::int64_t> price_of_launches(const TrainingCase& one) {
  const bool is_fused = can_be_fused(one);
  std::vector<TimeInterval> tiny;
  for (const DeviceSpan& work : one.activity.device)
    if (is_fused && is_tiny_kernel(work)) tiny.push_back(work.span);
  auto waited = by_step(unite(one.idle.launch, unite(std::move(tiny))), one.steps);
  auto saved = one.replay.saved_without({.host = one.line.launching, .scale = [&](const DeviceSpan& work) {
                                           return is_fused && is_tiny_kernel(work) ? 0.0 : 1.0;
                                         }});
  return sum_of(saved) < sum_of(waited) ? saved : waited;
}

struct Runner {
  std::string name;
  std::int64_t time = 0;  ///< ns
};

/// The operator that runs most of the time in which the device waits for launches; of several rows, each counts.
Runner longest_runner(const TrainingCase& one) {
  std::map<StringId, std::vector<TimeInterval>> spans;
  for (const HostSpan& span : one.activity.host)
    if (is_call_of_program(one.activity, span)) spans[span.name].push_back(span.span);
  Runner longest;
  for (auto& [name, list] : spans) {
    const std::int64_t time = total(intersect(one.idle.launch, unite(std::move(list)))).count();
    if (time > longest.time) longest = {one.trace.text(name), time};
  }
  return longest;
}

/// "; recording operators takes up to 4.10 ms per step of it: without the profiler 1.90 to 2.10x faster": their records
/// make launching longer than it is where no one records.
std::string words_of_recording_launches(const TrainingCase& one, std::int64_t price) {
  constexpr double worth_saying = 0.02;
  const auto each = most_per_record(one.activity);
  if (!each) return "";
  std::int64_t records = 0;
  for (const HostSpan& span : one.activity.host)
    if (is_operator(span.role) && contains(one.idle.launch, span.span.start)) records += *each;
  records = std::min(records, price);
  const auto time = static_cast<double>(one.breakdown.total), left = time - static_cast<double>(price);
  if (one.share(records) < worth_saying || left <= 0) return "";
  return fmt::format(
      "; recording operators takes up to {} per step of it: without the profiler {:.2f} to {:.2f}x faster",
      time_text(one.per_step(records)), (time - static_cast<double>(records)) / left, time / left);
}

/// By what runs while the device waits for launches; empty: nothing has most of it.
const char* advice_for(const TrainingCase& one, const std::string& runner) {
  if (one.activity.is_xla)
    return "Compile the whole step as one function (jax.jit), and loops in it as lax.scan or vmap.";
  if (runner.starts_with("TorchDynamo Cache Lookup"))
    return "Compile with fewer breaks of the graph, as guards are checked at each: fullgraph=True shows them, and so "
           "does TORCH_LOGS=graph_breaks,guards.";
  return "Launch fewer kernels: fuse chains of operators (torch.compile), use foreach or fused optimizers, or replay "
         "the step as a CUDA graph.";
}

}  // namespace

RuleOutcome look_for_tiny_kernels(const TrainingCase& one) {
  if (!one.activity.expects_device) return look_for_tiny_operators(one);
  if (!one.activity.has_device()) return abstain("device events (kernels)");
  std::vector<std::int64_t> lengths;
  for (const DeviceSpan& work : one.activity.device) {
    if (work.role == Role::kernel && one.is_in_steps(work.span.start))
      lengths.push_back(work.span.end - work.span.start);
  }
  const bool has_calls = std::any_of(one.activity.host.begin(), one.activity.host.end(), [&](const HostSpan& span) {
    return span.role == Role::launch && !gives_a_copy(one.trace.text(span.name));
  });
  if (!has_calls) return abstain("calls that launch kernels");
  if (lengths.empty()) return nothing_found();
  if (!blocking_launches(one.activity).empty()) return abstain("launches that do not wait for their kernels");
  const auto waits = by_step(one.idle.launch, one.steps);
  const double kernels = one.per_step(static_cast<std::int64_t>(lengths.size()));
  const std::int64_t median = at_fraction(lengths, 0.5);
  // The way of the program from launch to launch must be what the device waits for.
  const auto waiting = one.replay.saved_without({.host = one.line.launching, .scale = {}});
  if (one.share(std::min(sum_of(waiting), sum_of(waits))) < least_launch_share) return nothing_found();
  const auto cost = price_of_launches(one);
  std::string evidence =
      fmt::format("{:.0f} kernels per step, with a median time of {}; the device waits {} per step for launches",
                  kernels, time_text(static_cast<double>(median)), time_text(one.per_step(sum_of(waits))));
  const Runner runner = longest_runner(one);
  const bool has_runner = 2 * runner.time >= sum_of(waits);
  if (has_runner) evidence += fmt::format(", {} of it in {}", time_text(one.per_step(runner.time)), runner.name);
  evidence += words_of_recording_launches(one, sum_of(cost));
  return found(TrainingCause::tiny_kernels, cost, std::move(evidence), advice_for(one, has_runner ? runner.name : ""));
}

}  // namespace takt
