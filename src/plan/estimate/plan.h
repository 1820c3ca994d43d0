// A plan: which stages of a model run together as one block, and on which units.
//
// Blocks follow each other and cover all stages. A block on one unit takes whole batches there; a block on several
// units is divided: every unit computes its share of each batch. As text
//
//   CPU+GPU[1-5 0.30/0.70] | NPU[6-7]
//
// and as JSON, the form that others write, too ("pipeline execution plan"; shares may be left out where a block has
// one unit):
//
//   [[["CPU", "GPU"], [1, 2, 3, 4, 5], [0.3, 0.7]], [["NPU"], [6, 7]]]
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace takt {

/// Stages that run as one, numbered from 1, both included.
struct StageSpan {
  int first = 1, last = 1;

  int count() const { return last - first + 1; }
  auto operator<=>(const StageSpan&) const = default;  // NOLINT(modernize-use-nullptr)
};

std::string to_string(const StageSpan& span);  ///< "3", "1-5"

/// What one unit does of every batch.
struct PlanPart {
  std::string unit;  ///< "CPU"
  double share = 1;  ///< above 0; the shares of a block add up to 1

  bool operator==(const PlanPart&) const = default;
};

struct PlanBlock {
  StageSpan stages;
  std::vector<PlanPart> parts;

  bool divided() const { return parts.size() > 1; }
  bool operator==(const PlanBlock&) const = default;
};

struct Plan {
  std::vector<PlanBlock> blocks;

  /// Nothing but one unit and whole batches.
  bool single_unit() const;
  bool operator==(const Plan&) const = default;
};

/// One text for each plan: shares with two decimals, or with as many as it takes to read the same number again.
std::string to_string(const Plan& plan);

/// The plan of such a text, blanks as one likes. Shares that differ from 1 in all by no more than 0.01 are scaled to
/// it. Throws Error(bad_input), "WHERE: …", naming the block.
Plan parse_plan(std::string_view text, std::string_view where);

/// The JSON form. Shares are left out of blocks on one unit.
std::string to_json(const Plan& plan);
/// Throws as parse_plan does.
Plan parse_plan_json(std::string_view json, std::string_view where);

/// What a plan must keep to.
struct PlanRules {
  int stages = 7;
  std::vector<std::string> units{"CPU", "GPU", "NPU"};
  std::map<std::string, std::vector<int>> refused{};  ///< by unit: stages that it cannot run
  bool units_once = true;                             ///< a unit has a place in one block only
};

/// The first rule that the plan breaks, as a clause ("block 2: begins with stage 4, but stage 3 is next"); nullopt:
/// none.
std::optional<std::string> broken_rule(const Plan& plan, const PlanRules& rules);

/// Throws Error(bad_input), "WHERE: …", for a broken rule.
void check(const Plan& plan, const PlanRules& rules, std::string_view where);

}  // namespace takt
