#include "trace/perfetto/clocks.h"

#include <algorithm>
#include <set>

#include "trace/write/perfetto_wire.h"

namespace takt::perfetto {
namespace {

std::optional<std::int64_t> moved_clock(std::int64_t time, std::int64_t from, std::int64_t to) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(time, to - from, &sum)) return std::nullopt;  // readings are not negative
  return sum;
}

/// A number of units of a clock in nanoseconds.
std::optional<std::int64_t> in_nanoseconds(std::uint64_t value, std::int64_t unit) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(value, unit, &product)) return std::nullopt;
  return product;
}

}  // namespace

Clocks::Key Clocks::key_of(std::uint32_t clock, std::uint32_t sequence) {
  const bool is_own = clock >= 64 && clock < 128;
  return is_own ? std::uint64_t{sequence} << 32 | clock : clock;
}

bool Clocks::add_snapshot(std::string_view message, std::uint32_t sequence) {
  Snapshot snapshot;
  Fields fields(message);
  Field field;
  while (fields.next(field)) {
    if (field.number == 2) primary_ = key_of(static_cast<std::uint32_t>(field.value), sequence);
    if (field.number != 1) continue;
    std::uint64_t id = 0, time = 0, unit = 1;
    bool is_incremental = false;
    Fields inner(field.bytes);
    for (Field part; inner.next(part);) {
      if (part.number == 1) id = part.value;
      if (part.number == 2) time = part.value;
      if (part.number == 3) is_incremental = part.value != 0;
      if (part.number == 4) unit = part.value;
    }
    if (inner.is_broken()) {
      snapshots_.push_back(std::move(snapshot));  // the readings before it name it
      find_plain();
      return false;
    }
    if (unit == 0 || unit > 1'000'000'000'000) unit = 1;
    const auto nanoseconds = in_nanoseconds(time, static_cast<std::int64_t>(unit));
    if (!nanoseconds) continue;
    const Key key = key_of(static_cast<std::uint32_t>(id), sequence);
    Clock& clock = clocks_[key];
    clock.unit = static_cast<std::int64_t>(unit);
    clock.is_incremental = is_incremental;
    clock.running = *nanoseconds;
    const std::pair reading(*nanoseconds, snapshots_.size());
    // Nearly always behind all others; a search wants them in order.
    clock.readings.insert(std::upper_bound(clock.readings.begin(), clock.readings.end(), reading), reading);
    snapshot.emplace_back(key, *nanoseconds);
  }
  snapshots_.push_back(std::move(snapshot));
  find_plain();
  return !fields.is_broken();
}

const std::pair<std::int64_t, std::size_t>* Clocks::reading_before(Key clock, std::int64_t time) const {
  const auto found = clocks_.find(clock);
  if (found == clocks_.end() || found->second.readings.empty()) return nullptr;
  const auto& readings = found->second.readings;
  const auto after = std::upper_bound(readings.begin(), readings.end(), std::pair(time, snapshots_.size()));
  return after == readings.begin() ? &*after : &*std::prev(after);
}

/// Without a way of several snapshots: most packets' clocks are beside the trace's in every one.
std::optional<std::int64_t> Clocks::convert_at_once(Key from, std::int64_t time) const {
  const auto* const reading = reading_before(from, time);
  if (reading == nullptr) return std::nullopt;
  for (const auto& [clock, shown] : snapshots_[reading->second]) {
    if (clock == primary_) return moved_clock(time, reading->first, shown);
  }
  return std::nullopt;
}

/// Breadth first: the fewest snapshots that lead to the trace's clock.
std::optional<std::int64_t> Clocks::convert(Key from, std::int64_t time) const {
  if (const auto direct = convert_at_once(from, time)) return direct;
  std::vector<std::pair<Key, std::int64_t>> reached{{from, time}};
  std::set<Key> seen{from};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const auto [clock, here] = reached[i];
    if (clock == primary_) return here;
    const auto* const reading = reading_before(clock, here);
    if (reading == nullptr) continue;
    for (const auto& [other, shown] : snapshots_[reading->second]) {
      const auto there = moved_clock(here, reading->first, shown);
      if (there && seen.insert(other).second) reached.emplace_back(other, *there);
    }
  }
  return std::nullopt;
}

void Clocks::find_plain() {
  const auto own = clocks_.find(primary_);
  const bool is_plain = own == clocks_.end() || (own->second.unit == 1 && !own->second.is_incremental);
  plain_ = is_plain && primary_ < 64 ? primary_ : none;
}

std::optional<std::int64_t> Clocks::to_trace(std::uint32_t id, std::uint32_t sequence, std::uint64_t value) {
  if (is_plain(id, value)) return static_cast<std::int64_t>(value);
  const Key key = key_of(id, sequence);
  const auto found = clocks_.find(key);
  const auto nanoseconds = in_nanoseconds(value, found == clocks_.end() ? 1 : found->second.unit);
  if (!nanoseconds) return std::nullopt;
  std::int64_t time = *nanoseconds;
  if (found != clocks_.end() && found->second.is_incremental) {
    if (__builtin_add_overflow(found->second.running, time, &time)) return std::nullopt;
    found->second.running = time;
  }
  return key == primary_ ? time : convert(key, time);
}

std::optional<std::int64_t> Clocks::base_time() const {
  for (const Snapshot& snapshot : snapshots_) {
    std::optional<std::int64_t> real, own;
    for (const auto& [clock, time] : snapshot) {
      if (clock == real_time) real = time;
      if (clock == primary_) own = time;
    }
    if (real && own) return *real - *own;
  }
  return std::nullopt;
}

}  // namespace takt::perfetto
