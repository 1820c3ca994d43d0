#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "plan/costs/lookup_tables.h"

namespace takt {
namespace {

struct LookupOptions {
  std::filesystem::path folder;
  int nodes = 0, edges = 0;
  std::string devices, stages;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(LookupOptions& o) {
  constexpr NumberRange counts{0, 2147483646};
  const std::vector<std::string> units(all_units.begin(), all_units.end());
  CommandLine line("lookup",
                   "Looks up stage times at a graph size: measured by a sweep, or interpolated from its sizes, with an "
                   "interval. Times of sizes beyond the measured ones are marked.",
                   "takt lookup profiling --nodes 4000 --edges 12000 --devices CPU,GPU", o.log);
  line.add({.names = "DIR",
            .meaning = "The folder of a sweep, or its raw_measurements.json",
            .required = true,
            .names_a_file = true},
           &o.folder);
  line.add({.names = "--nodes",
            .value = "N",
            .meaning = "Nodes of the graph",
            .range = NumberRange{1, counts.high},
            .required = true},
           &o.nodes);
  line.add({.names = "--edges", .value = "N", .meaning = "Edges of the graph", .range = counts, .required = true},
           &o.edges);
  line.add({.names = "--devices",
            .older = "--device",
            .value = "LIST",
            .meaning = "Kinds of devices, separated by commas: CPU, GPU, NPU",
            .fallback = "all in the sweep",
            .offered = units},
           &o.devices);
  line.add({.names = "--stages",
            .value = "A[-B]",
            .meaning = "A stage by its number, or stages A to B fused into one model",
            .fallback = "every single stage that was measured"},
           &o.stages);
  add_output(line, o.output, table_names("lookup"));
  return line;
}

/// The units that `text` names.
std::vector<std::string> units_in(std::string_view text) {
  const std::vector<std::string> known(all_units.begin(), all_units.end());
  std::vector<std::string> units;
  for (const std::string& part : split(text, ',')) {
    units.push_back(upper_case(trim(part)));
    if (std::find(known.begin(), known.end(), units.back()) == known.end())
      throw UsageError(fmt::format("lookup: --devices: '{}' is not a kind of device; {}", printable(part),
                                   suggestion(units.back(), known, "use CPU, GPU or NPU")));
  }
  return units;
}

/// First and last stage in "3" or "1-4".
std::pair<int, int> stages_in(std::string_view text, Network network) {
  const int count = static_cast<int>(stages_of(network).size());
  const auto dash = text.find('-');
  const auto first = number_in<int>(text.substr(0, dash));
  const auto last = dash == text.npos ? first : number_in<int>(text.substr(dash + 1));
  if (!first || !last || *first < 1 || *last < *first || *last > count)
    throw UsageError(fmt::format("lookup: --stages: '{}' is not a range of stages; {} has stages 1 to {}",
                                 printable(text), network_title(network), count));
  return {*first, *last};
}

/// The single stages of the unit that have a row; where none has, all, to say so.
std::vector<UnitRange> single_stages(const CostLookup& costs, const std::string& unit) {
  std::vector<UnitRange> known, all;
  for (const UnitRange& range : costs.ranges())
    if (range.unit == unit && range.first == range.last) known.push_back(range);
  for (int stage = 1; stage <= static_cast<int>(stages_of(costs.network()).size()); ++stage)
    all.push_back({unit, stage, stage});
  return known.empty() ? all : known;
}

std::vector<UnitRange> asked_ranges(const LookupOptions& o, const CostLookup& costs) {
  std::vector<std::string> units = o.devices.empty() ? std::vector<std::string>() : units_in(o.devices);
  if (units.empty())
    for (const UnitRange& range : costs.ranges())
      if (units.empty() || units.back() != range.unit) units.push_back(range.unit);
  std::vector<UnitRange> ranges;
  for (const std::string& unit : units) {
    if (o.stages.empty()) {
      for (const UnitRange& range : single_stages(costs, unit)) ranges.push_back(range);
    } else {
      const auto stages = stages_in(o.stages, costs.network());
      ranges.push_back({unit, stages.first, stages.second});
    }
  }
  return ranges;
}

/// The table without what has no cost, and a line for each reason.
std::string text_of(const LookupOptions& o, const CostLookup& costs, const std::vector<AnsweredCost>& answers) {
  std::string text = fmt::format("{}, {} features, {} nodes, {} edges\n\n", network_title(costs.network()),
                                 costs.features(), o.nodes, o.edges);
  std::vector<AnsweredCost> known;
  std::string unknown;
  for (const AnsweredCost& one : answers) {
    if (one.answer.cost)
      known.push_back(one);
    else
      unknown += fmt::format("{} {}: {}\n", one.range.unit,
                             one.range.first == one.range.last ? std::to_string(one.range.first)
                                                               : fmt::format("{}-{}", one.range.first, one.range.last),
                             printable(one.answer.reason));
  }
  if (!known.empty()) text += to_text(without_columns(costs_table(known), {"missing_because"}), o.output.style());
  if (!known.empty() && !unknown.empty()) text += "\n";
  return unknown.empty() ? text : text + "No cost:\n" + unknown;
}

int run(LookupOptions& o, Arguments arguments) {
  const CostLookup costs = read_costs(o.folder);
  std::vector<AnsweredCost> answers;
  for (const UnitRange& range : asked_ranges(o, costs))
    answers.push_back({costs.network(), range, costs.cost(range, {o.nodes, o.edges})});
  const std::vector<Table> tables{costs_table(answers)};
  print(o.output, tables, provenance_of("lookup", arguments), text_of(o, costs, answers));
  return 0;
}

}  // namespace

constinit const Command lookup_command =
    command<LookupOptions, declare, run>("lookup", "look up (or interpolate) stage times at a graph size");

}  // namespace takt
