#include "training/steps/activity.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "base/basics/text.h"
#include "trace/events/rank_names.h"
#include "trace/events/step_marks.h"
#include "training/steps/lost_work.h"
#include "training/steps/named_work.h"

namespace takt {
namespace {

/// What rules ask the arguments of an event.
struct AskedArgs {
  std::int64_t correlation = 0, bytes = 0;
  std::optional<std::int64_t> total, device, address;
  std::optional<std::int64_t> number;  // of the device
  std::optional<double> blocks, estimate;
  std::optional<std::int64_t> step;          // of a mark
  std::optional<StringId> collective, type;  // its name; of its elements
  std::int64_t elements = 0;
};

class ArgReader {
 public:
  explicit ArgReader(const Trace& trace) : trace_(trace), keys_(trace.strings().size()) {}

  AskedArgs read(const TraceEvent& event) {
    AskedArgs asked;
    for (const TraceArg arg : trace_.args(event)) {
      switch (key_of(arg.key)) {
        case Key::correlation:
          asked.correlation = number_of_launch(integer(arg).value_or(0));
          break;
        case Key::bytes:
          asked.bytes = integer(arg).value_or(0);
          break;
        case Key::total:
          asked.total = integer(arg);
          break;
        case Key::device:
          asked.device = integer(arg);
          break;
        case Key::address:
          asked.address = integer(arg);
          break;
        case Key::number:
          asked.number = integer(arg);
          break;
        case Key::blocks:
          asked.blocks = number(arg);
          break;
        case Key::estimate:
          asked.estimate = number(arg);
          break;
        case Key::run:
          if (asked.correlation == 0) asked.correlation = integer(arg).value_or(0);
          break;
        case Key::step:
          asked.step = integer(arg);
          break;
        case Key::collective:
          if (const auto* text = std::get_if<StringId>(&arg.value)) asked.collective = *text;
          break;
        case Key::elements:
          asked.elements = integer(arg).value_or(0);
          break;
        case Key::type:
          if (const auto* text = std::get_if<StringId>(&arg.value)) asked.type = *text;
          break;
        case Key::other:
        case Key::unknown:
          break;
      }
    }
    return asked;
  }

 private:
  enum class Key : std::uint8_t {
    unknown,
    other,
    correlation,
    bytes,
    total,
    device,
    address,
    number,
    blocks,
    estimate,
    run,
    step,
    collective,
    elements,
    type
  };

  Key key_of(StringId id) {
    Key& key = keys_[static_cast<std::size_t>(id)];
    if (key != Key::unknown) return key;
    const std::string& text = trace_.text(id);
    return key = text == "correlation"                 ? Key::correlation
                 : text == "Bytes" || text == "bytes"  ? Key::bytes
                 : text == "Total Allocated"           ? Key::total
                 : text == "Device Type"               ? Key::device
                 : text == "Addr"                      ? Key::address
                 : text == "connection_id"             ? Key::correlation
                 : text == "correlation_id"            ? Key::correlation
                 : text == "run_id"                    ? Key::run
                 : text == "step_num"                  ? Key::step
                 : text == "device"                    ? Key::number
                 : text == "Device Id"                 ? Key::number
                 : text == "Collective name"           ? Key::collective
                 : text == "In msg nelems"             ? Key::elements
                 : text == "dtype"                     ? Key::type
                 : text == "blocks per SM"             ? Key::blocks
                 : text == "est. achieved occupancy %" ? Key::estimate
                                                       : Key::other;
  }
  /// Ascend's profiler writes the largest number of 32 bits for none.
  static std::int64_t number_of_launch(std::int64_t number) {
    constexpr std::int64_t none = UINT32_MAX;
    return number == none ? 0 : number;
  }
  /// XLA's profiler writes numbers as texts.
  std::optional<std::int64_t> integer(const TraceArg& arg) const {
    if (const auto* text = std::get_if<StringId>(&arg.value)) return number_in<std::int64_t>(trace_.text(*text));
    const auto* value = std::get_if<std::int64_t>(&arg.value);
    return value != nullptr ? std::optional(*value) : std::nullopt;
  }
  std::optional<double> number(const TraceArg& arg) const {
    if (const auto* value = std::get_if<double>(&arg.value)) return *value;
    const auto whole = integer(arg);
    return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
  }

