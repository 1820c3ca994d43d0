#include "model/openvino/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <openvino/openvino.hpp>

#include "base/basics/crash.h"
#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/memory/free_memory.h"
#include "model/onnx/onnx.h"
#include "model/openvino/conversion_errors.h"
#include "model/openvino/ir_graph.h"
#include "model/openvino/layers.h"
#include "model/openvino/mapped_weights.h"
#include "model/openvino/session.h"
#include "model/openvino/tensors.h"
#include "model/runtime/device_choice.h"
#include "model/runtime/model_file.h"
#include "model/runtime/pages_given_back.h"
#include "model/runtime/sdk_errors.h"

namespace takt {
namespace {

// What OpenVINO says for a device that is not there speaks of libraries; users know drivers.
std::string device_reason(const std::string& device, const std::string& message) {
  if (message.find("OpenCL") != std::string::npos) return "its driver (libOpenCL.so.1) is not installed";
  if (message.find("VCL") != std::string::npos || message.find("ZE") != std::string::npos ||
      message.find("Level") != std::string::npos || message.find("NPU") != std::string::npos ||
      (device == "NPU" && message.find("FULL_DEVICE_NAME") != std::string::npos))
    return "its driver is not installed";
  if (message.find("not registered") != std::string::npos) return "OpenVINO has no device of this name";
  return device.empty() ? message : one_sentence(message);
}

bool is_ir(const std::filesystem::path& model) { return lower_case(model.extension().string()) == ".xml"; }

/// OpenVINO does not say which file it misses; its words where it is not the weights.
std::string reading_reason(const std::filesystem::path& model, const std::string& message) {
  if (!is_ir(model)) return openvino::conversion_reason(message);
  std::filesystem::path weights = model;
  weights.replace_extension(".bin");
  const std::string file = printable(weights.filename().string());
  std::error_code ignored;
  if (message.find("bin file") != std::string::npos && !std::filesystem::exists(weights, ignored))
    return fmt::format("its weights, '{}', cannot be found; put them next to it", file);
  if (message.find("Incorrect weights in bin file") != std::string::npos)
    return fmt::format("its weights, '{}', are truncated or belong to another model", file);
  return openvino::conversion_reason(message);
}

/// OpenVINO takes a .xml that is no IR for some other importer's, and those write to stderr.
void check_ir(const std::filesystem::path& model, const std::string& where) {
  if (!is_ir(model)) return;
  std::string head(512, '\0');  // as far as OpenVINO looks for it
  std::ifstream file(model, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  const auto net = head.find("<net ");
  const auto tag = net == std::string::npos ? std::string() : head.substr(net, head.find('>', net) - net);
  for (const char* version : {" version=\"10\"", " version=\"11\""})
    if (tag.find(version) != std::string::npos) return;
  throw Error(
      ErrorKind::bad_input,
      fmt::format("{}: is not an OpenVINO IR of version 10 or 11; convert the model with OpenVINO 2020 or later",
                  where));
}

/// The model's own names of its ports, in order; importers call them otherwise where they merge tensors.
struct PortNames {
  std::vector<std::string> inputs, outputs;
};

PortNames names_of(const Graph& graph) {
  PortNames names;
  for (const TensorId id : graph.inputs) names.inputs.push_back(graph.tensor(id).name);
  for (const TensorId id : graph.outputs) names.outputs.push_back(graph.tensor(id).name);
  return names;
}

ErrorKind failure_while_loading(const std::exception& e) {
  return dynamic_cast<const ov::NotImplemented*>(&e) ? ErrorKind::unsupported : ErrorKind::bad_input;
}

class OpenVinoRuntime : public Runtime {
 public:
  std::string_view name() const override { return "openvino"; }

  RuntimeTraits traits() const override { return openvino_traits(); }

  void add_custom_ops(const std::filesystem::path& library) override {
    check_model_file(library);
    const auto file = std::filesystem::absolute(library);  // the loader would look for a bare name elsewhere
    guarded(
        printable(library.string()) + ": is no library of operators for OpenVINO",
        [&] { core_.add_extension(file.string()); }, failure_while_loading);
  }

  std::string version() const override {
    const std::string build = ov::get_openvino_version().buildNumber;
    return build.substr(0, build.find('-'));
  }

  std::vector<DeviceStatus> devices() override {
    const ForeignCall noted(name(), "listing its devices");
    std::vector<DeviceStatus> result;
    std::vector<std::string> usable;
    try {
      usable = core_.get_available_devices();
    } catch (...) {  // no plugin at all: reported below, device by device
    }
    for (const auto& device : usable) result.push_back({device, full_name(device), std::nullopt});
    for (const char* device : {"CPU", "GPU", "NPU"}) {
      const auto same_kind = [&](const DeviceStatus& s) { return s.device.rfind(device, 0) == 0; };
      if (std::none_of(result.begin(), result.end(), same_kind)) result.push_back(missing_device(device));
    }
    return result;
  }

  std::unique_ptr<Session> open(const std::filesystem::path& model, const Graph* graph,
                                const SessionSettings& settings) override {
    const std::string device = spelled(model, settings.device);
    check_model_file(model);
    // OpenVINO tries every importer on a file that is no model, and they write to stderr; and the graph gives the
    // names.
    std::optional<Graph> own;
    if (!graph && is_onnx_file(model)) graph = &own.emplace(read_onnx_structure(model).graph);
    const Nanoseconds before = steady_now();
    const auto read = read_model(model);
    const Nanoseconds reading = steady_now() - before;
    const PortNames names = graph && is_onnx_file(model) ? names_of(*graph) : PortNames();
    const auto compiling = fmt::format("{}: cannot be compiled for {}", where(model, name()), device);
    return guarded(
        compiling,
        [&] {
          openvino::name_inputs(*read, names.inputs);
          openvino::fix_shapes(*read, settings.input_shapes, settings.free_axis, where(model, name()));
          if (!settings.optimised_model.empty()) openvino::write_model(read, settings.optimised_model);
          if (graph) openvino::name_layers(*read, *graph);
          if (settings.all_tensors) openvino::show_all_tensors(*read, graph);
          return openvino::open_session(core_, read, {model, names.outputs, graph}, device, settings, reading);
        },
        failure_while_loading);
  }

  bool shares_weights(const SessionSettings& settings) const override { return could_share_weights(settings); }

  /// The weights lie in a file from here on, for sessions to come, too; each compiled model has its own packed copies.
  std::optional<SessionPair> open_pair(const std::filesystem::path& model, const Graph* graph,
                                       const SessionSettings& settings) override {
    if (!could_share_weights(settings)) return std::nullopt;
    read_model(model);
    const auto weights = guarded(where(model, name()), [&] { return openvino::move_weights_to_file(last_read_); });
    if (!weights) return std::nullopt;
    give_back_free_memory();
    const PagesGivenBack released(weights);
    SessionPair pair;
    SessionSettings chosen = settings;
    chosen.profile_ops = false;
    pair.plain = open(model, graph, chosen);
    const Nanoseconds before = steady_now();
    chosen.profile_ops = true;
    pair.profiled = open(model, graph, chosen);
    pair.profiled_load = steady_now() - before;
    return pair;
  }

  bool convert(const std::filesystem::path& model, const std::filesystem::path& to) override {
    check_model_file(model);
    PortNames names;
    if (is_onnx_file(model))  // takt refuses what is none before OpenVINO tries its importers
      names = names_of(read_onnx_structure(model).graph);
    const auto read = read_model(model);
    guarded(
        where(model, name()),
        [&] {
          openvino::name_inputs(*read, names.inputs);
          openvino::write_model(read, to);
        },
        failure_while_loading);
    return true;
  }

  std::vector<Tuning> tunings() override {
    return {{{"pinning", "off"}}, {{"hyper_threading", "off"}}, {{"hint", "latency"}}};
  }

  Properties properties_of(std::optional<int> threads, const Tuning& tuning) override {
    return openvino::properties_of(threads, tuning);
  }

  std::optional<Graph> read_graph(const std::filesystem::path& model,
                                  const std::map<std::string, Shape>& input_shapes) override {
    if (!is_ir(model)) return std::nullopt;
    const auto read = read_with_shapes(model, input_shapes);
    Graph graph = guarded(
        where(model, name()), [&] { return openvino::graph_of(*read); }, failure_while_loading);
    graph.path = model;
    return graph;
  }

  std::optional<std::map<std::string, PartialShape>> infer_shapes(
      const std::filesystem::path& model, const std::map<std::string, Shape>& input_shapes) override {
    const auto read = read_with_shapes(model, input_shapes);
    std::map<std::string, PartialShape> shapes;
    for (const auto& node : read->get_ordered_ops())
      for (const auto& output : node->outputs()) {
        if (output.get_partial_shape().rank().is_dynamic()) continue;
        for (const auto& tensor : output.get_names())
          shapes.emplace(tensor, openvino::partial_shape(output.get_partial_shape()));
      }
    return shapes;
  }

 private:
  /// OpenVINO follows no link that leads out of the model's folder, as those of model hubs' caches do; takt's own
  /// reader does, by the rules of model/onnx/file.h.
  std::shared_ptr<ov::Model> read_file(const std::filesystem::path& model) {
    try {
      return core_.read_model(model.string());
    } catch (const ov::Exception& e) {
      if (!is_onnx_file(model) ||
          std::string_view(e.what()).find("outside the base directory") == std::string_view::npos)
        throw;
      return core_.read_model(serialize_onnx(*read_onnx(model).proto), ov::Tensor());
    }
  }

  /// A copy of the model's own, but for the weights: those are in memory once for all sessions of a model.
  std::shared_ptr<ov::Model> read_model(const std::filesystem::path& model) {
    check_model_file(model);
    check_ir(model, where(model, name()));
    const auto written = std::filesystem::last_write_time(model);
    const std::string place = where(model, name());
    const ForeignCall noted(place, "reading it");
    try {
      if (!last_read_ || last_path_ != model || last_written_ != written) {
        last_read_ = nullptr;  // two models are not held for the time of reading
        last_read_ = read_file(model);
        last_path_ = model;
        last_written_ = written;
      }
      return last_read_->clone();
    } catch (const std::exception& e) {
      const bool unknown = std::string_view(e.what()).find(openvino::unknown_operators) != std::string_view::npos;
      throw Error(unknown ? ErrorKind::unsupported : ErrorKind::bad_input,
                  fmt::format("{}: cannot be read: {}", place, reading_reason(model, e.what())));
    } catch (...) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: cannot be read: {}", place, reason_of_failure(std::current_exception())));
    }
  }

  /// For its shapes alone: the weights of an ONNX model, which OpenVINO would copy, are left out where it can do
  /// without their values.
  std::shared_ptr<ov::Model> read_for_shapes(const std::filesystem::path& model) {
    const std::string place = where(model, name());
    const ForeignCall noted(place, "inferring its shapes");
    if (!is_onnx_file(model)) return read_model(model);
    try {
      const OnnxWithoutWeights lean = onnx_without_weights(model);
      auto read = core_.read_model(lean.bytes, ov::Tensor());
      openvino::name_inputs(*read, lean.inputs);
      if (read->inputs().size() == lean.inputs.size()) return read;  // one that nobody reads may be missing
    } catch (...) {  // an operator that wants its weights as constants, or no model at all
    }
    auto read = read_model(model);
    openvino::name_inputs(*read, names_of(read_onnx_structure(model).graph).inputs);
    return read;
  }

  std::shared_ptr<ov::Model> read_with_shapes(const std::filesystem::path& model,
                                              const std::map<std::string, Shape>& input_shapes) {
    auto read = read_for_shapes(model);
    const auto place = where(model, name());
    guarded(
        place, [&] { openvino::fix_shapes(*read, input_shapes, true, place); }, failure_while_loading);
    return read;
  }

  std::string full_name(const std::string& device) {
    try {
      return std::string(trim(core_.get_property(device, ov::device::full_name)));
    } catch (...) {
      return {};  // a description is a courtesy, its absence says nothing about the device
    }
  }

  DeviceStatus missing_device(const std::string& device) {
    try {
      const auto name = core_.get_property(device, ov::device::full_name);
      return {device, "", "no such hardware is present"};
    } catch (const std::exception& e) {
      return {device, "", device_reason(device, e.what())};
    } catch (...) {
      return {device, "", reason_of_failure(std::current_exception())};
    }
  }

  /// The device in OpenVINO's spelling. Throws Error(unsupported) with those that work.
  std::string spelled(const std::filesystem::path& model, const std::string& wanted) {
    const std::string device = upper_case(wanted);
    const auto colon = device.find(':');
    const auto kind = device.substr(0, colon);
    const bool is_other_word = kind == "CUDA" || kind == "GPU" || kind == "CPU" || kind == "NPU";  // GPU:0
    if ((colon != std::string::npos && !is_other_word) || device == "AUTO") return device;  // MULTI:…: OpenVINO's own
    return choose_device(devices(), wanted, where(model, name()), "OpenVINO");
  }

  ov::Core core_;
  std::shared_ptr<ov::Model> last_read_;
  std::filesystem::path last_path_;
  std::filesystem::file_time_type last_written_;
};

}  // namespace

RuntimeTraits openvino_traits() {
  return {.shares_threads = true,  // its library keeps them for the process
          .has_streams = true,
          .times_requests = true,
          .reshapes = true,
          .uses_ir = true,
          .reads_other_formats = true,
          .precisions = {ElementType::f32, ElementType::bf16, ElementType::f16}};
}

std::unique_ptr<Runtime> make_openvino_runtime() {
  return guarded("openvino: cannot start",
                 [] { return std::unique_ptr<Runtime>(std::make_unique<OpenVinoRuntime>()); });
}

}  // namespace takt
