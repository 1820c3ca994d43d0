// When each executed node ran within a call, out of what OpenVINO stamps and counts.
//
// A node lasts until the next one starts: so every inference has times of its own, while the counters are means over
// all inferences so far, in whole microseconds. But behind some nodes there is something else than the next one: behind
// the last the way back to the caller, whose thread may have to wait for a processor, and behind a node whose shapes
// depend on data the preparation of all that follow. There the node's own counter is the better witness.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/units.h"

namespace takt::openvino {

/// What the runtime tells of one node.
struct NodeStamp {
  std::string_view name;
  Nanoseconds start{};    ///< system clock, cut off to microseconds; 0: it did not run, or the device stamps nothing
  Nanoseconds own{};      ///< mean over all inferences so far, cut off to microseconds
  bool executed = false;  ///< the runtime says so; it does not of nodes that take less than a microsecond
};

/// When a node ran, within the call.
struct NodeTime {
  std::size_t index = 0;  ///< of its stamp
  Nanoseconds start{}, duration{};
};

/// The call that the stamps belong to.
struct TimedCall {
  Nanoseconds begin{}, end{};  ///< system clock
  Nanoseconds wall{};          ///< steady clock
};

/// The nodes of one request. Remembers how soon the next node ever followed each: where even that is longer than the
/// node's own mean, something else lies between them in every inference, and the own mean bounds the node's time, as it
/// always bounds that of the last one. Not thread-safe.
class NodeClock {
 public:
  /// Returns the times of the nodes that ran in `call`, in order; they do not overlap and end with it at the latest.
  /// Time outside of every node belongs to no node. Without any stamp (GPU) the reported times are placed end to end.
  std::vector<NodeTime> times(const std::vector<NodeStamp>& nodes, const TimedCall& call);

 private:
  std::vector<NodeTime> stamped(const std::vector<NodeStamp>& nodes, const std::vector<std::size_t>& ran,
                                const TimedCall& call);
  bool has_more_behind(const NodeStamp& node, Nanoseconds until_next);

  std::map<std::string, Nanoseconds, std::less<>> shortest_;  ///< from a node's start to the next one's
};

}  // namespace takt::openvino
