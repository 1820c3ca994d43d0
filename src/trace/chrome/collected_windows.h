// What the reader's threads made, put in the order of the file as it comes in. Events move into one list at once, so a
// thread fills the same small memory again and again, and the large one is touched once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/chrome/events.h"

namespace takt::chrome {

/// A window whose slices are in CollectedWindows::events.
struct CollectedWindow {
  const EventParser* parser = nullptr;
  Window window{};
  std::uint32_t first_event = 0, event_count = 0;
};

struct CollectedWindows {
  std::vector<CollectedWindow> windows;  ///< by number
  std::vector<TraceEvent> events;
};

/// Not thread-safe.
class WindowCollector {
 public:
  /// Windows have the numbers 0, 1, 2 … and come in nearly any order. `file_bytes`: about how long the file is.
  void add(CollectedWindow window, std::optional<std::size_t> file_bytes);
  /// Memory for the slices of a window, empty.
  std::vector<TraceEvent> spare();
  void give_back(std::vector<TraceEvent> memory);
  CollectedWindows take() { return std::move(collected_); }
  const std::vector<CollectedWindow>& windows() const { return collected_.windows; }

 private:
  void append(CollectedWindow& window, std::optional<std::size_t> file_bytes);
  CollectedWindows collected_;
  std::vector<CollectedWindow> waiting_;  // for one before them
  std::vector<std::vector<TraceEvent>> spare_;
};

}  // namespace takt::chrome
