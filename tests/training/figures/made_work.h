// A trace of a program and a device, event by event.
#pragma once

#include <string>

#include "trace/events/trace.h"

namespace takt {

/// Times are in microseconds.
class MadeWork {
 public:
  MadeWork() {
    program_ = trace.add_process("python", 10);
    loop = trace.add_row(program_, "main", 10);
    autograd = trace.add_row(program_, "autograd", 11);
    stream = trace.add_row(trace.add_process("GPU 0", 20), "stream 7", 7);
  }

  EventId add(RowId row, const std::string& name, const std::string& category, std::int64_t start, std::int64_t length,
              const TraceValues& args = {}) {
    const EventId event = trace.add_event(row, name, category, Nanoseconds(start * 1000), Nanoseconds(length * 1000));
    if (!args.empty()) trace.set_args(event, args);
    return event;
  }
  /// A call at `at` that takes 1, and its work from `start` on.
  void launch(RowId row, std::int64_t at, const std::string& kernel, std::int64_t start, std::int64_t length) {
    const TraceValues number{{"correlation", ++last_}};
    add(row, "cudaLaunchKernel", "cuda_runtime", at, 1, number);
    add(stream, kernel, "kernel", start, length, number);
  }
  void memory(RowId row, std::int64_t at, std::int64_t address, std::int64_t bytes, std::int64_t total,
              std::int64_t type = 1, std::int64_t number = 0) {
    trace.mark_instant(add(row, "[memory]", "cpu_instant_event", at, 0,
                           {{"Addr", address},
                            {"Bytes", bytes},
                            {"Total Allocated", total},
                            {"Device Type", type},
                            {"Device Id", number}}),
                       InstantScope::row);
  }

  Trace trace;
  RowId loop{}, autograd{}, stream{};

 private:
  ProcessId program_{};
  std::int64_t last_ = 0;
};

}  // namespace takt
