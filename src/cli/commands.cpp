#include "cli/commands.h"

#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "core/version.h"

namespace takt {
namespace {

constexpr Command all_commands[] = {
    {"run", "load a model, run it, show where its time goes", run_run},
    {"analyze", "operator tables from a profile file", run_analyze},
    {"compare", "what became slower or faster between profiles, beyond noise", run_compare},
    {"trace", "look at, check, convert and merge traces", run_trace},
    {"pipeline", "run, explain and simulate streaming pipelines", run_pipeline_command},
    {"devices", "runtimes and devices that this binary can use here", run_devices},
    {"explain", "what a column or figure means", run_explain},
};

void print_help() {
  fmt::print(
      "takt {}: measures and explains where the time of a machine-learning model goes\n\n"
      "Usage: takt COMMAND [options]\n\nCommands:\n",
      version);
  for (const auto& command : all_commands) fmt::print("  {:<10}{}\n", command.name, command.summary);
  fmt::print(
      "\nOptions:\n  --help     Show this text; 'takt COMMAND --help' shows a command's options\n"
      "  --version  Show the version\n\nExample:\n  takt run model.onnx\n\n"
      "Exit codes: 0 done, 1 failed, 2 wrong command line.\n");
}

[[noreturn]] void refuse(const std::string& word) {
  std::vector<std::string> names{"--help", "--version"};
  for (const auto& command : all_commands) names.emplace_back(command.name);
  auto nearest = nearest_word(word, names);
  throw UsageError(fmt::format("'{}' is not a command; {}", printable(word),
                               nearest ? fmt::format("did you mean '{}'?", *nearest) : "see 'takt --help'"));
}

}  // namespace

std::span<const Command> commands() { return all_commands; }

int run_command_line(std::span<const std::string> arguments) {
  if (arguments.empty()) throw UsageError("no command given; see 'takt --help'");
  const std::string& word = arguments.front();
  if (word == "--help" || word == "-h" || word == "help") return print_help(), 0;
  if (word == "--version") return fmt::print("takt {}\n", version), 0;
  for (const auto& command : all_commands)
    if (word == command.name) return command.run(arguments.subspan(1));
  refuse(word);
}

}  // namespace takt
