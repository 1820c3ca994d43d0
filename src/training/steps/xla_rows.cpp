#include "training/steps/xla_rows.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/basics/text.h"
#include "trace/events/gpu_time.h"
#include "training/steps/activity.h"
#include "training/steps/call_names.h"
#include "training/steps/roles.h"

namespace takt {
namespace {

constexpr std::string_view host_process = "/host:CPU", xla_device_process = "/device:";
constexpr std::string_view function_front = "PjitFunction(";
/// On a host, what is left of an execution while other threads work for it: not all that they do has events.
constexpr std::string_view execution = "ThunkExecutor::Execute (wait for completion)";

struct ThreadKind {
  std::string_view front;
  XlaRow row;
};
/// Threads of a device; "XLA Ops" is its work where there are no streams.
constexpr std::array device_threads{ThreadKind{"Stream #", XlaRow::stream}, ThreadKind{"XLA Modules", XlaRow::modules}};

/// Spans of the program in which XLA compiles, and functions of JAX that trace, lower and compile. The first fits where
/// a name begins so.
constexpr std::array<std::string_view, 4> compiling{"backend_compile", "lower_sharding_computation", "trace_to_jaxpr",
                                                    "XlaCompile"};
/// Functions of Python by file and name.
struct FrameName {
  std::string_view file, function;
  Role role;
};
constexpr std::array frames{
    FrameName{"pjit.py", "cache_miss", Role::compilation},
    FrameName{"compiler.py", "backend_compile", Role::compilation},
    FrameName{"compiler.py", "backend_compile_and_load", Role::compilation},
    FrameName{"array.py", "block_until_ready", Role::synchronisation},
    FrameName{"api.py", "block_until_ready", Role::synchronisation},
    FrameName{"array.py", "_value", Role::synchronisation},
    FrameName{"array.py", "__float__", Role::synchronisation},
    FrameName{"array.py", "__int__", Role::synchronisation},
    FrameName{"array.py", "__bool__", Role::synchronisation},
    FrameName{"array.py", "__index__", Role::synchronisation},
    FrameName{"array.py", "__array__", Role::synchronisation},
    FrameName{"array.py", "item", Role::synchronisation},
    FrameName{"array.py", "tolist", Role::synchronisation},
};
/// Parts of the names of calls that wait for a value, with the tracer of Python or without.
constexpr std::array<std::string_view, 4> waiting{"np.asarray(jax.Array)", "BlockHostUntil", "BlockUntilReady",
                                                  "PjRtFuture::Await"};

template <std::size_t count>
bool begins_with(std::string_view name, const std::array<std::string_view, count>& fronts) {
  return std::any_of(fronts.begin(), fronts.end(), [&](std::string_view front) { return name.starts_with(front); });
}

bool is_device_call(std::string_view name) {
  const bool is_vendors = name.starts_with("cu") || name.starts_with("hip");
  return is_vendors && role_of_call(name) != Role::runtime;
}

/// "$pjit.py:250 cache_miss"
Role role_of_frame(std::string_view name) {
  const std::size_t colon = name.find(':'), space = name.find(' ');
  const std::string_view file = name.substr(1, colon == name.npos ? name.npos : colon - 1);
  const std::string_view function = space == name.npos ? "" : name.substr(space + 1);
  for (const FrameName& frame : frames)
    if (file == frame.file && function == frame.function) return frame.role;
  return function == "__next__" ? Role::data_wait : Role::frame;
}

bool is_collective(std::string_view word) {
  constexpr std::array<std::string_view, 6> parts{"all-reduce",     "all-gather",         "all-to-all",
                                                  "reduce-scatter", "collective-permute", "collective-broadcast"};
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return word.find(part) != word.npos; });
}

/// `category`: of the compiler, which names fusions by what they compute alone.
Role role_of_work(std::string_view name, std::string_view category) {
  const std::string word = lower_case(name);
  if (word.starts_with("infeed")) return Role::none;  // the device waits for the program
  for (const char* front : {"memcpy", "copy-start", "copy-done", "h2d "})
    if (word.starts_with(front)) return Role::copy;
  if (word.starts_with("memset")) return Role::fill;
  if (is_collective(word) || is_collective(category)) return Role::communication;
  for (const char* front : {"async-collective", "send", "recv"})
    if (word.starts_with(front)) return Role::communication;
  return gpu_work("kernel", name) == GpuWork::communication ? Role::communication : Role::kernel;
}

