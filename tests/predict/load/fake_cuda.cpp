// The CUDA driver as takt sees it, for machines without a GPU. It keeps time like one: what is enqueued takes a while
// and ends after what was enqueued before. Set by the environment when it is started: FAKE_CUDA_GPUS, FAKE_CUDA_INIT
// (the status of starting), FAKE_CUDA_LOST_AFTER (milliseconds, after which the GPU is lost), FAKE_CUDA_MEMORY (bytes),
// FAKE_CUDA_FAILS (a call that fails once: cuEventRecord:3 the third time).
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;
constexpr int invalid = 1, out_of_memory = 2, illegal = 700, lost = 719;

long number_of(const char* variable, long otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::atol(text) : otherwise;
}

std::mutex mutex;
Clock::time_point start, busy_until;
long gpus = 1, lost_after_ms = -1, memory = 1 << 30;
double copied = 0, copied_in_ms = 0;   ///< bytes, there and back, and in what time by the events around them
bool is_copying = false;               ///< since an event's time was last asked for
std::map<void*, std::size_t> objects;  ///< everything that must be given back, with its bytes
thread_local bool has_context = false;
int retained = 0, calls = 0;  ///< of the call that fails
std::string failing;          ///< its name

struct Event {
  Clock::time_point at;
};

bool is_lost() { return lost_after_ms >= 0 && Clock::now() - start > std::chrono::milliseconds(lost_after_ms); }

/// In the context of the calling thread: what every call begins with.
int status_now() { return !has_context ? 201 : is_lost() ? lost : 0; }

bool fails(const char* call) {
  const std::size_t colon = std::min(failing.find(':'), failing.size());
  return failing.compare(0, colon, call) == 0 &&
         ++calls == std::max(1, std::atoi(failing.c_str() + colon + (colon < failing.size())));
}

void enqueue(std::chrono::microseconds time) { busy_until = std::max(busy_until, Clock::now()) + time; }

int make(void** object, std::size_t bytes) {
  const std::lock_guard lock(mutex);
  if (const int status = status_now()) return status;
  std::size_t used = 0;
  for (const auto& [address, size] : objects) used += size;
  if (static_cast<long>(used + bytes) > memory) return out_of_memory;
  *object = bytes > 0 ? std::malloc(bytes) : new Event;
  objects[*object] = bytes;
  return 0;
}

int drop(void* object) {
  const std::lock_guard lock(mutex);
  const auto found = objects.find(object);
  if (found == objects.end()) return invalid;
  if (found->second > 0)
    std::free(object);
  else
    delete static_cast<Event*>(object);
  objects.erase(found);
  return 0;
}

bool holds(const void* address, std::size_t bytes) {
  const auto found = objects.find(const_cast<void*>(address));
  return found != objects.end() && found->second >= bytes;
}

}  // namespace

#define FAKE extern "C" __attribute__((visibility("default")))
#define MAY_FAIL \
  if (fails(__func__)) return illegal

