#include "model/sim/simulated.h"

#include <algorithm>

#include "base/basics/text.h"
#include "model/sim/device_description.h"
#include "model/sim/plan.h"

namespace takt {
namespace {

constexpr std::string_view prefix = "sim:";

}  // namespace

struct SimulatedDevice::Description {
  DeviceDescription device;
};

bool is_simulated(std::string_view device) { return lower_case(device.substr(0, prefix.size())) == prefix; }

std::string simulated_device(std::string_view name) { return std::string(prefix) += name; }

std::string_view name_without_prefix(std::string_view device) {
  return is_simulated(device) ? device.substr(prefix.size()) : device;
}

SimulatedDevice::SimulatedDevice(std::string_view device, const std::filesystem::path& description)
    : description_(std::make_unique<Description>(
          Description{find_device_description(name_without_prefix(device), description)})) {}

SimulatedDevice::~SimulatedDevice() = default;
SimulatedDevice::SimulatedDevice(SimulatedDevice&&) noexcept = default;

std::string SimulatedDevice::name() const { return simulated_device(description_->device.name); }
const Noise& SimulatedDevice::noise() const { return description_->device.noise; }
Nanoseconds SimulatedDevice::overhead() const { return description_->device.overhead; }

std::vector<Nanoseconds> SimulatedDevice::op_times(const Graph& graph, std::string_view where) const {
  std::vector<Nanoseconds> times;
  for (const auto& op : plan_ops(graph, description_->device, where)) times.push_back(op.duration);
  return times;
}

std::map<std::string, SharedUse> SimulatedDevice::shared_uses(const Graph* graph, std::string_view where) const {
  std::map<std::string, SharedUse> uses;
  const auto& shares = description_->device.shares;
  for (const auto& [name, resource] : shares)
    uses[name] = {resource.law, resource.otherwise.pressure, resource.otherwise.sensitivity};
  if (!graph || shares.empty()) return uses;
  for (auto& [name, use] : uses) use.pressure = use.sensitivity = 0;
  const auto ops = plan_ops(*graph, description_->device, where);
  auto total = static_cast<double>(overhead().count());
  for (const OpSample& op : ops) total += static_cast<double>(op.duration.count());
  for (const OpSample& op : ops)
    for (auto& [name, use] : uses) {
      const DescribedResource& resource = shares.at(name);
      const auto found = resource.by_type.find(op.node->type);
      const ResourceUse& of_op = found == resource.by_type.end() ? resource.otherwise : found->second;
      const double part = total > 0 ? static_cast<double>(op.duration.count()) / total : 0;
      use.pressure += part * of_op.pressure, use.sensitivity += part * of_op.sensitivity;
    }
  for (auto& [name, use] : uses)  // sums of parts may be above 1 by a rounding
    use.pressure = std::min(use.pressure, 1.0), use.sensitivity = std::min(use.sensitivity, 1.0);
  return uses;
}

}  // namespace takt
