// Tasks of takt's own processes as JSON, by one list of their fields: what is written is what is read.
//
//   constexpr auto stress_fields = [](auto& task, const auto& field) {
//     field("threads", task.threads);
//     field.named("kind", task.kind, name_of, kind_named);
//     field.list("stages", task.stages, stage_fields);
//   };
//   std::string to_json(const StressTask& task) { return written_fields(task, stress_fields); }
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/basics/error.h"

namespace takt {

template <typename Value>
concept TimeSpan = requires(Value value) {
  typename Value::period;
  value.count();
};

class FieldWriter {
 public:
  explicit FieldWriter(nlohmann::json& json) : json_(json) {}

  template <typename Value>
  void operator()(const char* key, const Value& value) const {
    if constexpr (TimeSpan<Value>)
      json_[key] = value.count();
    else if constexpr (std::is_same_v<Value, std::filesystem::path>)
      json_[key] = value.string();
    else
      json_[key] = value;
  }
  template <typename Value, typename Name, typename Named>
  void named(const char* key, const Value& value, const Name& name_of, const Named&) const {
    json_[key] = name_of(value);
  }
  template <typename Value, typename Fields>
  void list(const char* key, const std::vector<Value>& values, const Fields& fields) const {
    json_[key] = nlohmann::json::array();
    for (const Value& value : values) fields(value, FieldWriter(json_[key].emplace_back()));
  }

 private:
  nlohmann::json& json_;
};

class FieldReader {
 public:
  explicit FieldReader(const nlohmann::json& json) : json_(json) {}

  template <typename Value>
  void operator()(const char* key, Value& value) const {
    if constexpr (TimeSpan<Value>)
      value = Value(json_.at(key).get<typename Value::rep>());
    else if constexpr (std::is_same_v<Value, std::filesystem::path>)
      value = json_.at(key).get<std::string>();
    else
      json_.at(key).get_to(value);
  }
  template <typename Value, typename Name, typename Named>
  void named(const char* key, Value& value, const Name&, const Named& value_named) const {
    value = value_named(json_.at(key).get<std::string>());
  }
  template <typename Value, typename Fields>
  void list(const char* key, std::vector<Value>& values, const Fields& fields) const {
    for (const auto& json : json_.at(key)) fields(values.emplace_back(), FieldReader(json));
  }

 private:
  const nlohmann::json& json_;
};

template <typename Task, typename Fields>
std::string written_fields(const Task& task, const Fields& fields) {
  nlohmann::json json;
  fields(task, FieldWriter(json));
  return json.dump();
}

/// Throws Error(bad_input), which begins with `complaint`, for text without one of the fields.
template <typename Task, typename Fields>
Task read_fields(std::string_view text, const Fields& fields, const std::string& complaint) try {
  const auto json = nlohmann::json::parse(text);
  Task task;
  fields(task, FieldReader(json));
  return task;
} catch (const nlohmann::json::exception& error) {
  refuse_input(complaint + ": " + error.what());
}

}  // namespace takt