XlaRow row_of(std::string_view process, std::string_view thread, bool has_streams) {
  if (process.find(host_process) != process.npos)
    return thread.starts_with("tf_") || thread.starts_with("pjrt") ? XlaRow::runtime : XlaRow::program;
  if (process.find(xla_device_process) == process.npos) return XlaRow::none;
  for (const ThreadKind& kind : device_threads)
    if (thread.starts_with(kind.front)) return kind.row;
  return thread == "XLA Ops" && !has_streams ? XlaRow::stream : XlaRow::summary;
}

/// The text of an argument; empty: there is none.
std::string_view argument(const Trace& trace, const TraceEvent& event, StringId key) {
  for (const TraceArg arg : trace.args(event)) {
    const auto* text = std::get_if<StringId>(&arg.value);
    if (arg.key == key && text) return trace.text(*text);
  }
  return {};
}

bool has_argument(const Trace& trace, const TraceEvent& event, StringId key) {
  for (const TraceArg arg : trace.args(event))
    if (arg.key == key) return true;
  return false;
}

/// One execution of a compiled function on a device.
struct Execution {
  std::string function;
  std::int64_t number = 0, start = 0;
};

/// "jit_train_step(123)" as "train_step".
std::string function_of_module(std::string_view module) {
  module = module.substr(0, module.find('('));
  for (const std::string_view front : {"jit_", "pjit_", "pmap_"})
    if (module.starts_with(front)) return std::string(module.substr(front.size()));
  return std::string(module);
}

/// By the numbers that their work has.
std::vector<Execution> executions_by_number(const Trace& trace, const Activity& activity) {
  std::optional<StringId> run, module;
  for (std::size_t i = 0; i < trace.strings().size(); ++i) {
    if (trace.text(static_cast<StringId>(i)) == "run_id") run = static_cast<StringId>(i);
    if (trace.text(static_cast<StringId>(i)) == "hlo_module") module = static_cast<StringId>(i);
  }
  std::map<std::int64_t, std::string> names;
  for (const TraceEvent& event : trace.events()) {
    std::int64_t number = 0;
    std::string name;
    for (const TraceArg arg : trace.args(event)) {
      const auto* text = std::get_if<StringId>(&arg.value);
      if (run && arg.key == *run) number = text ? number_in<std::int64_t>(trace.text(*text)).value_or(0) : 0;
      if (module && arg.key == *module && text) name = trace.text(*text);
    }
    if (number != 0 && !name.empty()) names.try_emplace(number, name);
  }
  std::map<std::int64_t, Execution> all;
  for (const DeviceSpan& work : activity.device)
    if (work.correlation != 0 && names.contains(work.correlation))
      all.try_emplace(work.correlation,
                      Execution{function_of_module(names.at(work.correlation)), work.correlation, work.span.start});
  std::vector<Execution> list;
  for (auto& [number, one] : all) list.push_back(std::move(one));
  return list;
}

/// By what is drawn around their work, which gets their numbers.
std::vector<Execution> executions_by_modules(const Trace& trace, const XlaRows& rows, Activity& activity) {
  struct Module {
    TimeInterval span;
    Execution one;
  };
  std::map<ProcessId, std::vector<Module>> modules;
  std::int64_t number = 0;
  for (const TraceEvent& event : trace.events()) {
    if (rows.row(event.row) != XlaRow::modules) continue;
    const ProcessId process = trace.rows()[static_cast<std::size_t>(event.row)].process;
    const TimeInterval span{event.start_ns, event.start_ns + std::max<std::int64_t>(0, event.duration_ns)};
    modules[process].push_back({span, {function_of_module(trace.text(event.name)), ++number, event.start_ns}});
  }
  std::vector<Execution> list;
  for (auto& [process, of_device] : modules) {
    std::sort(of_device.begin(), of_device.end(),
              [](const Module& a, const Module& b) { return a.span.start < b.span.start; });
    for (const Module& module : of_device) list.push_back(module.one);
  }
  for (DeviceSpan& work : activity.device) {
    const auto& of_device = modules[trace.rows()[static_cast<std::size_t>(work.row)].process];
    const auto after = std::upper_bound(of_device.begin(), of_device.end(), work.span.start,
                                        [](std::int64_t t, const Module& one) { return t < one.span.start; });
    const bool is_inside = after != of_device.begin() && work.span.start < std::prev(after)->span.end;
    work.correlation = is_inside ? std::prev(after)->one.number : 0;
  }
  return list;
}

