#include "trace/events/device_categories.h"

#include <string>

#include "base/basics/text.h"
#include "trace/events/gpu_time.h"

namespace takt {
namespace {

constexpr std::string_view runtime_endings[] = {"runtime", "_driver"};

}  // namespace

bool is_runtime_category(std::string_view category) {
  for (const std::string_view ending : runtime_endings)
    if (category.ends_with(ending)) return true;
  return false;
}

DevicePart device_part(std::string_view category) {
  if (gpu_work(category, "") != GpuWork::none) return DevicePart::work;
  const std::string kind = lower_case(category);
  if (kind.starts_with("gpu_") || kind == "cuda_sync") return DevicePart::mark;
  return is_runtime_category(kind) ? DevicePart::call : DevicePart::none;
}

DevicePart DeviceCategories::of(const TraceEvent& event) {
  auto& known = known_[static_cast<std::size_t>(event.category)];
  if (!known) known = device_part(trace_.text(event.category));
  return *known;
}

}  // namespace takt
