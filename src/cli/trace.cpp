#include "cli/trace.h"

#include <fmt/format.h>

#include "cli/commands.h"
#include "core/error.h"
#include "core/log.h"
#include "core/text.h"

namespace takt {
namespace {

constexpr Command trace_commands[] = {
    {"info", "what is in a trace; time per device", run_trace_info},
    {"convert", "Chrome JSON to Perfetto protobuf, CSV or clean Chrome JSON", run_trace_convert},
    {"check", "every rule an importer would complain about", run_trace_check},
    {"merge", "traces of several hosts or ranks on one time base", run_trace_merge},
};

void print_help() {
  fmt::print(
      "Reads traces in Chrome's JSON format: takt's own, PyTorch's, ONNX Runtime's.\n\n"
      "Usage: takt trace COMMAND FILE… [options]\n\nCommands:\n");
  for (const auto& command : trace_commands) fmt::print("  {:<10}{}\n", command.name, command.summary);
  fmt::print(
      "\nOptions:\n  -h, --help  Show this text; 'takt trace COMMAND --help' shows its options\n"
      "\nExample:\n  takt trace info trace.json.gz\n");
}

}  // namespace

int run_trace(std::span<const std::string> arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    print_help();
    return arguments.empty() ? 2 : 0;
  }
  std::vector<std::string> names;
  for (const auto& command : trace_commands) {
    if (command.name == arguments[0]) return command.run(arguments.subspan(1));
    names.emplace_back(command.name);
  }
  const auto nearest = nearest_word(arguments[0], names);
  throw UsageError(fmt::format("'{}' is not a command of 'takt trace'; {}", printable(arguments[0]),
                               nearest ? fmt::format("did you mean '{}'?", *nearest) : "see 'takt trace --help'"));
}

std::vector<NamedTrace> read_traces(const std::vector<std::filesystem::path>& files,
                                    const TraceReadSettings& settings) {
  std::vector<NamedTrace> traces;
  for (const auto& file : files) traces.push_back({file.string(), read_chrome_trace(file, settings)});
  return traces;
}

void warn_of_faults(std::span<const NamedTrace> traces) {
  for (const NamedTrace& named : traces) {
    std::uint64_t count = 0;
    for (const TraceFault& fault : named.read.faults) count += fault.count;
    if (count == 0) continue;
    log_warning(fmt::format("{}: {} fault{} in the file; 'takt trace check' names them", printable(named.file), count,
                            count == 1 ? "" : "s"));
  }
}

}  // namespace takt
