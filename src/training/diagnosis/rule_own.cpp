// The program's own code: while it runs the device waits, or without a device no operator runs. It owns the long
// stretches between calls that come at the same place of most steps; taking it out means that it takes no time.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "training/diagnosis/rule_words.h"

namespace takt {
namespace {

constexpr double least_share_of_device = 0.05, least_share_of_host = 0.10;

/// "28.3 ms in 'preprocess', 4.10 ms between aten::item and aten::linear": at most three.
std::string names_with_times(const TrainingCase& one, const std::vector<OwnCode>& places) {
  constexpr std::size_t most_named = 3;
  constexpr double worth_naming = 0.05;
  std::string text;
  const auto all = static_cast<double>(total(one.line.own_times()).count());
  for (std::size_t i = 0; i < std::min(places.size(), most_named); ++i) {
    const std::int64_t time = total(places[i].times).count();
    if (i > 0 && static_cast<double>(time) < worth_naming * all) break;
    const bool says_where = places[i].name.starts_with("between");
    text += (text.empty() ? "" : ", ") + time_text(one.per_step(time)) + (says_where ? " " : " in ") + places[i].name;
  }
  return text;
}

/// Whether most of it is the compiler's, or the profiler's.
bool is_mostly(const TrainingCase& one, Role role) {
  std::vector<TimeInterval> list;
  for (const HostSpan& span : one.activity.named)
    if (span.role == role) list.push_back(span.span);
  const Intervals own = one.line.own_times();
  return 2 * total(intersect(own, unite(std::move(list)))).count() > total(own).count();
}

/// Whether most of it is in calls of the runtime that fit.
template <typename Fits>
bool is_mostly_calls(const TrainingCase& one, Fits fits) {
  std::vector<TimeInterval> list;
  for (const HostSpan& span : one.activity.host)
    if (is_call(span.role) && fits(span)) list.push_back(span.span);
  const Intervals own = one.line.own_times();
  return 2 * total(intersect(own, unite(std::move(list)))).count() > total(own).count();
}

bool makes_graph(const TrainingCase& one, const HostSpan& call) {
  const std::string& name = one.trace.text(call.name);
  return call.role != Role::launch && (name.find("Graph") != name.npos || name.find("Capture") != name.npos);
}

bool has_stacks(const TrainingCase& one) {
  return std::any_of(one.activity.named.begin(), one.activity.named.end(),
                     [](const HostSpan& span) { return span.role == Role::frame; });
}

const char* words_of_stacks(const TrainingCase& one) {
  return one.activity.is_xla ? " Record with the tracer of Python (python_tracer_level=1) to see the line of code."
                             : " Record with with_stack=True to see the line of code.";
}

}  // namespace

RuleOutcome look_for_own_code(const TrainingCase& one) {
  if (one.activity.expects_device && !one.activity.has_device()) return abstain("device events (kernels)");
  if (one.line.own.empty()) return nothing_found();
  auto cost = one.saved_by_program({.host = one.line.own_times(), .scale = {}});
  const double least = one.activity.has_device() ? least_share_of_device : least_share_of_host;
  if (one.share(sum_of(cost)) < least) return nothing_found();
  const std::string who = one.activity.has_device() ? "the device waits" : "no operator runs";
  const std::string names = names_with_times(one, one.line.own);
  if (is_mostly(one, Role::profiling)) {
    return found(
        TrainingCause::host_bound, std::move(cost), fmt::format("{} for the profiler itself: {} per step", who, names),
        "Nothing to fix in the training: without the profiler these steps are shorter. Record fewer events (no "
        "shapes, stacks or memory) for figures that are closer to that.");
  }
  if (is_mostly(one, Role::compilation)) {
    return found(TrainingCause::host_bound, std::move(cost),
                 fmt::format("{} while the network is compiled again: {} per step", who, names),
                 one.activity.is_xla
                     ? "Keep shapes, types and static arguments the same from step to step (pad, drop the last batch), "
                       "and call jax.jit outside of the loop; JAX_EXPLAIN_CACHE_MISSES=1 tells why it compiles again."
                     : "Keep shapes the same from step to step (pad, drop the last batch) or compile for all of them "
                       "(dynamic=True, mark_dynamic); TORCH_LOGS=recompiles tells why it compiles again.");
  }
  if (is_mostly_calls(one, [&](const HostSpan& call) { return makes_graph(one, call); })) {
    return found(TrainingCause::host_bound, std::move(cost),
                 fmt::format("{} while graphs of launches are captured again: {} per step", who, names),
                 "Capture each graph once and replay it: keep shapes and addresses of inputs and weights the same "
                 "(mark_static_address, static buffers); TORCH_LOGS=cudagraphs tells why it captures again.");
  }
  if (is_mostly_calls(one, [](const HostSpan& call) { return call.role == Role::loading; })) {
    return found(TrainingCause::host_bound, std::move(cost),
                 fmt::format("{} while code of kernels is put on it: {} per step", who, names),
                 "Trace after more warm-up steps, load all code at the start (CUDA_MODULE_LOADING=EAGER), and use few "
                 "different shapes, which need kernels of their own.");
  }
  return found(TrainingCause::host_bound, std::move(cost),
               fmt::format("{} while the program does something else: {} per step", who, names),
               std::string("Do it once before training, every N steps, or in another thread or process while the step "
                           "runs.") +
                   (has_stacks(one) ? "" : words_of_stacks(one)));
}

}  // namespace takt
