#include "cli/plan/options.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/line/option_value.h"
#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

int steps_of(double share_step, std::string_view command) {
  const double steps = std::round(1 / share_step);
  if (std::abs(steps * share_step - 1) > 1e-9)
    throw UsageError(fmt::format("{}: --share-step: 1 is no multiple of {}; use 0.05 or 0.001", command, share_step));
  return static_cast<int>(steps);
}

}  // namespace

void add_cost_settings(CommandLine& line, PlanCostOptions& o) {
  line.add({.names = "--divide-cost",
            .value = "TIME",
            .meaning = "With a sweep: what parting a batch among units and putting the results together takes; without "
                       "it no block is divided"},
           &o.divide_cost);
  line.add(
      {.names = "--copies",
       .meaning = "With a sweep: tensors are copied between runtimes, as it has measured; takt's own pipelines pass "
                  "them without a copy"},
      &o.copies);
  line.add(
      {.names = "--interference",
       .value = "FILE",
       .meaning = "How much units or blocks slow each other down: the JSON of 'takt pipeline interference' on a "
                  "pipeline whose stages are named CPU, GPU or GPU[1-4]. Without it what the sweep measured itself"},
      &o.interference);
  add_no_interference(line, &o.no_interference);
  line.add({.names = "--devices",
            .value = "LIST",
            .meaning = "The units that plans may use, separated by commas; all that have costs without it"},
           &o.devices);
}

void add_no_interference(CommandLine& line, bool* no_interference) {
  line.add({.names = "--no-interference", .meaning = "Units do not slow each other down, whatever was measured"},
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
        fmt::format("{}: --divide-cost goes with what a sweep measured; a file of costs has its own", command));
  if (o.copies && !source.is_sweep())
    throw UsageError(fmt::format("{}: --copies goes with what a sweep measured; a file of costs has its own", command));
  return source;
}

std::string interference_line(const PlanCostOptions& o, const PlanCostSource& source) {
  if (!o.interference.empty() || source.interference().empty()) return "";
  return fmt::format("Slow-downs of units by each other: {} (leave out with --no-interference).\n\n",
                     printable(source.interference().string()));
}

void add_objective(CommandLine& line, PlanRuleOptions& o) {
  line.add({.names = "--objective",
            .value = "WHAT",
            .meaning = "What shall be short: the latency of a batch that is alone, or the makespan of a stream",
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
  line.add({.names = "--shared", .meaning = "A unit may serve several blocks, which take turns there"}, &o.shared);
}

void add_plan_rules(CommandLine& line, PlanRuleOptions& o) {
  line.heading("What plans may be");
  add_shared(line, o);
  line.add({.names = "--whole", .meaning = "No block is divided over several units"}, &o.whole);
  line.add({.names = "--blocks", .value = "N", .meaning = "At most so many blocks", .range = NumberRange{1, 1000}},
           &o.blocks);
  line.add({.names = "--share-step",
            .value = "X",
            .meaning = "Shares of divided blocks are multiples of X",
            .fallback = fmt::format("{}", o.share_step),
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
