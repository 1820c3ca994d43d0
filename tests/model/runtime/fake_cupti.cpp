// CUPTI as takt sees it, for machines without a GPU: what a test says that the GPU did comes back as records, in the
// buffers that takt gives, when they are flushed. FAKE_CUPTI_REFUSES: the call that is refused.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>
#include <vector>

#define FAKE extern "C" __attribute__((visibility("default")))

namespace {

using GiveBuffer = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
using TakeBuffer = void (*)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);

std::mutex mutex;
GiveBuffer give_buffer = nullptr;
TakeBuffer take_buffer = nullptr;
std::set<int> enabled;
std::vector<std::vector<std::uint8_t>> records;

constexpr std::size_t kernel_bytes = 208, copy_bytes = 112, call_bytes = 40;  // as of CUDA 13

std::size_t bytes_of(std::uint32_t kind) {
  return kind == 10 ? kernel_bytes : kind == 1 || kind == 2 ? copy_bytes : call_bytes;
}

template <typename Value>
void put(std::vector<std::uint8_t>& record, std::size_t at, Value value) {
  std::memcpy(record.data() + at, &value, sizeof value);
}

void add(std::uint32_t kind, std::uint64_t start, std::uint64_t end, std::uint32_t correlation,
         std::uint8_t copy_kind) {
  if (!enabled.contains(static_cast<int>(kind))) return;
  std::vector<std::uint8_t> record(bytes_of(kind), 0xab);  // what takt does not read is anything
  put(record, 0, kind);
  const bool is_call = kind == 4 || kind == 5;
  put(record, is_call ? 8 : 16, start);
  put(record, is_call ? 16 : 24, end);
  put(record, is_call ? 32 : kind == 10 ? 92 : 44, correlation);
  if (kind == 1) put(record, 4, copy_kind);
  records.push_back(record);
}

int status_of(std::string_view call) {
  const char* const refused = std::getenv("FAKE_CUPTI_REFUSES");
  return refused && call == refused ? 39 : 0;
}

}  // namespace

FAKE int cuptiGetResultString(int status, const char** text) {
  *text = status == 39 ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED" : nullptr;
  return *text ? 0 : 1;
}
FAKE int cuptiActivityRegisterCallbacks(GiveBuffer give, TakeBuffer take) {
  if (const int status = status_of(__func__)) return status;
  return give_buffer = give, take_buffer = take, give && take ? 0 : 1;
}
FAKE int cuptiActivityRegisterTimestampCallback(std::uint64_t (*clock)()) {
  if (const int status = status_of(__func__)) return status;
  return clock && clock() > 0 ? 0 : 1;
}
FAKE int cuptiActivityEnable(int kind) {
  if (const int status = status_of(__func__)) return status;
  return enabled.insert(kind), 0;
}
FAKE int cuptiActivityDisable(int kind) { return enabled.erase(kind), 0; }
FAKE int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, std::uint8_t** record) {
  std::uint8_t* const next = *record ? *record + bytes_of(*reinterpret_cast<std::uint32_t*>(*record)) : buffer;
  if (next >= buffer + valid) return 12;
  return *record = next, 0;
}
FAKE int cuptiActivityFlushAll(unsigned) {
  const std::lock_guard lock(mutex);
  for (std::size_t i = 0; i < records.size();) {
    std::uint8_t* buffer = nullptr;
    std::size_t bytes = 0, most = 1;
    give_buffer(&buffer, &bytes, &most);
    if (!buffer || reinterpret_cast<std::uintptr_t>(buffer) % 8 != 0) return 1;
    std::size_t used = 0;
    for (; i < records.size() && used + records[i].size() <= bytes; used += records[i++].size())
      std::memcpy(buffer + used, records[i].data(), records[i].size());
    take_buffer(nullptr, 0, buffer, bytes, used);
  }
  return records.clear(), 0;
}

/// For tests. The host asks from `asked` to `answered`; a call of the runtime with one of the driver within it.
FAKE void fake_cupti_call(std::uint64_t asked, std::uint64_t answered, std::uint32_t correlation) {
  const std::lock_guard lock(mutex);
  // The driver's lies within the runtime's; either may be told first.
  if (correlation % 2 == 0) add(4, asked + 1, answered - 1, correlation, 0);
  add(5, asked, answered, correlation, 0);
  if (correlation % 2 == 1) add(4, asked + 1, answered - 1, correlation, 0);
}
/// kind: 10 a kernel, 1 a copy, 2 a fill. end 0: has not ended.
FAKE void fake_cupti_work(std::uint32_t kind, std::uint64_t start, std::uint64_t end, std::uint32_t correlation,
                          std::uint8_t copy_kind) {
  const std::lock_guard lock(mutex);
  add(kind, start, end, correlation, copy_kind);
}
FAKE int fake_cupti_listeners() { return static_cast<int>(enabled.size()); }
