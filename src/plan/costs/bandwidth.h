// How much of a stage's time goes into moving its bytes, as far as times alone can tell.
//
// Over the sizes of a stage on a unit, latency = a · bytes + b by ordinary least squares: a is taken for the time that
// a byte needs to be moved, 1000 / a / 1024² for a bandwidth in MB/s, a · bytes for the transfer of a row and the rest
// for its computing. That is what programs which read these tables expect, and it says less than it seems to: computing
// grows with the bytes, too. So the slope is held against copies that were measured by themselves, where the runtime
// copies; only where the two agree is the split called identifiable.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/basics/units.h"
#include "plan/costs/stage_measurement.h"

namespace takt {

struct BytesTime {
  double bytes = 0, ms = 0;
};

/// ms = slope · bytes + intercept. Missing: fewer than three rows, or all of one size.
struct BytesRegression {
  std::size_t rows = 0;
  std::optional<double> slope, intercept;              ///< ms per byte, ms; either may be negative
  std::optional<double> slope_error, intercept_error;  ///< standard errors
  std::optional<double> r_squared;                     ///< missing, too, where all times are the same

  /// MB/s, an MB being 1024² bytes; missing where the slope is missing, or not above 0.
  std::optional<double> bandwidth() const;
};

inline constexpr std::size_t fewest_regressed_rows = 3;
BytesRegression regress_bytes(std::span<const BytesTime> rows);

/// A mean time in whole nanoseconds, so that the two parts add up to the total exactly.
struct SplitTime {
  std::int64_t total_ns = 0;
  /// The regression's slope times the bytes, never below 0 or above the total; missing: there is no slope.
  std::optional<std::int64_t> transfer_ns;

  std::optional<std::int64_t> compute_ns() const;
};
SplitTime split_time(const BytesRegression& regression, double bytes, Duration mean);

/// Whether transfer and computing of a stage can be told apart. `copied`: the copies of the same rows with the same
/// bytes; empty where none was measured.
struct Identifiability {
  bool identifiable = false;
  std::string reason;                ///< one sentence; empty if they can
  std::optional<double> copy_slope;  ///< ms per byte of the copies measured; missing: fewer than three
};
Identifiability identifiability(const BytesRegression& regression, std::span<const BytesTime> copied);

/// What copies to a device or from it take: latency and bytes, fitted as in relative_fit.h.
struct CopyLaw {
  std::size_t rows = 0;
  std::optional<double> latency_ms, ms_per_byte;           ///< never negative; missing: fewer than three rows
  std::optional<double> latency_error, ms_per_byte_error;  ///< standard errors; missing for a part held at zero
  std::optional<double> bandwidth() const;                 ///< MB/s; missing where bytes take no time
};
CopyLaw fit_copies(const std::vector<StageCopy>& copies);

}  // namespace takt
