#include "flow/virtual_clock.h"

#include <algorithm>

#include "core/error.h"

namespace takt {
namespace {

constexpr int fraction_bits = 60;

[[noreturn]] void too_late() {
  throw Error(ErrorKind::bad_input, "simulation: it ends beyond 292 years; use shorter times or fewer batches");
}

std::int64_t later(std::int64_t now, std::int64_t time) {
  std::int64_t end = 0;
  if (__builtin_add_overflow(now, time, &end) || end == never) too_late();
  return end;
}

}  // namespace

void SteadyClock::start(std::int64_t now, std::int64_t service, const InProgress& execution) {
  std::size_t slot = slots_.size();
  if (free_slots_.empty()) {
    slots_.push_back(execution);
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
    slots_[slot] = execution;
  }
  heap_.push_back({later(now, service), slot});
  std::push_heap(heap_.begin(), heap_.end());
}

void SteadyClock::take_done(std::int64_t now, std::vector<InProgress>& done) {
  while (!heap_.empty() && heap_.front().end == now) {
    done.push_back(slots_[heap_.front().slot]);
    free_slots_.push_back(heap_.front().slot);
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
  }
}

void ContendedClock::start(std::int64_t now, std::int64_t service, const InProgress& execution) {
  const bool on_host = execution.what.device == Execution::host;
  if (!on_host) {
    state_.start(execution.what.stage, execution.what.device);
    changed_ = true;
  }
  Entry entry{execution, static_cast<Wide>(service) << fraction_bits, 0, 0, now, 0};
  rescale(entry, now, ContentionState::unit);
  next_ = std::min(next_, entry.end);
  entries_.push_back(entry);
}

void ContendedClock::take_done(std::int64_t now, std::vector<InProgress>& done) {
  if (next_ != now) return;
  std::size_t kept = 0;
  next_ = never;
  for (const Entry& entry : entries_) {
    if (entry.end != now) {
      next_ = std::min(next_, entry.end);
      entries_[kept++] = entry;
      continue;
    }
    done.push_back(entry.execution);
    if (entry.execution.what.device == Execution::host) continue;
    state_.stop(entry.execution.what.stage, entry.execution.what.device);
    changed_ = true;
  }
  entries_.resize(kept);
}

void ContendedClock::settle(std::int64_t now) {
  if (!changed_) return;
  changed_ = false;
  next_ = never;
  for (Entry& entry : entries_) {
    if (entry.execution.what.device != Execution::host) {
      const std::int64_t slowdown = state_.slowdown(entry.execution.what.stage, entry.execution.what.device);
      if (slowdown != entry.slowdown) rescale(entry, now, slowdown);
    }
    next_ = std::min(next_, entry.end);
  }
}

void ContendedClock::rescale(Entry& entry, std::int64_t now, std::int64_t slowdown) {
  entry.remaining = std::max<Wide>(entry.remaining - entry.speed * (now - entry.since), 0);
  entry.since = now;
  entry.slowdown = slowdown;
  entry.speed = ((static_cast<Wide>(ContentionState::unit) << fraction_bits) + slowdown / 2) / slowdown;
  const Wide left = (entry.remaining + entry.speed / 2) / entry.speed;
  if (left > never) too_late();
  entry.end = later(now, static_cast<std::int64_t>(left));
}

}  // namespace takt
