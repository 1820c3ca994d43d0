#include "model/onnxruntime/runtime.h"

#include <fmt/format.h>
#include <onnxruntime_cxx_api.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "model/onnx/onnx.h"
#include "model/onnxruntime/executed_shapes.h"
#include "model/onnxruntime/properties.h"
#include "model/onnxruntime/session.h"
#include "model/onnxruntime/shapes.h"
#include "model/onnxruntime/subnormals.h"
#include "model/runtime/device_choice.h"
#include "model/runtime/model_file.h"
#include "model/runtime/sdk_errors.h"

namespace takt {
namespace {

// Its log would go to stderr; everything that matters comes back as an exception too.
void drop_log(void*, OrtLoggingLevel, const char*, const char*, const char*, const char*) {}

ErrorKind failure_while_loading(const std::exception& e) {
  const auto* known = dynamic_cast<const Ort::Exception*>(&e);
  if (!known) return ErrorKind::bad_input;
  const auto code = known->GetOrtErrorCode();
  return code == ORT_NOT_IMPLEMENTED || code == ORT_EP_FAIL ? ErrorKind::unsupported : ErrorKind::bad_input;
}

/// The published library keeps a device id and a queue of events in the home folder and, in longer runs, looks for its
/// vendor's address in the middle of a measurement. It asks for this variable while its environment is made;
/// DisableTelemetryEvents() comes after that.
Ort::Env make_environment() {
  ::setenv("ORT_DISABLE_TELEMETRY", "1", 1);
  Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "takt", drop_log, nullptr);
  env.DisableTelemetryEvents();
  return env;
}

class OnnxRuntime : public Runtime {
 public:
  OnnxRuntime() : env_(make_environment()) {}

  std::string_view name() const override { return "onnxruntime"; }
  std::string version() const override { return Ort::GetVersionString(); }
  RuntimeTraits traits() const override { return onnxruntime_traits(); }

  void add_custom_ops(const std::filesystem::path& library) override {
    check_model_file(library);
    const auto file = std::filesystem::absolute(library);  // the loader would look for a bare name elsewhere
    guarded(
        printable(library.string()) + ": is no library of operators for ONNX Runtime",
        [&] {
          Ort::SessionOptions options;
          ort::add_custom_ops(options, {file});
        },
        failure_while_loading);
    custom_ops_.push_back(file);
  }

  std::vector<DeviceStatus> devices() override {
    return {{"CPU", "ONNX Runtime's CPU provider", std::nullopt},
            {"GPU", "ONNX Runtime's CUDA provider", cuda_reason()},
            {"NPU", "", "ONNX Runtime has no provider for it in this binary"}};
  }

  std::unique_ptr<Session> open(const std::filesystem::path& model, const Graph* graph,
                                const SessionSettings& settings) override {
    const std::string device = choose_device(devices(), settings.device, where(model, name()), "ONNX Runtime");
    check_model_file(model);
    return loading(
        model, [&] { return ort::open_session(env_, model, graph, device, with_custom_ops(settings)); }, graph);
  }

  bool shares_weights(const SessionSettings& settings) const override { return could_share_weights(settings); }

  std::optional<SessionPair> open_pair(const std::filesystem::path& model, const Graph* graph,
                                       const SessionSettings& settings) override {
    if (!graph || !could_share_weights(settings)) return std::nullopt;
    check_model_file(model);
    return loading(
        model, [&] { return ort::open_pair(env_, model, *graph, "CPU", with_custom_ops(settings)); }, graph);
  }

  bool save_structure(const std::filesystem::path& model, const Graph& graph, const SessionSettings& settings,
                      const std::filesystem::path& to) override {
    if (settings.device != "CPU") return false;
    check_model_file(model);
    loading(model, [&] {
      ort::Loader(env_, model, &graph, settings.device, with_custom_ops(settings), where(model, name()))
          .save_structure(to);
      return true;
    });
    return true;
  }

