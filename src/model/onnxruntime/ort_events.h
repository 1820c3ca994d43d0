// ONNX Runtime's profile as what happened: one event per executed kernel, in whole microseconds, and one per run.
//
// The file is a Chrome trace and is read as one (trace/chrome/reader.h), because ONNX Runtime neither escapes names nor
// closes the array when a process ends early: an event that is no JSON costs that event only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/units.h"
#include "takt/tensor.h"
#include "trace/chrome/reader.h"

namespace takt {

/// One call of the session, whole.
struct OrtRun {
  Nanoseconds start{}, duration{};
  RowId thread{};           ///< that called it
  std::uint32_t event = 0;  ///< in OrtEvents::trace; behind those of its nodes
  Nanoseconds end() const { return start + duration; }
  bool contains(Nanoseconds time) const { return start <= time && time <= end(); }
};

/// One execution of a node, or the wait before it.
struct OrtNodeEvent {
  std::string_view name;  ///< the node's, in OrtEvents::trace
  Nanoseconds start{}, duration{};
  RowId thread{};
  std::uint32_t event = 0;             ///< in OrtEvents::trace, for its arguments
  bool is_wait = false;                ///< "_fence_before" instead of "_kernel_time"
  std::optional<std::size_t> run;      ///< into OrtEvents::runs; nullopt: of a run that was not recorded to its end
  std::optional<std::size_t> body_of;  ///< into OrtEvents::nodes: the If, Loop or Scan around it; nullopt: none
  Nanoseconds inside{};                ///< of `duration`, what operators of its own body took
  /// What it took itself: over all nodes of a run these add up to the time in operators, each counted once.
  Nanoseconds self() const { return duration - inside; }
};

/// Shapes of tensors, with ONNX Runtime's names of their types.
struct TypedShapes {
  std::vector<Shape> shapes;
  std::vector<std::string> types;
};

/// Not to be copied or moved: names are views into `trace`.
struct OrtEvents {
  OrtEvents() = default;
  OrtEvents(const OrtEvents&) = delete;
  OrtEvents& operator=(const OrtEvents&) = delete;

  /// An argument that is text; empty: none, or another value. A view into `trace`.
  std::string_view text_of(const OrtNodeEvent& node, std::string_view key) const;
  /// The tensors under `key` ("input_type_shape", "output_type_shape"), those that are no tensors and packed weights
  /// left out; nullopt: none, or of another form.
  std::optional<TypedShapes> shapes_of(const OrtNodeEvent& node, std::string_view key) const;

  Trace trace;
  std::vector<OrtRun> runs;         ///< in the order of time
  std::vector<OrtNodeEvent> nodes;  ///< in the order of the file
  std::uint64_t file_events = 0;    ///< whatever they were
  std::uint64_t unreadable = 0;     ///< events without what every event has, or no JSON
  bool ends_early = false;          ///< the list of events is not closed
};

/// Which run a node belongs to is settled by time, within the thread where that thread called run(), so that runs of
/// several threads may interleave; nodes on threads of a pool belong to the run that surrounds them. Where one run ends
/// in the microsecond in which the next one starts, the order of the file decides. Operators of a body are told by
/// time, too: they lie within the event of their If, Loop or Scan, and are cut off at its end. `origin` begins the
/// message of Error(bad_input) for what is no list of events.
void read_ort_events(std::string_view text, const std::string& origin, OrtEvents& events);

}  // namespace takt
