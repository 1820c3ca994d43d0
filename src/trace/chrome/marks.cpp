#include "trace/chrome/marks.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/basics/text.h"
#include "trace/events/device_categories.h"

namespace takt::chrome {
namespace {

std::size_t index(EventId event) { return static_cast<std::size_t>(event); }

/// Places of faults that only the whole file shows come after those in its text.
constexpr std::uint64_t after_text = std::uint64_t{1} << 63;

std::uint64_t fault_order(std::int64_t time) {
  return after_text | static_cast<std::uint64_t>(std::max<std::int64_t>(time, 0));
}

bool is_begin(const PlacedMark& mark) { return mark.phase == 'B' || mark.phase == 'b'; }
bool is_end(const PlacedMark& mark) { return mark.phase == 'E' || mark.phase == 'e'; }

std::int64_t last_moment_of(const Trace& trace, const std::vector<PlacedMark>& marks) {
  std::int64_t last = 0;
  for (const TraceEvent& event : trace.events()) {
    last = std::max(last, event.start_ns + std::max<std::int64_t>(event.duration_ns, 0));
  }
  for (const PlacedMark& mark : marks) last = std::max(last, mark.time);
  return last;
}

/// Begins of one row (of B and E), or of one id (of b and e), that wait for their end.
using Stack = std::vector<const PlacedMark*>;

/// The innermost begin that an end closes: an end without a name closes any.
Stack::reverse_iterator find_begin(Stack& open, const PlacedMark& end) {
  return std::find_if(open.rbegin(), open.rend(),
                      [&](const PlacedMark* begin) { return end.name == StringId{} || begin->name == end.name; });
}

void close(Trace& trace, const PlacedMark& begin, const PlacedMark& end) {
  const auto event = static_cast<EventId>(begin.event);
  trace.set_duration(event, Nanoseconds(end.time - begin.time));
  if (end.args == 0) return;
  std::vector<TraceArg> args;
  for (const TraceArg& arg : trace.args(trace.events()[index(event)])) args.push_back(arg);
  TraceEvent holder;
  holder.args = end.args;
  for (const TraceArg& arg : trace.args(holder)) args.push_back(arg);
  trace.set_args(event, args);
}

/// Slices of one row by start, to be asked for the innermost one at a time.
class RowSlices {
 public:
  RowSlices(const Trace& trace, std::vector<std::uint32_t> events) : trace_(trace), events_(std::move(events)) {
    std::stable_sort(events_.begin(), events_.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (start(a) != start(b)) return start(a) < start(b);
      return a < b;
    });
  }

  /// Must be called with marks by time. The slice that is open at the mark and started last, of equal starts the last
  /// before it in the file; nothing open: one that starts at this very time.
  std::optional<std::uint32_t> enclosing(const PlacedMark& mark) {
    const auto precedes = [&](std::uint32_t e) {
      return start(e) < mark.time || (start(e) == mark.time && e < mark.event);
    };
    while (next_ < events_.size() && precedes(events_[next_])) open_.push_back(events_[next_++]);
    for (std::size_t i = open_.size(); i-- > 0;) {
      const std::uint32_t e = open_[i];
      if (end(e) > mark.time || start(e) == mark.time) return e;
      // What ended before this mark is over for all later ones too.
      if (i + 1 == open_.size()) open_.pop_back();
    }
    return at_or_after(mark, mark.time);
  }

  /// The first slice that starts after the mark in time, or at its time and after it in the file.
  std::optional<std::uint32_t> following(const PlacedMark& mark) const {
    return at_or_after(mark, std::numeric_limits<std::int64_t>::max());
  }

 private:
  std::int64_t start(std::uint32_t e) const { return trace_.events()[e].start_ns; }
  std::int64_t end(std::uint32_t e) const { return start(e) + trace_.events()[e].duration_ns; }
  std::optional<std::uint32_t> at_or_after(const PlacedMark& mark, std::int64_t latest) const {
    const auto found = std::lower_bound(
        events_.begin(), events_.end(), mark,
        [&](std::uint32_t e, const PlacedMark& m) { return start(e) < m.time || (start(e) == m.time && e < m.event); });
    if (found == events_.end() || start(*found) > latest) return std::nullopt;
    return *found;
  }

  const Trace& trace_;
  std::vector<std::uint32_t> events_, open_;
  std::size_t next_ = 0;
};

bool is_own(const Trace& trace, const PlacedMark& mark) {
  return !mark.id_is_text && trace.text(mark.category) == "flow" && trace.text(mark.name) == "flow";
}

/// Importers know an arrow by id, category and name; a Trace by one number. The file's own number is kept if only one
/// arrow has it.
class FlowNumbers {
 public:
  explicit FlowNumbers(const Trace& trace) : trace_(trace) {}
  std::uint64_t number(const PlacedMark& mark) {
    // takt's own spelling of an event's second arrow: the number is that of the first ones.
    if (is_own(trace_, mark)) return mark.id;
    const auto key = std::tuple(mark.category, mark.name, mark.id, mark.id_is_text);
    const auto [found, is_new] = numbers_.try_emplace(key, 0);
    if (!is_new) return found->second;
    std::uint64_t number = mark.id_is_text ? 1 : mark.id;
    while (!used_.insert(number).second) number = next_++;
    return found->second = number;
  }
  void take(std::uint64_t number) { used_.insert(number); }

 private:
  const Trace& trace_;
  std::map<std::tuple<StringId, StringId, std::uint64_t, bool>, std::uint64_t> numbers_;
  std::unordered_set<std::uint64_t> used_;
  std::uint64_t next_ = std::uint64_t{1} << 40;
};

}  // namespace

