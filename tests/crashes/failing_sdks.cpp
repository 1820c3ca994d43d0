// Preloaded by crashes_test.py: an SDK that goes wrong in one of its calls, as SDKs do on models that others run.
//
//   TAKT_SDK_CALL    the call: "onnxruntime.load", "onnxruntime.run", "onnxruntime.start", "openvino.start",
//                    "openvino.read", "openvino.reshape", "openvino.compile", "openvino.run"
//   TAKT_SDK_DEED    what it does: "abort", "segv", "throw" (an int), "uncaught" (an exception on a thread of its own),
//                    "thread" (a bad address on a thread of its own), "hang"
//   TAKT_SDK_AFTER   how many calls go well before; unset: none
//
// What is not called so goes on to the SDK.
#include <dlfcn.h>
#include <onnxruntime_c_api.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <openvino/runtime/core.hpp>
#include <openvino/runtime/infer_request.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

namespace {

std::string_view setting(const char* variable) {
  const char* const text = std::getenv(variable);
  return text ? text : "";
}

void do_wrong() {
  const std::string_view deed = setting("TAKT_SDK_DEED");
  if (deed == "abort") std::abort();
  if (deed == "throw") throw 7;
  if (deed == "hang")
    for (;;) ::pause();
  const auto bad_address = [] { *reinterpret_cast<volatile int*>(8) = 1; };
  if (deed == "segv") bad_address();
  if (deed == "thread") std::thread(bad_address).join();
  if (deed == "uncaught") std::thread([] { throw std::runtime_error("no kernel\nof this kind"); }).join();
}

void come_to(std::string_view call) {
  static std::atomic<long> calls{0};
  if (setting("TAKT_SDK_CALL") != call) return;
  if (calls++ >= std::atol(std::string(setting("TAKT_SDK_AFTER")).c_str())) do_wrong();
}

template <typename Function>
Function real(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (!found) std::abort();  // the SDK has another form of this function: the test must see it
  return reinterpret_cast<Function>(found);
}

OrtApi api;  // ONNX Runtime's own, but for some entries
const OrtApi* own_api;

OrtStatusPtr ORT_API_CALL create_session(const OrtEnv* env, const ORTCHAR_T* path, const OrtSessionOptions* options,
                                         OrtSession** session) noexcept {
  come_to("onnxruntime.load");
  return own_api->CreateSession(env, path, options, session);
}

OrtStatusPtr ORT_API_CALL create_session_from_array(const OrtEnv* env, const void* data, size_t size,
                                                    const OrtSessionOptions* options, OrtSession** session) noexcept {
  come_to("onnxruntime.load");
  return own_api->CreateSessionFromArray(env, data, size, options, session);
}

OrtStatusPtr ORT_API_CALL run(OrtSession* session, const OrtRunOptions* options, const char* const* input_names,
                              const OrtValue* const* inputs, size_t input_count, const char* const* output_names,
                              size_t output_count, OrtValue** outputs) noexcept {
  come_to("onnxruntime.run");
  return own_api->Run(session, options, input_names, inputs, input_count, output_names, output_count, outputs);
}

OrtStatusPtr ORT_API_CALL create_env(OrtLoggingLevel level, const char* name, OrtEnv** env) noexcept {
  come_to("onnxruntime.start");
  return own_api->CreateEnv(level, name, env);
}

OrtStatusPtr ORT_API_CALL create_env_with_logger(OrtLoggingFunction log, void* of_log, OrtLoggingLevel level,
                                                 const char* name, OrtEnv** env) noexcept {
  come_to("onnxruntime.start");
  return own_api->CreateEnvWithCustomLogger(log, of_log, level, name, env);
}

const OrtApi* ORT_API_CALL get_api(uint32_t version) noexcept {
  own_api = real<const OrtApiBase* (*)()>("OrtGetApiBase")()->GetApi(version);
  if (!own_api) return nullptr;
  std::memcpy(static_cast<void*>(&api), own_api, sizeof api);  // its entries never throw: what is thrown ends there
  api.CreateSession = create_session;
  api.CreateSessionFromArray = create_session_from_array;
  api.Run = run;
  api.CreateEnv = create_env;
  api.CreateEnvWithCustomLogger = create_env_with_logger;
  return &api;
}

const char* ORT_API_CALL get_version() noexcept {
  return real<const OrtApiBase* (*)()>("OrtGetApiBase")()->GetVersionString();
}

}  // namespace

