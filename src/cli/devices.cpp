#include <fmt/format.h>

#include <thread>

#include "cli/line/command_line.h"
#include "cli/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "core/affinity.h"
#include "base/basics/error.h"
#include "base/system/log.h"
#include "base/system/progress.h"
#include "base/basics/text.h"
#include "predict/sources/tables.h"
#include "base/machine/check.h"
#include "base/machine/peaks_file.h"
#include "base/machine/peaks_table.h"
#include "model/registry/devices_table.h"

namespace takt {
namespace {

/// Measures the CPU's peaks, keeps and shows them.
int measure(const OutputOptions& output, const Provenance& provenance) {
  if (auto warning = build_warning(); !warning.empty()) log_warning(warning);
  check_peaks_writable();
  Peaks peaks;
  {
    Progress bar("measuring peaks");
    peaks = measure_peaks({}, [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); });
  }
  if (auto warning = busy_warning(peaks); !warning.empty()) log_warning(warning);
  const MachineClass machine = detect_machine_class();
  const KeptPeaks saved = save_peaks(std::move(peaks), machine, provenance);
  std::vector<Table> tables{peaks_table(saved.peaks)};
  std::string kept = fmt::format("kept in {}", printable(saved.path.string()));
  if (saved.earlier > 0)
    kept += fmt::format("; {} values are of an earlier measurement that was better (delete the file to start anew)",
                        saved.earlier);
  if (!output.is_text_on_screen()) log_info(kept);
  print(output, tables, provenance,
        fmt::format("{}\n\n{}{}", to_string(machine), to_text(tables.front(), output.style()),
                    output.is_text_on_screen() ? kept + "\n" : ""));
  return 0;
}

/// What disturbs measurements here, half a second's look at other programs among it.
int check(const OutputOptions& output, const Provenance& provenance) {
  constexpr Nanoseconds look{500'000'000};
  ProgramWatch watch;
  watch.look();
  const Nanoseconds begin = steady_now();
  std::this_thread::sleep_for(look);
  watch.look();
  const auto conditions = check_machine({"/", usable_cores(), watch.programs(), steady_now() - begin});
  const std::vector<Table> tables{conditions_table(conditions)};
  std::string text;
  for (const MachineCondition& one : conditions) {
    const char* verdict = one.disturbs == Disturbs::yes  ? "disturbs"
                          : one.disturbs == Disturbs::no ? "fine"
                                                         : "not told";
    const std::string head = fmt::format("{:<16} {:<8}", one.name, verdict);
    text += head + (one.found.empty() ? "" : "  " + wrapped(one.found, 100, head.size() + 2)) + "\n";
    if (!one.fix.empty()) text += fmt::format("{:>26} ", "fix:") + wrapped(one.fix, 100, 27) + "\n";
  }
  print(output, tables, provenance, text + conditions_summary(conditions) + "\n");
  return 0;
}

struct DevicesOptions {
  bool measure = false, check = false;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(DevicesOptions& o) {
  CommandLine line(
      "devices",
      "Lists the runtimes, devices and sources of load that this binary can use here, and why not the others.",
      "takt devices --measure", o.log);
  line.add(
      {.names = "--measure",
       .meaning = "Measure what the CPU can do at most (10 s) and keep it, for the columns roofline and peak_share"},
      &o.measure);
  line.add(
      {.names = "--check",
       .meaning = "Say what on this machine disturbs measurements (clock, sibling threads, limits, load) and what to "
                  "do about each"},
      &o.check);
  add_output(line, o.output, {devices_schema().name, load_sources_schema().name});
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
  if (o.measure && o.check)
    throw UsageError("devices: --check looks at a quiet machine and --measure loads it: use one of them at a time");
  if ((o.measure || o.check) && !o.output.table.empty())
    throw UsageError("devices: --check and --measure have one table each; leave out --table");
  if (o.measure) return measure(o.output, provenance);
  if (o.check) return check(o.output, provenance);
  const std::vector<Table> tables{devices_table(), load_sources_table(load_source_states())};
  std::string text;
  for (const Table& table : tables) text += (text.empty() ? "" : "\n") + to_text(table, o.output.style());
  print(o.output, tables, provenance, text);
  return 0;
}

}  // namespace takt
