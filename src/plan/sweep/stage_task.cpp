#include "plan/sweep/stage_task.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "base/basics/quoted.h"
#include "base/basics/text.h"
#include "base/files/json_object.h"
#include "base/files/strict_json.h"
#include "plan/costs/row_values.h"
#include "plan/gnn/fields.h"

namespace takt {
namespace {

using Json = nlohmann::json;

StageStatus status_of(const JsonObject& row) {
  const std::string name = row.text("status");
  for (const StageStatus status : {StageStatus::measured, StageStatus::unsupported, StageStatus::failed})
    if (status_name(status) == name) return status;
  row.refuse(fmt::format("'{}' is not a status", quoted_part(name)));
}

Json json_of(const std::optional<StageCopy>& copy) {
  if (!copy) return nullptr;
  return {{"bytes", copy->bytes}, {"median_us", copy->median.count()}};
}

std::optional<StageCopy> copy_in(const JsonObject& row, const char* key) {
  if (row.is_null(key)) return std::nullopt;
  const JsonObject copy(row[key], row.place_of(key), {"bytes", "median_us"});
  return StageCopy{copy.integer("bytes", 0, std::int64_t{1} << 50),
                   Duration(copy.number("median_us", 0, double(longest_sample_ns) / 1e3))};
}

Json samples_of(const StageMeasurement& row) {
  Json samples = Json::array();
  if (row.times)
    for (const Nanoseconds sample : row.times->samples) samples.push_back(sample.count());
  return samples;
}

StageMeasurement row_in(const JsonObject& json, Network network) {
  StageMeasurement row;
  row.key = checked_stage_key(json.text("key"), network, json.place_of("key"));
  row.status = status_of(json);
  row.reason = json.text("reason");
  row.runtime = json.text("runtime"), row.device = json.text("device"), row.precision = json.text("precision");
  std::vector<Nanoseconds> samples = checked_samples(json["samples_ns"], json.place_of("samples_ns"));
  const bool is_measured = row.status == StageStatus::measured;
  if (is_measured == samples.empty()) json.refuse("its samples do not match its status");
  if (is_measured && !row.reason.empty()) json.refuse("its reason does not match its status");
  if (!samples.empty()) row.times = times_of(std::move(samples));
  row.inputs_copy = copy_in(json, "inputs_copy"), row.outputs_copy = copy_in(json, "outputs_copy");
  return row;
}

constexpr auto stage_task_fields = [](auto& task, const auto& field) {
  stage_range_fields(task.stage, field);
  field("unit", task.unit);
  field("device", task.device);
  field("runtimes", task.runtimes);
  field("folder", task.folder);
  field("features", task.features);
  field("warmup", task.warmup);
  field("iterations", task.iterations);
  field("graph", task.graph.kind);
  field("seed", task.graph.seed);
  field.list("sizes", task.sizes, graph_size_fields);
  field("parent", task.parent);
};

}  // namespace

std::string to_json(const StageTask& task) { return written_fields(task, stage_task_fields); }

StageTask parse_stage_task(std::string_view json) {
  return read_fields<StageTask>(json, stage_task_fields, "a worker process was asked for something other than a task");
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
  const Json read = parse_strictly(json, where);
  const JsonObject row(read, std::string(where),
                       {"network", "asked", "key", "status", "reason", "runtime", "device", "precision", "samples_ns",
                        "inputs_copy", "outputs_copy"},
                       {"round"});
  const auto network = network_named(row.text("network"));
  if (!network) row.refuse(fmt::format("'{}' is not a network", quoted_part(row.text("network"))));
  const auto round = row.has("round") ? row.integer("round", 1, most_sweep_rounds) : 1;
  return {*network, row.text("asked"), row_in(row, *network), static_cast<int>(round)};
}

}  // namespace takt
