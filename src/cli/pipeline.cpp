#include "cli/pipeline.h"

#include <fmt/format.h>

#include <vector>

#include "cli/commands.h"
#include "core/error.h"
#include "core/text.h"

namespace takt {
namespace {

constexpr Command pipeline_commands[] = {
    {"run", "run a pipeline, or simulate it, and show where its time goes", run_pipeline_run},
    {"analyze", "where the time of a recorded run went", run_pipeline_analyze},
    {"interference", "how much stages slow each other down, measured", run_pipeline_interference},
    {"whatif", "what a recorded run would have done with changes", run_pipeline_whatif},
};

void print_help() {
  fmt::print(
      "Streaming pipelines: models on several devices, batch after batch.\n\n"
      "Usage: takt pipeline COMMAND [options]\n\nCommands:\n");
  for (const auto& command : pipeline_commands) fmt::print("  {:<14}{}\n", command.name, command.summary);
  fmt::print(
      "\nOptions:\n  -h, --help  Show this text; 'takt pipeline COMMAND --help' shows its options\n"
      "\nExample:\n  takt pipeline run --simulate\n");
}

}  // namespace

int run_pipeline_command(std::span<const std::string> arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    print_help();
    return arguments.empty() ? 2 : 0;
  }
  std::vector<std::string> names;
  for (const auto& command : pipeline_commands) {
    if (command.name == arguments[0]) return command.run(arguments.subspan(1));
    names.emplace_back(command.name);
  }
  const auto nearest = nearest_word(arguments[0], names);
  throw UsageError(fmt::format("'{}' is not a command of 'takt pipeline'; {}", printable(arguments[0]),
                               nearest ? fmt::format("did you mean '{}'?", *nearest) : "see 'takt pipeline --help'"));
}

}  // namespace takt
