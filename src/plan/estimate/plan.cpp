#include "plan/estimate/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "plan/estimate/parts.h"

namespace takt {
namespace {

constexpr int most_stages = 9999;

std::string share_text(double share) {
  const std::string two = fmt::format("{:.2f}", share);
  return number_in<double>(two) == share ? two : fmt::format("{}", share);
}

std::string block_text(const PlanBlock& block) {
  std::vector<std::string> units, shares;
  for (const PlanPart& part : block.parts) {
    units.push_back(part.unit);
    shares.push_back(share_text(part.share));
  }
  const std::string divided = block.divided() ? fmt::format(" {}", fmt::join(shares, "/")) : "";
  return fmt::format("{}[{}{}]", fmt::join(units, "+"), to_string(block.stages), divided);
}

[[noreturn]] void refuse_block(std::string_view where, std::size_t block, std::string_view text) {
  refuse_input(fmt::format("{}: block {}: '{}' is not a block; write it as CPU+GPU[1-5 0.30/0.70] or NPU[6-7]", where,
                           block + 1, printable(text)));
}

/// What both forms of a plan can hold.
bool is_unit_name(std::string_view name) {
  return !name.empty() && trim(name) == name && name.find_first_of("+[]|") == name.npos && printable(name) == name;
}

std::optional<StageSpan> span_in(std::string_view text) {
  const auto dash = text.find('-');
  const auto first = number_in<int>(text.substr(0, dash));
  const auto last = dash == text.npos ? first : number_in<int>(text.substr(dash + 1));
  if (!first || !last || *first < 1 || *last < *first || *last > most_stages) return std::nullopt;
  return StageSpan{*first, *last};
}

/// "CPU+GPU[1-5 0.30/0.70]".
PlanBlock block_of(std::string_view text, std::string_view where, std::size_t number) {
  const auto open = text.find('[');
  if (open == text.npos || text.back() != ']') refuse_block(where, number, text);
  const std::string_view inside = trim(text.substr(open + 1, text.size() - open - 2));
  const auto blank = inside.find(' ');
  const auto span = span_in(inside.substr(0, blank));
  if (!span) refuse_block(where, number, text);

  PlanBlock block{*span, {}};
  for (const std::string& unit : split(text.substr(0, open), '+')) block.parts.push_back({std::string(trim(unit)), 1});
  std::vector<double> shares;
  if (blank != inside.npos) {
    for (const std::string& word : split(inside.substr(blank + 1), '/')) {
      const auto share = number_in<double>(trim(word));
      if (!share) refuse_block(where, number, text);
      shares.push_back(*share);
    }
  }
  return with_shares(std::move(block), shares, fmt::format("{}: block {}", where, number + 1));
}

std::optional<std::string> broken_in_parts(const PlanBlock& block, const PlanRules& rules) {
  std::set<std::string> seen;
  double whole = 0;
  for (const PlanPart& part : block.parts) {
    if (std::find(rules.units.begin(), rules.units.end(), part.unit) == rules.units.end())
      return fmt::format("the unit '{}' does not exist; use {}", printable(part.unit), fmt::join(rules.units, ", "));
    if (!seen.insert(part.unit).second) return fmt::format("has {} twice", part.unit);
    if (!(part.share > 0 && part.share <= 1))
      return fmt::format("{} has the share {}; a share is above 0 and at most 1", part.unit, part.share);
    whole += part.share;
    const auto refused = rules.refused.find(part.unit);
    if (refused == rules.refused.end()) continue;
    for (const int stage : refused->second)
      if (block.stages.first <= stage && stage <= block.stages.last)
        return fmt::format("{} cannot run stage {}", part.unit, stage);
  }
  if (std::abs(whole - 1) > 1e-9) return fmt::format("its shares add up to {}, not to 1", whole);
  return std::nullopt;
}

std::optional<std::string> broken_in_block(const PlanBlock& block, int next_stage, const PlanRules& rules) {
  if (block.parts.empty()) return "has no unit";
  if (block.stages.last < block.stages.first) return fmt::format("has no stage from {}", to_string(block.stages));
  if (next_stage > rules.stages) return fmt::format("comes after the last stage, {}", rules.stages);
  if (block.stages.first != next_stage)
    return fmt::format("starts with stage {}, but stage {} is next", block.stages.first, next_stage);
  if (block.stages.last > rules.stages)
    return fmt::format("ends with stage {}, but the last one is {}", block.stages.last, rules.stages);
  return broken_in_parts(block, rules);
}

}  // namespace

std::string to_string(const StageSpan& span) {
  return span.first == span.last ? std::to_string(span.first) : fmt::format("{}-{}", span.first, span.last);
}

bool Plan::single_unit() const { return blocks.size() == 1 && !blocks.front().divided(); }

std::string to_string(const Plan& plan) {
  std::vector<std::string> blocks;
  for (const PlanBlock& block : plan.blocks) blocks.push_back(block_text(block));
  return fmt::format("{}", fmt::join(blocks, " | "));
}

Plan parse_plan(std::string_view text, std::string_view where) {
  Plan plan;
  for (const std::string& block : split(text, '|'))
    plan.blocks.push_back(block_of(trim(block), where, plan.blocks.size()));
  return plan;
}

PlanBlock with_shares(PlanBlock block, const std::vector<double>& shares, std::string_view where) {
  for (const PlanPart& part : block.parts)
    if (!is_unit_name(part.unit))
      refuse_input(fmt::format("{}: '{}' is not the name of a unit", where, printable(part.unit)));
  if (shares.empty() && block.parts.size() == 1) return block;
  if (shares.size() != block.parts.size())
    refuse_input(
        fmt::format("{}: has {} shares for {} units; give one for each", where, shares.size(), block.parts.size()));
  double whole = 0;
  for (const double share : shares) {
    if (!(share > 0 && share <= 1.01))
      refuse_input(fmt::format("{}: has the share {}; a share is above 0 and at most 1", where, share));
    whole += share;
  }
  // 0.33/0.33/0.33 is meant to be a third each.
  if (std::abs(whole - 1) > 0.0100001) refuse_input(fmt::format("{}: its shares add up to {}, not to 1", where, whole));
  const bool exact = std::abs(whole - 1) <= 1e-9;
  if (shares.size() == 1) return block;
  for (std::size_t p = 0; p < shares.size(); ++p) block.parts[p].share = exact ? shares[p] : shares[p] / whole;
  return block;
}

std::optional<std::string> broken_rule(const Plan& plan, const PlanRules& rules) {
  if (plan.blocks.empty()) return "has no block";
  std::set<std::string> taken;
  int next_stage = 1;
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    const PlanBlock& block = plan.blocks[b];
    if (const auto broken = broken_in_block(block, next_stage, rules))
      return fmt::format("block {}: {}", b + 1, *broken);
    for (const PlanPart& part : block.parts)
      if (!taken.insert(part.unit).second && rules.units_once)
        return fmt::format("block {}: {} is also in an earlier block; each unit may be in one block only", b + 1,
                           part.unit);
    next_stage = block.stages.last + 1;
  }
  if (next_stage <= rules.stages)
    return fmt::format("ends with stage {}, but there are {}", next_stage - 1, rules.stages);
  return std::nullopt;
}

void check(const Plan& plan, const PlanRules& rules, std::string_view where) {
  if (const auto broken = broken_rule(plan, rules)) refuse_input(fmt::format("{}: {}", where, *broken));
}

}  // namespace takt
