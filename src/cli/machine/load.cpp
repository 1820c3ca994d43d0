#include <fmt/format.h>

#include <cstdio>

#include "base/basics/error.h"
#include "base/system/interrupt.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/machine/load_options.h"
#include "predict/sources/sources.h"
#include "predict/sources/tables.h"

namespace takt {
namespace {

struct LoadOptions {
  LoadSourceOptions sources;
  bool watch = false, features = false;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(LoadOptions& o) {
  CommandLine line("load",
                   "Shows the current load of this machine, from the system's files, Prometheus, the GPU's driver and "
                   "a short benchmark (probe): each value with its age and source, and what could not be read.",
                   "takt load --sources host,probe --window 500ms", o.log);
  add_load_sources(line, o.sources);
  line.add({.names = "--watch", .meaning = "Read repeatedly, until Ctrl-C"}, &o.watch);
  line.add({.names = "--features", .meaning = "List the values that sources may report, and what they mean"},
           &o.features);
  add_output(line, o.output, {load_schemas()[0].name, load_schemas()[1].name});
  return line;
}

/// Returns whether any source reported a value.
bool show(const LoadOptions& o, const LoadSnapshot& snapshot, const Provenance& provenance) {
  std::vector<Table> tables = load_tables(snapshot);
  if (o.output.format == "markdown") tables.front() = shown_load_table(snapshot);
  print(o.output, tables, provenance, load_text(snapshot, o.output.style()));
  for (const LoadReading& reading : snapshot.readings)
    if (reading.value) return true;
  return false;
}

int list_features(const LoadOptions& o, const Provenance& provenance) {
  const std::vector<Table> tables{features_table()};
  print(o.output, tables, provenance, features_text(o.output.style().width));
  return 0;
}

int run(LoadOptions& o, Arguments arguments) {
  const Provenance provenance = provenance_of("load", arguments);
  if (o.features && !o.output.table.empty()) throw UsageError("load: --features has one table; leave out --table");
  if (o.features) return list_features(o, provenance);
  if (o.watch && (!o.output.file.empty() || o.output.format == "csv" || o.output.format == "markdown"))
    throw UsageError(
        "load: --watch writes one reading after the other to the screen; use --format table or json, without -o");
  const LoadConfig config = settled(o.sources);
  const auto sources = make_load_sources(config);
  const Interrupt interrupt(o.watch ? Interrupt::Means::done : Interrupt::Means::stopped);
  bool told = false;
  do {
    const LoadSnapshot snapshot = take_snapshot(sources, config.window, &interrupt.requested());
    if (o.watch && interrupt.requested()) break;
    told = show(o, snapshot, provenance);
    if (o.watch) fmt::print("\n");
    std::fflush(stdout);
  } while (o.watch && !interrupt.requested());
  if (!told && !o.watch) throw Error(ErrorKind::runtime, "no source reports any load");
  return 0;
}

}  // namespace

constinit const Command load_command =
    command<LoadOptions, declare, run>("load", "show the current load of this machine, by source");

}  // namespace takt
