#include "plan/sweep/contention_task.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/json_object.h"
#include "base/files/strict_json.h"
#include "plan/gnn/fields.h"

namespace takt {
namespace {

using Json = nlohmann::json;

Json json_of(const AnswersToLoads& answers) {
  return {{"slow_downs", answers.slow_downs}, {"mixed", answers.mixed}, {"load_lost", answers.load_lost}};
}

Json json_of(const std::vector<AnswersToLoads>& list) {
  Json json = Json::array();
  for (const AnswersToLoads& answers : list) json.push_back(json_of(answers));
  return json;
}

double factor_in(const Json& json, const std::string& place) {
  const double factor = JsonObject::number_in(json, place, 0, 1e6);
  if (factor == 0) refuse_input(fmt::format("{}: 0 is not a slowdown", place));
  return factor;
}

std::vector<double> factors_in(const Json& list, const std::string& place) {
  std::vector<double> factors;
  for (const Json& factor : JsonObject::list_in(list, place)) factors.push_back(factor_in(factor, place));
  return factors;
}

/// Of a stage, or of a load, which has not lost anything beside itself.
AnswersToLoads answers_in(const Json& json, const std::string& place, const ContentionShape& shape, bool of_stage) {
  const JsonObject object(json, place, {"slow_downs", "mixed", "load_lost"});
  AnswersToLoads answers;
  for (const Json& curve : object.list("slow_downs")) {
    answers.slow_downs.push_back(factors_in(curve, object.place_of("slow_downs")));
    if (answers.slow_downs.back().size() != shape.levels)
      object.refuse(fmt::format("a load has {} levels instead of {}", answers.slow_downs.back().size(), shape.levels));
  }
  answers.mixed = factor_in(object["mixed"], object.place_of("mixed"));
  answers.load_lost = factors_in(object["load_lost"], object.place_of("load_lost"));
  if (answers.slow_downs.size() != shape.resources || answers.load_lost.size() != (of_stage ? shape.resources : 0))
    object.refuse(fmt::format("its answers do not belong to loads of {} resources", shape.resources));
  return answers;
}

SingleRound round_in(const Json& json, const std::string& place, const ContentionShape& shape, bool of_loads) {
  constexpr double longest = 1e18;
  const JsonObject object(json, place, {"alone_ns", "stages", "loads"});
  SingleRound round;
  for (const Json& time : object.list("alone_ns"))
    round.alone.push_back(JsonObject::number_in(time, object.place_of("alone_ns"), 1e-3, longest));
  for (const Json& one : object.list("stages"))
    round.answers.stages.push_back(answers_in(one, object.place_of("stages"), shape, true));
  for (const Json& one : object.list("loads"))
    round.answers.loads.push_back(answers_in(one, object.place_of("loads"), shape, false));
  const std::size_t stages = of_loads ? 0 : 1, loads = of_loads ? shape.resources : 0;
  if (round.alone.size() != stages || round.answers.stages.size() != stages || round.answers.loads.size() != loads)
    object.refuse("a round has no stage, or not every load");
  return round;
}

constexpr auto contending_stage_fields = [](auto& stage, const auto& field) {
  stage_range_fields(stage.range, field);
  field("batches", stage.batches);
};

constexpr auto contention_task_fields = [](auto& task, const auto& field) {
  field("unit", task.unit);
  field("device", task.device);
  field("runtime", task.runtime);
  field("sharing", task.sharing);
  field("folder", task.folder);
  field("features", task.features);
  graph_size_fields(task.size, field);
  field("graph", task.graph.kind);
  field("seed", task.graph.seed);
  field.list("stages", task.stages, contending_stage_fields);
  field("levels", task.levels);
  field("rounds", task.rounds);
  field("limit_ns", task.limit);
  field("parent", task.parent);
};

}  // namespace

std::string block_of(const std::string& unit, const StageRange& range) {
  if (range.first == range.last) return fmt::format("{}[{}]", unit, range.first);
  return fmt::format("{}[{}-{}]", unit, range.first, range.last);
}

std::string to_json(const ContentionTask& task) { return written_fields(task, contention_task_fields); }

ContentionTask parse_contention_task(std::string_view json) {
  auto task = read_fields<ContentionTask>(json, contention_task_fields,
                                          "a worker process was asked for something other than contention");
  for (const auto& [range, batches] : task.stages)
    if (range.first < 1 || range.last < range.first || range.last > static_cast<int>(stages_of(range.network).size()))
      refuse_input("a task names stages that the network does not have");
  return task;
}

std::string to_json(const ContentionRecord& record) {
  Json rounds = Json::array();
  for (const SingleRound& round : record.rounds)
    rounds.push_back({{"alone_ns", round.alone},
                      {"stages", json_of(round.answers.stages)},
                      {"loads", json_of(round.answers.loads)}});
  return Json{{"block", record.block}, {"asked", record.asked}, {"reason", record.reason}, {"rounds", rounds}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

ContentionRecord parse_contention_record(std::string_view json, const ContentionShape& shape, std::string_view where) {
  const Json line = parse_strictly(json, where);
  const JsonObject read(line, std::string(where), {"block", "asked", "reason", "rounds"});
  ContentionRecord record{read.text("block"), read.text("asked"), read.text("reason"), {}};
  for (const Json& round : read.list("rounds"))
    record.rounds.push_back(round_in(round, fmt::format("{}: round {}", where, record.rounds.size() + 1), shape,
                                     record.block == loads_block));
  if (record.rounds.size() != (record.reason.empty() ? shape.rounds : 0))
    read.refuse(fmt::format("it has {} rounds instead of {}, or they do not match its reason", record.rounds.size(),
                            shape.rounds));
  return record;
}

}  // namespace takt
