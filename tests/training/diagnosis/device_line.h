// A program on one thread that gives a device its work, told on two clocks that wait for each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "trace/events/trace.h"

namespace takt {

/// Times in microseconds. Each launch takes the program 5, and its kernel begins 5 after it at the earliest.
class DeviceLine {
 public:
  DeviceLine() {
    loop = trace.add_row(trace.add_process("python", 10), "main", 10);
    stream = trace.add_row(trace.add_process("GPU 0", 20), "stream 7", 7);
  }

  EventId add(RowId row, const std::string& name, const std::string& category, double start, double length,
              const TraceValues& args = {}) {
    const EventId event = trace.add_event(row, name, category, Nanoseconds(ns(start)), Nanoseconds(ns(length)));
    if (!args.empty()) trace.set_args(event, args);
    return event;
  }
  /// An operator that launches a kernel.
  void kernel(const std::string& op, const std::string& name, double length, bool is_lost = false) {
    add(loop, op, "cpu_op", now, 10);
    give("cudaLaunchKernel", name, "kernel", length, is_lost);
    now += 5;
  }
  void give(const std::string& call, const std::string& name, const std::string& category, double length,
            bool is_lost = false, const TraceValues& args = {}) {
    TraceValues number{{"correlation", ++last_}};
    const double begin = std::max(now + 5, busy_until);
    if (!is_lost) busy_until = begin + length;
    add(loop, call, "cuda_runtime", now, blocks && !is_lost ? busy_until + 2 - now : 5, number);
    now = blocks && !is_lost ? busy_until + 2 : now + 5;
    number.insert(number.end(), args.begin(), args.end());
    if (!is_lost) add(stream, name, category, begin + clock_off, length, number);
  }
  void call(const std::string& name, const std::string& category, double length) {
    add(loop, name, category, now, length);
    now += length;
  }
  void synchronise(const std::string& name = "cudaStreamSynchronize") {
    const double end = std::max(now, busy_until) + 3;
    add(loop, name, "cuda_runtime", now, end - now);
    now = end;
  }
  void end_step() {
    add(loop, "ProfilerStep#" + std::to_string(step_++), "user_annotation", begun_, now - begun_);
    begun_ = now;
  }
  /// The same without a mark.
  double begun() const { return begun_; }

  Trace trace;
  RowId loop{}, stream{};
  double now = 100, busy_until = 0;
  double clock_off = 0;  ///< what the device's clock shows more than the program's
  bool blocks = false;   ///< launches return when the kernel is done

 private:
  static std::int64_t ns(double micros) { return static_cast<std::int64_t>(micros * 1000); }
  std::int64_t last_ = 0;
  int step_ = 0;
  double begun_ = 100;
};

}  // namespace takt
