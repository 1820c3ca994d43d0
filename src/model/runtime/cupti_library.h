// NVIDIA's CUPTI, loaded while the program runs: what of it takt calls, declared here as in cupti_activity.h. It comes
// with the CUDA toolkit and in the wheel nvidia-cuda-cupti; without it a GPU's own times are not known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/system/shared_library.h"

namespace takt {

// Kinds of records (CUpti_ActivityKind).
constexpr int cupti_memcpy = 1, cupti_memset = 2, cupti_driver_call = 4, cupti_runtime_call = 5, cupti_kernel = 10;
constexpr int cupti_max_limit_reached = 12;  ///< no record is left in the buffer
constexpr unsigned cupti_flush_all = 1;

/// The fields at the head of a record are where they are in every version since CUDA 9; what follows them differs.
struct CuptiRecord {
  std::uint32_t kind;
};
struct CuptiCopyRecord {
  std::uint32_t kind;
  std::uint8_t copy_kind, from_kind, to_kind, flags;  ///< copy_kind: 1 to the GPU, 2 to the host, others on the GPU
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream, correlation;
};
struct CuptiFillRecord {
  std::uint32_t kind, value;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream, correlation;
};
struct CuptiKernelRecord {
  std::uint32_t kind;
  std::uint8_t cache, shared_memory;
  std::uint16_t registers;
  std::uint32_t cache_requested, cache_executed;
  std::uint64_t start, end, completed;
  std::uint32_t device, context, stream;
  std::int32_t grid[3], block[3], static_shared, dynamic_shared;
  std::uint32_t local_per_thread, local_total, correlation;
};
/// A call of CUDA by the host, of its runtime or its driver.
struct CuptiCallRecord {
  std::uint32_t kind, function;
  std::uint64_t start, end;
  std::uint32_t process, thread, correlation, result;
};
static_assert(offsetof(CuptiCopyRecord, start) == 16 && offsetof(CuptiCopyRecord, correlation) == 44);
static_assert(offsetof(CuptiFillRecord, start) == 16 && offsetof(CuptiFillRecord, correlation) == 44);
static_assert(offsetof(CuptiKernelRecord, start) == 16 && offsetof(CuptiKernelRecord, correlation) == 92);
static_assert(offsetof(CuptiCallRecord, start) == 8 && offsetof(CuptiCallRecord, correlation) == 32);

/// CUPTI's functions; each gives 0 or what went wrong.
class CuptiLibrary {
 public:
  using GiveBuffer = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records);
  using TakeBuffer = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes,
                              std::size_t valid_bytes);
  using Clock = std::uint64_t (*)();

  /// `path` empty: where the system looks. Throws Error(unsupported): it is not there.
  explicit CuptiLibrary(const std::string& path);

  /// Throws Error(unsupported) unless `status` is 0: "WHAT: CUPTI says ...".
  void check(int status, const char* what) const;

 private:
  SharedLibrary library_;
  int (*error_text_)(int, const char**) = nullptr;

 public:
  int (*register_buffers)(GiveBuffer, TakeBuffer) = nullptr;
  int (*register_clock)(Clock) = nullptr;  ///< null: an old version
  int (*enable)(int) = nullptr;
  int (*disable)(int) = nullptr;
  int (*flush)(unsigned) = nullptr;
  int (*next_record)(std::uint8_t*, std::size_t, CuptiRecord**) = nullptr;
};

}  // namespace takt
