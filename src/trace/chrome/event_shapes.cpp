#include "trace/chrome/event_shapes.h"

#include <algorithm>

namespace takt::chrome {
namespace {

constexpr std::size_t most_known_steps = 4096;
constexpr int most_siblings = 24;  // they are tried one after the other

}  // namespace

void EventShapes::learn(std::span<const SeenStep> event) {
  const bool fits = std::all_of(event.begin(), event.end(), [](const SeenStep& seen) {
    return !seen.text.empty() && seen.text.size() <= Step().text.size();
  });
  if (!fits || steps_.size() + event.size() > most_known_steps) return;
  std::uint32_t at = root;
  for (const SeenStep& seen : event) {
    const std::uint32_t known = next(at, seen.text.data(), seen.text.data() + seen.text.size());
    at = known != 0 && steps_[known].length == seen.text.size() ? known : add(at, seen);
    if (at == 0) return;
  }
}

/// 0: too many steps follow that one already.
std::uint32_t EventShapes::add(std::uint32_t at, const SeenStep& seen) {
  std::uint32_t* link = &steps_[at].first_next;
  for (int count = 0; *link != 0; link = &steps_[*link].sibling) {
    if (++count == most_siblings) return 0;
  }
  const auto number = static_cast<std::uint32_t>(steps_.size());
  *link = number;
  Step& step = steps_.emplace_back();
  std::copy(seen.text.begin(), seen.text.end(), step.text.begin());
  step.length = static_cast<std::uint32_t>(seen.text.size());
  step.words = (step.length + 7) / 8;
  step.in_last_word = static_cast<std::ptrdiff_t>((step.length - 1) % 8 + 1);
  std::fill_n(step.last.begin(), step.in_last_word, '\xff');
  step.arg = seen.arg;
  step.field = seen.field;
  step.phase = seen.phase;
  return number;
}

}  // namespace takt::chrome
