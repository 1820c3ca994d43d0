#include "training/diagnosis/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "training/diagnosis/straggler.h"
#include "training/figures/tensor_cores.h"
#include "training/steps/lost_work.h"
#include "training/steps/ranks.h"

namespace takt {
namespace {

struct Rule {
  TrainingCause cause;
  RuleOutcome (*look)(const TrainingCase&);
};

#define TAKT_CAUSE(cause, meaning)
#define TAKT_RULE(cause, meaning, look) {TrainingCause::cause, look},
constexpr Rule rules[] = {
#include "training/diagnosis/causes.inc"
};
#undef TAKT_CAUSE
#undef TAKT_RULE

void place(PlacedVerdict& placed, const Steps& steps) {
  std::vector<std::int64_t> sorted = placed.verdict.cost;
  std::sort(sorted.rbegin(), sorted.rend());
  if (sorted.empty()) return;
  // Of a cause that few steps have, those that have it.
  const std::int64_t third = sorted[(sorted.size() - 1) / 3], dear = third > 0 ? third : sorted.front();
  std::optional<TimeInterval> span;
  for (std::size_t i = 0; i < steps.list.size(); ++i) {
    if (placed.verdict.cost[i] * 2 < dear) continue;
    placed.steps.push_back(steps.list[i].number);
    if (!span) span = steps.list[i].span;
    span->end = steps.list[i].span.end;
  }
  if (span) placed.span = *span;
}

/// Nothing to mend; said beside or instead of causes.
bool is_only_remark(const PlacedVerdict& placed) {
  const TrainingCause cause = placed.verdict.cause;
  return cause == TrainingCause::compute_bound || cause == TrainingCause::warm_up;
}

void rank_verdicts(Diagnosis& diagnosis) {
  std::stable_sort(diagnosis.verdicts.begin(), diagnosis.verdicts.end(),
                   [](const PlacedVerdict& a, const PlacedVerdict& b) {
                     const bool a_last = a.verdict.cause == TrainingCause::warm_up,
                                b_last = b.verdict.cause == TrainingCause::warm_up;
                     return a_last != b_last ? b_last : a.verdict.total() > b.verdict.total();
                   });
  for (PlacedVerdict& placed : diagnosis.verdicts) {
    placed.steps.clear();
    place(placed, diagnosis.steps);
  }
}

/// A trace in which nothing comes again is one step as far as its parts go.
Steps whole_trace(const Activity& activity) {
  std::optional<TimeInterval> span;
  const auto include = [&](TimeInterval one) {
    if (!span) span = one;
    span->start = std::min(span->start, one.start);
    span->end = std::max(span->end, one.end);
  };
  for (const DeviceSpan& one : activity.device) include(one.span);
  for (const HostSpan& one : activity.host) include(one.span);
  Steps steps;
  if (span && span->end > span->start) steps.list.push_back({0, *span, *span});
  return steps;
}

std::vector<std::vector<Collective>> collectives_by_step(const Activity& activity, const Steps& steps) {
  std::vector<std::vector<Collective>> all(steps.list.size());
  for (const DeviceSpan& work : activity.device) {
    if (work.role != Role::communication) continue;
    if (const auto step = step_at(steps, work.span.start))
      all[*step].push_back({work.span.end - work.span.start, work.is_point_to_point});
  }
  return all;
}

/// Matrix units came with Volta, and all of AMD's devices for this have them.
bool has_matrix_units(const Trace& trace) {
  constexpr std::int64_t volta = 7;
  const TraceProperty* const property = trace.property("deviceProperties");
  const auto devices = property == nullptr ? nlohmann::json() : nlohmann::json::parse(property->json, nullptr, false);
  return devices.is_array() && std::any_of(devices.begin(), devices.end(), [](const nlohmann::json& device) {
           return device.is_object() && device.contains("computeMajor") && device["computeMajor"].is_number_integer() &&
                  device["computeMajor"].get<std::int64_t>() >= volta;
         });
}

PlainProducts plain_products_of(const Trace& trace, const Activity& activity) {
  if (!activity.has_device() || !has_matrix_units(trace)) return {};
  std::int64_t all = 0, plain = 0;
  std::map<StringId, std::int64_t> by_name;
  for (const DeviceSpan& work : activity.device)
    if (work.role == Role::kernel) by_name[work.name] += work.span.end - work.span.start;
  std::pair<StringId, std::int64_t> longest{};
  for (const auto& [name, time] : by_name) {
    all += time;
    if (!multiplies_without(trace.text(name))) continue;
    plain += time;
    if (time > longest.second) longest = {name, time};
  }
  if (plain == 0) return {};
  return {static_cast<double>(plain) / static_cast<double>(all), trace.text(longest.first)};
}

/// cuDNN computes in NHWC, and turns what comes in NCHW before each convolution and after it.
double layout_share_of(const Trace& trace, const Activity& activity) {
  std::int64_t all = 0, turned = 0;
  for (const DeviceSpan& work : activity.device) {
    if (work.role != Role::kernel) continue;
    const std::string& name = trace.text(work.name);
    const std::int64_t time = work.span.end - work.span.start;
    all += time;
    if (name.find("nchwToNhwc") != name.npos || name.find("nhwcToNchw") != name.npos) turned += time;
  }
  return all == 0 ? 0 : static_cast<double>(turned) / static_cast<double>(all);
}

std::optional<std::int64_t> world_size_of(const Trace& trace) {
  const TraceProperty* const property = trace.property("distributedInfo");
  if (property == nullptr) return std::nullopt;
  const auto info = nlohmann::json::parse(property->json, nullptr, false);
  if (!info.is_object() || !info.contains("world_size") || !info["world_size"].is_number_integer()) return std::nullopt;
  return info["world_size"].get<std::int64_t>();
}

/// One step in many that pays (a batch that came late once, a pause of the machine) says nothing of the training: a
/// third of the price remains without it, of what would remain if all steps paid alike. A loader with many workers is
/// waited for once in as many batches, and among few steps these waits differ: there it is enough that a second step
/// pays much, and that the others together still do. Of what costs next to nothing the count speaks, whatever one call
/// of it took.
bool comes_again(const TrainingCase& one, const TrainingVerdict& verdict) {
  constexpr std::size_t fewest = 3;
  constexpr double least_share = 0.05, second_of_dearest = 0.2, left_share = 0.1;
  const std::size_t steps = verdict.cost.size();
  if (steps < fewest || one.share(verdict.total()) < least_share) return true;
  // What a program copies and sends is no accident, nor is what is known to come every n-th step.
  if (verdict.cause == TrainingCause::exposed_copy || verdict.cause == TrainingCause::exposed_communication ||
      verdict.cause == TrainingCause::periodic_stall || verdict.cause == TrainingCause::host_bound)
    return true;
  const auto total = static_cast<double>(verdict.total()), count = static_cast<double>(steps);
  std::vector<std::int64_t> costs = verdict.cost;
  std::nth_element(costs.begin(), costs.begin() + 1, costs.end(), std::greater<>());
  const auto dearest = static_cast<double>(costs[0]), second = static_cast<double>(costs[1]);
  if (total - dearest >= total * (count - 1) / count / 3) return true;
  const auto place = std::max_element(verdict.cost.begin(), verdict.cost.end()) - verdict.cost.begin();
  const TimeInterval longest = one.steps.list[static_cast<std::size_t>(place)].span;
  const auto others = static_cast<double>(one.breakdown.total - (longest.end - longest.start));
  return second >= second_of_dearest * dearest && total - dearest >= left_share * others;
}

/// Rules that look at the program alone.
bool needs_no_device(TrainingCause cause) {
  return cause == TrainingCause::rising_step_time || cause == TrainingCause::periodic_stall;
}

/// What makes all that the trace says of the device doubtful; empty: nothing does.
std::string missing_of_device(const Steps& steps) {
  constexpr double most = 0.5;
  if (steps.is_misplaced) return "device times that agree with those of the program";
  return steps.lost_share > most ? "the work that the program launched: most of it is not in the trace" : "";
}

bool has_verdict(const Diagnosis& diagnosis, TrainingCause cause) {
  return std::any_of(diagnosis.verdicts.begin(), diagnosis.verdicts.end(),
                     [&](const PlacedVerdict& placed) { return placed.verdict.cause == cause; });
}

void apply_rules(const TrainingCase& one, Diagnosis& diagnosis) {
  for (const Rule& rule : rules) {
    if (const std::string missing = missing_of_device(one.steps); !missing.empty() && !needs_no_device(rule.cause)) {
      diagnosis.abstentions.push_back({rule.cause, missing});
      continue;
    }
    RuleOutcome outcome = rule.look(one);
    if (outcome.verdict && comes_again(one, *outcome.verdict))
      diagnosis.verdicts.push_back({std::move(*outcome.verdict), {}, {}});
    if (!outcome.missing.empty()) diagnosis.abstentions.push_back({rule.cause, std::move(outcome.missing)});
  }
  if (!missing_of_device(one.steps).empty()) return;
  diagnosis.unexplained = unexplained_share(one);
  for (const PlacedVerdict& placed : diagnosis.verdicts)
    if (placed.verdict.cause == TrainingCause::periodic_stall)
      diagnosis.unexplained = std::max(0.0, diagnosis.unexplained - one.share(placed.verdict.total()));
  if (!has_verdict(diagnosis, TrainingCause::shared_device))
    diagnosis.unexplained += one.share(sum_of(by_step(one.idle.queued, one.steps)));
  for (const auto look : {look_at_rest, look_for_full_use}) {
    RuleOutcome outcome = look(one);
    // What a rule could not look at is no finding of its own.
    const bool is_open = outcome.verdict && std::any_of(diagnosis.abstentions.begin(), diagnosis.abstentions.end(),
                                                        [&](const Abstention& abstention) {
                                                          return abstention.cause == outcome.verdict->cause;
                                                        });
    if (is_open) outcome.verdict->cause = TrainingCause::host_bound;
    if (outcome.verdict && diagnosis.verdicts.empty())
      diagnosis.verdicts.push_back({std::move(*outcome.verdict), {}, {}});
  }
  RuleOutcome start = look_for_warm_up(one);
  if (start.verdict) diagnosis.verdicts.push_back({std::move(*start.verdict), {}, {}});
}

bool is_profile_of_onnxruntime(const Trace& trace) {
  return std::any_of(trace.events().begin(), trace.events().end(), [&](const TraceEvent& event) {
    return trace.text(event.category) == "Node" && trace.text(event.name).ends_with("_kernel_time");
  });
}

}  // namespace

bool Diagnosis::is_healthy() const {
  constexpr double little = 0.10;
  return abstentions.empty() && unexplained < little && std::all_of(verdicts.begin(), verdicts.end(), is_only_remark);
}

double Diagnosis::speed_up(const TrainingVerdict& verdict) const {
  constexpr double least_left = 0.01;  // something always remains: more than 100 times as fast is no prediction
  const auto time = static_cast<double>(breakdown.total);
  const double left = std::max(time - static_cast<double>(verdict.total()), least_left * time);
  return time <= 0 ? 1 : time / left;
}

Diagnosis diagnose(const std::string& file, const Trace& trace) {
  Diagnosis diagnosis;
  diagnosis.file = file;
  const Activity activity = activity_of(trace);
  if (activity.host.empty() && activity.step_marks.empty() && is_profile_of_onnxruntime(trace)) {
    refuse_input(printable(file) + ": a profile of ONNX Runtime, of no training; 'takt analyze " + printable(file) +
                 "' shows its operators");
  }
  diagnosis.is_xla = activity.is_xla;
  diagnosis.steps = find_steps(activity);
  if (diagnosis.steps.pass) diagnosis.pass = trace.text(*diagnosis.steps.pass);
  const bool has_steps = !diagnosis.steps.list.empty();
  if (!has_steps) diagnosis.steps = whole_trace(activity);
  if (!has_steps) diagnosis.steps.lost_share = lost_share(activity, diagnosis.steps);
  if (diagnosis.steps.list.empty()) {
    refuse_input(
        printable(file) +
        ": the trace has no operators, kernels or step markers, so it is not a training that takt knows; give a trace "
        "of PyTorch's profiler, or list its contents with 'takt trace info'");
  }
  diagnosis.breakdown = break_down(activity, diagnosis.steps);
  diagnosis.collectives = collectives_by_step(activity, diagnosis.steps);
  if (!has_steps) {
    for (const Rule& rule : rules)
      diagnosis.abstentions.push_back({rule.cause, "steps: no marks, and nothing comes again"});
    return diagnosis;
  }
  diagnosis.plain_products = plain_products_of(trace, activity);
  diagnosis.layout_share = layout_share_of(trace, activity);
  const HostLine line = host_line(trace, activity, diagnosis.steps);
  const IdleCauses idle = idle_causes(activity, diagnosis.steps, line);
  const Replay replay(activity, diagnosis.steps);
  apply_rules({trace, activity, diagnosis.steps, diagnosis.breakdown, idle, line, replay}, diagnosis);
  rank_verdicts(diagnosis);
  return diagnosis;
}

std::vector<Diagnosis> diagnose(const std::vector<NamedTrace>& traces) {
  std::vector<Diagnosis> diagnoses;
  std::vector<std::optional<std::int64_t>> world_sizes;
  const auto add = [&](const NamedTrace& one) {
    Diagnosis& diagnosis = diagnoses.emplace_back(diagnose(one.file, one.read.trace));
    diagnosis.rank = one.read.rank;
    world_sizes.push_back(world_size_of(one.read.trace));
  };
  for (const NamedTrace& one : traces) {
    const std::vector<NamedTrace> ranks = split_by_rank(one);
    for (const NamedTrace& rank : ranks) add(rank);
    if (ranks.empty()) add(one);
  }
  look_for_stragglers(diagnoses, world_sizes);
  for (Diagnosis& diagnosis : diagnoses) {
    const bool has_cause = !std::all_of(diagnosis.verdicts.begin(), diagnosis.verdicts.end(), is_only_remark);
    std::erase_if(diagnosis.verdicts, [&](const PlacedVerdict& placed) {
      return has_cause && placed.verdict.cause == TrainingCause::compute_bound;
    });
    rank_verdicts(diagnosis);
  }
  return diagnoses;
}

}  // namespace takt
