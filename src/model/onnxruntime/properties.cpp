#include "model/onnxruntime/properties.h"

#include <fmt/format.h>
#include <onnxruntime_session_options_config_keys.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt::ort {
namespace {

constexpr std::string_view of_cuda = "cuda.";

/// An attribute of SessionOptions: the values that it takes, and how it is set to one of them.
struct Attribute {
  std::vector<std::string> values;  ///< empty: a number
  std::function<void(Ort::SessionOptions&, const std::string&)> set;
};

int number(const std::string& value) { return number_in<int>(value).value_or(0); }

GraphOptimizationLevel level(const std::string& value) {
  static const std::map<std::string, GraphOptimizationLevel> levels{{"disabled", ORT_DISABLE_ALL},
                                                                    {"basic", ORT_ENABLE_BASIC},
                                                                    {"extended", ORT_ENABLE_EXTENDED},
                                                                    {"all", ORT_ENABLE_ALL}};
  return levels.at(value);
}

const std::map<std::string, Attribute>& attributes() {
  using Options = Ort::SessionOptions;
  static const std::map<std::string, Attribute> all{
      {"intra_op_num_threads", {{}, [](Options& o, auto& v) { o.SetIntraOpNumThreads(number(v)); }}},
      {"inter_op_num_threads", {{}, [](Options& o, auto& v) { o.SetInterOpNumThreads(number(v)); }}},
      {"graph_optimization_level",
       {{"disabled", "basic", "extended", "all"}, [](Options& o, auto& v) { o.SetGraphOptimizationLevel(level(v)); }}},
      {"execution_mode",
       {{"sequential", "parallel"},
        [](Options& o, auto& v) { o.SetExecutionMode(v == "parallel" ? ORT_PARALLEL : ORT_SEQUENTIAL); }}},
      {"enable_mem_pattern",
       {{"0", "1"}, [](Options& o, auto& v) { v == "1" ? o.EnableMemPattern() : o.DisableMemPattern(); }}},
      {"enable_cpu_mem_arena",
       {{"0", "1"}, [](Options& o, auto& v) { v == "1" ? o.EnableCpuMemArena() : o.DisableCpuMemArena(); }}}};
  return all;
}

/// The keys that its header lists for programs, and the attributes.
const std::vector<std::string>& known_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> list{kOrtSessionOptionsConfigDisablePrepacking,
                                  kOrtSessionOptionsConfigUseEnvAllocators,
                                  kOrtSessionOptionsConfigLoadModelFormat,
                                  kOrtSessionOptionsConfigSetDenormalAsZero,
                                  kOrtSessionOptionsDisableQuantQDQ,
                                  kOrtSessionOptionsDisableDoubleQDQRemover,
                                  kOrtSessionOptionsEnableQuantQDQCleanup,
                                  kOrtSessionOptionsEnableGeluApproximation,
                                  kOrtSessionOptionsDisableAheadOfTimeFunctionInlining,
                                  kOrtSessionOptionsDisableSpecifiedOptimizers,
                                  kOrtSessionOptionsUseDeviceAllocatorForInitializers,
                                  kOrtSessionOptionsConfigAllowInterOpSpinning,
                                  kOrtSessionOptionsConfigAllowIntraOpSpinning,
                                  kOrtSessionOptionsQDQIsInt8Allowed,
                                  kOrtSessionOptionsAvx2PrecisionMode,
                                  kOrtSessionOptionsConfigMinimalBuildOptimizations,
                                  kOrtSessionOptionsConfigDynamicBlockBase,
                                  kOrtSessionOptionsConfigForceSpinningStop,
                                  kOrtSessionOptionsConfigStrictShapeTypeInference,
                                  kOrtSessionOptionsConfigIntraOpThreadAffinities,
                                  kOrtSessionOptionsDisableCPUEPFallback,
                                  kOrtSessionOptionsMlasGemmFastMathArm64Bfloat16,
                                  kOrtSessionOptionsQDQMatMulNBitsAccuracyLevel};
    for (const auto& [name, attribute] : attributes()) list.push_back(name);
    return list;
  }();
  return keys;
}

void check_value(const std::string& key, const std::string& value, const std::string& where) {
  const auto found = attributes().find(key);
  if (found == attributes().end()) return;
  const auto& values = found->second.values;
  const auto count = number_in<int>(value);
  if (values.empty() ? count && *count >= 0 : std::find(values.begin(), values.end(), value) != values.end()) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: --property {}={}: {}", where, key, printable(value),
                          values.empty() ? std::string("write a number of threads, 0 for the runtime's choice")
                                         : fmt::format("write {}", fmt::join(values, ", "))));
}

}  // namespace

Properties properties_of(std::optional<int> threads, const Tuning& tuning) {
  Properties properties;
  if (threads) properties["intra_op_num_threads"] = std::to_string(*threads);
  const auto off = [&](const char* name) {
    const auto found = tuning.find(name);
    return found != tuning.end() && found->second == "off";
  };
  if (off("spinning")) properties[kOrtSessionOptionsConfigAllowIntraOpSpinning] = "0";
  if (off("memory_pattern")) properties["enable_mem_pattern"] = "0";
  if (off("arena")) properties["enable_cpu_mem_arena"] = "0";
  return properties;
}

std::vector<std::string> check_properties(const Properties& properties, const std::string& where) {
  std::vector<std::string> notes;
  const auto& known = known_keys();
  for (const auto& [key, value] : properties) {
    check_value(key, value, where);
    if (key.starts_with(of_cuda) || std::find(known.begin(), known.end(), key) != known.end()) continue;
    if (const auto near = nearest_word(key, known))
      throw Error(ErrorKind::bad_input, fmt::format("{}: --property {}: ONNX Runtime has no such key; did you mean "
                                                    "'{}'?",
                                                    where, printable(key), *near));
    notes.push_back(fmt::format(
        "ONNX Runtime does not report whether it supports the property {}; it ignores unknown ones", printable(key)));
  }
  return notes;
}

void set_properties(Ort::SessionOptions& options, const Properties& properties) {
  for (const auto& [key, value] : properties)
    if (const auto found = attributes().find(key); found != attributes().end())
      found->second.set(options, value);
    else if (!key.starts_with(of_cuda))
      options.AddConfigEntry(key.c_str(), value.c_str());
}

void add_custom_ops(Ort::SessionOptions& options, const std::vector<std::filesystem::path>& libraries) {
  for (const auto& library : libraries) options.RegisterCustomOpsLibrary(library.c_str());
}

void append_cuda(Ort::SessionOptions& options, const Properties& properties) {
  std::vector<const char*> keys, values;
  for (const auto& [key, value] : properties)
    if (key.starts_with(of_cuda)) keys.push_back(key.c_str() + of_cuda.size()), values.push_back(value.c_str());
  if (keys.empty()) return static_cast<void>(options.AppendExecutionProvider_CUDA(OrtCUDAProviderOptions{}));
  const auto& api = Ort::GetApi();
  OrtCUDAProviderOptionsV2* made = nullptr;
  Ort::ThrowOnError(api.CreateCUDAProviderOptions(&made));
  const std::unique_ptr<OrtCUDAProviderOptionsV2, decltype(api.ReleaseCUDAProviderOptions)> cuda(
      made, api.ReleaseCUDAProviderOptions);
  Ort::ThrowOnError(api.UpdateCUDAProviderOptions(cuda.get(), keys.data(), values.data(), keys.size()));
  options.AppendExecutionProvider_CUDA_V2(*cuda);
}

}  // namespace takt::ort
