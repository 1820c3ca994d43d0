// Requests of one session that are in flight all the time: whoever finishes starts again. What a server under full load
// does.
//
// A request with a thread of its own starts again from its own completion, so that nobody has to wake up in between.
// Where the runtime completes all requests on a thread of its own, that thread only hands them back and the caller
// starts them, as servers and OpenVINO's benchmark_app do: started from there, they would wait for one another.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/basics/units.h"
#include "model/runtime/runtime.h"

namespace takt {

/// When a loop is warm, and when it has run enough.
struct LoopLimit {
  std::size_t warmup = 0;           ///< completions of every request before it counts
  Nanoseconds warmup_time{};        ///< and at least so long
  std::size_t fewest = 1;           ///< counted completions, all requests together, before `time` may end it
  std::optional<std::size_t> most;  ///< counted completions
  std::optional<Nanoseconds> time;  ///< of the counted part
};

struct Completion {
  Nanoseconds started{}, completed{};  ///< steady clock; on a simulated clock from its own beginning
};

/// What was measured between the moment at which all requests were warm and the last counted completion. Every request
/// was in flight all that time, so the rate is that of a steady state: there is no ramp at either end.
struct LoopRecord {
  Nanoseconds began{};              ///< of the counted part
  std::vector<Nanoseconds> warmup;  ///< latencies before it
  std::vector<Completion> counted;  ///< in order of completion
  Nanoseconds window() const { return counted.empty() ? Nanoseconds(0) : counted.back().completed - began; }
  double per_second() const;  ///< completions; 0 where no time passed
};

/// Asked now and then on the caller's thread: how many are counted, how long it has counted. False ends the loop.
using LoopWatch = std::function<bool(std::size_t counted, Nanoseconds spent)>;

/// Before an inference starts: number `turn` of all that were started.
using LoopFeed = std::function<void(Request& request, std::size_t turn)>;

/// Runs the loop once. `copy_outputs`: a request is complete when takt has its outputs. Throws Error(runtime) when a
/// request fails; then no request is in flight any more.
LoopRecord run_closed_loop(const std::vector<std::unique_ptr<Request>>& requests, bool copy_outputs,
                           const LoopLimit& limit, const LoopWatch& watch = {}, const LoopFeed& feed = {});

/// The same for a session on a simulated clock: its device takes one request at a time, first come, first served.
LoopRecord run_virtual_loop(Session& session, int requests, const LoopLimit& limit, const LoopWatch& watch = {});

}  // namespace takt
