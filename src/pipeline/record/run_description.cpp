#include "pipeline/record/run_description.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/basics/error.h"
#include "base/basics/nesting.h"
#include "base/basics/optional_json.h"
#include "base/basics/text.h"
#include "pipeline/record/visit_columns.h"

namespace takt {
namespace {

using Json = nlohmann::ordered_json;

// 2: stages that fork or meet, which a reader of 1 would take for a chain. 3: stages that share resources.
constexpr int description_version = 1, version_with_forks = 2, version_with_resources = 3;

int version_of(const PipelineRun& run) {
  if (run.contention && !run.contention->resources.empty()) return version_with_resources;
  return is_chain(run.shape) ? description_version : version_with_forks;
}

Json devices_json(const PipelineRun& run) {
  Json list = Json::array();
  for (std::size_t d = 0; d < run.devices.size(); ++d)
    list.push_back({{"name", run.devices[d].name},
                    {"runtime", run.devices[d].runtime},
                    {"requests", or_null<Json>(run.shape.devices.at(d).requests)}});
  return list;
}

Json stages_json(const PipelineRun& run) {
  Json list = Json::array();
  for (std::size_t s = 0; s < run.stages.size(); ++s) {
    const FlowStage& shape = run.shape.stages.at(s);
    list.push_back({{"name", run.stages[s].name},
                    {"model", run.stages[s].model},
                    {"copies_input", run.stages[s].copies_input},
                    {"input_bytes", or_null<Json>(run.stages[s].input_bytes)},
                    {"ratio", run.stages[s].ratio},
                    {"threads", or_null<Json>(run.stages[s].threads)},
                    {"replicas", shape.replicas},
                    {"queue", shape.queue},
                    {"ordered", shape.ordered}});
    if (!shape.after.empty()) list.back()["after"] = shape.after;
  }
  return list;
}

Json contention_json(const std::optional<ContentionLaw>& law) {
  if (!law) return nullptr;
  Json resources = Json::array();
  for (const SharedResource& resource : law->resources)
    resources.push_back(
        {{"law", name_of(resource.law)}, {"pressure", resource.pressure}, {"sensitivity", resource.sensitivity}});
  return {{"interference", law->interference},
          {"device_curve", law->device_curve},
          {"resources", resources},
          {"combine", name_of(law->combination)}};
}

Json logged_json(const LoggedFacts& facts) {
  Json dropped = Json::array();
  for (const LoggedFacts::Dropped& here : facts.dropped) dropped.push_back({here.stage, here.batches});
  return {{"numbers", facts.numbers}, {"skipped", facts.skipped}, {"dropped", dropped}};
}

std::optional<LoggedFacts> read_logged(const Json& json) {
  if (json.is_null()) return std::nullopt;
  LoggedFacts facts;
  json.at("numbers").get_to(facts.numbers);
  json.at("skipped").get_to(facts.skipped);
  for (const Json& here : json.at("dropped"))
    facts.dropped.push_back({here.at(0).get<int>(), here.at(1).get<std::int64_t>()});
  return facts;
}

template <typename Word>
Word known_word(const std::optional<Word>& word) {
  if (!word) throw Json::other_error::create(501, "an unknown word", nullptr);
  return *word;
}

std::optional<ContentionLaw> read_contention(const Json& json) {
  if (json.is_null()) return std::nullopt;
  ContentionLaw law;
  json.at("interference").get_to(law.interference);
  json.at("device_curve").get_to(law.device_curve);
  for (const Json& resource : json.at("resources"))
    law.resources.push_back({known_word(pressure_law_named(resource.at("law").get<std::string>())),
                             resource.at("pressure").get<std::vector<double>>(),
                             resource.at("sensitivity").get<std::vector<double>>()});
  if (json.contains("combine")) law.combination = known_word(combination_named(json.at("combine").get<std::string>()));
  return law;
}

template <typename Value>
std::optional<Value> optional_of(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<Value>());
}

/// Of a member that older traces do not have.
std::optional<int> count_of(const Json& json, const char* key) {
  const auto count = optional_of<int>(json.value(key, Json()));
  return count && *count < 1 ? std::nullopt : count;
}

void read_shape(const Json& json, PipelineRun& run) {
  for (const Json& device : json.at("devices")) {
    run.devices.push_back({device.at("name").get<std::string>(), device.at("runtime").get<std::string>()});
    run.shape.devices.push_back({optional_of<int>(device.at("requests"))});
  }
  for (const Json& stage : json.at("stages")) {
    run.stages.push_back({stage.at("name").get<std::string>(), stage.at("model").get<std::string>(),
                          stage.at("copies_input").get<bool>(), optional_of<std::int64_t>(stage.at("input_bytes")),
                          stage.at("ratio").get<std::vector<double>>(), count_of(stage, "threads")});
    FlowStage& shape = run.shape.stages.emplace_back();
    stage.at("replicas").get_to(shape.replicas);
    shape.queue = stage.at("queue").get<int>();
    shape.ordered = stage.at("ordered").get<bool>();
    if (stage.contains("after")) stage.at("after").get_to(shape.after);
  }
  const Json& source = json.at("source");
  run.shape.source = {source.at("open").get<bool>(), optional_of<std::int64_t>(source.at("in_flight")),
                      optional_of<std::int64_t>(source.at("batches"))};
}

/// nlohmann turns any number into an integer when asked for one, and a huge one has no value then. Everything is whole
/// but shares, factors and demands.
void require_whole_numbers(const Json& json) {
  static const std::set<std::string> fractions{"ratio", "interference", "device_curve", "resources"};
  if (json.is_number_float()) throw Json::other_error::create(501, "not a whole number", nullptr);
  if (json.is_object()) {
    for (const auto& [key, value] : json.items())
      if (!fractions.contains(key)) require_whole_numbers(value);
  } else if (json.is_array()) {
    for (const Json& value : json) require_whole_numbers(value);
  }
}

RunDescription read_members(const Json& json) {
  require_whole_numbers(json);
  RunDescription description;
  PipelineRun& run = description.run;
  read_shape(json, run);
  run.name = json.at("name").get<std::string>();
  run.warmup = json.at("warmup").get<std::int64_t>();
  run.virtual_clock = json.at("virtual_clock").get<bool>();
  run.interrupted = json.at("interrupted").get<bool>();
  run.failure = optional_of<std::string>(json.at("failure"));
  run.cores = count_of(json, "cores");
  run.contention = read_contention(json.at("contention"));
  run.logged = read_logged(json.value("logged", Json()));  // missing in older traces
  if (const auto base = optional_of<std::int64_t>(json.at("base_time_ns"))) run.base_time = Nanoseconds(*base);
  run.schedule.begin = Nanoseconds(json.at("begin_ns").get<std::int64_t>());
  run.schedule.end = Nanoseconds(json.at("end_ns").get<std::int64_t>());
  description.executions = json.at("executions").get<std::int64_t>();
  description.copies = json.value("copies", std::int64_t{0});  // missing in older traces, and where nothing was copied
  description.first_start = Nanoseconds(json.at("first_start_ns").get<std::int64_t>());
  description.has_counters = json.at("counters").get<bool>();
  description.columns_json = json.at("times_ns").dump();
  return description;
}

[[noreturn]] void refuse(const std::string& origin, const std::string& what) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}", printable(origin), what));
}

}  // namespace

