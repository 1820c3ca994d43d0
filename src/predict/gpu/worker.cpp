#include "predict/gpu/worker.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>

#include "base/basics/error.h"
#include "predict/gpu/cuda_library.h"
#include "predict/gpu/matrix_product_ptx.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

constexpr int matrix_rows = 1024, tile_rows = 16;
constexpr std::size_t matrix_bytes = sizeof(float) * matrix_rows * matrix_rows;
constexpr std::size_t copy_bytes = std::size_t{8} << 20;
constexpr unsigned one_as_float = 0x3f800000;
constexpr Nanoseconds gpu_slice = 1ms;
constexpr int most_repeats = 1 << 16;

}  // namespace

/// What is held of the driver; given back in the order that it wants.
struct GpuWorker::Gpu {
  Gpu(const std::string& library, int number) : cuda(library) {
    const int count = count_gpus(cuda);
    if (number < 0 || number >= count)
      throw Error(ErrorKind::unsupported,
                  fmt::format("GPU {} does not exist; the driver lists 0 to {}", number, count - 1));
    cuda.check(cuda.device_by_index(&device, number), "opening the GPU");
    device_name = gpu_name(cuda, device);
    CudaContext made = nullptr;
    cuda.check(cuda.retain_context(&made, device), "opening the GPU");
    context = made;
  }

  void prepare(bool multiplies, bool copies) {
    cuda.check(cuda.use_context(context), "opening the GPU");
    cuda.check(cuda.make_stream(&stream, 1), "preparing the GPU");
    for (CudaEvent* event : {&begin, &end}) cuda.check(cuda.make_event(event, 0), "preparing the GPU");
    if (multiplies) {
      cuda.check(cuda.load_module(&module, matrix_product_ptx), "compiling the matrix product");
      cuda.check(cuda.function_of(&product, module, "takt_matrix_product"), "compiling the matrix product");
      for (CudaMemory* matrix : {&a, &b, &c}) {
        cuda.check(cuda.allocate(matrix, matrix_bytes), "allocating GPU memory");
        cuda.check(cuda.fill(*matrix, one_as_float, matrix_bytes / sizeof(float)), "writing the GPU's memory");
      }
      while (multiply() < gpu_slice && repeats < most_repeats) repeats *= 2;
    }
    if (copies) {
      cuda.check(cuda.allocate(&block, copy_bytes), "allocating GPU memory");
      cuda.check(cuda.allocate_host(&host_block, copy_bytes), "allocating pinned memory");
    }
  }

  /// How long the GPU took for what `enqueue` gave it.
  template <typename Enqueue>
  Nanoseconds timed(const Enqueue& enqueue) const {
    cuda.check(cuda.record(begin, stream), "working on the GPU");
    enqueue();
    cuda.check(cuda.record(end, stream), "working on the GPU");
    cuda.check(cuda.wait_for(end), "working on the GPU");
    float ms = 0;
    cuda.check(cuda.elapsed_ms(&ms, begin, end), "reading the GPU's clock");
    return Nanoseconds(std::llround(static_cast<double>(ms) * 1e6));
  }

  Nanoseconds multiply() {
    return timed([&] {
      int rows = matrix_rows;
      std::array<void*, 5> arguments{&a, &b, &c, &rows, &repeats};
      constexpr unsigned blocks = matrix_rows / tile_rows;
      cuda.check(cuda.launch(product, blocks, blocks, 1, tile_rows, tile_rows, 1, 0, stream, arguments.data(), nullptr),
                 "working on the GPU");
    });
  }

  Nanoseconds copy() {
    return timed([&] {
      cuda.check(cuda.copy_to_gpu(block, host_block, copy_bytes, stream), "copying to the GPU");
      cuda.check(cuda.copy_to_host(host_block, block, copy_bytes, stream), "copying from the GPU");
    });
  }

  void release() {
    for (CudaMemory memory : {a, b, c, block})
      if (memory) cuda.free(memory);
    if (host_block) cuda.free_host(host_block);
    for (CudaEvent event : {begin, end})
      if (event) cuda.end_event(event);
    if (stream) cuda.end_stream(stream);
    if (module) cuda.unload_module(module);
  }

  ~Gpu() {
    if (context) cuda.release_context(device);
  }
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  CudaLibrary cuda;
  int device = 0, repeats = 1;
  std::string device_name;
  CudaContext context = nullptr;
  CudaStream stream = nullptr;
  CudaEvent begin = nullptr, end = nullptr;
  CudaModule module = nullptr;
  CudaFunction product = nullptr;
  CudaMemory a = 0, b = 0, c = 0, block = 0;
  void* host_block = nullptr;
};

GpuWorker::GpuWorker(const std::string& library, int device) : gpu_(std::make_unique<Gpu>(library, device)) {}
GpuWorker::~GpuWorker() = default;

const std::string& GpuWorker::device_name() const { return gpu_->device_name; }
void GpuWorker::prepare(bool multiplies, bool copies) { gpu_->prepare(multiplies, copies); }
Nanoseconds GpuWorker::multiply() { return gpu_->multiply(); }
Nanoseconds GpuWorker::copy() { return gpu_->copy(); }
double GpuWorker::flops() const { return 2.0 * matrix_rows * matrix_rows * matrix_rows * gpu_->repeats; }
double GpuWorker::copied_bytes() const { return 2.0 * copy_bytes; }
void GpuWorker::release() { gpu_->release(); }

}  // namespace takt
