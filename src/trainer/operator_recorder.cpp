#include "trainer/operator_recorder.h"

#include <ATen/record_function.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <mutex>
#include <unordered_map>

#include "core/units.h"

namespace takt {
namespace {

std::int64_t now_ns() { return steady_now().count(); }

/// One thread's log. Its lock is taken by its own thread alone but for restart() and stop().
struct ThreadLog {
  std::mutex lock;
  LoggedThread log;
  std::unordered_map<std::string, std::uint32_t> numbers;
  std::vector<std::int32_t> open;  // positions of spans; -1: begun while nobody recorded

  std::uint32_t number_of(const char* name) {
    const auto [found, is_new] = numbers.try_emplace(name, static_cast<std::uint32_t>(log.names.size()));
    if (is_new) log.names.push_back(found->first);
    return found->second;
  }
  void forget() {
    log.spans.clear();
    log.dims.clear();
    log.memory.clear();
    for (std::int32_t& span : open) span = -1;
  }
};

// libtorch's callbacks are plain functions, so what they write to is known to all. Logs live as long as the process: a
// thread of libtorch's pool may end, or an operator, after everybody stopped listening.
struct Logs {
  std::mutex lock;
  std::vector<std::unique_ptr<ThreadLog>> threads;
};
Logs& logs() {
  static Logs* const all = new Logs;
  return *all;
}

ThreadLog& own_log() {
  thread_local ThreadLog* own = nullptr;
  if (own == nullptr) {
    Logs& all = logs();
    const std::lock_guard hold(all.lock);
    own = all.threads.emplace_back(std::make_unique<ThreadLog>()).get();
    own->log.number = static_cast<std::uint32_t>(::syscall(SYS_gettid));
    own->log.name = fmt::format("thread {}", all.threads.size());
  }
  return *own;
}

void note_shapes(const at::RecordFunction& function, ThreadLog& own, LoggedSpan& span) {
  span.dims = static_cast<std::uint32_t>(own.log.dims.size());
  for (const c10::IValue& input : function.inputs()) {
    if (!input.isTensor() || !input.toTensor().defined()) {
      own.log.dims.push_back(-1);
      continue;
    }
    const auto sizes = input.toTensor().sizes();
    own.log.dims.push_back(static_cast<std::int64_t>(sizes.size()));
    own.log.dims.insert(own.log.dims.end(), sizes.begin(), sizes.end());
  }
  span.dim_count = static_cast<std::uint32_t>(own.log.dims.size()) - span.dims;
}

std::unique_ptr<at::ObserverContext> begin_span(const at::RecordFunction& function) {
  ThreadLog& own = own_log();
  const std::lock_guard hold(own.lock);
  LoggedSpan span;
  span.name = own.number_of(function.name());
  span.is_annotation = function.scope() == at::RecordScope::USER_SCOPE;
  span.parent = own.open.empty() ? -1 : own.open.back();
  span.sequence = span.is_annotation ? -1 : function.seqNr();
  span.forward_thread = function.forwardThreadId();
  if (!span.is_annotation) note_shapes(function, own, span);
  own.open.push_back(static_cast<std::int32_t>(own.log.spans.size()));
  span.start_ns = now_ns();
  own.log.spans.push_back(span);
  return nullptr;
}

void end_span(const at::RecordFunction&, at::ObserverContext*) {
  const std::int64_t end = now_ns();
  ThreadLog& own = own_log();
  const std::lock_guard hold(own.lock);
  if (own.open.empty()) return;
  const std::int32_t span = own.open.back();
  own.open.pop_back();
  if (span >= 0) own.log.spans[static_cast<std::size_t>(span)].end_ns = end;
}

// The totals were signed up to libtorch 2.0 and are not any more.
template <typename Function>
struct TotalOf;
template <typename Class, typename Total>
struct TotalOf<void (Class::*)(void*, std::int64_t, Total, Total, c10::Device)> {
  using type = Total;
};
using Total = TotalOf<decltype(&c10::MemoryReportingInfoBase::reportMemoryUsage)>::type;

class MemoryListener : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, std::int64_t bytes, Total allocated, Total, c10::Device device) override {
    ThreadLog& own = own_log();
    const std::lock_guard hold(own.lock);
    own.log.memory.push_back({.time_ns = now_ns(),
                              .bytes = bytes,
                              .allocated = static_cast<std::int64_t>(allocated),
                              .device_type = static_cast<std::int64_t>(device.type()),
                              .device = device.has_index() ? device.index() : -1});
  }
  bool memoryProfilingEnabled() const override { return true; }
};

}  // namespace

struct OperatorRecorder::State {
  at::CallbackHandle handle{};
  std::unique_ptr<c10::DebugInfoGuard> memory;
};

OperatorRecorder::OperatorRecorder() : state_(std::make_unique<State>()) {
  own_log().log.name = "main";
  state_->handle = at::addGlobalCallback(
      at::RecordFunctionCallback(begin_span, end_span)
          .needsInputs(true)
          .scopes({at::RecordScope::FUNCTION, at::RecordScope::USER_SCOPE, at::RecordScope::BACKWARD_FUNCTION}));
  state_->memory =
      std::make_unique<c10::DebugInfoGuard>(c10::DebugInfoKind::PROFILER_STATE, std::make_shared<MemoryListener>());
}

OperatorRecorder::~OperatorRecorder() {
  if (state_->memory != nullptr) stop();
}

void OperatorRecorder::restart() {
  Logs& all = logs();
  const std::lock_guard hold(all.lock);
  for (const auto& thread : all.threads) {
    const std::lock_guard own(thread->lock);
    thread->forget();
  }
}

std::vector<LoggedThread> OperatorRecorder::stop() {
  at::removeCallback(state_->handle);
  state_->memory.reset();
  std::vector<LoggedThread> threads;
  Logs& all = logs();
  const std::lock_guard hold(all.lock);
  const ThreadLog* const first = &own_log();
  for (const bool is_first : {true, false}) {
    for (const auto& thread : all.threads) {
      if ((thread.get() == first) != is_first) continue;
      const std::lock_guard own(thread->lock);
      threads.push_back(thread->log);
      thread->forget();
    }
  }
  return threads;
}

}  // namespace takt
