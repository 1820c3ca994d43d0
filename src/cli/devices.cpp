#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/tables.h"
#include "core/error.h"
#include "core/log.h"
#include "core/progress.h"
#include "core/text.h"
#include "machine/peaks_file.h"
#include "machine/peaks_table.h"
#include "runtime/devices_table.h"

namespace takt {
namespace {

/// Measures the CPU's peaks, keeps and shows them.
int measure(const OutputOptions& output, const Provenance& provenance) {
  if (auto warning = build_warning(); !warning.empty()) log_warning(warning);
  Peaks peaks;
  {
    Progress bar("measuring peaks");
    peaks = measure_peaks({}, [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); });
  }
  if (auto warning = busy_warning(peaks); !warning.empty()) log_warning(warning);
  const MachineClass machine = detect_machine_class();
  const auto path = save_peaks(peaks, machine, provenance);
  std::vector<Table> tables{peaks_table(peaks)};
  const std::string kept = fmt::format("kept in {}", printable(path.string()));
  if (!output.is_text_on_screen()) log_info(kept);
  print(output, tables, provenance,
        fmt::format("{}\n\n{}{}", to_string(machine), to_text(tables.front(), output.style()),
                    output.is_text_on_screen() ? kept + "\n" : ""));
  return 0;
}

struct DevicesOptions {
  bool measure = false;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(DevicesOptions& o) {
  CommandLine line("devices", "Lists the runtimes and devices that this binary can use here, and why not the others.",
                   "takt devices --measure", o.log);
  line.add(
      {.names = "--measure",
       .meaning = "Measure what the CPU can do at most (10 s) and keep it, for the columns roofline and peak_share"},
      &o.measure);
  add_output(line, o.output, {devices_schema().name});
  return line;
}

}  // namespace

CommandDescription describe_devices() {
  DevicesOptions o;
  return declare(o).description();
}

int run_devices(std::span<const std::string> arguments) {
  DevicesOptions o;
  if (!declare(o).parse(arguments)) return 0;
  const Provenance provenance = provenance_of("devices", arguments);
  if (o.measure) return measure(o.output, provenance);
  const std::vector<Table> tables{devices_table()};
  print(o.output, tables, provenance, to_text(tables.front(), o.output.style()));
  return 0;
}

}  // namespace takt
