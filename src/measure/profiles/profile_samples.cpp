#include "measure/profiles/profile_samples.h"

namespace takt {

OperatorSamples ProfileSamples::of(std::string_view id) const {
  const std::string key(id);
  if (const auto found = operators_.find(key); found != operators_.end()) return found->second;
  const RunRecord::Operator* recorded = record_.find(key);
  if (!recorded) return {};
  RecordedSamples times = record_.times_of(*recorded);
  OperatorSamples samples;
  samples.device.assign(times.samples.begin(), times.samples.end());
  samples.host = samples.device;
  samples.kernel = std::move(times.kernel);
  samples.constants = times.constants;
  return samples;
}

}  // namespace takt
