#include <fmt/format.h>

#include "base/basics/text.h"
#include "base/system/log.h"
#include "cli/line/commands.h"
#include "cli/line/tables.h"
#include "cli/plan/sweep_options.h"
#include "plan/sweep/merge.h"
#include "plan/sweep/tables.h"

namespace takt {
namespace {

struct MergeOptions {
  std::vector<std::filesystem::path> folders;
  std::filesystem::path out;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(MergeOptions& o) {
  CommandLine line("sweep merge",
                   "Merges parts of a sweep that were measured in separate folders, on machines of one kind: every row "
                   "once, and the measured contention.",
                   "takt sweep merge part-1 part-2 --out profiling", o.log);
  line.add({.names = "DIR", .meaning = "The folders", .required = true}, &o.folders);
  line.add({.names = "--out",
            .value = "DIR",
            .meaning = "The folder of the merged sweep, without rows so far",
            .required = true,
            .makes = Makes::folder},
           &o.out);
  add_output(line, o.output, table_names("sweep"));
  return line;
}

int run(MergeOptions& o, Arguments arguments) {
  const MergedSweep merged = merge_sweeps(o.folders);
  for (const std::string& sentence : merged.left_out) log_warning(sentence);
  write_sweep(merged, o.out);
  const auto tables = sweep_tables(merged.sweep);
  std::string text = to_text(tables.front(), o.output.style());
  if (merged.repeated > 0) text += fmt::format("\n{} rows occurred more than once\n", merged.repeated);
  print(o.output, tables, provenance_of("sweep merge", arguments),
        text + fmt::format("\nin {}\n", printable((o.out / "results").string())));
  return 0;
}

}  // namespace

constinit const Command sweep_merge_command =
    command<MergeOptions, declare, run>("sweep merge", "merge sweeps that were measured in separate folders");

}  // namespace takt
