#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "core/error.h"
#include "core/log.h"
#include "core/progress.h"
#include "core/text.h"
#include "machine/peaks_file.h"
#include "machine/peaks_table.h"
#include "runtime/runtime.h"

namespace takt {
namespace {

struct DeviceRow {
  std::string runtime, version;
  DeviceStatus status;
};

constexpr Column<DeviceRow> device_columns[] = {
    {"runtime", "Runtime", [](const DeviceRow& r) -> Cell { return r.runtime; }, "As typed after --runtime."},
    {"version", "Version", [](const DeviceRow& r) { return r.version.empty() ? Cell() : Cell(r.version); },
     "Version of the runtime."},
    {"device", "Device", [](const DeviceRow& r) { return r.status.device.empty() ? Cell() : Cell(r.status.device); },
     "As typed after --device."},
    {"usable", "Usable", [](const DeviceRow& r) -> Cell { return std::string(r.status.reason ? "no" : "yes"); },
     "Whether this binary can use the device here."},
    {"description", "What it is, or why not",
     [](const DeviceRow& r) -> Cell { return r.status.reason ? *r.status.reason : r.status.description; },
     "The device's own name; for an unusable one, the reason."},
};

std::vector<DeviceRow> list_devices() {
  std::vector<DeviceRow> rows;
  for (const auto& name : runtime_names()) {
    auto runtime = make_runtime(name);
    for (auto& status : runtime->devices()) rows.push_back({name, runtime->version(), std::move(status)});
  }
  for (const auto& name : missing_runtime_names())
    rows.push_back({name, "", {"", "", "left out of this binary when it was configured"}});
  return rows;
}

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
  const bool on_screen = output.format == "table" && output.file.empty();
  if (!on_screen) log_info(kept);
  print(output, tables, provenance,
        fmt::format("{}\n\n{}{}", to_string(machine), to_text(tables.front(), 100), on_screen ? kept + "\n" : ""));
  return 0;
}

}  // namespace

int run_devices(std::span<const std::string> arguments) {
  LogOptions log;
  OutputOptions output;
  bool measures = false;
  auto app =
      make_app("devices", "Lists the runtimes and devices that this binary can use here, and why not the others.",
               "takt devices --measure", log);
  app->add_flag("--measure", measures,
                "Measure what the CPU can do at most (10 s) and keep it, for the columns roofline and peak_share");
  app->add_option("--format", output.format, "table, csv, json or markdown. Default: table")->type_name("FORMAT");
  app->add_option("-o,--output", output.file, "Write the result to this file instead of stdout")->type_name("FILE");
  if (!parse(*app, arguments)) return 0;
  check(output, {measures ? "peaks" : "devices"});
  apply(log);
  std::vector<std::string> command{"takt", "devices"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const Provenance provenance = make_provenance(command);
  if (measures) return measure(output, provenance);
  auto rows = list_devices();
  std::vector<Table> tables{make_table<DeviceRow>("devices", device_columns, rows)};
  print(output, tables, provenance, to_text(tables.front(), 100));
  return 0;
}

}  // namespace takt
