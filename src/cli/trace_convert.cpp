#include "cli/command_line.h"
#include "cli/trace.h"
#include "core/text.h"
#include "trace/csv_writer.h"
#include "trace/trace_file.h"

namespace takt {
namespace {

bool is_csv_name(std::filesystem::path path) {
  if (lower_case(path.extension().string()) == ".gz") path = path.stem();
  return lower_case(path.extension().string()) == ".csv";
}

}  // namespace

int run_trace_convert(std::span<const std::string> arguments) {
  LogOptions log;
  std::filesystem::path file, output;
  auto app = make_app("trace convert",
                      "Writes a trace in another format, by the name of the output: NAME.pftrace is Perfetto's\n"
                      "protobuf, NAME.csv one line per event, any other name Chrome JSON; NAME.*.gz is compressed.",
                      "takt trace convert trace.json.gz -o trace.pftrace", log);
  app->add_option("FILE", file, "A trace in Chrome's JSON format, also compressed")->required();
  app->add_option("-o,--output", output, "The file to write")->type_name("FILE")->required();
  if (!parse(*app, arguments)) return 0;
  apply(log);
  const auto traces = read_traces({file}, {});
  warn_of_faults(traces);
  if (is_csv_name(output))
    write_trace_csv(traces.front().read.trace, output);
  else
    write_trace(traces.front().read.trace, output);
  return 0;
}

}  // namespace takt
