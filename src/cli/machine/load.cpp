#include <fmt/format.h>

#include <cstdio>

#include "cli/line/command_line.h"
#include "cli/commands.h"
#include "cli/load_options.h"
#include "cli/line/output.h"
#include "base/basics/error.h"
#include "base/system/interrupt.h"
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
  CommandLine line(
      "load",
      "Shows the load that this machine has now, from the system's own files, Prometheus, the GPU's driver "
      "and a short work of takt's own: each figure with its age, who tells it, and what could not be read.",
      "takt load --sources host,probe --window 500ms", o.log);
  add_load_sources(line, o.sources);
  line.add({.names = "--watch", .meaning = "Read again and again, until Ctrl-C"}, &o.watch);
  line.add({.names = "--features", .meaning = "List the figures that sources may tell, and what they mean"},
           &o.features);
  add_output(line, o.output, {load_schemas()[0].name, load_schemas()[1].name});
  return line;
}

/// Whether anybody told anything.
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

}  // namespace

CommandDescription describe_load() {
  LoadOptions o;
  return declare(o).description();
}

int run_load_command(std::span<const std::string> arguments) {
  LoadOptions o;
  if (!declare(o).parse(arguments)) return 0;
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
  if (!told && !o.watch) throw Error(ErrorKind::runtime, "no source tells anything of the load");
  return 0;
}

}  // namespace takt
