#include "model/runtime/gpu_activity.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <unordered_map>

#include "model/runtime/cupti_library.h"

namespace takt {
namespace {

constexpr int heard_kinds[] = {cupti_kernel, cupti_memcpy, cupti_memset, cupti_runtime_call, cupti_driver_call};
constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
constexpr std::align_val_t buffer_alignment{8};  // as CUPTI asks

std::uint64_t system_clock_ns() { return static_cast<std::uint64_t>(wall_now().count()); }

Nanoseconds stamp(std::uint64_t ns) { return Nanoseconds(static_cast<std::int64_t>(ns)); }

GpuActivity::Kind copy_kind(const CuptiCopyRecord& record) {
  return record.copy_kind == 1   ? GpuActivity::Kind::copy_to_gpu
         : record.copy_kind == 2 ? GpuActivity::Kind::copy_to_host
                                 : GpuActivity::Kind::copy_on_gpu;
}

std::atomic<bool> is_made{false};

}  // namespace

/// CUPTI's callbacks carry no pointer of ours, so they find the one listener themselves. They come from threads of
/// CUPTI's and from within flush().
struct GpuActivityRecorder::Listener {
  explicit Listener(const std::string& library) : cupti(library) {}

  static void give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
    *buffer = static_cast<std::uint8_t*>(::operator new(buffer_bytes, buffer_alignment, std::nothrow));
    *bytes = *buffer ? buffer_bytes : 0;
    *most_records = 0;  // as many as fit
  }

  static void take_buffer(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid_bytes) {
    if (current) current->read(buffer, valid_bytes);
    ::operator delete(buffer, buffer_alignment);
  }

  void read(std::uint8_t* buffer, std::size_t bytes) {
    const std::lock_guard lock(mutex);
    for (CuptiRecord* record = nullptr; cupti.next_record(buffer, bytes, &record) == 0;) {
      const void* const at = record;
      switch (static_cast<int>(record->kind)) {
        case cupti_kernel:
          add(GpuActivity::Kind::kernel, *static_cast<const CuptiKernelRecord*>(at));
          break;
        case cupti_memset:
          add(GpuActivity::Kind::fill, *static_cast<const CuptiFillRecord*>(at));
          break;
        case cupti_memcpy: {
          const auto& copy = *static_cast<const CuptiCopyRecord*>(at);
          add(copy_kind(copy), copy);
          break;
        }
        case cupti_runtime_call:
        case cupti_driver_call: {
          const auto& call = *static_cast<const CuptiCallRecord*>(at);  // the driver's lies within the runtime's
          const auto [known, is_new] = calls.emplace(call.correlation, call.start);
          if (!is_new) known->second = std::min(known->second, call.start);
          break;
        }
        default:
          break;
      }
    }
  }

  /// What has not ended has no end yet.
  template <typename Record>
  void add(GpuActivity::Kind kind, const Record& record) {
    if (record.end == 0 || record.end < record.start) return;
    heard.push_back({{kind, stamp(record.start), stamp(record.end), std::nullopt}, record.correlation});
  }

  struct Heard {
    GpuActivity activity;
    std::uint32_t correlation = 0;
  };

  static Listener* current;
  CuptiLibrary cupti;
  std::mutex mutex;
  std::vector<Heard> heard;
  std::unordered_map<std::uint32_t, std::uint64_t> calls;  ///< when each began
  bool listens = false;
};

GpuActivityRecorder::Listener* GpuActivityRecorder::Listener::current = nullptr;

GpuActivityRecorder& GpuActivityRecorder::of_process() {
  // Never destroyed: CUPTI's threads may call until the process has ended.
  static GpuActivityRecorder* const recorder = [] {
    const char* const library = std::getenv("TAKT_CUPTI_LIBRARY");
    return new GpuActivityRecorder(library ? library : "");
  }();
  return *recorder;
}

void GpuActivityRecorder::stop_any() {
  if (is_made) of_process().stop();
}

GpuActivityRecorder::GpuActivityRecorder(const std::string& library) : listener_(std::make_unique<Listener>(library)) {
  const CuptiLibrary& cupti = listener_->cupti;
  if (cupti.register_clock) cupti.check(cupti.register_clock(system_clock_ns), "setting the clock");
  Listener::current = listener_.get();
  try {
    cupti.check(cupti.register_buffers(Listener::give_buffer, Listener::take_buffer), "requesting the GPU's times");
    start();
    stop();
  } catch (...) {
    Listener::current = nullptr;
    throw;
  }
  is_made = true;
}

GpuActivityRecorder::~GpuActivityRecorder() { Listener::current = nullptr; }

void GpuActivityRecorder::start() {
  if (listener_->listens) return;
  for (const int kind : heard_kinds)
    listener_->cupti.check(listener_->cupti.enable(kind), "requesting the GPU's times");
  listener_->listens = true;
}

void GpuActivityRecorder::stop() {
  if (!listener_->listens) return;
  for (const int kind : heard_kinds) listener_->cupti.disable(kind);
  listener_->listens = false;
}

std::vector<GpuActivity> GpuActivityRecorder::take() {
  listener_->cupti.flush(cupti_flush_all);
  const std::lock_guard lock(listener_->mutex);
  std::vector<GpuActivity> taken;
  for (Listener::Heard& one : listener_->heard) {
    if (const auto call = listener_->calls.find(one.correlation); call != listener_->calls.end())
      one.activity.launched = stamp(call->second);
    taken.push_back(one.activity);
  }
  listener_->heard.clear();
  listener_->calls.clear();
  std::stable_sort(taken.begin(), taken.end(), [](auto& a, auto& b) { return a.start < b.start; });
  return taken;
}

}  // namespace takt
