// Where the costs that plans are made of come from: what a sweep measured, or a file of costs, read once and asked for
// any size; with what a measured interference adds.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/contention/interference.h"
#include "plan/estimate/cost_table.h"
#include "plan/estimate/measured_costs.h"
#include "plan/estimate/slow_downs.h"

namespace takt {

/// The costs of a size; null: not known there. Asked for the same size again, it answers the same.
using CostsAt = std::function<std::shared_ptr<const PlanCosts>(const GraphSize&)>;

/// The `draw`th way that costs could come out if they were measured anew.
using CostsDraw = std::function<std::shared_ptr<const PlanCosts>(std::uint64_t draw)>;

/// What a result was made of.
struct CostFile {
  std::string name;      ///< as it was given, printable
  std::string contents;  ///< 16 hexadecimal digits that tell other contents apart (fingerprint())
  bool operator==(const CostFile&) const = default;
};

struct CostSourceSettings {
  std::optional<DivideCost> divide{};  ///< with a sweep; a file of costs has its own
  bool copies = false;                 ///< with a sweep: transfers are the copies that it has measured
  /// JSON of `takt pipeline interference`; empty: what a sweep has measured itself, where `place` is its folder.
  std::filesystem::path interference{};
  bool no_interference = false;      ///< neither
  std::vector<std::string> units{};  ///< empty: all that have costs
};

/// Thread-safe once made.
class PlanCostSource {
 public:
  /// `place`: a file of costs, the folder of a sweep or its raw measurements. Throws as the readers of these do.
  PlanCostSource(const std::filesystem::path& place, CostSourceSettings settings = {});

  bool is_sweep() const { return lookup_ != nullptr; }
  /// Whether costs depend on the size of a batch; otherwise they are of one size, which is not told.
  bool by_size() const { return is_sweep() || kind_ == CostFileKind::by_size; }
  /// Throws Error(bad_input) without a size where costs depend on it, and for a size where they do not.
  std::shared_ptr<const PlanCosts> at(const std::optional<GraphSize>& size) const;
  /// At any size; of a sweep by the laws of its stages, also where a size was measured: a row that came out high or low
  /// would make its size another one than those beside it. Keeps a copy of this.
  CostsAt by_sizes() const;

  /// Those with the fewest and the most rows (nodes + edges) that were measured; nullopt: nobody said.
  std::optional<std::pair<GraphSize, GraphSize>> measured_range() const;

  /// Blocks of the plan whose times lie beyond the sizes that were measured, as extrapolated_blocks(); of a file of
  /// costs, which holds for all sizes, none.
  std::vector<std::string> extrapolated(const Plan& plan, const GraphSize& size) const;

  /// Costs that are drawn, and blocks of a plan whose errors are not known. Of a file of costs nothing is known.
  struct Draws {
    CostsDraw draw;
    std::function<std::vector<std::string>(const Plan&)> unknown_blocks;
  };
  std::optional<Draws> draws(const GraphSize& size) const;

  /// Where slow-downs come from; empty: nowhere.
  const std::filesystem::path& interference() const { return settings_.interference; }
  /// What was read, costs first.
  const std::vector<CostFile>& files() const { return files_; }

 private:
  std::shared_ptr<const PlanCosts> costs_at(const std::optional<GraphSize>& size, bool by_law) const;
  std::shared_ptr<const PlanCosts> completed(std::shared_ptr<const PlanCosts> costs) const;

  CostSourceSettings settings_;
  CostFileKind kind_ = CostFileKind::other;
  std::string name_;
  std::shared_ptr<const std::string> text_;   ///< of a file of costs
  std::shared_ptr<const CostLookup> lookup_;  ///< null: a file of costs
  /// Slow-downs by the places that the costs give them, read when costs are first asked for.
  struct SlowDowns {
    std::vector<PairRow> rows;
    std::optional<KnownStages> answers;
    std::mutex mutex;
    std::shared_ptr<const SlowDownTable> table;
  };
  std::shared_ptr<const SlowDownTable> slow_downs_for(const PlanCosts& costs) const;

  std::shared_ptr<SlowDowns> slow_downs_;  ///< null: none
  std::vector<CostFile> files_;
};

}  // namespace takt
