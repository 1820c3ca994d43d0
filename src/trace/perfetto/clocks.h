// The clocks of a Perfetto trace: every packet may name its own, and snapshots say what several of them showed at one
// moment.
//
// A time is moved by the difference that the last snapshot before it shows, through further snapshots where none has
// both clocks. A clock can be one writer's own, count in other units than nanoseconds, and be told as steps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace takt::perfetto {

/// Not thread-safe.
class Clocks {
 public:
  static constexpr std::uint32_t real_time = 1, monotonic = 3, boot_time = 6;

  /// A ClockSnapshot message. False: it is broken.
  bool add_snapshot(std::string_view message, std::uint32_t sequence);

  bool is_empty() const { return snapshots_.empty(); }
  bool knows(std::uint32_t clock, std::uint32_t sequence) const { return clocks_.contains(key_of(clock, sequence)); }

  /// Is the reading `value` of a clock in nanoseconds of the trace's clock as it stands? Nearly all are.
  bool is_plain(std::uint32_t clock, std::uint64_t value) const { return clock == plain_ && value <= INT64_MAX; }
  /// The reading `value` of a clock in nanoseconds of the trace's clock. nullopt: no snapshot so far leads from one to
  /// the other, or the time does not fit 64 bits.
  std::optional<std::int64_t> to_trace(std::uint32_t clock, std::uint32_t sequence, std::uint64_t value);

  /// What the real-time clock showed when the trace's showed 0; nullopt: no snapshot has both.
  std::optional<std::int64_t> base_time() const;

 private:
  using Key = std::uint64_t;  // clocks 64 to 127 are known by their number and their writer
  struct Clock {
    std::int64_t unit = 1;                                       // nanoseconds
    bool is_incremental = false;                                 // packets tell steps
    std::int64_t running = 0;                                    // of such a clock: the sum so far
    std::vector<std::pair<std::int64_t, std::size_t>> readings;  // nanoseconds, and in which snapshot
  };
  using Snapshot = std::vector<std::pair<Key, std::int64_t>>;

  static Key key_of(std::uint32_t clock, std::uint32_t sequence);
  void find_plain();
  std::optional<std::int64_t> convert_at_once(Key from, std::int64_t time) const;
  std::optional<std::int64_t> convert(Key from, std::int64_t time) const;
  const std::pair<std::int64_t, std::size_t>* reading_before(Key clock, std::int64_t time) const;

  Key primary_ = boot_time;
  static constexpr Key none = UINT64_MAX;
  Key plain_ = boot_time;  // the trace's own clock where it tells nanoseconds and is known by number alone
  std::map<Key, Clock> clocks_;
  std::vector<Snapshot> snapshots_;
};

}  // namespace takt::perfetto
