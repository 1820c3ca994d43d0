#include "training/trainer/operator_log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace takt {
namespace {

std::int64_t earliest(const std::vector<LoggedThread>& threads) {
  std::int64_t first = INT64_MAX;
  for (const LoggedThread& thread : threads) {
    for (const LoggedSpan& span : thread.spans) first = std::min(first, span.start_ns);
    for (const LoggedMemory& moment : thread.memory) first = std::min(first, moment.time_ns);
  }
  return first == INT64_MAX ? 0 : first;
}

/// [[64, 3, 32, 32], [], []]: what is no tensor has no shape.
std::string dims_json(const LoggedThread& thread, const LoggedSpan& span) {
  std::string text = "[";
  const std::int64_t* at = thread.dims.data() + span.dims;
  const std::int64_t* const end = at + span.dim_count;
  while (at < end) {
    const std::int64_t rank = std::max<std::int64_t>(0, *at++);
    fmt::format_to(std::back_inserter(text), "{}[{}]", text.size() == 1 ? "" : ", ", fmt::join(at, at + rank, ", "));
    at += rank;
  }
  return text + "]";
}

std::string stack_of(const LoggedThread& thread, const LoggedSpan& span) {
  std::string text;
  for (std::int32_t at = span.parent; at >= 0; at = thread.spans[static_cast<std::size_t>(at)].parent) {
    const LoggedSpan& outer = thread.spans[static_cast<std::size_t>(at)];
    text += (text.empty() ? "" : ";") + thread.names[outer.name];
  }
  return text;
}

class Writer {
 public:
  Writer(Trace& trace, const LogSettings& settings, std::int64_t zero)
      : trace_(trace), settings_(settings), zero_(zero) {}

  void write(RowId row, const LoggedThread& thread) {
    std::vector<StringId> names;
    for (const std::string& name : thread.names) names.push_back(trace_.intern(name));
    const StringId op = trace_.intern("cpu_op"), annotation = trace_.intern("user_annotation");
    for (const LoggedSpan& span : thread.spans) {
      if (span.end_ns == 0) continue;
      const EventId event = trace_.add_event({.start_ns = span.start_ns - zero_,
                                              .duration_ns = span.end_ns - span.start_ns,
                                              .name = names[span.name],
                                              .category = span.is_annotation ? annotation : op,
                                              .row = row});
      trace_.set_args(event, args_of(thread, span));
    }
    for (const LoggedMemory& moment : thread.memory) {
      const EventId event =
          trace_.add_event(row, "[memory]", "cpu_instant_event", Nanoseconds(moment.time_ns - zero_), Nanoseconds(0));
      trace_.mark_instant(event, InstantScope::row);
      trace_.set_args(event, TraceValues{{"Total Allocated", moment.allocated},
                                         {"Bytes", moment.bytes},
                                         {"Device Type", moment.device_type},
                                         {"Device Id", moment.device}});
    }
  }

 private:
  TraceValues args_of(const LoggedThread& thread, const LoggedSpan& span) {
    TraceValues args{{"External id", ++number_}};
    if (span.sequence >= 0) args.emplace_back("Sequence number", span.sequence);
    if (span.sequence >= 0) args.emplace_back("Fwd thread id", static_cast<std::int64_t>(span.forward_thread));
    if (span.dim_count > 0) args.emplace_back("Input Dims", TraceJsonText{dims_json(thread, span)});
    if (settings_.with_stack) args.emplace_back("Call stack", stack_of(thread, span));
    return args;
  }

  Trace& trace_;
  const LogSettings& settings_;
  const std::int64_t zero_;
  std::int64_t number_ = 0;
};

}  // namespace

Trace trace_of(const std::vector<LoggedThread>& threads, const LogSettings& settings) {
  Trace trace;
  const std::int64_t zero = earliest(threads);
  trace.set_base_time(Nanoseconds(zero + settings.system_minus_steady_ns));
  trace.set_property("schemaVersion", "1");
  trace.set_property("deviceProperties", "[]");
  const ProcessId process = trace.add_process("takt-train", static_cast<std::uint32_t>(::getpid()));
  Writer writer(trace, settings, zero);
  for (const LoggedThread& thread : threads) {
    if (thread.spans.empty() && thread.memory.empty()) continue;
    writer.write(trace.add_row(process, thread.name, thread.number), thread);
  }
  return trace;
}

}  // namespace takt
