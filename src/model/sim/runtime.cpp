#include "model/sim/runtime.h"

#include <fmt/format.h>

#include "base/basics/error.h"
#include "model/onnx/onnx.h"
#include "model/runtime/sdk_errors.h"
#include "model/sim/device_description.h"
#include "model/sim/session.h"
#include "model/sim/simulated.h"

namespace takt {
namespace {

using MakeRuntime = std::function<std::unique_ptr<Runtime>()>;

class SimRuntime : public Runtime {
 public:
  explicit SimRuntime(MakeRuntime make) : make_(std::move(make)) {}

  std::string_view name() const override { return simulated_runtime; }
  RuntimeTraits traits() const override { return sim_traits(); }
  std::string version() const override { return "1"; }

  std::vector<DeviceStatus> devices() override {
    std::vector<DeviceStatus> result;
    for (const auto& device : built_in_devices())
      result.push_back({simulated_device(device), find_device_description(device, {}).description, std::nullopt});
    return result;
  }

  std::unique_ptr<Session> open(const std::filesystem::path& model, const Graph* graph,
                                const SessionSettings& settings) override {
    if (settings.streams.value_or(1) > 1)
      throw Error(ErrorKind::unsupported,
                  fmt::format("{}: a simulated device has one stream; leave out --streams", where(model, name())));
    if (!settings.executed_graph.empty())
      throw Error(ErrorKind::unsupported, fmt::format("{}: a simulated device executes no graph; leave out "
                                                      "--executed-graph",
                                                      where(model, name())));
    if (!settings.properties.empty())
      throw Error(ErrorKind::unsupported,
                  fmt::format("{}: a simulated device has no properties; leave out --property", where(model, name())));
    auto description = find_device_description(name_without_prefix(settings.device), settings.device_description);
    description.virtual_clock = description.virtual_clock || (settings.virtual_clock && !description.waits_really);
    std::optional<Graph> read;
    if (!graph) graph = &read.emplace(read_onnx_structure(model).graph);
    std::unique_ptr<Runtime> real;
    std::unique_ptr<Session> computing;
    if (description.compute) {
      real = make_();
      SessionSettings plain = settings;
      plain.device = "CPU";
      plain.profile_ops = false;
      computing = real->open(model, graph, plain);
    }
    return open_sim_session(model, *graph, std::move(description), settings, std::move(real), std::move(computing));
  }

  std::optional<std::map<std::string, PartialShape>> infer_shapes(const std::filesystem::path&,
                                                                  const std::map<std::string, Shape>&) override {
    return std::nullopt;  // a device description says nothing about shapes
  }

 private:
  MakeRuntime make_;
};

}  // namespace

RuntimeTraits sim_traits() { return {.is_simulated = true, .has_streams = true}; }

std::unique_ptr<Runtime> make_sim_runtime(std::function<std::unique_ptr<Runtime>()> make_real) {
  return std::make_unique<SimRuntime>(std::move(make_real));
}

}  // namespace takt
