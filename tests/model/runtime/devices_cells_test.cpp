// What stands in which cell of the table of `takt devices`: what each runtime says of itself, one after the other.
#include "model/registry/asked.h"
#include "model/registry/devices_table.h"
#include "model/runtime/runtime.h"
#include "table_cells.h"

namespace takt {
namespace {

TEST(Cells, of_devices_devices) {
  std::vector<std::string> runtimes, versions, devices, usable, descriptions;
  const auto add = [&](const std::string& runtime, const std::string& version, const DeviceStatus& status) {
    runtimes.push_back(runtime), versions.push_back(version), devices.push_back(status.device);
    usable.emplace_back(status.reason ? "no" : "yes");
    descriptions.push_back(status.reason.value_or(status.description));
  };
  for (const std::string& name : runtime_names()) {
    const ToldDevices told = devices_told_apart(name);
    for (const DeviceStatus& status : told.devices) add(name, told.version, status);
    if (!told.reason.empty()) add(name, told.version, {"", "", told.reason});
  }
  for (const std::string& name : missing_runtime_names())
    add(name, "", {"", "", "left out of this binary when it was configured"});
  ASSERT_FALSE(runtimes.empty());
  expect_cells(devices_table(), {{"runtime", runtimes},
                                 {"version", versions},
                                 {"device", devices},
                                 {"usable", usable},
                                 {"description", descriptions}});
}

}  // namespace
}  // namespace takt
