#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "base/files/json_object.h"
#include "base/files/strict_json.h"
#include "plan/estimate/parts.h"
#include "plan/estimate/plan.h"

namespace takt {
namespace {

using PlanJson = nlohmann::json;

std::string excerpt(const PlanJson& json) { return JsonObject::shown(json); }

/// The units of a block, each with the whole batch for the time being.
std::vector<PlanPart> parts_in(const PlanJson& list, const std::string& where) {
  if (!list.is_array() || list.empty())
    refuse_input(fmt::format("{}: its units are {}; give a list of names", where, excerpt(list)));
  std::vector<PlanPart> parts;
  for (const PlanJson& unit : list) {
    if (!unit.is_string() || unit.get_ref<const std::string&>().empty())
      refuse_input(fmt::format("{}: {} is not the name of a unit", where, excerpt(unit)));
    parts.push_back({unit.get<std::string>(), 1});
  }
  return parts;
}

StageSpan stages_in(const PlanJson& list, const std::string& where) {
  if (!list.is_array() || list.empty())
    refuse_input(fmt::format("{}: its stages are {}; give a list of numbers", where, excerpt(list)));
  std::optional<StageSpan> span;
  for (const PlanJson& stage : list) {
    if (!stage.is_number_integer() || stage < 1 || stage > 9999)
      refuse_input(fmt::format("{}: {} is not the number of a stage", where, excerpt(stage)));
    const int number = stage.get<int>();
    if (span && number != span->last + 1)
      refuse_input(fmt::format("{}: stage {} comes after stage {}; stages of a block must be consecutive", where,
                               number, span->last));
    span = StageSpan{span ? span->first : number, number};
  }
  return *span;
}

PlanBlock block_in(const PlanJson& block, const std::string& where) {
  if (!block.is_array() || block.size() < 2 || block.size() > 3)
    refuse_input(fmt::format("{}: is {}; give [units, stages] or [units, stages, shares]", where, excerpt(block)));
  std::vector<double> shares;
  if (block.size() == 3) {
    if (!block[2].is_array())
      refuse_input(fmt::format("{}: its shares are {}; give a list of numbers", where, excerpt(block[2])));
    for (const PlanJson& share : block[2]) {
      if (!share.is_number()) refuse_input(fmt::format("{}: {} is not a share", where, excerpt(share)));
      shares.push_back(share.get<double>());
    }
  }
  return with_shares({stages_in(block[1], where), parts_in(block[0], where)}, shares, where);
}

}  // namespace

std::string to_json(const Plan& plan) {
  PlanJson blocks = PlanJson::array();
  for (const PlanBlock& block : plan.blocks) {
    auto units = PlanJson::array(), stages = units, shares = units;
    for (const PlanPart& part : block.parts) {
      units.push_back(part.unit);
      shares.push_back(part.share);
    }
    for (int stage = block.stages.first; stage <= block.stages.last; ++stage) stages.push_back(stage);
    PlanJson& one = blocks.emplace_back(PlanJson::array({units, stages}));
    if (block.divided()) one.push_back(shares);
  }
  return blocks.dump();
}

Plan parse_plan_json(std::string_view json, std::string_view where) {
  const PlanJson list = strict_json_in(json).value_or(PlanJson());
  if (!list.is_array() || list.empty())
    refuse_input(fmt::format(
        "{}: is not a plan; write it as [[[\"CPU\", \"GPU\"], [1, 2, 3], [0.3, 0.7]], [[\"NPU\"], [4]]]", where));
  Plan plan;
  for (const PlanJson& block : list)
    plan.blocks.push_back(block_in(block, fmt::format("{}: block {}", where, plan.blocks.size() + 1)));
  return plan;
}

}  // namespace takt
