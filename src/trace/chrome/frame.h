// What stands around the list of events in a Chrome trace: the keys of the object form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/events/trace.h"

namespace takt::chrome {

struct Frame {
  bool is_object = false;
  bool has_mark = false;  ///< a byte order mark stands in front
  std::optional<std::int64_t> base_time_ns;
  std::string provenance;
  std::vector<TraceProperty> properties;  ///< every other key with its value
  std::uint64_t samples = 0;              ///< of call stacks, in a list beside that of the events
};

enum class HeadState : std::uint8_t { needs_more, at_events, no_events, not_json };

/// Reads up to the opening bracket of the list of events; `position` is after it. needs_more: the text ends too early.
HeadState read_head(std::string_view text, Frame& frame, std::size_t& position);

/// What was found after the list's closing bracket.
struct Tail {
  bool complete = false;  ///< the object was closed (the array form always is)
  std::size_t extra = 0;  ///< position of text after the end; the text's size: none
};
Tail read_tail(std::string_view text, Frame& frame);

}  // namespace takt::chrome