FAKE int cuInit(unsigned flags) {
  start = busy_until = Clock::now();
  copied = copied_in_ms = 0, is_copying = false;
  gpus = number_of("FAKE_CUDA_GPUS", 1);
  lost_after_ms = number_of("FAKE_CUDA_LOST_AFTER", -1);
  memory = number_of("FAKE_CUDA_MEMORY", 1 << 30);
  const char* const name = std::getenv("FAKE_CUDA_FAILS");
  failing = name ? name : "", calls = 0;
  return flags != 0 ? invalid : static_cast<int>(number_of("FAKE_CUDA_INIT", 0));
}
FAKE int cuGetErrorString(int status, const char** text) {
  *text = status == lost            ? "unspecified launch failure"
          : status == out_of_memory ? "out of memory"
          : status == illegal       ? "an illegal memory access was encountered"
          : status == 100           ? "no CUDA-capable device is detected"
                                    : nullptr;
  return *text ? 0 : invalid;
}
FAKE int cuDeviceGetCount(int* count) {
  MAY_FAIL;
  return *count = static_cast<int>(gpus), 0;
}
FAKE int cuDeviceGet(int* device, int number) {
  MAY_FAIL;
  return *device = number, number < gpus ? 0 : 101;
}
FAKE int cuDeviceGetName(char* name, int size, int) {
  MAY_FAIL;
  return std::strncpy(name, "Fake GPU", static_cast<std::size_t>(size)), 0;
}
FAKE int cuDevicePrimaryCtxRetain(void** context, int) {
  MAY_FAIL;
  return *context = &gpus, ++retained, 0;
}
FAKE int cuDevicePrimaryCtxRelease_v2(int) { return --retained, 0; }
FAKE int cuCtxSetCurrent(void* context) {
  MAY_FAIL;
  return has_context = context != nullptr, 0;
}
FAKE int cuModuleLoadData(void** module, const void* text) {
  MAY_FAIL;
  const std::string_view ptx(static_cast<const char*>(text));
  if (ptx.find(".version") == ptx.npos || ptx.find(".visible .entry takt_matrix_product(") == ptx.npos) return 218;
  return make(module, 1);
}
FAKE int cuModuleUnload(void* module) { return drop(module); }
FAKE int cuModuleGetFunction(void** function, void* module, const char* name) {
  MAY_FAIL;
  if (std::string_view(name) != "takt_matrix_product" || !holds(module, 1)) return 500;
  return *function = module, 0;
}
FAKE int cuMemAlloc_v2(unsigned long long* address, std::size_t bytes) {
  MAY_FAIL;
  return make(reinterpret_cast<void**>(address), bytes);
}
FAKE int cuMemFree_v2(unsigned long long address) { return drop(reinterpret_cast<void*>(address)); }
FAKE int cuMemAllocHost_v2(void** address, std::size_t bytes) {
  MAY_FAIL;
  return make(address, bytes);
}
FAKE int cuMemFreeHost(void* address) { return drop(address); }
FAKE int cuMemsetD32_v2(unsigned long long address, unsigned value, std::size_t count) {
  MAY_FAIL;
  const std::lock_guard lock(mutex);
  if (const int status = status_now()) return status;
  if (!holds(reinterpret_cast<void*>(address), count * 4)) return invalid;
  for (std::size_t i = 0; i < count; ++i) std::memcpy(reinterpret_cast<char*>(address) + 4 * i, &value, 4);
  return 0;
}
FAKE int cuMemcpyHtoDAsync_v2(unsigned long long to, const void* from, std::size_t bytes, void* stream) {
  MAY_FAIL;
  const std::lock_guard lock(mutex);
  if (const int status = status_now()) return status;
  if (!holds(reinterpret_cast<void*>(to), bytes) || !holds(from, bytes) || !stream) return invalid;
  enqueue(std::chrono::microseconds(500));
  copied += static_cast<double>(bytes), is_copying = true;
  return 0;
}
FAKE int cuMemcpyDtoHAsync_v2(void* to, unsigned long long from, std::size_t bytes, void* stream) {
  MAY_FAIL;
  return cuMemcpyHtoDAsync_v2(reinterpret_cast<unsigned long long>(to), reinterpret_cast<void*>(from), bytes, stream);
}
/// A product takes 250 us; its arguments must be three matrices that are there, and the grid must cover them.
FAKE int cuLaunchKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned threads_x, unsigned threads_y,
                        unsigned threads_z, unsigned, void* stream, void** arguments, void** extra) {
  MAY_FAIL;
  const std::lock_guard lock(mutex);
  if (const int status = status_now()) return status;
  const int n = *static_cast<int*>(arguments[3]), repeats = *static_cast<int*>(arguments[4]);
  const auto rows = static_cast<unsigned>(n);
  if (!holds(function, 1) || !stream || extra || z != 1 || threads_z != 1 || repeats < 1) return invalid;
  if (threads_x != 16 || threads_y != 16 || x * 16 != rows || y * 16 != rows) return invalid;
  for (int i = 0; i < 3; ++i)
    if (!holds(*static_cast<void**>(arguments[i]), std::size_t{4} * rows * rows)) return invalid;
  enqueue(std::chrono::microseconds(250 * repeats));
  return 0;
}
FAKE int cuStreamCreate(void** stream, unsigned) {
  MAY_FAIL;
  return make(stream, 0);
}
FAKE int cuStreamDestroy_v2(void* stream) { return drop(stream); }
FAKE int cuEventCreate(void** event, unsigned) {
  MAY_FAIL;
  return make(event, 0);
}
FAKE int cuEventDestroy_v2(void* event) { return drop(event); }
FAKE int cuEventRecord(void* event, void* stream) {
  MAY_FAIL;
  const std::lock_guard lock(mutex);
  if (const int status = status_now()) return status;
  if (!holds(event, 0) || !holds(stream, 0)) return invalid;
  static_cast<Event*>(event)->at = std::max(busy_until, Clock::now());
  return 0;
}
FAKE int cuEventSynchronize(void* event) {
  MAY_FAIL;
  if (const int status = status_now()) return status;
  std::this_thread::sleep_until(static_cast<Event*>(event)->at);
  return is_lost() ? lost : 0;
}
FAKE int cuEventElapsedTime(float* ms, void* begin, void* end) {
  MAY_FAIL;
  if (const int status = status_now()) return status;
  *ms = std::chrono::duration<float, std::milli>(static_cast<Event*>(end)->at - static_cast<Event*>(begin)->at).count();
  if (is_copying) copied_in_ms += *ms;
  is_copying = false;
  return 0;
}
/// For tests: bytes that were copied there or back in a second, since the driver was started.
FAKE double fake_cuda_copied_per_s() {
  const std::lock_guard lock(mutex);
  return copied / copied_in_ms * 1e3;
}
/// For tests: what was not given back.
FAKE int fake_cuda_left() {
  const std::lock_guard lock(mutex);
  return static_cast<int>(objects.size()) + retained;
}
