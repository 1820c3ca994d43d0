#include "predict/gpu/cuda_library.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

std::string path_of_driver(const std::string& given) {
  const char* const named = std::getenv("TAKT_CUDA_LIBRARY");
  return given.empty() && named ? named : given;
}

}  // namespace

CudaLibrary::CudaLibrary(const std::string& path)
    : library_(open_library(path_of_driver(path), {"libcuda.so.1", "libcuda.so"},
                            "no CUDA driver is installed, so takt cannot put load on a GPU: it")) {
  library_.get(start_, {"cuInit"});
  library_.get(error_text_, {"cuGetErrorString"});
  library_.get(device_count, {"cuDeviceGetCount"});
  library_.get(device_by_index, {"cuDeviceGet"});
  library_.get(device_name, {"cuDeviceGetName"});
  library_.get(retain_context, {"cuDevicePrimaryCtxRetain"});
  library_.get(release_context, {"cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease"});
  library_.get(use_context, {"cuCtxSetCurrent"});
  library_.get(load_module, {"cuModuleLoadData"});
  library_.get(unload_module, {"cuModuleUnload"});
  library_.get(function_of, {"cuModuleGetFunction"});
  library_.get(allocate, {"cuMemAlloc_v2"});
  library_.get(free, {"cuMemFree_v2"});
  library_.get(allocate_host, {"cuMemAllocHost_v2"});
  library_.get(free_host, {"cuMemFreeHost"});
  library_.get(fill, {"cuMemsetD32_v2"});
  library_.get(copy_to_gpu, {"cuMemcpyHtoDAsync_v2"});
  library_.get(copy_to_host, {"cuMemcpyDtoHAsync_v2"});
  library_.get(launch, {"cuLaunchKernel"});
  library_.get(make_stream, {"cuStreamCreate"});
  library_.get(end_stream, {"cuStreamDestroy_v2"});
  library_.get(make_event, {"cuEventCreate"});
  library_.get(end_event, {"cuEventDestroy_v2"});
  library_.get(record, {"cuEventRecord"});
  library_.get(wait_for, {"cuEventSynchronize"});
  library_.get(elapsed_ms, {"cuEventElapsedTime"});
  try {
    check(start_(0), "starting the driver");
  } catch (const Error& error) {
    throw Error(ErrorKind::unsupported, fmt::format("takt cannot put load on a GPU: {}", error.what()));
  }
}

void CudaLibrary::check(int status, const char* what) const {
  if (status == 0) return;
  const char* said = nullptr;
  const bool known = error_text_(status, &said) == 0 && said;
  throw Error(ErrorKind::runtime, fmt::format("{}: the CUDA driver reports '{}' ({})", what,
                                              known ? printable(said) : std::string("an unknown error"), status));
}

int count_gpus(const CudaLibrary& cuda) {
  int count = 0;
  cuda.check(cuda.device_count(&count), "counting GPUs");
  if (count == 0) throw Error(ErrorKind::unsupported, "the CUDA driver finds no GPU");
  return count;
}

std::string gpu_name(const CudaLibrary& cuda, int device) {
  std::array<char, 128> name{};
  cuda.check(cuda.device_name(name.data(), static_cast<int>(name.size()) - 1, device), "reading the GPU's name");
  return printable(name.data());
}

std::optional<std::string> first_gpu_name() {
  try {
    const CudaLibrary cuda("");
    int device = 0;
    cuda.check(cuda.device_by_index(&device, 0), "opening the GPU");
    return gpu_name(cuda, device);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace takt
