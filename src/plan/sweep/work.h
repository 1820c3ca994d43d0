// How much work a row of a sweep is, and how long what is left will take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "base/basics/units.h"
#include "plan/gnn/edge_list.h"
#include "plan/gnn/network.h"

namespace takt {

/// A guess at the time of one inference, in no unit: bytes that go in and out, more where sums over edges are made, and
/// products with weights. Good enough to scale what was measured of one size of graph to another.
double guessed_work(const StageRange& stage, const GraphSize& size, std::int64_t features);

/// Learns from the rows that are done how long others take: each stage on each unit has a speed of its own; one that
/// was not measured yet is taken to be as fast as the others together. Not thread-safe.
class Forecast {
 public:
  void took(const StageRange& stage, const std::string& unit, double work, Duration time);
  /// Zero before the first row.
  Duration of(const StageRange& stage, const std::string& unit, double work) const;

 private:
  struct Speed {
    double work = 0;
    Duration time{};
  };
  using Key = std::tuple<Network, int, int, std::string>;

  std::map<Key, Speed> speeds_;
  Speed all_;
};

}  // namespace takt
