#include "training/trainer/operator_recorder.h"

#include <ATen/record_function.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include "training/trainer/thread_logs.h"

namespace takt {
namespace {

void note_shapes(const at::RecordFunction& function, std::vector<std::int64_t>& dims) {
  for (const c10::IValue& input : function.inputs()) {
    if (!input.isTensor() || !input.toTensor().defined()) {
      dims.push_back(-1);
      continue;
    }
    const auto sizes = input.toTensor().sizes();
    dims.push_back(static_cast<std::int64_t>(sizes.size()));
    dims.insert(dims.end(), sizes.begin(), sizes.end());
  }
}

// libtorch's callbacks are plain functions, so what they write to is known to all.
std::unique_ptr<at::ObserverContext> begin_span(const at::RecordFunction& function) {
  LoggedSpan span;
  span.is_annotation = function.scope() == at::RecordScope::USER_SCOPE;
  span.sequence = span.is_annotation ? -1 : function.seqNr();
  span.forward_thread = function.forwardThreadId();
  ThreadLog::own().begin_span(function.name(), span, [&](std::vector<std::int64_t>& dims) {
    if (!span.is_annotation) note_shapes(function, dims);
  });
  return nullptr;
}

void end_span(const at::RecordFunction&, at::ObserverContext*) { ThreadLog::own().end_span(); }

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
    ThreadLog::own().note({.bytes = bytes,
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
  ThreadLog::own().rename("main");
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

void OperatorRecorder::restart() { forget_logs(); }

std::vector<LoggedThread> OperatorRecorder::stop() {
  at::removeCallback(state_->handle);
  state_->memory.reset();
  return take_logs();
}

}  // namespace takt