namespace {

std::string micros_text(std::int64_t time) {
  const std::string fraction = std::to_string(1000 + std::abs(time % 1000));
  return (time < 0 ? "-" : "") + std::to_string(std::abs(time / 1000)) + "." + fraction.substr(1);
}

}  // namespace

std::string place_of(const Trace& trace, RowId row, StringId name, std::int64_t time) {
  const TraceRow& where = trace.rows()[static_cast<std::size_t>(row)];
  const std::string label = where.name.empty() ? std::to_string(where.tid) : printable(where.name.substr(0, 40));
  return "'" + printable(trace.text(name).substr(0, 60)) + "' on row '" + label + "' at " + micros_text(time) + " us";
}

void close_begins(Trace& trace, std::vector<PlacedMark>& marks, std::optional<std::int64_t> last_moment,
                  FaultList& faults) {
  std::vector<const PlacedMark*> ordered;
  for (const PlacedMark& mark : marks) {
    if (is_begin(mark) || is_end(mark)) ordered.push_back(&mark);
  }
  if (ordered.empty()) return;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const PlacedMark* a, const PlacedMark* b) { return a->time < b->time; });
  const auto fault = [&](TraceRule rule, const PlacedMark& mark) {
    faults.add(rule, fault_order(mark.time), [&] { return place_of(trace, mark.row, mark.name, mark.time); });
  };
  std::map<std::tuple<RowId, bool, std::uint64_t, bool>, Stack> stacks;
  for (const PlacedMark* mark : ordered) {
    const bool is_async = mark->phase == 'b' || mark->phase == 'e';
    Stack& open = stacks[{mark->row, is_async, is_async ? mark->id : 0, is_async && mark->id_is_text}];
    if (is_begin(*mark)) {
      open.push_back(mark);
      continue;
    }
    const auto begin = find_begin(open, *mark);
    if (begin == open.rend()) {
      fault(TraceRule::unmatched_end, *mark);
      continue;
    }
    close(trace, **begin, *mark);
    open.erase(std::next(begin).base());
  }
  const std::int64_t last = last_moment ? *last_moment : last_moment_of(trace, marks);
  for (const auto& [key, open] : stacks) {
    for (const PlacedMark* begin : open) {
      trace.set_duration(static_cast<EventId>(begin->event), Nanoseconds(last - begin->time));
      fault(TraceRule::unmatched_begin, *begin);
    }
  }
}

void bind_flows(Trace& trace, std::vector<PlacedMark>& marks, bool is_piece, FaultList& faults) {
  std::map<RowId, std::vector<const PlacedMark*>> rows;
  FlowNumbers numbers(trace);
  for (const TraceFlow& flow : trace.flows()) numbers.take(flow.bind_id);
  std::set<std::uint64_t> started;
  for (const PlacedMark& mark : marks) {
    if (is_begin(mark) || is_end(mark)) continue;
    rows[mark.row].push_back(&mark);
    const std::uint64_t number = numbers.number(mark);
    if (mark.phase == 's' && !started.insert(number).second && !is_own(trace, mark)) {
      faults.add(TraceRule::flow_repeated, fault_order(mark.time),
                 [&] { return place_of(trace, mark.row, mark.name, mark.time); });
    }
  }
  if (rows.empty()) return;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> slices;
  for (std::size_t i = 0; i < trace.events().size(); ++i) {
    const RowId row = trace.events()[i].row;
    if (rows.contains(row)) slices[static_cast<std::uint32_t>(row)].push_back(static_cast<std::uint32_t>(i));
  }
  struct Bound {
    const PlacedMark* mark;
    std::uint32_t event;
  };
  std::vector<Bound> bound;
  for (auto& [row, list] : rows) {
    std::stable_sort(list.begin(), list.end(),
                     [](const PlacedMark* a, const PlacedMark* b) { return a->time < b->time; });
    RowSlices known(trace, std::move(slices[static_cast<std::uint32_t>(row)]));
    for (const PlacedMark* mark : list) {
      auto slice = known.enclosing(*mark);
      if (mark->phase == 'f' && !mark->binds_enclosing) {
        const auto next = known.following(*mark);
        if (next || is_piece) slice = next;
      }
      if (slice) {
        bound.push_back({mark, *slice});
      } else {
        faults.add(TraceRule::flow_without_slice, fault_order(mark->time),
                   [&] { return place_of(trace, mark->row, mark->name, mark->time); });
      }
    }
  }
  std::sort(bound.begin(), bound.end(), [](const Bound& a, const Bound& b) { return a.mark < b.mark; });
  for (const Bound& end : bound) {
    trace.add_flow(static_cast<EventId>(end.event), numbers.number(*end.mark), end.mark->phase != 's',
                   end.mark->phase != 'f');
  }
}

void find_lone_flows(const Trace& trace, FaultList& faults) {
  struct Ends {
    bool in = false, out = false;
    EventId event{};
  };
  std::map<std::uint64_t, Ends> arrows;
  for (const TraceFlow& flow : trace.flows()) {
    Ends& ends = arrows.try_emplace(flow.bind_id, Ends{false, false, flow.event}).first->second;
    ends.in = ends.in || flow.in;
    ends.out = ends.out || flow.out;
  }
  DeviceCategories categories(trace);
  for (const auto& [id, ends] : arrows) {
    if (ends.in && ends.out) continue;
    const TraceEvent& event = trace.events()[index(ends.event)];
    // PyTorch draws an arrow from each call of a device's runtime to its work, of which not all is recorded.
    if (categories.of(event) != DevicePart::none) continue;
    faults.add(TraceRule::flow_without_end, fault_order(event.start_ns),
               [&] { return place_of(trace, event.row, event.name, event.start_ns); });
  }
}

}  // namespace takt::chrome
