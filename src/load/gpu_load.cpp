#include "load/gpu_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>

#include "core/error.h"
#include "core/text.h"
#include "load/matrix_product_ptx.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

constexpr int matrix_rows = 1024, tile_rows = 16;
constexpr std::size_t matrix_bytes = sizeof(float) * matrix_rows * matrix_rows;
constexpr std::size_t copy_bytes = std::size_t{8} << 20;
constexpr unsigned one_as_float = 0x3f800000;
constexpr Nanoseconds gpu_slice = 1ms, most_gpu_debt = 100ms;
constexpr int most_repeats = 1 << 16;

}  // namespace

/// What the load holds of the driver; given back in the order that it wants.
struct GpuLoad::Gpu {
  explicit Gpu(const GpuSettings& settings) : cuda(settings.library) {
    int count = 0;
    cuda.check(cuda.device_count(&count), "counting GPUs");
    if (count == 0) throw Error(ErrorKind::unsupported, "the CUDA driver knows no GPU");
    if (settings.device < 0 || settings.device >= count)
      throw Error(ErrorKind::unsupported,
                  fmt::format("there is no GPU {}; the driver knows 0 to {}", settings.device, count - 1));
    cuda.check(cuda.device_by_index(&device, settings.device), "opening the GPU");
    std::array<char, 128> name{};
    cuda.check(cuda.device_name(name.data(), static_cast<int>(name.size()) - 1, device), "reading the GPU's name");
    device_name = printable(name.data());
    CudaContext made = nullptr;
    cuda.check(cuda.retain_context(&made, device), "opening the GPU");
    context = made;
  }

  /// On the thread that works.
  void prepare(const GpuLevels& levels) {
    cuda.check(cuda.use_context(context), "opening the GPU");
    cuda.check(cuda.make_stream(&stream, 1), "preparing the GPU");
    for (CudaEvent* event : {&begin, &end}) cuda.check(cuda.make_event(event, 0), "preparing the GPU");
    if (levels.compute > 0) {
      cuda.check(cuda.load_module(&module, matrix_product_ptx), "compiling the matrix product");
      cuda.check(cuda.function_of(&product, module, "takt_matrix_product"), "compiling the matrix product");
      for (CudaMemory* matrix : {&a, &b, &c}) {
        cuda.check(cuda.allocate(matrix, matrix_bytes), "asking for the GPU's memory");
        cuda.check(cuda.fill(*matrix, one_as_float, matrix_bytes / sizeof(float)), "writing the GPU's memory");
      }
      while (multiply() < gpu_slice && repeats < most_repeats) repeats *= 2;
    }
    if (levels.copies > 0) {
      cuda.check(cuda.allocate(&block, copy_bytes), "asking for the GPU's memory");
      cuda.check(cuda.allocate_host(&host_block, copy_bytes), "asking for memory that the GPU reaches");
    }
  }

  /// How long the GPU took for what `enqueue` gave it.
  template <typename Enqueue>
  Nanoseconds timed(const Enqueue& enqueue) const {
    cuda.check(cuda.record(begin, stream), "loading the GPU");
    enqueue();
    cuda.check(cuda.record(end, stream), "loading the GPU");
    cuda.check(cuda.wait_for(end), "loading the GPU");
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
                 "loading the GPU");
    });
  }

  Nanoseconds copy() {
    return timed([&] {
      cuda.check(cuda.copy_to_gpu(block, host_block, copy_bytes, stream), "copying to the GPU");
      cuda.check(cuda.copy_to_host(host_block, block, copy_bytes, stream), "copying from the GPU");
    });
  }

  /// On the thread that works. A lost GPU refuses these, too, and then nothing is left to give back.
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

GpuLoad::GpuLoad(const GpuSettings& settings) : gpu_(std::make_unique<Gpu>(settings)), name_(gpu_->device_name) {
  std::promise<void> prepared;
  thread_ = std::thread([this, levels = settings.levels, &prepared] { run(levels, prepared); });
  try {
    prepared.get_future().get();
  } catch (...) {
    thread_.join();
    throw;
  }
}

void GpuLoad::run(GpuLevels levels, std::promise<void>& prepared) {
  bool is_prepared = false;
  try {
    gpu_->prepare(levels);
    is_prepared = true;
    prepared.set_value();  // from here on the promise is gone
    work(levels);
  } catch (const Error& error) {
    failure_ = error.what();
    has_failed_ = true;
    if (!is_prepared) {
      gpu_->release();
      prepared.set_exception(std::current_exception());
      return;
    }
  }
  gpu_->release();
}

GpuLoad::~GpuLoad() {
  stop_ = true;
  thread_.join();
}

GpuLoad::Worked GpuLoad::worked() const { return {Nanoseconds(compute_ns_), Nanoseconds(copies_ns_)}; }

std::string GpuLoad::failure() const { return has_failed_ ? failure_ : ""; }

// As on processors (machine/load_work.cpp): the kind that lacks most of its share is next, and none makes up for more
// than a little.
void GpuLoad::work(GpuLevels levels) {
  const std::array<double, 2> shares{levels.compute, levels.copies};
  std::array<double, 2> lacks{};  // ns
  for (Nanoseconds now = steady_now(); !stop_;) {
    const std::size_t kind = shares[1] == 0 || (shares[0] > 0 && lacks[0] >= lacks[1]) ? 0 : 1;
    if (lacks[kind] < 0 || shares[kind] == 0) {
      const double wait = shares[kind] > 0 ? -lacks[kind] / shares[kind] : 1e6;
      std::this_thread::sleep_for(Nanoseconds(std::llround(std::clamp(wait, 1e5, 1e7))));
    } else {
      const Nanoseconds took = kind == 0 ? gpu_->multiply() : gpu_->copy();
      lacks[kind] -= static_cast<double>(took.count());
      (kind == 0 ? compute_ns_ : copies_ns_) += took.count();
    }
    const Nanoseconds after = steady_now();
    for (std::size_t i = 0; i < shares.size(); ++i)
      lacks[i] = std::min(lacks[i] + shares[i] * static_cast<double>((after - now).count()),
                          static_cast<double>(most_gpu_debt.count()));
    now = after;
  }
}

}  // namespace takt