std::string describe_run(const PipelineRun& run) {
  const Schedule& schedule = run.schedule;
  Json provenance = run.provenance_json.empty() ? Json::object() : Json::parse(run.provenance_json, nullptr, false);
  if (!provenance.is_object())
    throw Error(ErrorKind::bad_input, "pipeline run: the provenance is not a JSON object; pass an object or nothing");
  const FlowSource& source = run.shape.source;
  provenance["pipeline"] = {
      {"version", version_of(run)},
      {"name", run.name},
      {"devices", devices_json(run)},
      {"stages", stages_json(run)},
      {"source",
       {{"open", source.open},
        {"in_flight", or_null<Json>(source.in_flight)},
        {"batches", or_null<Json>(source.batches)}}},
      {"warmup", run.warmup},
      {"virtual_clock", run.virtual_clock},
      {"interrupted", run.interrupted},
      {"failure", or_null<Json>(run.failure)},
      {"cores", or_null<Json>(run.cores)},
      {"contention", contention_json(run.contention)},
      {"base_time_ns", run.base_time ? Json(run.base_time->count()) : Json(nullptr)},
      {"begin_ns", schedule.begin.count()},
      {"end_ns", schedule.end.count()},
      {"executions", schedule.executions.size()},
      {"first_start_ns", schedule.executions.empty() ? 0 : schedule.executions.front().start.count()},
      {"counters", !run.counters.empty()},
      {"times_ns", columns_of(schedule, run.shape)}};
  if (!run.copies.empty()) provenance["pipeline"]["copies"] = run.copies.size();
  if (run.logged) provenance["pipeline"]["logged"] = logged_json(*run.logged);
  return provenance.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RunDescription read_description(const std::string& provenance_json, const std::string& origin) {
  Json provenance;
  if (!nests_deeper(provenance_json)) provenance = Json::parse(provenance_json, nullptr, false);
  const auto found = provenance.is_object() ? provenance.find("pipeline") : provenance.end();
  if (!provenance.is_object() || found == provenance.end() || !found->is_object())
    refuse(origin, "not the trace of a pipeline run by takt; make one with 'takt pipeline run'");
  const Json version = found->value("version", Json());
  if (version != description_version && version != version_with_forks && version != version_with_resources)
    refuse(origin, "the run was written by another version of takt; read it with that version");
  try {
    RunDescription description = read_members(*found);
    provenance.erase("pipeline");
    if (!provenance.empty()) description.run.provenance_json = provenance.dump();
    return description;
  } catch (const Json::exception&) {
    refuse(origin, "the description of the pipeline is damaged; record the run again");
  }
}

void restore_visits(PipelineRun& run, const std::string& columns_json, const std::string& origin) {
  ScheduleColumns columns;
  try {
    Json::parse(columns_json).get_to(columns);
  } catch (const Json::exception&) {
    refuse(origin, "the times of the batches are damaged; record the run again");
  }
  if (!restore(run.schedule, run.shape, columns))
    refuse(origin, "times of batches are missing or do not fit the executions; record the run again");
}

}  // namespace takt
