#include "model/registry/devices_table.h"

#include "base/table/common_columns.h"
#include "model/registry/asked.h"

namespace takt {
namespace {

struct DeviceRow {
  std::string runtime, version;
  DeviceStatus status;
};

constexpr Column<DeviceRow> columns[] = {
    {common::runtime, [](const DeviceRow& r) -> Cell { return r.runtime; }},
    {"version", "Version", [](const DeviceRow& r) { return r.version.empty() ? Cell() : Cell(r.version); },
     "Version of the runtime; empty for a runtime that is not in this binary."},
    {common::device, [](const DeviceRow& r) { return r.status.device.empty() ? Cell() : Cell(r.status.device); }},
    {"usable", "Usable", [](const DeviceRow& r) -> Cell { return std::string(r.status.reason ? "no" : "yes"); },
     "yes: this binary can use the device here; no: the description gives the reason."},
    {"description", "Description",
     [](const DeviceRow& r) -> Cell { return r.status.reason ? *r.status.reason : r.status.description; },
     "The device's name; for an unusable device, the reason."},
};

constexpr TableDefinition<DeviceRow> definition{
    "devices", "What this binary can use here, and why others are unavailable: a row per runtime and device.", columns};

}  // namespace

Table devices_table() {
  std::vector<DeviceRow> rows;
  for (const auto& name : runtime_names()) {
    ToldDevices told = devices_told_apart(name);
    if (!told.reason.empty()) told.devices.push_back({"", "", std::move(told.reason)});
    for (auto& status : told.devices) rows.push_back({name, told.version, std::move(status)});
  }
  for (const auto& name : missing_runtime_names())
    rows.push_back({name, "", {"", "", "left out of this binary when it was configured"}});
  return definition.make(rows);
}

TableSchema devices_schema() { return definition.schema(); }

}  // namespace takt
