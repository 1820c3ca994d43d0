#include "runtime/openvino/openvino_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <openvino/openvino.hpp>

#include "core/error.h"
#include "core/text.h"
#include "graph/onnx.h"
#include "runtime/graph_reader.h"
#include "runtime/openvino/ir_graph.h"
#include "runtime/openvino/openvino_session.h"
#include "runtime/openvino/openvino_tensors.h"
#include "runtime/tensors.h"

namespace takt {
namespace {

std::string upper_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

// What OpenVINO says for a device that is not there speaks of libraries; users know drivers.
/// OpenVINO's CPU plugin copies an input that is also an output byte by byte; of strings that frees the same memory
/// twice, and the process ends.
void refuse_passed_strings(const ov::Model& model, const std::string& where) {
  for (const auto& result : model.get_results()) {
    auto source = result->input_value(0);
    while (std::string_view(source.get_node()->get_type_name()) == "Identity")
      source = source.get_node()->input_value(0);
    if (source.get_element_type() == ov::element::string && ov::is_type<ov::op::v0::Parameter>(source.get_node()))
      throw Error(ErrorKind::unsupported,
                  fmt::format("{}: strings go straight from an input to an output, on which OpenVINO crashes; use "
                              "--runtime onnxruntime",
                              where));
  }
}

std::string device_reason(const std::string& device, const std::string& message) {
  if (message.find("OpenCL") != std::string::npos) return "its driver (libOpenCL.so.1) is not installed";
  if (message.find("VCL") != std::string::npos || message.find("ZE") != std::string::npos ||
      message.find("Level") != std::string::npos || message.find("NPU") != std::string::npos ||
      (device == "NPU" && message.find("FULL_DEVICE_NAME") != std::string::npos))
    return "its driver is not installed";
  if (message.find("not registered") != std::string::npos) return "OpenVINO knows no device of this name";
  return device.empty() ? message : one_sentence(message);
}

constexpr std::string_view unknown_operators = "No conversion rule found for operations: ";

// Of "FrontEnd API failed with OpConversionFailure … No conversion rule found for operations: X" only X counts.
std::string reading_reason(const std::string& message) {
  const auto at = message.find(unknown_operators);
  if (at == std::string::npos) return one_sentence(message);
  const auto begin = at + unknown_operators.size();
  const auto types = message.substr(begin, message.find('\n', begin) - begin);
  return fmt::format("OpenVINO does not know the operator {}; use --runtime onnxruntime", one_sentence(types));
}

/// OpenVINO takes a .xml that is no IR for some other importer's, and those write to stderr.
void check_ir(const std::filesystem::path& model, const std::string& where) {
  if (lower_case(model.extension().string()) != ".xml") return;
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
      fmt::format("{}: is no OpenVINO IR of version 10 or 11; convert the model with OpenVINO 2020 or later", where));
}

class OpenVinoRuntime : public Runtime, public GraphReader {
 public:
  std::string_view name() const override { return "openvino"; }

  std::string version() const override {
    const std::string build = ov::get_openvino_version().buildNumber;
    return build.substr(0, build.find('-'));
  }

