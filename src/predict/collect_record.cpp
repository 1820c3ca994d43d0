#include "predict/collect_record.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/text.h"

namespace takt {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 3> status_names{"measured", "disturbed", "failed"};

Json json_of(const std::optional<double>& value) { return value ? Json(*value) : Json(); }
std::optional<double> optional_in(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

Json features_json(const std::vector<double>& features) {
  Json list = Json::array();
  for (const double value : features) list.push_back(std::isnan(value) ? Json() : Json(value));
  return list;
}

/// A list of seven: shorter than an object by half of a journal.
Json json_of(const TimedKernel& one) {
  const KernelFacts& f = one.facts;
  return {one.kernel,    one.us,           f.id,
          f.op_type,     f.layout,         f.number_type,
          f.input_shape, name_of(f.group), features_json(f.features)};
}

TimedKernel kernel_in(const Json& json) {
  TimedKernel one;
  one.kernel = json.at(0), one.us = json.at(1);
  one.facts.id = json.at(2), one.facts.op_type = json.at(3), one.facts.layout = json.at(4);
  one.facts.number_type = json.at(5), one.facts.input_shape = json.at(6);
  one.facts.group = kernel_group_named(json.at(7).get<std::string>(), "kernel");
  for (const Json& value : json.at(8))
    one.facts.features.push_back(optional_in(value).value_or(std::numeric_limits<double>::quiet_NaN()));
  if (one.facts.features.size() != feature_count)
    refuse_input("has other features than this version of takt makes; collect anew into another file");
  if (!(one.us > 0)) refuse_input("has a kernel without time");
  return one;
}

Json json_of(const AskedLoad& load) {
  if (load.is_quiet()) return {};
  return {{"kind", load.kind}, {"level", load.level}, {"threads", load.threads}};
}

AskedLoad asked_in(const Json& json) {
  if (json.is_null()) return {};
  AskedLoad load{json.at("kind"), json.at("level"), json.at("threads")};
  if (!is_stress_kind(load.kind) || !(load.level > 0 && load.level <= 1) || load.threads < 1)
    refuse_input("has a load that is none");
  return load;
}

SeenLoad seen_from(const Json& json) {
  SeenLoad seen;
  for (const std::string_view name : seen_load_features())
    if (json.contains(name)) seen.emplace(name, json.at(std::string(name)).get<double>());
  return seen;
}

std::optional<CanaryTimes> canary_in(const Json& json) {
  if (json.is_null()) return std::nullopt;
  const CanaryTimes times{json.at(0), json.at(1)};
  if (!(times.compute_us > 0 && times.memory_us > 0)) refuse_input("has a canary without time");
  return times;
}

CollectStatus collect_status_named(const std::string& name) {
  for (std::size_t i = 0; i < status_names.size(); ++i)
    if (status_names[i] == name) return static_cast<CollectStatus>(i);
  refuse_input(fmt::format("'{}' is no status", printable(name)));
}

}  // namespace

std::string to_json(const CollectTask& task) {
  return Json{{"model", task.model.string()},
              {"runtime", task.runtime},
              {"device", task.device},
              {"threads", task.threads},
              {"time_us", task.time.count()},
              {"with_kernels", task.with_kernels},
              {"seed", task.seed},
              {"round", task.round},
              {"parent", task.parent},
              {"waits", task.waits}}
      .dump();
}

CollectTask parse_collect_task(std::string_view json) {
  try {
    const Json read = Json::parse(json);
    CollectTask task;
    task.model = read.at("model").get<std::string>();
    task.runtime = read.at("runtime"), task.device = read.at("device"), task.threads = read.at("threads");
    task.time = Duration(read.at("time_us").get<double>());
    task.with_kernels = read.at("with_kernels"), task.seed = read.at("seed");
    task.round = read.at("round"), task.parent = read.at("parent");
    task.waits = read.at("waits");
    return task;
  } catch (const Json::exception& error) {
    refuse_input(fmt::format("collect's own process was asked for something else than a task: {}", error.what()));
  }
}

std::string to_json(const CollectRecord& record) {
  Json kernels = Json::array();
  for (const TimedKernel& kernel : record.kernels) kernels.push_back(json_of(kernel));
  return Json{{"model", record.model},
              {"round", record.round},
              {"status", status_names[static_cast<std::size_t>(record.status)]},
              {"reason", record.reason},
              {"architecture", record.architecture},
              {"family", record.family},
              {"runtime_version", record.runtime_version},
              {"takt_version", record.takt_version},
              {"measured_at", record.measured_at},
              {"latency_us", record.latency_us},
              {"io_bytes", json_of(record.io_bytes)},
              {"canary_us", record.canary ? Json{record.canary->compute_us, record.canary->memory_us} : Json()},
              {"others_busy", json_of(record.load.others_busy)},
              {"run_delay", json_of(record.load.run_delay)},
              {"steal", json_of(record.load.steal)},
              {"stress", json_of(record.load.asked)},
              {"seen", record.load.seen},
              {"kernels", kernels}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

CollectRecord parse_collect_record(std::string_view json, std::string_view where) {
  try {
    const Json read = Json::parse(json);
    CollectRecord record;
    record.model = read.at("model"), record.round = read.at("round");
    record.status = collect_status_named(read.at("status"));
    record.reason = read.at("reason"), record.architecture = read.at("architecture");
    record.family = read.at("family"), record.runtime_version = read.at("runtime_version");
    record.takt_version = read.value("takt_version", ""), record.measured_at = read.value("measured_at", "");
    record.latency_us = read.at("latency_us"), record.canary = canary_in(read.at("canary_us"));
    record.io_bytes = optional_in(read.value("io_bytes", Json()));
    record.load.others_busy = optional_in(read.at("others_busy"));
    record.load.run_delay = optional_in(read.at("run_delay"));
    record.load.steal = optional_in(read.at("steal"));
    record.load.asked = asked_in(read.at("stress")), record.load.seen = seen_from(read.at("seen"));
    for (const Json& kernel : read.at("kernels")) record.kernels.push_back(kernel_in(kernel));
    if (record.status != CollectStatus::failed && !(record.latency_us > 0)) refuse_input("has no time");
    return record;
  } catch (const Json::exception& error) {
    refuse_input(fmt::format("{}: is no record of a collection ({})", where, error.what()));
  } catch (const Error& error) {
    refuse_input(fmt::format("{}: {}", where, error.what()));
  }
}

}  // namespace takt
