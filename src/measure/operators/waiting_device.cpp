#include "measure/operators/waiting_device.h"

#include <fmt/format.h>

#include <algorithm>

namespace takt {
namespace {

constexpr double much = 0.4;  // of a run

/// That make the device work: what only renames a tensor has no time there, and copies are none of the model's.
std::int64_t asked_for(const OpProfile& profile) {
  return std::count_if(profile.ops.begin(), profile.ops.end(),
                       [](const OpRow& row) { return row.total.count() > 0 && !row.type.starts_with("Memcpy"); });
}

}  // namespace

std::string waiting_device_line(const RunResult& result, const OpProfile& profile) {
  if (!result.profiled || !result.profiled->device_clock || !profile.plain_mean || !profile.plain_unattributed)
    return "";
  const double share = *profile.plain_unattributed / *profile.plain_mean;
  const std::int64_t operators = asked_for(profile);
  if (share < much || operators == 0) return "";
  return fmt::format(
      "The {} is idle for {:.0f} % of a run, waiting for kernel launches ({} operators, {} each on average). A larger "
      "batch is nearly free until the launch time is hidden.\n",
      result.device, 100 * share, operators,
      format_duration(*profile.plain_unattributed / static_cast<double>(operators)));
}

}  // namespace takt
