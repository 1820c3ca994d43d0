// A Chrome trace read window by window, by those who want less than the whole of it: every window is shown, in the
// thread that parsed it, before it joins the trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trace/chrome/events.h"
#include "trace/events/byte_source.h"
#include "trace/events/trace_read.h"

namespace takt::chrome {

class WindowVisitor {
 public:
  virtual ~WindowVisitor() = default;
  /// Called by several threads at once, windows in nearly any order. May take out what it likes; returns whether the
  /// rest joins the trace. It must return the same for all windows.
  virtual bool visit(const EventParser& parser, Window& window) = 0;
  /// All windows so far count for nothing: the file is read again from its front.
  virtual void restart() = 0;
  /// Where a begin without its end lasts to; nullopt: to the last moment of the trace.
  virtual std::optional<std::int64_t> last_moment() const { return std::nullopt; }
};

/// Like read_chrome_trace(). Of a visitor that keeps nothing the trace is empty, and texts of the file are forgotten on
/// the way.
TraceRead read_windows(ByteSource& source, const std::string& name, const TraceReadSettings& settings,
                       WindowVisitor& visitor);

}  // namespace takt::chrome
