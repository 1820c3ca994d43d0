#include "cli/plan/options.h"

#include <fmt/format.h>

#include <cmath>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "cli/line/option_value.h"

namespace takt {
namespace {

int steps_of(double share_step, std::string_view command) {
  const double steps = std::round(1 / share_step);
  if (std::abs(steps * share_step - 1) > 1e-9)
    throw UsageError(
        fmt::format("{}: --share-step: 100% is not a multiple of {:g}%; use 5% or 0.1%", command, 100 * share_step));
  return static_cast<int>(steps);
}

}  // namespace

void add_cost_settings(CommandLine& line, PlanCostOptions& o) {
  line.add(
      {.names = "--divide-cost",
       .value = "DURATION",
       .meaning =
           "With a sweep: time to split a batch over units and to merge the results; without it, no block is split"},
      &o.divide_cost);
  line.add({.names = "--copies",
            .meaning = "With a sweep: count copies of tensors between runtimes, as measured; takt's own pipelines pass "
                       "tensors without a copy"},
           &o.copies);
  line.add({.names = "--interference",
            .value = "FILE",
            .meaning = "How much units or blocks slow each other down: the JSON of 'takt pipeline interference' for a "
                       "pipeline whose stages are named CPU, GPU or GPU[1-4]. By default, what the sweep measured"},
           &o.interference);
  add_no_interference(line, &o.no_interference);
  line.add({.names = "--devices",
            .value = "LIST",
            .meaning = "The units that plans may use, separated by commas; by default all that have costs"},
           &o.devices);
}

void add_no_interference(CommandLine& line, bool* no_interference) {
  line.add({.names = "--no-interference", .meaning = "Ignore measured slowdowns of units by each other"},
           no_interference);
}

PlanCostSource cost_source(const PlanCostOptions& o, std::string_view command) {
  if (o.no_interference && !o.interference.empty())
    throw UsageError(
        fmt::format("{}: --interference and --no-interference contradict each other; leave one out", command));
  CostSourceSettings settings{
      .copies = o.copies, .interference = o.interference, .no_interference = o.no_interference, .units = {}};
  if (!o.devices.empty()) settings.units = words_in(o.devices);
  if (!o.divide_cost.empty())
    settings.divide = DivideCost{std::chrono::round<Nanoseconds>(parse_duration(o.divide_cost)), Nanoseconds(0)};
  PlanCostSource source(o.costs, settings);
  if (settings.divide && !source.is_sweep())
    throw UsageError(
        fmt::format("{}: --divide-cost is for the costs of a sweep; a file of costs contains this time", command));
  if (o.copies && !source.is_sweep())
    throw UsageError(
        fmt::format("{}: --copies is for the costs of a sweep; a file of costs contains its copies", command));
  return source;
}

std::string interference_line(const PlanCostOptions& o, const PlanCostSource& source) {
  if (!o.interference.empty() || source.interference().empty()) return "";
  return fmt::format("\nSlowdowns of units by each other: {} (ignore with --no-interference).\n",
                     printable(source.interference().string()));
}

void add_objective(CommandLine& line, PlanRuleOptions& o) {
  line.add({.names = "--objective",
            .value = "WHAT",
            .meaning = "What to minimise: the latency of a single batch, or the makespan of a stream",
            .fallback = o.objective,
            .one_of = {"latency", "throughput"}},
           &o.objective);
  line.add({.names = "--batches",
            .value = "N",
            .meaning = "Batches of the stream",
            .fallback = std::to_string(o.batches),
            .range = NumberRange{1, 1'000'000}},
           &o.batches);
}

void add_shared(CommandLine& line, PlanRuleOptions& o) {
  line.add({.names = "--shared", .meaning = "Let a unit serve several blocks, which time-share it"}, &o.shared);
}

void add_plan_rules(CommandLine& line, PlanRuleOptions& o) {
  line.heading("Allowed plans");
  add_shared(line, o);
  line.add({.names = "--whole", .meaning = "Do not split blocks over several units"}, &o.whole);
  line.add({.names = "--blocks", .value = "N", .meaning = "Maximum number of blocks", .range = NumberRange{1, 1000}},
           &o.blocks);
  line.add({.names = "--share-step",
            .value = "PERCENT",
            .meaning = "Shares of split blocks are multiples of this",
            .fallback = fmt::format("{:g}%", 100 * o.share_step),
            .range = NumberRange{0.001, 0.5}},
           &o.share_step);
}

PlanSearchSettings search_settings(const PlanRuleOptions& o, std::string_view command) {
  PlanSearchSettings settings;
  settings.objective = lower_case(o.objective) == "latency" ? PlanObjective::latency : PlanObjective::throughput;
  settings.batches = o.batches;
  settings.steps = steps_of(o.share_step, command);
  settings.divide = !o.whole;
  settings.units_once = !o.shared;
  settings.most_blocks = o.blocks;
  return settings;
}

}  // namespace takt
