#include "cli/trace.h"

#include <fmt/format.h>

#include "base/system/log.h"
#include "base/basics/text.h"
#include "pipeline/record/recorded_run.h"

namespace takt {
namespace {

constexpr Command trace_parts[] = {
    {"info", "what is in a trace; time per device", run_trace_info, describe_trace_info},
    {"convert", "a trace as Perfetto protobuf, CSV or clean Chrome JSON", run_trace_convert, describe_trace_convert},
    {"check", "every rule an importer would complain about", run_trace_check, describe_trace_check},
    {"cut", "a piece of a trace that is too large to open", run_trace_cut, describe_trace_cut},
    {"merge", "traces of several hosts or ranks on one time base", run_trace_merge, describe_trace_merge},
};

}  // namespace

constexpr CommandGroup trace_commands = {
    .name = "trace",
    .summary =
        "Reads traces in Chrome's JSON and Perfetto's protobuf: takt's own, PyTorch's, ONNX Runtime's, Chrome's.",
    .usage = "COMMAND FILE... [options]",
    .commands = trace_parts,
    .example = "takt trace info trace.json.gz"};

void add_reading_threads(CommandLine& line, TraceReadSettings& settings) {
  line.add({.names = "--threads",
            .value = "N",
            .meaning = "Threads that read",
            .fallback = "one per processor, at most 8",
            .range = NumberRange{1, 256}},
           &settings.threads);
}

std::vector<NamedTrace> read_traces(const std::vector<std::filesystem::path>& files,
                                    const TraceReadSettings& settings) {
  std::vector<NamedTrace> traces;
  std::vector<std::string> notes;
  for (const auto& file : files) traces.push_back({file.string(), read_trace_or_journal(file, settings, notes)});
  for (const std::string& note : notes) log_warning(note);
  return traces;
}

void warn_of_faults(std::span<const NamedTrace> traces) {
  for (const NamedTrace& named : traces) {
    std::uint64_t count = 0, left_out = 0;
    for (const TraceFault& fault : named.read.faults) {
      (grade_of(fault.rule) == FaultGrade::note ? left_out : count) += fault.count;
    }
    if (count > 0) {
      log_warning(fmt::format("{}: {} fault{} in the file; 'takt trace check' names them", printable(named.file), count,
                              count == 1 ? "" : "s"));
    }
    if (left_out > 0) {
      log_warning(fmt::format("{}: {} packet{} or field{} of other kinds left out; 'takt trace check' names them",
                              printable(named.file), left_out, left_out == 1 ? "" : "s", left_out == 1 ? "" : "s"));
    }
  }
}

}  // namespace takt
