#include <fmt/format.h>

#include <thread>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/machine/check.h"
#include "base/machine/peaks_file.h"
#include "base/machine/peaks_table.h"
#include "base/system/affinity.h"
#include "base/system/log.h"
#include "base/system/progress.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "model/registry/devices_table.h"
#include "predict/sources/tables.h"

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
    kept += fmt::format("; {} values are from an earlier, better measurement (delete the file to start again)",
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
  const std::size_t width = output.style().width;
  std::string text;
  for (const MachineCondition& one : conditions) {
    const char* verdict = one.disturbs == Disturbs::yes  ? "disturbs"
                          : one.disturbs == Disturbs::no ? "fine"
                                                         : "unknown";
    const std::string head = fmt::format("{:<16} {:<8}", one.name, verdict);
    text += head + (one.found.empty() ? "" : "  " + wrapped(one.found, width, head.size() + 2)) + "\n";
    if (!one.fix.empty()) text += fmt::format("{:>26} ", "fix:") + wrapped(one.fix, width, 27) + "\n";
  }
  print(output, tables, provenance, wrapped(conditions_summary(conditions), width) + "\n\n" + text);
  return 0;
}

/// "Usable here: openvino on CPU; onnxruntime on CPU." Simulated devices are always there and not named.
std::string usable_devices(const Table& devices) {
  std::string usable;
  for (const auto& row : some_columns(devices, {"runtime", "device", "usable"}).rows) {
    const auto word = [&](std::size_t column) { return std::get<std::string>(row[column]); };
    if (word(2) == "yes" && !word(1).starts_with("sim:"))
      usable += fmt::format("{}{} on {}", usable.empty() ? "" : ", ", word(0), word(1));
  }
  return usable.empty() ? "No real device is usable here; simulated ones are." : "Usable here: " + usable + ".";
}

struct DevicesOptions {
  bool measure = false, check = false;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(DevicesOptions& o) {
  CommandLine line(
      "devices",
      "Lists the runtimes, devices and load sources that this binary can use here, and why others are unavailable.",
      "takt devices --measure", o.log);
  line.add({.names = "--measure",
            .meaning = "Measure the CPU's peaks (10 s) and save them, for the columns roofline and peak_share"},
           &o.measure);
  line.add({.names = "--check",
            .meaning = "Report what on this machine disturbs measurements (clock, sibling threads, limits, load), with "
                       "a fix for each"},
           &o.check);
  add_output(line, o.output, {devices_schema().name, load_sources_schema().name});
  return line;
}

int run(DevicesOptions& o, Arguments arguments) {
  const Provenance provenance = provenance_of("devices", arguments);
  if (o.measure && o.check)
    throw UsageError("devices: --check needs an idle machine and --measure loads it: use one of them at a time");
  if ((o.measure || o.check) && !o.output.table.empty())
    throw UsageError("devices: --check and --measure have one table each; leave out --table");
  if (o.measure) return measure(o.output, provenance);
  if (o.check) return check(o.output, provenance);
  const std::vector<Table> tables{devices_table(), load_sources_table(load_source_states())};
  std::string text = usable_devices(tables.front()) + "\n";
  for (const Table& table : tables) text += "\n" + to_text(table, o.output.style());
  print(o.output, tables, provenance, text);
  return 0;
}

}  // namespace

constinit const Command devices_command = command<DevicesOptions, declare, run>(
    "devices", "list usable runtimes and devices; measure peaks; check the machine");

}  // namespace takt