extern "C" [[gnu::visibility("default")]] const OrtApiBase* ORT_API_CALL OrtGetApiBase() noexcept {
  static const OrtApiBase base{get_api, get_version};
  return &base;
}

// Members of OpenVINO's classes by their names in the library: functions whose first argument is the object.
using Model = std::shared_ptr<ov::Model>;
using Text = std::string;

#define TAKT_MEMBER(symbol) __asm__(symbol) __attribute__((visibility("default")))

#define TAKT_READ_FILE                                                                                                 \
  "_ZNK2ov4Core10read_modelERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES8_RKSt3mapIS6_NS_3AnyESt4lessIS6_E" \
  "SaISt4pairIS7_SA_EEE"
Model read_file(const ov::Core* core, const Text& file, const Text& weights, const ov::AnyMap& settings)
    TAKT_MEMBER(TAKT_READ_FILE);
Model read_file(const ov::Core* core, const Text& file, const Text& weights, const ov::AnyMap& settings) {
  come_to("openvino.read");
  return real<decltype(&read_file)>(TAKT_READ_FILE)(core, file, weights, settings);
}

#define TAKT_READ_TEXT "_ZNK2ov4Core10read_modelERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKNS_6TensorE"
Model read_text(const ov::Core* core, const Text& model, const ov::Tensor& weights) TAKT_MEMBER(TAKT_READ_TEXT);
Model read_text(const ov::Core* core, const Text& model, const ov::Tensor& weights) {
  come_to("openvino.read");
  return real<decltype(&read_text)>(TAKT_READ_TEXT)(core, model, weights);
}

#define TAKT_COMPILE                                                                                                   \
  "_ZN2ov4Core13compile_modelERKSt10shared_ptrIKNS_5ModelEERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKSt" \
  "3mapISC_NS_3AnyESt4lessISC_ESaISt4pairISD_SG_EEE"
ov::CompiledModel compile(ov::Core* core, const std::shared_ptr<const ov::Model>& model, const Text& device,
                          const ov::AnyMap& settings) TAKT_MEMBER(TAKT_COMPILE);
ov::CompiledModel compile(ov::Core* core, const std::shared_ptr<const ov::Model>& model, const Text& device,
                          const ov::AnyMap& settings) {
  come_to("openvino.compile");
  return real<decltype(&compile)>(TAKT_COMPILE)(core, model, device, settings);
}

#define TAKT_INFER "_ZN2ov12InferRequest5inferEv"
void infer(ov::InferRequest* request) TAKT_MEMBER(TAKT_INFER);
void infer(ov::InferRequest* request) {
  come_to("openvino.run");
  real<decltype(&infer)>(TAKT_INFER)(request);
}

#define TAKT_START_ASYNC "_ZN2ov12InferRequest11start_asyncEv"
void start_async(ov::InferRequest* request) TAKT_MEMBER(TAKT_START_ASYNC);
void start_async(ov::InferRequest* request) {
  come_to("openvino.run");
  real<decltype(&start_async)>(TAKT_START_ASYNC)(request);
}

#define TAKT_START "_ZN2ov4CoreC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
void start(ov::Core* core, const Text& configuration) TAKT_MEMBER(TAKT_START);
void start(ov::Core* core, const Text& configuration) {
  come_to("openvino.start");
  real<decltype(&start)>(TAKT_START)(core, configuration);
}

#define TAKT_RESHAPE                                                                                                \
  "_ZN2ov5Model7reshapeERKSt3mapImNS_12PartialShapeESt4lessImESaISt4pairIKmS2_EEERKSt13unordered_mapINSt7__cxx1112" \
  "basic_stringIcSt11char_traitsIcESaIcEEES2_St4hashISI_ESt8equal_toISI_ESaIS5_IKSI_S2_EEE"
using ShapesByNumber = std::map<std::size_t, ov::PartialShape>;
using ShapesByName = std::unordered_map<Text, ov::PartialShape>;
void reshape(ov::Model* model, const ShapesByNumber& shapes, const ShapesByName& variables) TAKT_MEMBER(TAKT_RESHAPE);
void reshape(ov::Model* model, const ShapesByNumber& shapes, const ShapesByName& variables) {
  come_to("openvino.reshape");
  real<decltype(&reshape)>(TAKT_RESHAPE)(model, shapes, variables);
}
