#include "runtime/simulated.h"

#include "core/text.h"
#include "runtime/sim/device_description.h"
#include "runtime/sim/sim_plan.h"

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

}  // namespace takt
