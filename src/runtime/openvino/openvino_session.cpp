#include "runtime/openvino/openvino_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <openvino/openvino.hpp>
#include <openvino/pass/serialize.hpp>
#include <set>
#include <sstream>

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "runtime/openvino/openvino_ops.h"
#include "runtime/openvino/openvino_request.h"
#include "runtime/openvino/openvino_tensors.h"
#include "runtime/sdk_errors.h"
#include "runtime/tensor_checks.h"

namespace takt::openvino {
namespace {

// A port may carry several names (identities merged into it); the model's own output name is preferred.
std::string name_of(const ov::Output<const ov::Node>& port, const std::vector<std::string>& preferred,
                    std::size_t index) {
  const auto& names = port.get_names();
  for (const auto& name : preferred)
    if (names.count(name)) return name;
  if (names.empty()) return fmt::format("{}_{}", port.get_node()->get_friendly_name(), index);
  return *std::min_element(names.begin(), names.end());
}

std::vector<std::string> graph_names(const Graph* graph, const std::vector<TensorId> Graph::*which) {
  std::vector<std::string> names;
  if (graph)
    for (const auto id : graph->*which) names.push_back(graph->tensor(id).name);
  return names;
}

std::vector<Port> ports_of(const std::vector<ov::Output<const ov::Node>>& ports,
                           const std::vector<std::string>& preferred) {
  std::vector<Port> result;
  for (std::size_t i = 0; i < ports.size(); ++i)
    result.push_back({name_of(ports[i], preferred, i), element_type(ports[i].get_element_type()),
                      partial_shape(ports[i].get_partial_shape())});
  return result;
}

/// nullopt: the device does not tell.
std::optional<ElementType> real_precision(const ov::CompiledModel& compiled) {
  const auto properties = compiled.get_property(ov::supported_properties);
  if (std::find(properties.begin(), properties.end(), ov::hint::inference_precision.name()) == properties.end())
    return std::nullopt;
  return element_type(compiled.get_property(ov::hint::inference_precision));
}

class OpenVinoSession : public Session {
 public:
  OpenVinoSession(ov::CompiledModel compiled, const Graph* graph, std::string device, std::string where, bool profile,
                  std::vector<std::string> notes)
      : compiled_(std::move(compiled)),
        inference_(compiled_.create_infer_request(), shared_),
        device_(std::move(device)),
        notes_(std::move(notes)) {
    shared_.inputs = ports_of(compiled_.inputs(), graph_names(graph, &Graph::inputs));
    shared_.outputs = ports_of(compiled_.outputs(), graph_names(graph, &Graph::outputs));
    for (const auto& input : compiled_.inputs()) shared_.input_types.push_back(input.get_element_type());
    shared_.profile = profile;
    if (profile) shared_.nodes = describe_nodes(*compiled_.get_runtime_model(), graph);
    shared_.where = std::move(where);
  }

  const std::vector<Port>& inputs() const override { return shared_.inputs; }
  const std::vector<Port>& outputs() const override { return shared_.outputs; }
  std::string device() const override { return device_; }

  void set_inputs(const std::vector<HostTensor>& inputs) override {
    check_inputs(shared_.inputs, inputs, shared_.where);
    guarded(shared_.where, [&] { set_on(inference_.request(), inputs); });
    values_ = inputs;
  }

  Nanoseconds run() override {
    return guarded(shared_.where, [&] {
      inference_.begin();
      inference_.request().infer();
      inference_.finish(steady_now());
      return inference_.wall();
    });
  }

  std::optional<std::vector<OpSample>> last_ops() override {
    return guarded(shared_.where, [&] { return inference_.ops(); });
  }

  std::vector<HostTensor> outputs_of_last_run() override {
    return guarded(shared_.where, [&] { return inference_.outputs(); });
  }

  std::unique_ptr<Request> make_request() override {
    return guarded(shared_.where, [&] {
      auto request = compiled_.create_infer_request();
      if (!values_.empty()) set_on(request, values_);
      return openvino::make_request(std::move(request), shared_, device_.rfind("CPU", 0) == 0);
    });
  }

  std::optional<ElementType> precision() const override {
    return guarded(shared_.where, [&] { return real_precision(compiled_); });
  }

  std::vector<std::string> notes() override {
    auto notes = notes_;
    if (shared_.profile)
      notes.push_back(
          "OpenVINO stamps the start of each node in whole microseconds; a node lasts until the next one starts, so "
          "gaps between nodes count to the earlier one");
    return notes;
  }

 private:
  // Each request gets tensors of its own: requests of one compiled model may run at the same time.
  void set_on(ov::InferRequest& request, const std::vector<HostTensor>& inputs) {
    for (const auto& input : inputs) {
      const auto port =
          std::find_if(shared_.inputs.begin(), shared_.inputs.end(), [&](auto& p) { return p.name == input.name; });
      const auto index = static_cast<std::size_t>(port - shared_.inputs.begin());
      request.set_input_tensor(index, foreign_tensor(input, compiled_.input(index).get_element_type()));
    }
  }

