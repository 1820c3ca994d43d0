#include "sweep/stage_task.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/text.h"

namespace takt {
namespace {

using Json = nlohmann::json;

Network network_of(const std::string& name) {
  if (const auto network = network_named(name)) return *network;
  refuse_input(fmt::format("'{}' is no network", printable(name)));
}

StageStatus status_of(const std::string& name) {
  for (const StageStatus status : {StageStatus::measured, StageStatus::unsupported, StageStatus::failed})
    if (status_name(status) == name) return status;
  refuse_input(fmt::format("'{}' is no status", printable(name)));
}

Json json_of(const std::optional<StageCopy>& copy) {
  if (!copy) return nullptr;
  return {{"bytes", copy->bytes}, {"median_us", copy->median.count()}};
}

std::optional<StageCopy> copy_in(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return StageCopy{json.at("bytes").get<std::int64_t>(), Duration(json.at("median_us").get<double>())};
}

Json samples_of(const StageMeasurement& row) {
  Json samples = Json::array();
  if (row.times)
    for (const Nanoseconds sample : row.times->samples) samples.push_back(sample.count());
  return samples;
}

StageMeasurement row_in(const Json& json) {
  StageMeasurement row;
  const auto key = parse_stage_key(json.at("key").get<std::string>());
  if (!key) refuse_input("'key' is no row of a sweep");
  row.key = *key;
  row.status = status_of(json.at("status").get<std::string>());
  row.reason = json.at("reason").get<std::string>();
  row.runtime = json.at("runtime").get<std::string>();
  row.device = json.at("device").get<std::string>();
  row.precision = json.at("precision").get<std::string>();
  std::vector<Nanoseconds> samples;
  for (const auto& sample : json.at("samples_ns")) samples.emplace_back(sample.get<std::int64_t>());
  if ((row.status == StageStatus::measured) == samples.empty()) refuse_input("its samples do not fit its status");
  if (!samples.empty()) row.times = times_of(std::move(samples));
  row.inputs_copy = copy_in(json.at("inputs_copy"));
  row.outputs_copy = copy_in(json.at("outputs_copy"));
  return row;
}

}  // namespace

std::string to_json(const StageTask& task) {
  Json sizes = Json::array();
  for (const GraphSize& size : task.sizes) sizes.push_back({size.nodes, size.edges});
  return Json{{"network", network_name(task.stage.network)},
              {"first", task.stage.first},
              {"last", task.stage.last},
              {"unit", task.unit},
              {"device", task.device},
              {"runtimes", task.runtimes},
              {"folder", task.folder.string()},
              {"features", task.features},
              {"warmup", task.warmup},
              {"iterations", task.iterations},
              {"graph", task.graph.kind},
              {"seed", task.graph.seed},
              {"sizes", sizes},
              {"parent", task.parent}}
      .dump();
}

StageTask parse_stage_task(std::string_view json) {
  try {
    const Json read = Json::parse(json);
    StageTask task;
    task.stage = {network_of(read.at("network")), read.at("first"), read.at("last")};
    task.unit = read.at("unit"), task.device = read.at("device");
    task.runtimes = read.at("runtimes").get<std::vector<std::string>>();
    task.folder = read.at("folder").get<std::string>();
    task.features = read.at("features"), task.warmup = read.at("warmup"), task.iterations = read.at("iterations");
    task.graph = {read.at("graph"), read.at("seed")};
    for (const Json& size : read.at("sizes")) task.sizes.push_back({size.at(0), size.at(1)});
    task.parent = read.at("parent");
    return task;
  } catch (const Json::exception& error) {
    refuse_input(fmt::format("a sweep's own process was asked for something else than a task: {}", error.what()));
  }
}

std::string to_json(const StageRecord& record) {
  const StageMeasurement& row = record.row;
  Json json{{"network", network_name(record.network)},
            {"asked", record.asked},
            {"key", to_string(row.key)},
            {"status", status_name(row.status)},
            {"reason", row.reason},
            {"runtime", row.runtime},
            {"device", row.device},
            {"precision", row.precision},
            {"samples_ns", samples_of(row)},
            {"inputs_copy", json_of(row.inputs_copy)},
            {"outputs_copy", json_of(row.outputs_copy)}};
  if (record.round != 1) json["round"] = record.round;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

StageRecord parse_stage_record(std::string_view json, std::string_view where) {
  try {
    const Json read = Json::parse(json);
    const int round = read.value("round", 1);
    if (round < 1) refuse_input("'round' is not above 0");
    return {network_of(read.at("network")), read.at("asked"), row_in(read), round};
  } catch (const Json::exception& error) {
    refuse_input(fmt::format("{}: is no row of a sweep ({})", where, error.what()));
  } catch (const Error& error) {
    refuse_input(fmt::format("{}: {}", where, error.what()));
  }
}

}  // namespace takt
