#include "base/basics/text.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/trace/trace.h"
#include "trace/write/csv_writer.h"
#include "trace/write/trace_file.h"

namespace takt {
namespace {

bool is_csv_name(std::filesystem::path path) {
  if (lower_case(path.extension().string()) == ".gz") path = path.stem();
  return lower_case(path.extension().string()) == ".csv";
}

struct TraceConvertOptions {
  std::filesystem::path file, output;
  LogOptions log;
};

CommandLine declare(TraceConvertOptions& o) {
  CommandLine line("trace convert",
                   "Writes a trace in another format. The name of the output selects it: NAME.pftrace is Perfetto's "
                   "protobuf, NAME.csv has one line per event, any other name is Chrome JSON; NAME.*.gz is compressed.",
                   "takt trace convert trace.json.gz -o trace.pftrace", o.log);
  line.add(
      {.names = "FILE",
       .meaning = "A trace in Chrome's JSON or Perfetto's protobuf, also compressed, or the journal of a pipeline run",
       .required = true},
      &o.file);
  line.add(
      {.names = "-o,--output", .value = "FILE", .meaning = "The file to write", .required = true, .makes = Makes::file},
      &o.output);
  return line;
}

int run(TraceConvertOptions& o, Arguments) {
  const auto traces = read_traces({o.file}, {});
  warn_of_faults(traces);
  if (is_csv_name(o.output))
    write_trace_csv(traces.front().read.trace, o.output);
  else
    write_trace(traces.front().read.trace, o.output);
  return 0;
}

}  // namespace

constinit const Command trace_convert_command = command<TraceConvertOptions, declare, run>(
    "trace convert", "convert a trace to Perfetto protobuf, CSV or clean Chrome JSON");

}  // namespace takt
