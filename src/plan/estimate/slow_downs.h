// How much blocks of a plan slow each other down, from what `takt pipeline interference` measured or predicted of a
// pipeline whose stages are named as units or blocks of plans: "GPU", "GPU[3]", "GPU[1-4]".
//
// Of two blocks that were measured as they are, the factor is that which was measured. Otherwise it follows from the
// stages and ranges inside of them that were: while the one block runs each of its stages for the stage's share of the
// time, so does the other, so the factor is 1 + Σ (f − 1) · share · share over the pairs, those that were not measured
// counting as 1. Failing that, that of the two units counts, and otherwise what the costs themselves say.
//
// Where each was measured beside loads, what they want of a resource is known and adds up: three blocks that each want
// half of a memory slow each other down though no two of them do. A block wants what its stages want, on average over
// its time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "pipeline/contention/interference_file.h"
#include "plan/estimate/costs.h"

namespace takt {

/// The significant slow-downs of a file, by places in costs. Read once, and then asked for as often as a search or a
/// draw of costs likes. Thread-safe to read.
class SlowDownTable {
 public:
  /// For costs of these units and so many stages; rows about other units are left out. Only significant ones count.
  /// Throws Error(bad_input), "WHERE: …", for a stage's name that is no unit and no block of stages that there are, and
  /// where a pair is there twice.
  /// `answers`: what the same places press on and suffer by; nullptr: it was not measured.
  SlowDownTable(std::span<const PairRow> pairs, std::vector<std::string> units, int stages, std::string_view where,
                const KnownStages* answers = nullptr);

  bool fits(const PlanCosts& costs) const { return costs.stages() == stages_ && costs.units() == units_; }
  bool is_ever_above_one() const { return has_; }
  /// What `span` presses on and suffers by on `unit`; nullopt: it is not known of all its stages.
  std::optional<StageContention> contention(const PlanCosts& costs, StageSpan span, int unit) const;
  /// How many times as long `span` takes on `unit`, by the shares of time that its stages have in `costs`; nullopt:
  /// nothing tells.
  std::optional<double> slow_down(const PlanCosts& costs, StageSpan span, int unit, StageSpan other, int beside) const;

 private:
  struct Entry {
    StageSpan stages, others;
    double factor = 1;
  };
  /// What is known of two units.
  struct Between {
    std::vector<Entry> entries;
    bool only_single_stages = true;
  };
  void add(const PairRow& pair, std::string_view where);
  void add(const std::string& name, const StageContention& answers, std::string_view where);
  std::uint64_t blocks_key(StageSpan span, int unit, StageSpan other, int beside) const;
  std::optional<double> of_what_is_inside(const PlanCosts& costs, StageSpan span, int unit, StageSpan other,
                                          int beside) const;

  std::vector<std::string> units_;
  int stages_;
  bool has_ = false;
  std::unordered_map<std::uint64_t, double> blocks_;
  std::unordered_map<std::uint64_t, Between> between_;  ///< by both units
  std::unordered_map<std::uint64_t, double> whole_units_;
  std::map<std::tuple<int, int, int>, StageContention>
      answers_;  ///< by unit, first and last stage; 0 and 0: whatever it runs
};

/// `costs` with these slow-downs. Keeps both; the table is one for these units and stages.
std::shared_ptr<const PlanCosts> with_slow_downs(std::shared_ptr<const PlanCosts> costs,
                                                 std::shared_ptr<const SlowDownTable> table);
/// The same of rows that are asked for once.
std::shared_ptr<const PlanCosts> with_slow_downs(std::shared_ptr<const PlanCosts> costs, std::span<const PairRow> pairs,
                                                 std::string_view where, const KnownStages* answers = nullptr);

}  // namespace takt