  std::vector<DeviceStatus> devices() override {
    std::vector<DeviceStatus> result;
    std::vector<std::string> usable;
    try {
      usable = core_.get_available_devices();
    } catch (const std::exception&) {  // no plugin at all: reported below, device by device
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
    const std::string device = check_device(model, settings.device);
    check_model_file(model);
    // OpenVINO tries every importer on a file that is no model, and they write to stderr; and the graph gives the
    // names.
    std::optional<Graph> own;
    if (!graph && lower_case(model.extension().string()) == ".onnx") graph = &own.emplace(read_onnx(model).graph);
    const auto read = read_model(model);
    try {
      openvino::fix_shapes(*read, settings.input_shapes, where(model, name()));
      refuse_passed_strings(*read, where(model, name()));
      if (!settings.optimised_model.empty()) openvino::write_model(read, settings.optimised_model);
      if (settings.all_tensors) openvino::show_all_tensors(*read);
      return openvino::open_session(core_, read, model, graph, device, settings);
    } catch (const ov::NotImplemented& e) {
      throw Error(ErrorKind::unsupported, fmt::format("{}: {}", where(model, name()), one_sentence(e.what())));
    } catch (const ov::Exception& e) {
      throw Error(ErrorKind::bad_input, fmt::format("{}: cannot be compiled for {}: {}", where(model, name()), device,
                                                    one_sentence(e.what())));
    } catch (const Error&) {
      throw;
    } catch (const std::exception& e) {  // bad_alloc, length_error: sizes out of a hostile model
      throw Error(ErrorKind::bad_input, fmt::format("{}: cannot be compiled for {}: {}", where(model, name()), device,
                                                    one_sentence(e.what())));
    }
  }

  std::vector<Tuning> tunings() override {
    return {{{"pinning", "off"}}, {{"hyper_threading", "off"}}, {{"hint", "latency"}}};
  }

  std::optional<Graph> read_graph(const std::filesystem::path& model,
                                  const std::map<std::string, Shape>& input_shapes) override {
    if (lower_case(model.extension().string()) != ".xml") return std::nullopt;
    const auto read = read_model(model);
    try {
      openvino::fix_shapes(*read, input_shapes, where(model, name()));
      Graph graph = openvino::graph_of(*read);
      graph.path = model;
      return graph;
    } catch (const Error&) {
      throw;
    } catch (const std::exception& e) {  // ov::Exception, and bad_alloc of sizes out of a hostile model
      throw Error(ErrorKind::bad_input, fmt::format("{}: {}", where(model, name()), one_sentence(e.what())));
    }
  }

  std::optional<std::map<std::string, PartialShape>> infer_shapes(
      const std::filesystem::path& model, const std::map<std::string, Shape>& input_shapes) override {
    const auto read = read_model(model);
    try {
      openvino::fix_shapes(*read, input_shapes, where(model, name()));
    } catch (const ov::Exception& e) {
      throw Error(ErrorKind::bad_input, fmt::format("{}: {}", where(model, name()), one_sentence(e.what())));
    }
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
  std::shared_ptr<ov::Model> read_model(const std::filesystem::path& model) {
    check_model_file(model);
    check_ir(model, where(model, name()));
    try {
      return core_.read_model(model.string());
    } catch (const std::exception& e) {
      const bool unknown = std::string_view(e.what()).find(unknown_operators) != std::string_view::npos;
      throw Error(unknown ? ErrorKind::unsupported : ErrorKind::bad_input,
                  fmt::format("{}: cannot be read: {}", where(model, name()), reading_reason(e.what())));
    }
  }

  std::string full_name(const std::string& device) {
    try {
      return std::string(trim(core_.get_property(device, ov::device::full_name)));
    } catch (const std::exception&) {
      return {};  // a description is a courtesy, its absence says nothing about the device
    }
  }

  DeviceStatus missing_device(const std::string& device) {
    try {
      const auto name = core_.get_property(device, ov::device::full_name);
      return {device, "", "no such hardware is present"};
    } catch (const std::exception& e) {
      return {device, "", device_reason(device, e.what())};
    }
  }

  /// The device in OpenVINO's spelling. Throws Error(unsupported) with those that work.
  std::string check_device(const std::filesystem::path& model, const std::string& wanted) {
    const std::string device = upper_case(wanted);
    if (device.find(':') != std::string::npos || device == "AUTO") return device;  // MULTI:…, HETERO:…: OpenVINO's own
    std::vector<std::string> usable;
    std::string reason = "OpenVINO knows no device of this name";
    for (const auto& status : devices()) {
      if (!status.reason && (status.device == device || status.device == device + ".0")) return device;
      if (!status.reason) usable.push_back(status.device);
      if (status.device == device && status.reason) reason = *status.reason;
    }
    throw Error(ErrorKind::unsupported, fmt::format("{}: device {} cannot be used: {}; use {}", where(model, name()),
                                                    printable(device), reason, fmt::join(usable, ", ")));
  }

  ov::Core core_;
};

}  // namespace

std::unique_ptr<Runtime> make_openvino_runtime() {
  try {
    return std::make_unique<OpenVinoRuntime>();
  } catch (const std::exception& e) {
    throw Error(ErrorKind::runtime, fmt::format("openvino: cannot start: {}", one_sentence(e.what())));
  }
}

}  // namespace takt
