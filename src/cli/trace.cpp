#include "cli/trace.h"

#include <fmt/format.h>

#include "core/log.h"
#include "core/text.h"
#include "trace/trace_file.h"

namespace takt {
namespace {

constexpr Command trace_parts[] = {
    {"info", "what is in a trace; time per device", run_trace_info, describe_trace_info},
    {"convert", "Chrome JSON to Perfetto protobuf, CSV or clean Chrome JSON", run_trace_convert,
     describe_trace_convert},
    {"check", "every rule an importer would complain about", run_trace_check, describe_trace_check},
    {"merge", "traces of several hosts or ranks on one time base", run_trace_merge, describe_trace_merge},
};

}  // namespace

constexpr CommandGroup trace_commands = {
    .name = "trace",
    .summary = "Reads traces in Chrome's JSON format: takt's own, PyTorch's, ONNX Runtime's.",
    .usage = "COMMAND FILE... [options]",
    .commands = trace_parts,
    .example = "takt trace info trace.json.gz"};

std::vector<NamedTrace> read_traces(const std::vector<std::filesystem::path>& files,
                                    const TraceReadSettings& settings) {
  std::vector<NamedTrace> traces;
  for (const auto& file : files) traces.push_back({file.string(), read_trace(file, settings)});
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
