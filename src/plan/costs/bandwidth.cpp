#include "plan/costs/bandwidth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics/significance.h"
#include "plan/costs/relative_fit.h"

namespace takt {
namespace {

constexpr double bytes_per_mb = 1024.0 * 1024.0;

std::optional<double> bandwidth_of(const std::optional<double>& ms_per_byte) {
  if (!ms_per_byte || *ms_per_byte <= 0) return std::nullopt;
  const double bandwidth = 1000 / *ms_per_byte / bytes_per_mb;
  return std::isfinite(bandwidth) ? std::optional(bandwidth) : std::nullopt;
}

/// Sums around the means, which keep their digits where bytes are many and differ little.
struct Moments {
  double bytes = 0, ms = 0;  ///< means
  double bytes_bytes = 0, bytes_ms = 0, ms_ms = 0;
};

Moments moments_of(std::span<const BytesTime> rows) {
  Moments sums;
  const double count = double(rows.size());
  for (const BytesTime& row : rows) sums.bytes += row.bytes / count, sums.ms += row.ms / count;
  for (const BytesTime& row : rows) {
    const double bytes = row.bytes - sums.bytes, ms = row.ms - sums.ms;
    sums.bytes_bytes += bytes * bytes;
    sums.bytes_ms += bytes * ms;
    sums.ms_ms += ms * ms;
  }
  return sums;
}

}  // namespace

std::optional<double> BytesRegression::bandwidth() const { return bandwidth_of(slope); }
std::optional<double> CopyLaw::bandwidth() const { return bandwidth_of(ms_per_byte); }

BytesRegression regress_bytes(std::span<const BytesTime> rows) {
  BytesRegression line;
  line.rows = rows.size();
  const Moments sums = moments_of(rows);
  if (rows.size() < fewest_regressed_rows || !(sums.bytes_bytes > 0)) return line;
  line.slope = sums.bytes_ms / sums.bytes_bytes;
  line.intercept = sums.ms - *line.slope * sums.bytes;
  double left = 0;
  for (const BytesTime& row : rows) left += std::pow(row.ms - *line.slope * row.bytes - *line.intercept, 2);
  const double variance = left / double(rows.size() - 2);
  line.slope_error = std::sqrt(variance / sums.bytes_bytes);
  line.intercept_error = std::sqrt(variance * (1 / double(rows.size()) + sums.bytes * sums.bytes / sums.bytes_bytes));
  if (sums.ms_ms > 0) line.r_squared = 1 - left / sums.ms_ms;
  return line;
}

std::optional<std::int64_t> SplitTime::compute_ns() const {
  return transfer_ns ? std::optional(total_ns - *transfer_ns) : std::nullopt;
}

SplitTime split_time(const BytesRegression& regression, double bytes, Duration mean) {
  SplitTime split{std::llround(mean.count() * 1e3), std::nullopt};
  if (!regression.slope) return split;
  const double transfer = std::clamp(*regression.slope * bytes * 1e6, 0.0, double(split.total_ns));
  split.transfer_ns = std::min<std::int64_t>(std::llround(transfer), split.total_ns);
  return split;
}

Identifiability identifiability(const BytesRegression& regression, std::span<const BytesTime> copied) {
  constexpr double rounding = 1e-9;
  if (!regression.slope)
    return {false, fmt::format("fewer than {} sizes were measured", fewest_regressed_rows), std::nullopt};
  if (*regression.slope <= 0) return {false, "the time does not increase with the bytes", std::nullopt};
  const BytesRegression copies = regress_bytes(copied);
  if (!copies.slope)
    return {false, "no copies were measured, so compute time may also increase with the bytes", std::nullopt};
  const double half_width = *regression.slope_error * student_quantile(double(regression.rows) - 2, 0.05);
  if (std::abs(*regression.slope - *copies.slope) <= half_width + rounding * *regression.slope)
    return {true, "", copies.slope};
  return {false,
          fmt::format("times increase by {:.3g} ms per MB, but measured copies by {:.3g}",
                      *regression.slope * bytes_per_mb, *copies.slope * bytes_per_mb),
          copies.slope};
}

CopyLaw fit_copies(const std::vector<StageCopy>& copies) {
  CopyLaw law;
  std::vector<FitPoint> points;
  for (const StageCopy& copy : copies)
    if (copy.median > Duration::zero()) points.push_back({{1, double(copy.bytes)}, copy.median.count() / 1e3});
  law.rows = points.size();
  if (points.size() < fewest_regressed_rows) return law;
  const RelativeFit fit = fit_relative(points, 2);
  if (!fit.identifiable) return law;
  law.latency_ms = fit.coefficients[0];
  law.ms_per_byte = fit.coefficients[1];
  law.latency_error = fit.standard_errors[0];
  law.ms_per_byte_error = fit.standard_errors[1];
  return law;
}

}  // namespace takt
