// The CUDA driver, loaded while the program runs: what of it takt calls, declared here as in cuda.h, whose names and
// layouts the driver keeps. The CUDA runtime and its toolkit are not needed.
#pragma once

#include <optional>
#include <string>

#include "base/system/shared_library.h"

namespace takt {

struct CudaContextRecord;
struct CudaModuleRecord;
struct CudaFunctionRecord;
struct CudaStreamRecord;
struct CudaEventRecord;
using CudaContext = CudaContextRecord*;
using CudaModule = CudaModuleRecord*;
using CudaFunction = CudaFunctionRecord*;
using CudaStream = CudaStreamRecord*;
using CudaEvent = CudaEventRecord*;
using CudaMemory = unsigned long long;  ///< an address on the GPU

/// The driver's functions; each gives 0 or what went wrong. Those of a context work on that of the calling thread.
class CudaLibrary {
 public:
  /// `path` empty: what TAKT_CUDA_LIBRARY names, else where the driver puts it. Throws Error(unsupported): there is no
  /// driver, or it does not start.
  explicit CudaLibrary(const std::string& path);

  /// Throws Error(runtime) unless `status` is 0: "while WHAT: the driver's words".
  void check(int status, const char* what) const;

 private:
  SharedLibrary library_;
  int (*start_)(unsigned) = nullptr;
  int (*error_text_)(int, const char**) = nullptr;

 public:
  int (*device_count)(int*) = nullptr;
  int (*device_by_index)(int*, int) = nullptr;
  int (*device_name)(char*, int, int) = nullptr;
  int (*retain_context)(CudaContext*, int) = nullptr;
  int (*release_context)(int) = nullptr;
  int (*use_context)(CudaContext) = nullptr;
  int (*load_module)(CudaModule*, const void*) = nullptr;
  int (*unload_module)(CudaModule) = nullptr;
  int (*function_of)(CudaFunction*, CudaModule, const char*) = nullptr;
  int (*allocate)(CudaMemory*, std::size_t) = nullptr;
  int (*free)(CudaMemory) = nullptr;
  int (*allocate_host)(void**, std::size_t) = nullptr;
  int (*free_host)(void*) = nullptr;
  int (*fill)(CudaMemory, unsigned, std::size_t) = nullptr;
  int (*copy_to_gpu)(CudaMemory, const void*, std::size_t, CudaStream) = nullptr;
  int (*copy_to_host)(void*, CudaMemory, std::size_t, CudaStream) = nullptr;
  int (*launch)(CudaFunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CudaStream, void**,
                void**) = nullptr;
  int (*make_stream)(CudaStream*, unsigned) = nullptr;
  int (*end_stream)(CudaStream) = nullptr;
  int (*make_event)(CudaEvent*, unsigned) = nullptr;
  int (*end_event)(CudaEvent) = nullptr;
  int (*record)(CudaEvent, CudaStream) = nullptr;
  int (*wait_for)(CudaEvent) = nullptr;
  int (*elapsed_ms)(float*, CudaEvent, CudaEvent) = nullptr;
};

/// At least 1. Throws Error(unsupported) where there is none.
int count_gpus(const CudaLibrary& cuda);

/// Of a device that the driver gave, not of its number.
std::string gpu_name(const CudaLibrary& cuda, int device);

/// "NVIDIA H100 80GB HBM3"; of the GPU that programs take unless told otherwise; nullopt where no driver
/// knows one. Never throws.
std::optional<std::string> first_gpu_name();

}  // namespace takt
