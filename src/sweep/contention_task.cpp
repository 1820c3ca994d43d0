#include "sweep/contention_task.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/strict_json.h"
#include "core/text.h"

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

void check_factor(double factor) {
  if (!std::isfinite(factor) || factor <= 0 || factor > 1e6)
    refuse_input(fmt::format("{} is no slow-down; it is above 0 and at most 1000000", factor));
}

/// Of a stage, or of a load, which has not lost anything beside itself.
AnswersToLoads answers_in(const Json& json, const ContentionShape& shape, bool of_stage) {
  AnswersToLoads answers;
  answers.slow_downs = json.at("slow_downs").get<std::vector<std::vector<double>>>();
  answers.mixed = json.at("mixed").get<double>();
  answers.load_lost = json.at("load_lost").get<std::vector<double>>();
  if (answers.slow_downs.size() != shape.resources || answers.load_lost.size() != (of_stage ? shape.resources : 0))
    refuse_input(fmt::format("its answers are not those to loads of {} resources", shape.resources));
  check_factor(answers.mixed);
  for (const double factor : answers.load_lost) check_factor(factor);
  for (const auto& curve : answers.slow_downs) {
    if (curve.size() != shape.levels)
      refuse_input(fmt::format("a load has {} levels and not {}", curve.size(), shape.levels));
    for (const double factor : curve) check_factor(factor);
  }
  return answers;
}

SingleRound round_in(const Json& json, const ContentionShape& shape, bool of_loads) {
  SingleRound round;
  round.alone = json.at("alone_ns").get<std::vector<double>>();
  for (const Json& one : json.at("stages")) round.answers.stages.push_back(answers_in(one, shape, true));
  for (const Json& one : json.at("loads")) round.answers.loads.push_back(answers_in(one, shape, false));
  const std::size_t stages = of_loads ? 0 : 1, loads = of_loads ? shape.resources : 0;
  if (round.alone.size() != stages || round.answers.stages.size() != stages || round.answers.loads.size() != loads)
    refuse_input("a round has not one stage, or not every load");
  for (const double time : round.alone)
    if (!(time > 0 && time < 1e18)) refuse_input(fmt::format("{} is no time of a stage", time));
  return round;
}

StageRange range_in(const Json& json, Network network) {
  const StageRange range{network, json.at("first"), json.at("last")};
  if (range.first < 1 || range.last < range.first || range.last > static_cast<int>(stages_of(network).size()))
    refuse_input("a task names stages that the network lacks");
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
    if (!network) refuse_input("a task names a network that there is not");
    task.stages.push_back({range_in(stage, *network), stage.at("batches")});
  }
  task.levels = read.at("levels"), task.rounds = read.at("rounds");
  task.limit = Nanoseconds(read.at("limit_ns").get<std::int64_t>());
  task.parent = read.at("parent");
  return task;
} catch (const Json::exception& error) {
  refuse_input(fmt::format("a sweep's own process was asked for something else than contention: {}", error.what()));
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
  try {
    const Json read = parse_strictly(json, where);
    ContentionRecord record;
    record.block = read.at("block"), record.asked = read.at("asked"), record.reason = read.at("reason");
    for (const Json& round : read.at("rounds"))
      record.rounds.push_back(round_in(round, shape, record.block == loads_block));
    if (record.rounds.size() != (record.reason.empty() ? shape.rounds : 0))
      refuse_input(fmt::format("it has {} rounds and not {}, or they do not fit its reason", record.rounds.size(),
                               shape.rounds));
    return record;
  } catch (const Json::exception& error) {
    refuse_input(fmt::format("{}: is no record of contention ({})", where, error.what()));
  } catch (const Error& error) {
    refuse_input(fmt::format("{}: {}", where, error.what()));
  }
}

}  // namespace takt
