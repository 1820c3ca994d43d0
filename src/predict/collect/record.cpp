#include "predict/collect/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "base/basics/quoted.h"
#include "base/basics/text.h"
#include "base/files/field_list.h"
#include "base/files/json_object.h"
#include "base/files/strict_json.h"

namespace takt {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 3> status_names{"measured", "disturbed", "failed"};

Json json_of(const std::optional<double>& value) { return value ? Json(*value) : Json(); }
constexpr double longest_us = 1e15, most_bytes = 1e18, most_of_anything = 1e18;

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

TimedKernel kernel_in(const Json& json, const std::string& place) {
  if (!json.is_array() || json.size() != 9)
    refuse_input(fmt::format("{} is {}; a kernel is a list of nine entries", place, JsonObject::shown(json)));
  const auto text = [&](std::size_t i) { return JsonObject::text_in(json[i], place); };
  TimedKernel one;
  one.kernel = text(0), one.us = JsonObject::number_in(json[1], place, 0, longest_us);
  one.facts.id = text(2), one.facts.op_type = text(3), one.facts.layout = text(4);
  one.facts.number_type = text(5), one.facts.input_shape = text(6);
  one.facts.group = kernel_group_named(text(7), place);
  const Json& features = JsonObject::list_in(json[8], place);
  if (features.size() != feature_count)
    refuse_input(fmt::format(
        "{}: its features differ from those of this version of takt; collect again into another file", place));
  for (const Json& value : features)
    one.facts.features.push_back(value.is_null()
                                     ? std::numeric_limits<double>::quiet_NaN()
                                     : JsonObject::number_in(value, place, -most_of_anything, most_of_anything));
  if (!(one.us > 0)) refuse_input(fmt::format("{}: has a kernel without a time", place));
  return one;
}

Json json_of(const AskedLoad& load) {
  if (load.is_quiet()) return {};
  return {{"kind", load.kind}, {"level", load.level}, {"threads", load.threads}};
}

AskedLoad asked_in(const JsonObject& record) {
  if (record.is_null("stress")) return {};
  const JsonObject json(record["stress"], record.place_of("stress"), {"kind", "level", "threads"});
  AskedLoad load{json.text("kind"), json.number("level", 0, 1), static_cast<int>(json.integer("threads", 1, 4096))};
  if (!is_stress_kind(load.kind) || load.level == 0) json.refuse("has an invalid load");
  return load;
}

SeenLoad seen_from(const JsonObject& record) {
  std::vector<std::string_view> known{wait_trend_feature};
  known.insert(known.end(), seen_load_features().begin(), seen_load_features().end());
  SeenLoad seen;
  for (const auto& [key, value] : record.object("seen").items()) {
    const auto name = std::find(known.begin(), known.end(), key);
    if (name == known.end()) record.refuse(fmt::format("'{}' is not a load metric", quoted_part(key)));
    seen.emplace(*name, JsonObject::number_in(value, record.place_of(key), 0, most_of_anything));
  }
  return seen;
}

std::optional<CanaryTimes> canary_in(const JsonObject& record) {
  if (record.is_null("canary_us")) return std::nullopt;
  const Json& list = record.list("canary_us");
  if (list.size() != 2) record.refuse("'canary_us' is not a list of two times");
  const std::string place = record.place_of("canary_us");
  const CanaryTimes times{JsonObject::number_in(list[0], place, 0, longest_us),
                          JsonObject::number_in(list[1], place, 0, longest_us)};
  if (!(times.compute_us > 0 && times.memory_us > 0)) record.refuse("has a canary without a time");
  return times;
}

CollectStatus status_of(const JsonObject& record) {
  const std::string name = record.text("status");
  for (std::size_t i = 0; i < status_names.size(); ++i)
    if (status_names[i] == name) return static_cast<CollectStatus>(i);
  record.refuse(fmt::format("'{}' is not a status", quoted_part(name)));
}

constexpr auto collect_fields = [](auto& task, const auto& field) {
  field("model", task.model);
  field("runtime", task.runtime);
  field("device", task.device);
  field("threads", task.threads);
  field("time_us", task.time);
  field("with_kernels", task.with_kernels);
  field("seed", task.seed);
  field("round", task.round);
  field("parent", task.parent);
  field("waits", task.waits);
};

}  // namespace

std::string to_json(const CollectTask& task) { return written_fields(task, collect_fields); }

CollectTask parse_collect_task(std::string_view json) {
  return read_fields<CollectTask>(json, collect_fields,
                                  "collect's worker process received something other than a task");
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
  const Json line = parse_strictly(json, where);
  if (!line.is_object() || !line.contains("canary_us"))
    refuse_input(fmt::format("{}: is not a record of a collection", where));
  const JsonObject read(line, std::string(where),
                        {"model", "round", "status", "reason", "architecture", "family", "runtime_version",
                         "latency_us", "canary_us", "others_busy", "run_delay", "steal", "stress", "seen", "kernels"},
                        {"takt_version", "measured_at", "io_bytes"});
  CollectRecord record;
  record.model = read.text("model"), record.round = static_cast<int>(read.integer("round", 0, 1'000'000));
  record.status = status_of(read);
  record.reason = read.text("reason"), record.architecture = read.text("architecture");
  record.family = read.text("family"), record.runtime_version = read.text("runtime_version");
  if (read.has("takt_version")) record.takt_version = read.text("takt_version");
  if (read.has("measured_at")) record.measured_at = read.text("measured_at");
  record.latency_us = read.number("latency_us", 0, longest_us), record.canary = canary_in(read);
  if (read.has("io_bytes")) record.io_bytes = read.number_or_null("io_bytes", 0, most_bytes);
  record.load.others_busy = read.number_or_null("others_busy", 0, most_of_anything);
  record.load.run_delay = read.number_or_null("run_delay", 0, most_of_anything);
  record.load.steal = read.number_or_null("steal", 0, most_of_anything);
  record.load.asked = asked_in(read), record.load.seen = seen_from(read);
  for (const Json& kernel : read.list("kernels"))
    record.kernels.push_back(kernel_in(kernel, fmt::format("{}: kernel {}", where, record.kernels.size())));
  if (record.status != CollectStatus::failed && record.latency_us == 0) read.refuse("has no time");
  return record;
}

}  // namespace takt
