#include <fmt/format.h>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/system/log.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/plan/options.h"
#include "plan/sets/set_file.h"
#include "plan/sets/set_tables.h"

namespace takt {
namespace {

struct PlanCompileOptions {
  PlanCostOptions costs;
  PlanRuleOptions rules;
  std::vector<std::string> sizes;
  int points = 16;
  std::string switch_cost = "1ms";
  double tolerance = PlanSetSettings{}.tolerance;
  std::filesystem::path out = "plans.json";
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(PlanCompileOptions& o) {
  CommandLine line("plan compile",
                   "Finds the best plan at many sizes, keeps the fewest plans that are nearly the best at each size, "
                   "and writes them to a file with the sizes at which to switch.",
                   "takt plan compile profiling --sizes 1000,5000-20000,100000 --save plans.json", o.log);
  line.add({.names = "COSTS",
            .meaning = "Stage times on units: the folder of a sweep, or a JSON file with costs by size",
            .required = true,
            .names_a_file = true},
           &o.costs.costs);
  line.add({.names = "--sizes",
            .value = "N,E[-N,E]",
            .meaning = "A size, nodes,edges, or a range of sizes; may be given several times. By default, from the "
                       "smallest to the largest size of the sweep"},
           &o.sizes);
  line.add({.names = "--points",
            .value = "N",
            .meaning = "Number of sizes per range at which plans are searched; each is larger by the same factor",
            .fallback = std::to_string(o.points),
            .range = NumberRange{2, 10'000}},
           &o.points);
  line.add(
      {.names = "--switch-cost",
       .value = "DURATION",
       .meaning = "Time of a switch between plans: the pipeline drains, and the models of the other plan are prepared",
       .fallback = o.switch_cost},
      &o.switch_cost);
  line.add({.names = "--tolerance",
            .value = "PERCENT",
            .meaning = "Largest relative gap to the best plan at any size; larger gaps need fewer plans",
            .fallback = fmt::format("{:g}%", 100 * o.tolerance),
            .range = NumberRange{0, 0.5}},
           &o.tolerance);
  line.add({.names = "--save",
            .older = "--out",
            .value = "FILE",
            .meaning = "The file of the plan set",
            .fallback = o.out.string(),
            .makes = Makes::file},
           &o.out);
  add_cost_settings(line, o.costs);
  add_objective(line, o.rules);
  add_plan_rules(line, o.rules);
  add_output(line, o.output, table_names("plan compile"));
  return line;
}

[[noreturn]] void refuse_size(const std::string& word) {
  throw UsageError(
      fmt::format("plan compile: --sizes: '{}' is not a size; write nodes,edges, e.g. 1000,5000, or "
                  "1000,5000-20000,100000 for a range",
                  printable(word)));
}

GraphSize size_in(std::string_view text, const std::string& word) {
  const auto numbers = split(text, ',');
  constexpr std::int64_t most = 2'147'483'646;
  if (numbers.size() != 2) refuse_size(word);
  const auto nodes = number_in<std::int64_t>(trim(numbers[0])), edges = number_in<std::int64_t>(trim(numbers[1]));
  if (!nodes || !edges || *nodes < 1 || *edges < 0 || *nodes > most || *edges > most) refuse_size(word);
  return {*nodes, *edges};
}

std::vector<GraphSize> sizes_of(const PlanCompileOptions& o, const PlanCostSource& source) {
  if (o.sizes.empty()) {
    const auto range = source.measured_range();
    if (!range) throw UsageError("plan compile: no sizes given; add --sizes 1000,5000-20000,100000");
    return sizes_between(range->first, range->second, o.points);
  }
  std::vector<GraphSize> sizes;
  for (const std::string& word : o.sizes) {
    const auto ends = split(word, '-');
    if (ends.size() > 2) refuse_size(word);
    const GraphSize first = size_in(ends.front(), word);
    if (ends.size() == 1) {
      sizes.push_back(first);
      continue;
    }
    const auto all = sizes_between(first, size_in(ends.back(), word), o.points);
    sizes.insert(sizes.end(), all.begin(), all.end());
  }
  return in_order_of_rows(std::move(sizes));
}

void warn_of_extrapolation(const PlanSet& set) {
  std::size_t beyond = 0;
  for (const PlanSet::Point& point : set.points) beyond += point.extrapolated ? 1 : 0;
  if (beyond > 0)
    log_warning(fmt::format("at {} of {} sizes the plan uses times that are extrapolated beyond the measured sizes",
                            beyond, set.points.size()));
}

int run(PlanCompileOptions& o, Arguments arguments) {
  const PlanCostSource source = cost_source(o.costs, "plan compile");
  PlanSetSettings settings{search_settings(o.rules, "plan compile"),
                           std::chrono::round<Nanoseconds>(parse_duration(o.switch_cost)),
                           o.tolerance,
                           {}};
  if (source.is_sweep())
    settings.extrapolated = [&](const Plan& plan, const GraphSize& size) {
      return !source.extrapolated(plan, size).empty();
    };
  PlanSet set = compile_plan_set(source.by_sizes(), sizes_of(o, source), settings);
  set.files = source.files();
  const Provenance provenance = provenance_of("plan compile", arguments);
  write_file_atomically(o.out, to_json(set, provenance));
  warn_of_extrapolation(set);
  print(o.output, plan_set_tables(set), provenance,
        to_text(set, o.output.style()) + interference_line(o.costs, source) +
            fmt::format("wrote plan set {}\n", printable(o.out.string())));
  return 0;
}

}  // namespace

constinit const Command plan_compile_command = command<PlanCompileOptions, declare, run>(
    "plan compile", "find the best plan for each size range, with switch points");

}  // namespace takt
