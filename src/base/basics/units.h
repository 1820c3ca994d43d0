// Time and size as types.
//
// Points in time and recorded spans are integer nanoseconds; everything derived from them (a mean, a percentile) is a
// `Duration`. Integers convert into a Duration implicitly, a bare double does not, so "is this ms or us?" cannot arise.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace takt {

using Nanoseconds = std::chrono::nanoseconds;
using Duration = std::chrono::duration<double, std::micro>;

/// Nanoseconds of the steady clock; only differences mean anything.
Nanoseconds steady_now();

/// Nanoseconds since the Unix epoch (system clock).
Nanoseconds wall_now();

/// "500us", "2.5ms", "1s", "10ns", "3min" → Duration. Throws Error(bad_input) without a unit, or when not finite.
Duration parse_duration(std::string_view text);

/// "400MB", "1.5GiB", "70B" → bytes; kB, MB, GB, TB count 1000, KiB, MiB, GiB, TiB 1024; any case of letters. Throws
/// Error(bad_input) without a unit, or when negative or not finite.
double parse_bytes(std::string_view text);

/// Three significant digits with the unit that fits: "12.3 ms", "870 ns", "2.00 s"; negative durations keep the sign.
std::string format_duration(Duration duration);

/// 1024-based: "12.3 MiB", "870 B".
std::string format_bytes(double bytes);

/// 1000-based with a unit: format_quantity(8.2e9, "FLOP") → "8.20 GFLOP".
std::string format_quantity(double value, std::string_view unit);

}  // namespace takt
