#include "cli/commands.h"

#include <fmt/format.h>

#include "cli/kernels.h"
#include "cli/pipeline.h"
#include "cli/plan.h"
#include "cli/trace.h"
#include "cli/version.h"
#include "cli/zoo.h"

namespace takt {
namespace {

constexpr Command all_commands[] = {
    {"run", "load a model, run it, show where its time goes", run_run, describe_run},
    {"analyze", "operator tables from a profile file", run_analyze, describe_analyze},
    {"compare", "what became slower or faster between profiles, beyond noise", run_compare, describe_compare},
    {.name = "trace", .summary = "look at, check, convert, cut and merge traces", .group = &trace_commands},
    {"diagnose", "why a training is slow, from its trace", run_diagnose, describe_diagnose},
    {"scenario", "train with a planted fault, under a profiler", run_scenario, describe_scenario},
    {.name = "pipeline", .summary = "run, explain and simulate streaming pipelines", .group = &pipeline_commands},
    {"sweep", "stages of graph neural networks measured on every device and size", run_sweep, describe_sweep},
    {"lookup", "what stages cost at a size of graph, measured or not", run_lookup, describe_lookup},
    {.name = "plan", .summary = "which stages run together, on which units", .group = &plan_commands},
    {"load", "the load that this machine has now, and who tells it", run_load_command, describe_load},
    {"stress", "load processors, memory or a GPU to a level", run_stress_command, describe_stress},
    {"exporter", "show this machine's load to Prometheus", run_exporter_command, describe_exporter},
    {.name = "zoo", .summary = "models of many architectures that takt builds itself", .group = &zoo_commands},
    {.name = "kernels", .summary = "what a runtime executes of a model, kernel by kernel", .group = &kernels_commands},
    {"collect", "models of a zoo measured kernel by kernel", run_collect, describe_collect},
    {"fit", "train a predictor of kernels and models", run_fit, describe_fit},
    {"predict", "how long models will take, without running them", run_predict, describe_predict},
    {"evaluate", "predictions beside what is measured", run_evaluate, describe_evaluate},
    {"devices", "runtimes and devices that this binary can use here", run_devices, describe_devices},
    {"explain", "what a column or figure means", run_explain, describe_explain},
    {.name = "completion", .run = run_completion},
    {.name = "manual", .run = run_manual},
};

constexpr GroupOption takt_options[] = {{"--version", "Show version, commit, kind of build and runtimes"}};

constexpr std::string_view exit_codes = R"(
Exit codes:
  0    done
  1    failed; also where nothing at all could be measured
  2    wrong command line
  3    inconclusive (compare)
  130  ended by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP: what was measured until
       then is printed and written. 0 where a command ends in no other way
       (exporter, load --watch)
)";

constexpr CommandGroup takt_itself = {
    .name = "",
    .summary = "takt: measures and explains where the time of a machine-learning model goes",
    .usage = "COMMAND [options]",
    .commands = all_commands,
    .example = "takt run model.onnx",
    .options = takt_options,
    .end = exit_codes};

}  // namespace

const CommandGroup& takt_commands() { return takt_itself; }

int run_command_line(std::span<const std::string> arguments) {
  if (!arguments.empty() && arguments.front() == "help") return fmt::print("{}", help_of(takt_itself)), 0;
  if (!arguments.empty() && arguments.front() == "--version") return fmt::print("{}", version_text()), 0;
  return dispatch(takt_itself, arguments);
}

}  // namespace takt
