// Words for tests of costs: rows as a sweep would have measured them.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/statistics/random.h"
#include "places.h"
#include "plan/costs/raw_measurements.h"
#include "plan/costs/stage_fit.h"

namespace takt {

/// Mean times of seven stages on the CPU and the GPU of a laptop (Core Ultra 9 185H, OpenVINO 2024.6), 12 sizes. Only
/// the means are known: min and max repeat them.
inline StageMeasurements laptop_rows() { return read_raw_measurements(source_dir() / "tests/plan/costs/laptop.json"); }

/// The sizes of the default sweep.
inline std::vector<GraphSize> fifteen_sizes() {
  std::vector<GraphSize> sizes;
  for (const std::int64_t nodes : {1000, 2000, 3000, 5000, 10000})
    for (const std::int64_t edges : {1000, 2000, 3000, 5000, 10000})
      if (edges >= nodes) sizes.push_back({nodes, edges});
  return sizes;
}

inline StageMeasurement measured(StageKey key, Duration mean) {
  StageMeasurement row;
  row.key = std::move(key);
  row.runtime = "sim";
  row.device = "sim:" + row.key.unit;
  row.precision = "f32";
  row.times = StageTimes{mean, mean, mean, Duration::zero(), {}, {}, {}};
  return row;
}

inline StageMeasurement without_time(StageKey key, StageStatus status, std::string reason) {
  StageMeasurement row;
  row.key = std::move(key);
  row.status = status;
  row.reason = std::move(reason);
  return row;
}

/// µs of a stage with `nodes` and `edges`.
using PlantedLaw = std::function<double(double nodes, double edges)>;

inline std::vector<TimeAtSize> planted(const std::vector<GraphSize>& sizes, const PlantedLaw& law) {
  std::vector<TimeAtSize> times;
  for (const GraphSize& size : sizes)
    times.push_back({size, 500, Duration(law(double(size.nodes), double(size.edges)))});
  return times;
}

/// The same with noise of this share of each time, normal and seeded.
inline std::vector<TimeAtSize> with_noise(std::vector<TimeAtSize> times, double share, std::uint64_t seed) {
  Random random(seed);
  for (TimeAtSize& time : times) time.mean *= std::max(0.05, 1 + share * standard_normal(random));
  return times;
}

}  // namespace takt
