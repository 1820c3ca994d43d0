#include <fmt/format.h>

#include "base/basics/error.h"
#include "base/basics/text.h"
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

struct PlanSimulateOptions {
  std::filesystem::path set, stream;
  PlanCostOptions costs;
  std::optional<std::int64_t> random;
  int stay = 1;
  std::uint64_t seed = 1;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(PlanSimulateOptions& o) {
  CommandLine line("plan simulate",
                   "Simulates a stream of batches of mixed sizes with compiled plans: the gain from choosing the plan "
                   "by size, the cost of switches, and the gap to an oracle that knows the best plan for every size.",
                   "takt plan simulate plans.json --costs profiling --random 1000 --stay 20", o.log);
  line.add(
      {.names = "SET", .meaning = "The file that 'takt plan compile' wrote", .required = true, .names_a_file = true},
      &o.set);
  line.add({.names = "--costs",
            .value = "PATH",
            .meaning = "Costs to simulate with, at the exact sizes of batches: a JSON file, or the folder of a sweep",
            .required = true},
           &o.costs.costs);
  line.add({.names = "--stream", .value = "FILE", .meaning = "The batches: one line nodes,edges for each"}, &o.stream);
  line.add({.names = "--random",
            .value = "N",
            .meaning = "N batches with random sizes from those of the set, instead of a file",
            .range = NumberRange{1, 1'000'000}},
           &o.random);
  line.add({.names = "--stay",
            .value = "N",
            .meaning = "With --random: mean number of consecutive batches of one size",
            .fallback = std::to_string(o.stay),
            .range = NumberRange{1, 1'000'000}},
           &o.stay);
  line.add({.names = "--seed", .value = "N", .meaning = "With --random: seed of the stream", .fallback = "1"}, &o.seed);
  add_cost_settings(line, o.costs);
  add_output(line, o.output, table_names("plan simulate"));
  return line;
}

BatchStream stream_of(const PlanSimulateOptions& o, const PlanSet& set) {
  if (o.random.has_value() != o.stream.empty())
    throw UsageError("plan simulate: no batches given; add --stream FILE or --random N");
  return o.random ? random_batch_stream(set, {*o.random, o.stay, o.seed}) : read_batch_stream(o.stream);
}

void warn_of_other_costs(const PlanSet& set, const PlanCostSource& source) {
  const auto contents = [](const std::vector<CostFile>& files) {
    std::vector<std::string> list;
    for (const CostFile& file : files) list.push_back(file.contents);
    return list;
  };
  if (!set.files.empty() && contents(set.files) != contents(source.files()))
    log_warning(
        "the set was compiled from other costs than these: its estimates differ from the times that are simulated");
}

int run(PlanSimulateOptions& o, Arguments arguments) {
  const PlanSet set = read_plan_set(o.set);
  // The oracle has the units that the set was compiled for.
  if (o.costs.devices.empty()) o.costs.devices = fmt::format("{}", fmt::join(set.units, ","));
  const PlanCostSource source = cost_source(o.costs, "plan simulate");
  warn_of_other_costs(set, source);
  const StreamReport report = simulate_stream(set, source.by_sizes(), stream_of(o, set));
  print(o.output, plan_stream_tables(report), provenance_of("plan simulate", arguments),
        to_text(report, o.output.style()) + interference_line(o.costs, source));
  return 0;
}

}  // namespace

constinit const Command plan_simulate_command =
    command<PlanSimulateOptions, declare, run>("plan simulate", "simulate a stream of mixed sizes with a plan set");

}  // namespace takt