  ov::CompiledModel compiled_;
  Shared shared_;
  Inference inference_;
  std::string device_;
  std::vector<std::string> notes_;
  std::vector<HostTensor> values_;
};

ov::element::Type foreign_type(ElementType type) {
  if (type == ElementType::f16) return ov::element::f16;
  return type == ElementType::bf16 ? ov::element::bf16 : ov::element::f32;
}

/// What the device really computes in may be another type than asked for.
std::vector<std::string> precision_notes(const ov::CompiledModel& compiled, const SessionSettings& settings) {
  const auto told = real_precision(compiled);
  if (!told) return {};
  const ElementType real = *told;
  if (!settings.precision) {
    if (real == ElementType::f32 || real == ElementType::undefined) return {};
    return {fmt::format("computed in {}, the device's own default; --precision f32 computes as an f32 model says",
                        type_name(real))};
  }
  if (real == *settings.precision) return {fmt::format("computed in {}, as asked", type_name(real))};
  return {
      fmt::format("{} was asked for, but the device computes in {}", type_name(*settings.precision), type_name(real))};
}

ov::AnyMap compile_settings(const std::string& device, const SessionSettings& settings) {
  ov::AnyMap map{ov::enable_profiling(settings.profile_ops)};
  if (!settings.cache.empty()) map.insert(ov::cache_dir(settings.cache.string()));
  if (device.rfind("CPU", 0) != 0) return map;
  // Unset, a CPU with bf16 computes in it: what a user of OpenVINO gets, so what is measured. A note says so.
  if (settings.precision) map.insert(ov::hint::inference_precision(foreign_type(*settings.precision)));
  map.insert(ov::num_streams(1));  // counters belong to the stream
  if (settings.threads) map.insert(ov::inference_num_threads(*settings.threads));
  for (const auto& [name, value] : settings.tuning) {
    if (name == "pinning") map.insert(ov::hint::enable_cpu_pinning(value != "off"));
    if (name == "pinning" && value == "own")  // cores that no other session is bound to
      map.insert(ov::hint::enable_cpu_reservation(true));
    if (name == "hyper_threading") map.insert(ov::hint::enable_hyper_threading(value != "off"));
    if (name == "hint") map.insert(ov::hint::performance_mode(ov::hint::PerformanceMode::LATENCY));
  }
  return map;
}

ov::CompiledModel compile(ov::Core& core, const std::shared_ptr<ov::Model>& model, const std::string& device,
                          SessionSettings settings) try {
  return core.compile_model(model, device, compile_settings(device, settings));
} catch (const ov::Exception&) {
  auto& pinning = settings.tuning["pinning"];
  if (pinning != "own") throw;
  pinning = "off";  // there are fewer cores to be had than it seemed
  return core.compile_model(model, device, compile_settings(device, settings));
}

// AUTO, MULTI and HETERO choose; the session says what was chosen.
std::string real_device(const ov::CompiledModel& compiled, const std::string& device) {
  if (device != "AUTO" && device.find(':') == std::string::npos) return device;
  return fmt::format("{}", fmt::join(compiled.get_property(ov::execution_devices), ","));
}

}  // namespace

std::vector<std::string> input_names(const ov::Model& model) {
  std::vector<std::string> names;
  for (const auto& port : ports_of(model.inputs(), {})) names.push_back(port.name);
  return names;
}

void fix_shapes(ov::Model& model, const std::map<std::string, Shape>& shapes, const std::string& where) {
  check_shape_names(input_names(model), shapes, where);
  std::map<std::string, ov::PartialShape> wanted;
  for (const auto& [name, shape] : shapes) {
    const auto& declared = std::as_const(model).input(name).get_partial_shape();
    const PartialShape fixed = declared.rank().is_dynamic() ? fix_shape(PartialShape(shape.size()), shape, where, name)
                                                            : fix_shape(partial_shape(declared), shape, where, name);
    wanted[name] = foreign_shape(fixed);
  }
  if (!wanted.empty()) model.reshape(wanted);
}

// Its CPU plugin frees what it did not allocate when a string tensor passes through it.
static void refuse_strings(const ov::Model& model, const std::string& where) {
  for (const auto& ports : {ports_of(model.inputs(), {}), ports_of(model.outputs(), {})})
    for (const auto& port : ports)
      if (port.type == ElementType::string)
        throw Error(
            ErrorKind::unsupported,
            fmt::format("{}: '{}' holds strings, which OpenVINO's devices do not run; use --runtime onnxruntime", where,
                        port.name));
}

void show_all_tensors(ov::Model& model) {
  for (const auto& node : model.get_ordered_ops()) {
    const std::string type = node->get_type_name();
    if (type == "Constant" || type == "Parameter" || type == "Result") continue;
    for (const auto& output : node->outputs())
      if (output.get_element_type().is_static() && output.get_element_type() != ov::element::string)
        model.add_output(output);
  }
}

void write_model(const std::shared_ptr<ov::Model>& model, const std::filesystem::path& path) {
  if (path.extension() != ".xml")
    throw Error(ErrorKind::bad_input, fmt::format("{}: OpenVINO writes its model as NAME.xml and NAME.bin; name a .xml "
                                                  "file",
                                                  printable(path.string())));
  std::ostringstream xml, bin;
  ov::pass::Serialize(xml, bin).run_on_model(model);
  auto weights = path;
  write_file_atomically(weights.replace_extension(".bin"), bin.str());
  write_file_atomically(path, xml.str());
}

std::unique_ptr<Session> open_session(ov::Core& core, const std::shared_ptr<ov::Model>& model,
                                      const std::filesystem::path& path, const Graph* graph, const std::string& device,
                                      const SessionSettings& settings) {
  refuse_strings(*model, where(path, "openvino"));
  auto compiled = compile(core, model, device, settings);
  return std::make_unique<OpenVinoSession>(compiled, graph, real_device(compiled, device), where(path, "openvino"),
                                           settings.profile_ops, precision_notes(compiled, settings));
}

}  // namespace takt::openvino