/// Work that others of its row lie in, while these begin one after the other.
class OpenWork {
 public:
  explicit OpenWork(const std::vector<DeviceSpan>& device) : device_(device), is_loop_(device.size()) {}

  void take(std::size_t number) {
    auto& open = open_[device_[number].row];
    while (!open.empty() && span(open.back().number).end < span(number).end) close(open);
    if (!open.empty() && span(open.back().number).end > span(number).start) open.back().inside += length(number);
    open.push_back({number, 0});
  }
  std::vector<bool> loops() {
    for (auto& [row, open] : open_)
      while (!open.empty()) close(open);
    return is_loop_;
  }

 private:
  struct Open {
    std::size_t number;
    std::int64_t inside;  // covered by what it runs
  };
  const TimeInterval& span(std::size_t number) const { return device_[number].span; }
  std::int64_t length(std::size_t number) const { return span(number).end - span(number).start; }
  void close(std::vector<Open>& open) {
    constexpr std::int64_t of_ten = 8;
    const Open last = open.back();
    open.pop_back();
    is_loop_[last.number] = last.inside > 0 && last.inside * 10 >= of_ten * length(last.number);
  }

  const std::vector<DeviceSpan>& device_;
  std::vector<bool> is_loop_;
  std::map<RowId, std::vector<Open>> open_;
};

void drop_inner_spans(Activity& activity) {
  std::map<std::pair<RowId, Role>, std::int64_t> ends;
  std::erase_if(activity.host, [&](const HostSpan& span) {
    if (span.role != Role::launch && span.role != Role::synchronisation && span.role != Role::data_wait) return false;
    std::int64_t& end = ends.try_emplace({span.row, span.role}, INT64_MIN).first->second;
    if (span.span.end <= end) return true;
    end = span.span.end;
    return false;
  });
}

/// Calls that launch, by the function that they are called for, in their order.
std::map<std::string, std::vector<HostSpan*>> launches_by_function(const Trace& trace, Activity& activity) {
  std::map<std::string, std::vector<HostSpan*>> launches;
  std::map<RowId, std::vector<const HostSpan*>> open;  // functions, the innermost last
  for (HostSpan& span : activity.host) {
    auto& functions = open[span.row];
    while (!functions.empty() && functions.back()->span.end <= span.span.start) functions.pop_back();
    const std::string& name = trace.text(span.name);
    if (span.role == Role::op && name.starts_with(function_front)) functions.push_back(&span);
    if (span.role != Role::launch) continue;
    const std::string_view called = functions.empty() ? "" : std::string_view(trace.text(functions.back()->name));
    // "PjitFunction(train_step)"
    const std::size_t around = function_front.size() + 1;
    launches[std::string(called.size() < around ? "" : called.substr(around - 1, called.size() - around))].push_back(
        &span);
  }
  return launches;
}

/// Copies to the device with the last span of the program that puts something there.
void join_copies(const Trace& trace, Activity& activity) {
  std::vector<HostSpan*> puts;
  for (HostSpan& span : activity.host)
    if (span.role == Role::op && !trace.text(span.name).starts_with(function_front)) puts.push_back(&span);
  std::int64_t number = 0;
  for (DeviceSpan& work : activity.device) {
    if (work.role != Role::copy || work.correlation != 0) continue;
    const auto after = std::upper_bound(puts.begin(), puts.end(), work.span.start,
                                        [](std::int64_t t, const HostSpan* put) { return t < put->span.start; });
    if (after == puts.begin()) continue;
    HostSpan& put = **std::prev(after);
    if (put.correlation == 0) put.correlation = --number;
    work.correlation = put.correlation;
  }
}

}  // namespace

