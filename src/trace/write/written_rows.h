// What both writers need to know of a trace before they write its first event: which line an event goes on, the flows
// of each event, and what is taken off all times.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/events/lanes.h"
#include "trace/events/trace.h"

namespace takt {

/// Where the times of a trace lie, in nanoseconds from its base. All throw Error(bad_input) for one that is more than
/// 146 years away.
class TimeBounds {
 public:
  void include(std::int64_t time);
  void include_event(std::int64_t start, std::int64_t drawn_duration);
  /// What is subtracted from all times: 0, unless times are negative or too late to be exact in a reader's doubles.
  std::int64_t shift() const;

 private:
  std::int64_t earliest_ = std::int64_t{1} << 62, latest_ = -(std::int64_t{1} << 62);
};

/// TimeBounds::shift() of all events and counters.
std::int64_t time_shift(const Trace& trace);

/// The base time of a trace whose times are shifted; Throws Error(bad_input) if it does not fit 64 bits.
std::int64_t shifted_base(Nanoseconds base, std::int64_t shift);

/// The tids of each row's lanes: the row's own, then numbers that no row of the process has.
std::vector<std::vector<std::uint32_t>> number_lanes(const Trace& trace, const Lanes& lanes);

/// "CPU", "CPU (lane 2)"; of a row without a name "", "lane 2"
std::string lane_name(const TraceRow& row, std::size_t lane);

/// Puts sources of flows that last no time before other rows' events of the same start; a row keeps its own order.
/// `order` is sorted by start. Importers lose a flow whose start comes after its end, and one that leaves an event
/// without length may end at the moment of its start.
void put_instants_first(const Trace& trace, std::vector<std::uint32_t>& order);

/// The flows of a trace so that a number joins one source with one target, or a chain: the second target of a source
/// and the second source of a number get numbers of their own. Importers of Perfetto's protobuf end a flow at its
/// first target. `order` is that in which events are written, by start.
std::vector<TraceFlow> single_arrows(const Trace& trace, const std::vector<std::uint32_t>& order);

/// Which events are instants.
class EventInstants {
 public:
  explicit EventInstants(const Trace& trace);
  std::optional<InstantScope> of(std::uint32_t event) const {
    if (scopes_.empty() || scopes_[event] == 0) return std::nullopt;
    return static_cast<InstantScope>(scopes_[event] - 1);
  }

 private:
  std::vector<std::uint8_t> scopes_;  // per event: 0 none, else the scope's number + 1; empty: no instants at all
};

/// The flows of each event, in the order added.
class EventFlows {
 public:
  EventFlows(const Trace& trace, std::vector<TraceFlow> flows);
  std::span<const TraceFlow> of(std::uint32_t event) const {
    if (first_.empty()) return {};
    return std::span(flows_).subspan(first_[event], first_[event + 1] - first_[event]);
  }
  bool one_each() const { return one_each_; }  ///< no event has several

 private:
  std::vector<TraceFlow> flows_;      // by event
  std::vector<std::uint32_t> first_;  // per event; empty: no flows at all
  bool one_each_ = true;
};

}  // namespace takt
