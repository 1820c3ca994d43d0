#include "plan/sweep/contention_task.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/json_object.h"
#include "base/files/strict_json.h"

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

StageRange range_in(const Json& json, Network network) {
  const StageRange range{network, json.at("first"), json.at("last")};
  if (range.first < 1 || range.last < range.first || range.last > static_cast<int>(stages_of(network).size()))
    refuse_input("a task names stages that the network does not have");
  return range;
}

}  // namespace

std::string block_of(const std::string& unit, const StageRange& range) {
  if (range.first == range.last) return fmt::format("{}[{}]", unit, range.first);
  return fmt::format("{}[{}-{}]", unit, range.first, range.last);
}

std::string to_json(const ContentionTask& task) {
  Json stages = Json::array();
  for (const ContendingStage& stage : task.stages)
    stages.push_back({{"network", network_name(stage.range.network)},
                      {"first", stage.range.first},
                      {"last", stage.range.last},
                      {"batches", stage.batches}});
  return Json{{"unit", task.unit},
              {"device", task.device},
              {"runtime", task.runtime},
              {"sharing", task.sharing},
              {"folder", task.folder.string()},
              {"features", task.features},
              {"nodes", task.size.nodes},
              {"edges", task.size.edges},
              {"graph", task.graph.kind},
              {"seed", task.graph.seed},
              {"stages", stages},
              {"levels", task.levels},
              {"rounds", task.rounds},
              {"limit_ns", task.limit.count()},
              {"parent", task.parent}}
      .dump();
}

ContentionTask parse_contention_task(std::string_view json) try {
  const Json read = Json::parse(json);
  ContentionTask task;
  task.unit = read.at("unit"), task.device = read.at("device"), task.runtime = read.at("runtime");
  task.sharing = read.at("sharing").get<std::vector<std::string>>();
  task.folder = read.at("folder").get<std::string>();
  task.features = read.at("features");
  task.size = {read.at("nodes"), read.at("edges")};
  task.graph = {read.at("graph"), read.at("seed")};
  for (const Json& stage : read.at("stages")) {
    const auto network = network_named(stage.at("network").get<std::string>());
    if (!network) refuse_input("a task names an unknown network");
    task.stages.push_back({range_in(stage, *network), stage.at("batches")});
  }
  task.levels = read.at("levels"), task.rounds = read.at("rounds");
  task.limit = Nanoseconds(read.at("limit_ns").get<std::int64_t>());
  task.parent = read.at("parent");
  return task;
} catch (const Json::exception& error) {
  refuse_input(fmt::format("a worker process was asked for something other than contention: {}", error.what()));
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
