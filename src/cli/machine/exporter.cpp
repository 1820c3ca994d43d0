#include <fmt/format.h>

#include "base/basics/error.h"
#include "base/system/interrupt.h"
#include "base/system/log.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/machine/load_options.h"
#include "predict/sources/exporter.h"

namespace takt {
namespace {

struct ExporterOptions {
  LoadSourceOptions sources;
  std::string listen = to_string(ListenAddress{});
  std::string interval = "15s";
  LogOptions log;
};

CommandLine declare(ExporterOptions& o) {
  CommandLine line("exporter",
                   "Serves the load of this machine to Prometheus, at http://ADDRESS/metrics. It is read at intervals "
                   "from the system's files, the GPU's driver and takt's probe.",
                   "takt exporter --listen 127.0.0.1:9817 --sources host,probe", o.log);
  line.add({.names = "--listen",
            .value = "ADDRESS",
            .meaning = "Address to listen on; ':9817' lets other machines read, without any protection",
            .fallback = o.listen},
           &o.listen);
  line.add({.names = "--interval",
            .value = "DURATION",
            .meaning = "Read the load this often; the probe runs for 0.5 s each time unless configured otherwise",
            .fallback = o.interval},
           &o.interval);
  add_load_sources(line, o.sources);
  return line;
}

ExporterSettings settings_of(const ExporterOptions& o) {
  ExporterSettings settings;
  try {
    settings.address = parse_listen_address(o.listen);
  } catch (const Error& error) {
    throw UsageError(fmt::format("--listen: {}", error.what()));
  }
  settings.interval = positive_time(o.interval, "--interval");
  LoadConfig usual;
  usual.probe.time = Nanoseconds(500'000'000);  // what predictions need (least_probe_time), at 3 % of a processor
  settings.load = settled(o.sources, usual);
  return settings;
}

int run(ExporterOptions& o, Arguments) {
  const ExporterSettings settings = settings_of(o);
  const Interrupt interrupt(Interrupt::Means::done);
  run_exporter(settings, interrupt.requested(), [](const ListenAddress& address) {
    if (!address.is_local())
      log_warning(fmt::format("every machine that reaches {} can read the load of this one", to_string(address)));
    fmt::print("http://{}/metrics\n", to_string(address));
    std::fflush(stdout);
  });
  return 0;
}

}  // namespace

constinit const Command exporter_command =
    command<ExporterOptions, declare, run>("exporter", "serve this machine's load as a Prometheus exporter");

}  // namespace takt
