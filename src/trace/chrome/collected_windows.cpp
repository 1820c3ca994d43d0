#include "trace/chrome/collected_windows.h"

#include <algorithm>
#include <utility>

#include "base/memory/large_pages.h"

namespace takt::chrome {

void WindowCollector::add(CollectedWindow window, std::optional<std::size_t> file_bytes) {
  waiting_.push_back(std::move(window));
  while (true) {
    const auto next = std::find_if(waiting_.begin(), waiting_.end(), [this](const CollectedWindow& one) {
      return one.window.number == collected_.windows.size();
    });
    if (next == waiting_.end()) return;
    append(*next, file_bytes);
    collected_.windows.push_back(std::move(*next));
    waiting_.erase(next);
  }
}

std::vector<TraceEvent> WindowCollector::spare() {
  if (spare_.empty()) return {};
  std::vector<TraceEvent> memory = std::move(spare_.back());
  spare_.pop_back();
  return memory;
}

/// Room is made for the whole file as if all of it were like what came so far; memory that is not needed is not
/// touched.
void WindowCollector::append(CollectedWindow& one, std::optional<std::size_t> file_bytes) {
  constexpr std::size_t shortest_event = 48;  // bytes, of those that the guess believes in
  constexpr std::size_t most_growth = 64;     // at once: the rest of the file may be quite different
  std::vector<TraceEvent>& events = collected_.events;
  std::vector<TraceEvent>& slices = one.window.slices;
  one.first_event = static_cast<std::uint32_t>(events.size());
  one.event_count = static_cast<std::uint32_t>(slices.size());
  const std::size_t count = events.size() + slices.size();
  if (count > events.capacity()) {
    const std::size_t seen = static_cast<std::size_t>(one.window.offset) + one.window.consumed;
    std::size_t guess = events.capacity() * 2;
    if (file_bytes && seen > 0) {
      const double share = static_cast<double>(*file_bytes) / static_cast<double>(seen);
      const auto whole = static_cast<std::size_t>(static_cast<double>(count) * share * 1.02) + 64;
      guess = std::max(guess, std::min({whole, *file_bytes / shortest_event, count * most_growth}));
    }
    reserve_large(events, std::max(count, guess));
  }
  events.insert(events.end(), slices.begin(), slices.end());
  give_back(std::move(slices));
}

void WindowCollector::give_back(std::vector<TraceEvent> memory) {
  memory.clear();
  spare_.push_back(std::move(memory));
}

}  // namespace takt::chrome
