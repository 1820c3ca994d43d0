#include "runtime/onnxruntime/onnxruntime_runtime.h"

#include <fmt/format.h>
#include <onnxruntime_cxx_api.h>

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "runtime/onnxruntime/onnxruntime_session.h"
#include "runtime/onnxruntime/onnxruntime_shapes.h"
#include "runtime/tensors.h"

namespace takt {
namespace {

// Its log would go to stderr; everything that matters comes back as an exception too.
void drop_log(void*, OrtLoggingLevel, const char*, const char*, const char*, const char*) {}

ErrorKind kind_of(const Ort::Exception& e) {
  const auto code = e.GetOrtErrorCode();
  return code == ORT_NOT_IMPLEMENTED || code == ORT_EP_FAIL ? ErrorKind::unsupported : ErrorKind::bad_input;
}

class OnnxRuntime : public Runtime {
 public:
  OnnxRuntime() : env_(ORT_LOGGING_LEVEL_ERROR, "takt", drop_log, nullptr) { env_.DisableTelemetryEvents(); }

  std::string_view name() const override { return "onnxruntime"; }
  std::string version() const override { return Ort::GetVersionString(); }

  std::vector<DeviceStatus> devices() override {
    return {{"CPU", "ONNX Runtime's CPU provider", std::nullopt},
            {"GPU", "ONNX Runtime's CUDA provider", cuda_reason()},
            {"NPU", "", "ONNX Runtime has no provider for it in this binary"}};
  }

  std::unique_ptr<Session> open(const std::filesystem::path& model, const Graph* graph,
                                const SessionSettings& settings) override {
    const std::string device = check_device(model, settings.device);
    check_model_file(model);
    return translated(model, [&] { return ort::open_session(env_, model, graph, device, settings); });
  }

  std::vector<Tuning> tunings() override {
    return {{{"spinning", "off"}}, {{"memory_pattern", "off"}}, {{"arena", "off"}}};
  }

  std::optional<std::map<std::string, PartialShape>> infer_shapes(
      const std::filesystem::path& model, const std::map<std::string, Shape>& input_shapes) override {
    check_model_file(model);
    return translated(model, [&] { return ort::infer_shapes(env_, model, input_shapes, where(model, name())); });
  }

 private:
  template <typename Call>
  auto translated(const std::filesystem::path& model, const Call& call) -> decltype(call()) {
    try {
      return call();
    } catch (const Error&) {
      throw;
    } catch (const Ort::Exception& e) {
      throw Error(kind_of(e), fmt::format("{}: cannot be loaded: {}", where(model, name()), one_sentence(e.what())));
    } catch (const std::exception& e) {  // bad_alloc, length_error: sizes out of a hostile model
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: cannot be loaded: {}", where(model, name()), one_sentence(e.what())));
    }
  }

  // A CUDA build lists its provider also where it cannot load, so it is tried.
  std::optional<std::string> cuda_reason() {
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

  std::string check_device(const std::filesystem::path& model, const std::string& wanted) {
    const std::string device = lower_case(wanted);
    std::vector<std::string> usable;
    std::string reason = "ONNX Runtime knows no device of this name";
    for (const auto& status : devices()) {
      const bool asked = lower_case(status.device) == device;
      if (asked && !status.reason) return status.device;
      if (asked) reason = *status.reason;
      if (!status.reason) usable.push_back(status.device);
    }
    throw Error(ErrorKind::unsupported, fmt::format("{}: device {} cannot be used: {}; use {}", where(model, name()),
                                                    printable(wanted), reason, fmt::join(usable, ", ")));
  }

  Ort::Env env_;
};

}  // namespace

std::unique_ptr<Runtime> make_onnxruntime_runtime() {
  try {
    return std::make_unique<OnnxRuntime>();
  } catch (const std::exception& e) {
    throw Error(ErrorKind::runtime, fmt::format("onnxruntime: cannot start: {}", one_sentence(e.what())));
  }
}

}  // namespace takt
