#include "flow/arrivals.h"

#include <fmt/format.h>

#include <cmath>

#include "base/basics/error.h"
#include "base/statistics/random.h"

namespace takt {
namespace {

// 2^62 of the 2^63 nanoseconds; the rest is for what follows the last arrival.
constexpr double latest = 4.6e18;
constexpr std::int64_t most_arrivals = 1'000'000'000;

void check(Nanoseconds gap, std::int64_t count, double longest_gap) {
  const double last = static_cast<double>(gap.count()) * longest_gap * static_cast<double>(count);
  if (gap.count() >= 0 && count >= 0 && count <= most_arrivals && last < latest) return;
  throw Error(
      ErrorKind::bad_input,
      fmt::format(
          "source: {} batches every {} ns do not fit into the time range; use a shorter period and 0 to {} batches",
          count, gap.count(), most_arrivals));
}

}  // namespace

std::vector<Nanoseconds> fixed_rate_arrivals(Nanoseconds period, std::int64_t count) {
  check(period, count, 1);
  std::vector<Nanoseconds> times(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = period * static_cast<std::int64_t>(i);
  return times;
}

std::vector<Nanoseconds> poisson_arrivals(Nanoseconds mean_gap, std::int64_t count, std::uint64_t seed) {
  check(mean_gap, count, 37);  // times the mean: -ln 2^-53 is 36.7
  Random random(seed);
  std::vector<Nanoseconds> times(static_cast<std::size_t>(count));
  std::int64_t now = 0;
  for (auto& time : times) {
    now += std::llround(-std::log(positive_uniform(random)) * static_cast<double>(mean_gap.count()));
    time = Nanoseconds(now);
  }
  return times;
}

}  // namespace takt
