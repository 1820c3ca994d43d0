#include "cli/trace/trace.h"

#include <fmt/format.h>

#include "base/basics/text.h"
#include "base/system/log.h"
#include "pipeline/record/recorded_run.h"

namespace takt {
void add_reading_threads(CommandLine& line, TraceReadSettings& settings) {
  line.add({.names = "--threads",
            .value = "N",
            .meaning = "Threads that read the trace",
            .fallback = "one per CPU, at most 8",
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
      log_warning(fmt::format("{}: {} fault{} in the file; 'takt trace check' lists them", printable(named.file), count,
                              count == 1 ? "" : "s"));
    }
    if (left_out > 0) {
      log_warning(fmt::format("{}: {} record{} of kinds that takt does not read; 'takt trace check' lists them",
                              printable(named.file), left_out, left_out == 1 ? "" : "s"));
    }
  }
}

}  // namespace takt