  const Trace& trace_;
  std::vector<Key> keys_;  // by number of the text
};

TimeInterval span_of(const TraceEvent& event) {
  return {event.start_ns, event.start_ns + std::max<std::int64_t>(event.duration_ns, 0)};
}

/// Whether the program exchanges data between all ranks by kernels that are called as those of sends and receives.
bool exchanges_between_all(const Trace& trace) {
  for (std::size_t i = 0; i < trace.strings().size(); ++i) {
    const std::string word = lower_case(trace.text(static_cast<StringId>(i)));
    if (word.find("all_to_all") != word.npos || word.find("alltoall") != word.npos) return true;
  }
  return false;
}

/// New versions of PyTorch tell what a kernel is for. Else its name does, which an exchange between all shares.
bool is_point_to_point(const Trace& trace, const DeviceSpan& span, std::optional<StringId> collective, bool exchanges) {
  if (span.role != Role::communication) return false;
  const std::string told = collective ? trace.text(*collective) : "";
  if (told.starts_with("send") || told.starts_with("recv")) return true;
  const bool is_named_so = lower_case(trace.text(span.name)).find("sendrecv") != std::string::npos;
  return is_named_so && (told == "coalesced" || (told.empty() && !exchanges));
}

/// "Float", "BFloat16", "Long" and such.
std::int64_t bytes_of_type(std::string_view type) {
  constexpr std::int64_t usual = 4;
  const std::string word = lower_case(type);
  if (word.find("16") != word.npos || word == "half" || word == "short") return 2;
  if (word == "long" || word == "double" || word.find("64") != word.npos) return 8;
  if (word == "byte" || word == "char" || word == "bool" || word.find("8") != word.npos) return 1;
  return usual;
}

/// Every process calls its first device 0.
std::int64_t device_number(const Trace& trace, const TraceEvent& event, std::optional<std::int64_t> number) {
  constexpr int above_numbers = 16;
  const auto process = static_cast<std::int64_t>(trace.rows()[static_cast<std::size_t>(event.row)].process);
  return (process + 1) << above_numbers | (number.value_or(0) & 0xFFFF);
}

/// A device's own process numbers say nothing of the program; the properties of the devices do.
bool names_a_device(const Trace& trace) {
  const TraceProperty* devices = trace.property("deviceProperties");
  return devices != nullptr && devices->json.find('{') != std::string::npos;
}

/// Numbers that join a call and its work are a program's own, so of several ranks in one trace they are set apart: by
/// row, what is mixed into its numbers. Zeros where the names of processes do not tell of several.
std::vector<std::int64_t> numbers_of_ranks(const Trace& trace) {
  std::map<std::int64_t, std::int64_t> mixed_in;
  for (const TraceProcess& process : trace.processes()) {
    if (const auto rank = rank_in_name(process.name)) mixed_in.emplace(*rank, std::ssize(mixed_in) + 1);
  }
  std::vector<std::int64_t> by_row(trace.rows().size());
  if (mixed_in.size() < 2) return by_row;
  constexpr int above_numbers = 44;  // of a profiler's counter
  for (std::size_t i = 0; i < by_row.size(); ++i) {
    const auto rank = rank_in_name(trace.processes()[static_cast<std::size_t>(trace.rows()[i].process)].name);
    if (rank) by_row[i] = mixed_in.at(*rank) << above_numbers;
  }
  return by_row;
}

/// Operators by row, outer before inner: who is inside whom, and what each does itself.
void nest_operators(Activity& activity) {
  std::map<RowId, std::vector<HostSpan*>> open;
  HostSpan* const first = activity.host.data();
  for (HostSpan& span : activity.host) {
    if (!is_operator(span.role) && span.role != Role::collective) continue;
    auto& stack = open[span.row];
    while (!stack.empty() && stack.back()->span.end <= span.span.start) stack.pop_back();
    span.is_top = stack.empty();
    span.self_ns = span.span.end - span.span.start;
    if (!stack.empty()) {
      stack.back()->self_ns -= std::min(stack.back()->self_ns, span.self_ns);
      span.parent = static_cast<std::int32_t>(stack.back() - first);
    }
    stack.push_back(&span);
  }
}

void mark_memory_operators(const Trace& trace, Activity& activity) {
  std::vector<signed char> takes(trace.strings().size(), -1);  // by name, each looked at once
  for (HostSpan& span : activity.host) {
    if (!is_operator(span.role)) continue;
    signed char& known = takes[static_cast<std::size_t>(span.name)];
    if (known < 0) known = takes_memory(trace.text(span.name)) ? 1 : 0;
    span.takes_memory = known == 1;
  }
}

/// "execute_context_1(64)_generation_8(8)": the figures of requests and batches vary.
std::map<StringId, StringId> names_without_figures(const Trace& trace, const Activity& activity) {
  std::map<StringId, StringId> alike;
  std::map<std::string, StringId> first;
  for (const HostSpan& span : activity.named) {
    if (span.role != Role::annotation || alike.contains(span.name)) continue;
    std::string word = trace.text(span.name);
    std::erase_if(word, [](char letter) { return letter >= '0' && letter <= '9'; });
    alike[span.name] = first.try_emplace(word, span.name).first->second;
  }
  return alike;
}

/// Reading a value out of the host's memory takes a microsecond; where reads take far longer they wait for a device that
/// the profiler does not know, such as Apple's.
bool waits_for_unseen_device(const Trace& trace, const Activity& activity) {
  constexpr std::int64_t far_longer_ns = 300'000;
  constexpr std::size_t fewest = 3;
  std::vector<std::int64_t> reads;
  for (const HostSpan& span : activity.host)
    if (span.role == Role::scalar_read && trace.text(span.name) == "aten::_local_scalar_dense")
      reads.push_back(span.span.end - span.span.start);
  if (reads.size() < fewest) return false;
  std::nth_element(reads.begin(), reads.begin() + std::ssize(reads) / 4, reads.end());
  return reads[reads.size() / 4] >= far_longer_ns;
}

bool is_frame(const Trace& trace, const HostSpan& span) {
  return trace.text(trace.events()[static_cast<std::size_t>(span.event)].category) == "python_function";
}

/// Which rows belong to the training loop. Of a trace that tells nothing, the row with most operators.
std::vector<bool> training_rows(const Trace& trace, const Activity& activity) {
  std::vector<bool> trains(trace.rows().size());
  std::vector<std::size_t> operators(trains.size());
  std::vector<signed char> backward(trace.strings().size(), -1);
  for (const HostSpan& mark : activity.step_marks) trains[static_cast<std::size_t>(mark.row)] = true;
  for (const HostSpan& span : activity.host) {
    const auto row = static_cast<std::size_t>(span.row);
    signed char& is_back = backward[static_cast<std::size_t>(span.name)];
    if (is_back < 0) is_back = is_backward(trace.text(span.name)) ? 1 : 0;
    if (is_operator(span.role)) ++operators[row];
    // A thread that fetches batches ahead calls iterators, too.
    const bool waits = span.role == Role::data_wait && !is_frame(trace, span);
    if (span.role == Role::launch || waits || span.role == Role::optimizer) trains[row] = true;
    if (is_back == 1 && is_operator(span.role)) trains[row] = true;
  }
  if (std::find(trains.begin(), trains.end(), true) == trains.end() && !trains.empty()) {
    const auto most = std::max_element(operators.begin(), operators.end());
    trains[static_cast<std::size_t>(most - operators.begin())] = *most > 0;
  }
  return trains;
}

bool has(const std::vector<Role>& roles, Role role) {
  return std::find(roles.begin(), roles.end(), role) != roles.end();
}

}  // namespace

Activity activity_of(const Trace& trace) {
  Activity activity;
  RoleBook roles(trace);
  ArgReader args(trace);
  const auto of_rank = numbers_of_ranks(trace);
  const auto own_number = [&](const TraceEvent& event, std::int64_t number) {
    return number == 0 ? 0 : number ^ of_rank[static_cast<std::size_t>(event.row)];
  };
  activity.expects_device = names_a_device(trace);
  const bool exchanges = exchanges_between_all(trace);
  for (std::size_t i = 0; i < trace.events().size(); ++i) {
    const TraceEvent& event = trace.events()[i];
    const auto id = static_cast<EventId>(i);
    const Role role = roles.of(event);
    if (role == Role::none) continue;
    if (is_on_device(role)) {
      const AskedArgs asked = args.read(event);
      DeviceSpan span{span_of(event), event.name, event.row, role, own_number(event, asked.correlation)};
      span.device = device_number(trace, event, asked.number);
      span.bytes =
          asked.bytes > 0 ? asked.bytes : asked.elements * bytes_of_type(asked.type ? trace.text(*asked.type) : "");
      span.is_point_to_point = is_point_to_point(trace, span, asked.collective, exchanges);
      if (asked.blocks) span.occupancy = static_cast<float>(std::min(*asked.blocks, 1.0));
      if (!asked.blocks && asked.estimate) span.occupancy = static_cast<float>(*asked.estimate / 100);
      activity.device.push_back(span);
    } else if (role == Role::memory) {
      const AskedArgs asked = args.read(event);
      activity.memory.push_back(
          {event.start_ns, asked.bytes, asked.total, asked.device, asked.address, asked.number.value_or(0), event.row});
    } else if (role == Role::step) {
      if (is_device_mark(trace.text(event.category)) || event.duration_ns <= 0) continue;
      activity.step_marks.push_back({span_of(event), event.name, event.row, role, id});
    } else if (role == Role::annotation || role == Role::frame || role == Role::compilation ||
               role == Role::profiling) {
      if (!is_device_mark(trace.text(event.category)))
        activity.named.push_back({span_of(event), event.name, event.row, role, id});
    } else {
      HostSpan span{span_of(event), event.name, event.row, role, id};
      if (is_call(role)) span.correlation = own_number(event, args.read(event).correlation);
      activity.expects_device = activity.expects_device || is_call(role);
      activity.host.push_back(span);
    }
  }
  sort_by_start(activity.device);
  sort_by_start(activity.host);
  sort_by_start(activity.named);
  sort_by_start(activity.step_marks);
  std::stable_sort(activity.memory.begin(), activity.memory.end(),
                   [](const MemoryMoment& a, const MemoryMoment& b) { return a.time < b.time; });
  for (const HostSpan& mark : activity.step_marks)
    activity.step_numbers.push_back(
        step_number(trace.text(mark.name))
            .value_or(args.read(trace.events()[static_cast<std::size_t>(mark.event)]).step.value_or(0)));
  activity.expects_device =
      activity.expects_device || activity.has_device() || waits_for_unseen_device(trace, activity);
  activity.alike = names_without_figures(trace, activity);
  activity.is_xla = roles.xla().is_xla();
  activity.is_on_host = activity.is_xla && !roles.xla().has_device();
  if (activity.is_xla && !activity.is_on_host) drop_loops(activity);
  join_executions(trace, roles.xla(), activity);
  drop_lonely_copies(trace, activity);
  drop_compiled_operators(activity);
  leave_out_profiling(activity);
  activity.trains = training_rows(trace, activity);
  add_starts_of_workers(trace, activity);
  nest_operators(activity);
  mark_memory_operators(trace, activity);
  return activity;
}

Intervals host_cover(const Activity& activity, const std::vector<Role>& roles) {
  std::vector<TimeInterval> list;
  for (const HostSpan& span : activity.host) {
    if (activity.trains[static_cast<std::size_t>(span.row)] && has(roles, span.role)) list.push_back(span.span);
  }
  return unite(std::move(list));
}

Intervals device_cover(const Activity& activity, const std::vector<Role>& roles) {
  std::vector<TimeInterval> list;
  for (const DeviceSpan& span : activity.device) {
    if (has(roles, span.role)) list.push_back(span.span);
  }
  return unite(std::move(list));
}

}  // namespace takt
