#include <fmt/format.h>

#include "cli/plan/sweep_options.h"
#include "cli/line/tables.h"
#include "base/system/log.h"
#include "base/basics/text.h"
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
  CommandLine line(
      "sweep merge",
      "Puts parts of a sweep together that were measured in folders of their own, on machines of one kind: "
      "every row once, and what was measured of contention.",
      "takt sweep merge part-1 part-2 --out profiling", o.log);
  line.add({.names = "DIR", .meaning = "The folders", .required = true}, &o.folders);
  line.add({.names = "--out",
            .value = "DIR",
            .meaning = "The folder of the whole, which has no rows yet",
            .required = true,
            .makes = Makes::folder},
           &o.out);
  add_output(line, o.output, table_names("sweep"));
  return line;
}

}  // namespace

int run_sweep_merge(std::span<const std::string> arguments) {
  MergeOptions o;
  if (!declare(o).parse(arguments)) return 0;
  const MergedSweep merged = merge_sweeps(o.folders);
  for (const std::string& sentence : merged.left_out) log_warning(sentence);
  write_sweep(merged, o.out);
  const auto tables = sweep_tables(merged.sweep);
  std::string text = to_text(tables.front(), o.output.style());
  if (merged.repeated > 0) text += fmt::format("\n{} rows were there more than once\n", merged.repeated);
  print(o.output, tables, provenance_of("sweep merge", arguments),
        text + fmt::format("\nin {}\n", printable((o.out / "results").string())));
  return 0;
}

}  // namespace takt
