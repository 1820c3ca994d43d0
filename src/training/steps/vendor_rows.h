// Rows of profilers that give their events no category: what an event is stands in the name of its process. So Ascend's
// does (trace_view.json).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/events/trace.h"

namespace takt {

enum class Role : std::uint8_t;

enum class VendorRow : std::uint8_t {
  none,
  device,         ///< what streams of a device run
  communication,  ///< collectives as a whole; what they consist of is on the streams, too
  calls,          ///< of the device's runtime
  summary,        ///< drawn from the others
};

/// By row; all `none` unless the trace has a process of such a device.
std::vector<VendorRow> vendor_rows(const Trace& trace);

/// What an event of this name is about on such a row.
Role role_on(VendorRow row, std::string_view name);

}  // namespace takt
