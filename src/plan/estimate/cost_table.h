// Costs that somebody wrote down: set in code, or read from a JSON file
//
//   {"units": ["CPU", "GPU", "NPU"],
//    "times_us": {"CPU": [40, 10, 55], "GPU": [12, {"whole": 9, "fixed": 2}, 14], "NPU": [30, null, 20]},
//    "ranges_us": {"GPU": {"1-3": 20}},
//    "transfers_us": {"CPU>GPU": 5, "GPU>host": [0, 0, 0, 8]},
//    "divide_us": {"partition": 3, "merge": 2},
//    "slow_downs": {"CPU beside GPU": 1.2},
//    "memory_bytes": {"NPU": {"limit": 1000000, "stages": [400000, 0, 700000]}}}
//
// Where costs depend on the size of the graph, {"fixed": 20, "per_node": 0.01, "per_edge": 0.002} stands for a time: of
// a batch with so many nodes and edges; a share of it has that share of both.
//
// `times_us` has an entry per stage: the time of a whole batch, of which `fixed` stays however small the share is, or
// null: the unit cannot run it. A range that is not in `ranges_us` takes the sum of its stages. `transfers_us` is from
// one unit, or the host, to another: one number for all places, or one for each cut, from before the first stage to
// behind the last; what is not named takes no time. `memory_bytes` of a range is the sum of its stages, by the share.
// Only `units` and `times_us` must be there.
#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "plan/estimate/costs.h"
#include "plan/gnn/edge_list.h"

namespace takt {

class PlanCostTable final : public PlanCosts {
 public:
  PlanCostTable(int stages, std::vector<std::string> units);

  /// `fixed` is at most `whole`; neither is negative.
  void set_time(StageSpan span, int unit, Nanoseconds whole, Nanoseconds fixed = {});
  void set_transfer(int cut, int from, int to, Nanoseconds time);
  void set_divide(DivideCost cost) { divide_ = cost; }
  void set_slow_down(int unit, int beside, double factor);
  void set_memory(int unit, std::vector<std::int64_t> stages, std::int64_t limit);

  int stages() const override { return stages_; }
  const std::vector<std::string>& units() const override { return units_; }
  std::optional<Nanoseconds> time(StageSpan span, int unit, double share) const override;
  std::string why_missing(StageSpan span, int unit) const override;
  std::optional<Nanoseconds> transfer(int cut, int from, int to) const override;
  std::optional<DivideCost> divide(StageSpan span, const std::vector<int>& units) const override;
  bool has_slow_downs() const override { return has_slow_downs_; }
  double slow_down(StageSpan span, int unit, StageSpan other, int beside) const override;
  std::optional<std::int64_t> memory(StageSpan span, int unit, double share) const override;
  std::optional<std::int64_t> memory_limit(int unit) const override;

 private:
  struct Time {
    std::int64_t whole = -1, fixed = 0;  ///< ns; −1: not known
    bool own = false;                    ///< set, not a sum
  };
  struct Memory {
    std::vector<std::int64_t> stages;
    std::optional<std::int64_t> limit;
  };
  std::size_t place(StageSpan span, int unit) const;
  std::size_t way(int cut, int from, int to) const;
  void add_up(int unit);

  int stages_;
  std::vector<std::string> units_;
  std::vector<Time> times_;
  std::vector<std::int64_t> transfers_;
  DivideCost divide_;
  std::vector<double> slow_downs_;
  bool has_slow_downs_ = false;
  std::vector<Memory> memory_;
};

/// Throws Error(bad_input), "WHERE: …", naming the key and what is wrong with it: no such unit, numbers that are
/// negative, infinite or beyond a year, lists of another length, keys that are not known or there twice.
/// `size` is that of a batch; refused without one where a time depends on it.
PlanCostTable parse_plan_costs(std::string_view json, std::string_view where,
                               const std::optional<GraphSize>& size = std::nullopt);

/// What the JSON is, as far as its keys tell, without a look at the values.
enum class CostFileKind {
  other,    ///< an object with none of the keys of costs: perhaps what a sweep measured
  fixed,    ///< costs to plan with, of one size; and what is no JSON, which parse_plan_costs() refuses
  by_size,  ///< costs to plan with that depend on the size
};
CostFileKind cost_file_kind(std::string_view json);

}  // namespace takt