  std::vector<Tuning> tunings() override {
    return {{{"spinning", "off"}}, {{"memory_pattern", "off"}}, {{"arena", "off"}}};
  }

  Properties properties_of(std::optional<int> threads, const Tuning& tuning) override {
    return ort::properties_of(threads, tuning);
  }

  std::optional<std::map<std::string, PartialShape>> infer_shapes(
      const std::filesystem::path& model, const std::map<std::string, Shape>& input_shapes) override {
    check_model_file(model);
    return loading(model,
                   [&] { return ort::infer_shapes(env_, model, input_shapes, custom_ops_, where(model, name())); });
  }

  std::optional<Graph> with_executed_shapes(const std::filesystem::path& model, const Graph& graph,
                                            const SessionSettings& settings,
                                            const std::vector<HostTensor>& inputs) override {
    if (!is_onnx_file(model)) return std::nullopt;
    return guarded(where(model, name()) + ": cannot report its shapes",
                   [&] { return ort::with_executed_shapes(env_, model, graph, with_custom_ops(settings), inputs); });
  }

 private:
  SessionSettings with_custom_ops(SessionSettings settings) const {
    settings.custom_ops = custom_ops_;
    return settings;
  }

  /// Throws what is better said of a refusal than by itself. `graph` may be null.
  void check_refusal(const Ort::Exception& refusal, const std::filesystem::path& model, const Graph* graph) const {
    constexpr std::int64_t oldest = 7;  // it loads older ones, and has kernels for none of their broadcasts
    if (std::string_view(refusal.what()).find("Protobuf parsing failed") != std::string_view::npos)
      throw Error(ErrorKind::bad_input,
                  printable(model.string()) + ": the file is not an ONNX model, or is damaged or truncated");
    if (!graph || refusal.GetOrtErrorCode() != ORT_NOT_IMPLEMENTED) return;
    const auto set = graph->opsets.find("");
    if (set == graph->opsets.end() || set->second >= oldest) return;
    throw Error(
        ErrorKind::unsupported,
        fmt::format("{}: {}; the model uses operator set {}, of which ONNX Runtime runs little: convert it to {} "
                    "or later with onnx.version_converter, or use another runtime",
                    where(model, name()), one_sentence(refusal.what()), set->second, oldest));
  }

  template <typename Call>
  auto loading(const std::filesystem::path& model, const Call& call, const Graph* graph = nullptr) const
      -> decltype(call()) {
    return guarded(
        where(model, name()) + ": cannot be loaded",
        [&] {
          try {
            return call();
          } catch (const Ort::Exception& e) {
            check_refusal(e, model, graph);
            throw;
          }
        },
        failure_while_loading);
  }

  // A CUDA build lists its provider also where it cannot load, so it is tried.
  std::optional<std::string> cuda_reason() {
    const ForeignCall noted(name(), "listing its devices");
    const auto providers = Ort::GetAvailableProviders();
    if (std::find(providers.begin(), providers.end(), "CUDAExecutionProvider") == providers.end())
      return "this ONNX Runtime is built without CUDA";
    try {
      Ort::SessionOptions options;
      options.AppendExecutionProvider_CUDA(OrtCUDAProviderOptions{});
      return std::nullopt;
    } catch (const Ort::Exception& e) {
      return one_sentence(e.what());
    }
  }

  Ort::Env env_;
  std::vector<std::filesystem::path> custom_ops_;
};

}  // namespace

RuntimeTraits onnxruntime_traits() {
  return {.saves_graph = true,
          .subnormals_as_zero = ort::zeros_for_subnormals(),
          .as_written = {{"graph_optimization_level", "disabled"}}};
}

std::unique_ptr<Runtime> make_onnxruntime_runtime() {
  return guarded("onnxruntime: cannot start", [] { return std::unique_ptr<Runtime>(std::make_unique<OnnxRuntime>()); });
}

}  // namespace takt
