#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "core/error.h"
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

}  // namespace

int run_devices(std::span<const std::string> arguments) {
  LogOptions log;
  OutputOptions output;
  auto app =
      make_app("devices", "Lists the runtimes and devices that this binary can use here, and why not the others.",
               "takt devices --format json", log);
  app->add_option("--format", output.format, "table, csv, json or markdown. Default: table")->type_name("FORMAT");
  app->add_option("-o,--output", output.file, "Write the result to this file instead of stdout")->type_name("FILE");
  if (!parse(*app, arguments)) return 0;
  check(output, {"devices"});
  apply(log);
  auto rows = list_devices();
  std::vector<Table> tables{make_table<DeviceRow>("devices", device_columns, rows)};
  std::vector<std::string> command{"takt", "devices"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  print(output, tables, make_provenance(command), to_text(tables.front(), 100));
  return 0;
}

}  // namespace takt
