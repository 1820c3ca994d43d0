#include "flow/virtual_clock.h"

#include <algorithm>

#include "base/basics/error.h"

namespace takt {
namespace {

__extension__ using Wide = __int128;
constexpr int fraction_bits = 60;

[[noreturn]] void too_late() {
  throw Error(ErrorKind::bad_input, "simulation: it ends beyond 292 years; use shorter times or fewer batches");
}

std::int64_t later(std::int64_t now, std::int64_t time) {
  std::int64_t end = 0;
  if (__builtin_add_overflow(now, time, &end) || end == never) too_late();
  return end;
}

// (a + b/2) / b for a ≥ 0, b > 0: a guess in floating point, put right in integers, is three times as fast.
std::int64_t rounded_quotient(Wide a, Wide b) {
  const Wide half_up = a + b / 2;
  const double guess = static_cast<double>(half_up) / static_cast<double>(b);
  if (!(guess < 9e18)) too_late();
  auto quotient = static_cast<Wide>(guess);
  while (quotient * b > half_up) --quotient;
  while ((quotient + 1) * b <= half_up) ++quotient;
  return static_cast<std::int64_t>(quotient);
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
  const Entry entry{later(now, service), slot};
  if (ring_.size() < ring_size) return ring_.push_in_order(entry);
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end(), later_first);
}

void ContendedClock::start(std::int64_t now, std::int64_t service, const InProgress& execution) {
  if (execution.what.device != Execution::host) state_.start(execution.what.stage, execution.what.device);
  changed_ = true;
  Entry& entry = entries_.emplace_back();
  entry.execution = execution;
  entry.remaining = static_cast<Wide>(service) << fraction_bits;
  entry.speed = speed_at(ContentionState::unit);
  entry.slowdown = ContentionState::unit;
  entry.since = now;
}

void ContendedClock::forget(const Execution& what) {
  if (what.device != Execution::host) state_.stop(what.stage, what.device);
}

// Every change moves the ends of most executions, but only the first of them matters: the exact end, a division of 128
// bits, is worked out for those alone that may be it.
void ContendedClock::settle(std::int64_t now) {
  if (!changed_) return;
  changed_ = false;
  const double latest_first = estimate(now);
  next_ = never;
  for (Entry& entry : entries_) {
    if (entry.earliest > latest_first) continue;
    if (entry.end == unknown) entry.end = later(entry.since, rounded_quotient(entry.remaining, entry.speed));
    next_ = std::min(next_, entry.end);
  }
}

// A bound above the first exact end, from now in ns. Whole nanoseconds of work and doubles: the error is below one
// nanosecond of work, one of rounding, and the relative one of doubles.
double ContendedClock::estimate(std::int64_t now) {
  double latest_first = std::numeric_limits<double>::infinity();
  for (Entry& entry : entries_) {
    const Execution& what = entry.execution.what;
    if (what.device != Execution::host) {
      const std::int64_t slowdown = state_.slowdown(what.stage, what.device);
      if (slowdown != entry.slowdown) rescale(entry, now, slowdown);
    }
    const double factor = static_cast<double>(entry.slowdown) / static_cast<double>(ContentionState::unit);
    const auto work = static_cast<double>(static_cast<std::int64_t>(entry.remaining >> fraction_bits));
    const double error = 2 + 1e-12 * work * factor;
    entry.earliest = work * factor - static_cast<double>(now - entry.since) - error;
    latest_first = std::min(latest_first, entry.earliest + factor + 2 * error);
  }
  return latest_first;
}

// Few slow-downs occur, again and again, and a division of 128 bits takes as long as all the rest.
ContendedClock::Wide ContendedClock::speed_at(std::int64_t slowdown) {
  Speed& known = speeds_[(static_cast<std::uint64_t>(slowdown) * 0x9e37'79b9 >> 32) % speeds_.size()];
  if (known.slowdown != slowdown) {
    known = {slowdown, ((static_cast<Wide>(ContentionState::unit) << fraction_bits) + slowdown / 2) / slowdown};
  }
  return known.speed;
}

void ContendedClock::rescale(Entry& entry, std::int64_t now, std::int64_t slowdown) {
  if (now != entry.since) entry.remaining = std::max<Wide>(entry.remaining - entry.speed * (now - entry.since), 0);
  entry.since = now;
  entry.slowdown = slowdown;
  entry.speed = speed_at(slowdown);
  entry.end = unknown;
}

}  // namespace takt