XlaRows::XlaRows(const Trace& trace) : trace_(trace) {
  bool is_xla = false;
  for (std::size_t i = 0; i < trace.strings().size(); ++i) {
    const std::string& text = trace.text(static_cast<StringId>(i));
    if (text == "hlo_op") operation_ = static_cast<StringId>(i), has_operation_ = true;
    if (text == "hlo_category") category_ = static_cast<StringId>(i), has_category_ = true;
    if (text == "step_num") step_ = static_cast<StringId>(i), has_step_ = true;
    is_xla = is_xla || text == "hlo_op" || text == "hlo_module" || text == "hlo_category" ||
             text.starts_with(function_front);
    has_calls_ = has_calls_ || is_device_call(text);
  }
  const auto& processes = trace.processes();
  const auto process_of = [&](std::size_t row) -> const std::string& {
    return processes[static_cast<std::size_t>(trace.rows()[row].process)].name;
  };
  bool has_host = false, has_streams = false;
  for (std::size_t i = 0; i < trace.rows().size(); ++i) {
    has_host = has_host || process_of(i).find(host_process) != std::string::npos;
    const bool is_device = process_of(i).find(xla_device_process) != std::string::npos;
    has_device_ = has_device_ || is_device;
    has_streams = has_streams || (is_device && trace.rows()[i].name.starts_with("Stream #"));
  }
  if (!is_xla || !(has_host || has_device_)) return;
  for (std::size_t i = 0; i < trace.rows().size(); ++i)
    rows_.push_back(row_of(process_of(i), trace.rows()[i].name, has_streams));
}

Role XlaRows::role_of(const TraceEvent& event) const {
  const std::string& name = trace_.text(event.name);
  switch (row(event.row)) {
    case XlaRow::stream:
      return role_of_work(name, has_category_ ? argument(trace_, event, category_) : "");
    case XlaRow::program:
    case XlaRow::runtime:
      if (is_device_call(name)) return role_of_call(name);
      if (!has_device_ && has_operation_ && has_argument(trace_, event, operation_)) return role_of_work(name, "");
      if (!has_device_ && name == execution) return Role::kernel;
      if (row(event.row) == XlaRow::program) return role_in_program(event);
      return !has_device_ && name == "H2D Dispatch" ? Role::copy : Role::none;
    case XlaRow::none:
    case XlaRow::modules:
    case XlaRow::summary:
      break;
  }
  return Role::none;
}

Role XlaRows::role_in_program(const TraceEvent& event) const {
  const std::string_view name = trace_.text(event.name);
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (has_step_ && has_argument(trace_, event, step_)) return Role::step;
  if (name.starts_with("$")) return role_of_frame(name);
  if (begins_with(name, compiling) || has("Client::Compile")) return Role::compilation;
  if (std::any_of(waiting.begin(), waiting.end(), has)) return Role::synchronisation;
  if (has("Executable::Execute") || name.starts_with("ExecuteReplicated"))
    return has_calls_ ? Role::none : Role::launch;
  if (name.starts_with(function_front) || name.starts_with("DevicePut") || has("BufferFromHostBuffer")) return Role::op;
  if (has("::")) return Role::none;
  return is_data_wait(name) ? Role::data_wait : Role::annotation;
}

void drop_loops(Activity& activity) {
  OpenWork work(activity.device);
  for (std::size_t i = 0; i < activity.device.size(); ++i) work.take(i);
  const std::vector<bool> loops = work.loops();
  std::size_t i = 0;
  std::erase_if(activity.device, [&](const DeviceSpan&) { return loops[i++]; });
}

void join_executions(const Trace& trace, const XlaRows& rows, Activity& activity) {
  if (!rows.is_xla()) return;
  drop_inner_spans(activity);
  const bool is_joined = std::any_of(activity.host.begin(), activity.host.end(), [](const HostSpan& span) {
    return span.role == Role::launch && span.correlation != 0;
  });
  if (is_joined) return;
  std::vector<Execution> executions = executions_by_number(trace, activity);
  if (executions.empty()) executions = executions_by_modules(trace, rows, activity);
  std::sort(executions.begin(), executions.end(),
            [](const Execution& a, const Execution& b) { return a.start < b.start; });
  join_copies(trace, activity);
  auto launches = launches_by_function(trace, activity);
  // From the end on: what was launched before the trace began has no call in it.
  for (auto one = executions.rbegin(); one != executions.rend(); ++one) {
    auto& calls = launches[one->function];
    while (!calls.empty() && calls.back()->span.start > one->start) calls.pop_back();
    if (calls.empty()) continue;
    calls.back()->correlation = one->number;
    calls.pop_back();
  }
}

}  // namespace takt
