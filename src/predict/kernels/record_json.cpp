#include "predict/kernels/record_json.h"

#include <fmt/format.h>

#include <limits>

#include "base/basics/error.h"
#include "base/basics/optional_json.h"
#include "base/basics/text.h"
#include "base/files/json_object.h"
#include "predict/kernels/tensor_numbers.h"

namespace takt {
namespace {

using Json = nlohmann::json;
using Ordered = nlohmann::ordered_json;

constexpr std::int64_t most_integer = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least_integer = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most_elements = std::int64_t{1} << 40;
constexpr std::size_t most_tensors = 100'000;
constexpr std::int64_t most_rank = 64;

/// Of one attribute: its kind as the only key, so that 1 and 1.0 and an empty list stay what they are.
Json attribute_json(const Attribute& attribute) {
  return std::visit(
      [](const auto& value) -> Json {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::int64_t>) return {{"int", value}};
        if constexpr (std::is_same_v<Value, float>) return {{"float", real_json(value)}};
        if constexpr (std::is_same_v<Value, std::string>) return {{"text", value}};
        if constexpr (std::is_same_v<Value, std::vector<std::int64_t>>) return {{"ints", value}};
        if constexpr (std::is_same_v<Value, std::vector<std::string>>) return {{"texts", value}};
        if constexpr (std::is_same_v<Value, std::vector<float>>) {
          Json list = Json::array();
          for (const float number : value) list.push_back(real_json(number));
          return {{"floats", std::move(list)}};
        }
      },
      attribute);
}

float float_in(const Json& json, const std::string& where) { return static_cast<float>(real_in(json, where)); }

Attribute attribute_in(const Json& json, const std::string& where) {
  if (!json.is_object() || json.size() != 1)
    refuse_input(fmt::format("{} is {}; write one of int, float, text, ints, floats, texts with its value", where,
                             JsonObject::shown(json)));
  const std::string kind = json.begin().key();
  const Json& value = json.begin().value();
  const auto items = [&]() -> const Json& { return JsonObject::list_in(value, where); };
  if (kind == "int") return JsonObject::integer_in(value, where, least_integer, most_integer);
  if (kind == "float") return float_in(value, where);
  if (kind == "text") return JsonObject::text_in(value, where);
  if (kind == "ints") {
    std::vector<std::int64_t> list;
    for (const Json& item : items()) list.push_back(JsonObject::integer_in(item, where, least_integer, most_integer));
    return list;
  }
  if (kind == "floats") {
    std::vector<float> list;
    for (const Json& item : items()) list.push_back(float_in(item, where));
    return list;
  }
  if (kind == "texts") {
    std::vector<std::string> list;
    for (const Json& item : items()) list.push_back(JsonObject::text_in(item, where));
    return list;
  }
  refuse_input(fmt::format("{}: '{}' is not a kind of attribute; use int, float, text, ints, floats or texts", where,
                           printable(kind)));
}

Ordered tensor_json(const KernelTensor& tensor, bool with_range) {
  if (tensor.kind == KernelInput::left_out) return nullptr;
  Ordered json{{"kind", tensor.kind == KernelInput::weight ? "weight" : "activation"},
               {"type", type_name(tensor.type)},
               {"shape", tensor.shape}};
  if (tensor.same_as) json["same_as"] = *tensor.same_as;
  if (tensor.values) json["values"] = numbers_json(tensor.type, *tensor.values);
  if (with_range && tensor.low) json["low"] = *tensor.low;
  if (with_range && tensor.high) json["high"] = *tensor.high;
  return json;
}

Shape shape_in(const Json& json, const std::string& where) {
  Shape shape;
  for (const Json& size : JsonObject::list_in(json, where))
    shape.push_back(JsonObject::integer_in(size, where, 0, most_elements));
  const auto count = element_count(shape);
  if (!count || *count > most_elements || static_cast<std::int64_t>(shape.size()) > most_rank)
    refuse_input(fmt::format("{} is {}, which is more than 2^40 elements or {} dimensions", where,
                             JsonObject::shown(json), most_rank));
  return shape;
}

KernelTensor tensor_in(const Json& json, const std::string& where) {
  KernelTensor tensor;
  if (json.is_null()) {
    tensor.kind = KernelInput::left_out;
    return tensor;
  }
  const JsonObject object(json, where, {"kind", "type", "shape"}, {"same_as", "values", "low", "high"});
  const std::string kind = object.text("kind"), type = object.text("type");
  if (kind != "weight" && kind != "activation")
    object.refuse(fmt::format("'kind' is '{}'; use weight or activation", printable(kind)));
  tensor.kind = kind == "weight" ? KernelInput::weight : KernelInput::activation;
  tensor.type = type_named(type);
  if (tensor.type == ElementType::undefined)
    object.refuse(fmt::format("'{}' is not a number type; use names such as float32 and int64", printable(type)));
  tensor.shape = shape_in(object["shape"], object.place_of("shape"));
  if (object.has("same_as")) tensor.same_as = static_cast<int>(object.integer("same_as", 0, 1'000'000));
  if (object.has("values")) {
    if (!has_json_numbers(tensor.type))
      object.refuse(fmt::format("has 'values' of {}, which are not kept in records", type));
    tensor.values = numbers_in(object["values"], tensor.type, static_cast<std::size_t>(*element_count(tensor.shape)),
                               object.place_of("values"));
  }
  if (object.has("low")) tensor.low = object.integer("low", least_integer, most_integer);
  if (object.has("high")) tensor.high = object.integer("high", least_integer, most_integer);
  if (tensor.low.has_value() != tensor.high.has_value() || (tensor.low && *tensor.low > *tensor.high))
    object.refuse("'low' and 'high' are not a range; give both, the smaller one first");
  return tensor;
}

std::vector<KernelTensor> tensors_in(const JsonObject& record, const char* key) {
  std::vector<KernelTensor> tensors;
  const Json& list = record.list(key);
  if (list.size() > most_tensors) record.refuse(fmt::format("'{}' has more than {} tensors", key, most_tensors));
  for (const Json& json : list) {
    const std::string where = fmt::format("{} {}", record.place_of(key), tensors.size());
    KernelTensor tensor = tensor_in(json, where);
    if (tensor.same_as) {
      const auto other = static_cast<std::size_t>(*tensor.same_as);
      if (other >= tensors.size() || tensors[other].type != tensor.type || tensors[other].shape != tensor.shape)
        refuse_input(fmt::format("{}: 'same_as' is {}, which is not an earlier tensor of its type and shape", where,
                                 *tensor.same_as));
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

template <typename Number>
std::optional<Number> cost_in(const JsonObject& record, const char* key) {
  const Json& value = record[key];
  if (value.is_null()) return std::nullopt;
  if constexpr (std::is_same_v<Number, std::int64_t>) {
    return record.integer(key, 0, most_integer);
  } else {
    if (!value.is_number() || value.get<double>() < 0)
      record.refuse(fmt::format("'{}' is {}; give a number from 0, or null", key, JsonObject::shown(value)));
    return value.get<double>();
  }
}

Ordered tensors_json(const std::vector<KernelTensor>& tensors, bool with_range) {
  Ordered list = Ordered::array();
  for (const KernelTensor& tensor : tensors) list.push_back(tensor_json(tensor, with_range));
  return list;
}

Ordered attributes_json(const KernelRecord& record) {
  Ordered json = Ordered::object();
  for (const auto& [name, attribute] : record.attributes) json[name] = attribute_json(attribute);
  return json;
}

}  // namespace

Ordered record_json(const KernelRecord& record) {
  const Cost& cost = record.cost;
  Ordered json{{"name", record.name},
               {"layout", record.layout},
               {"type", record.type},
               {"domain", record.domain},
               {"attributes", attributes_json(record)},
               {"inputs", tensors_json(record.inputs, true)},
               {"outputs", tensors_json(record.outputs, true)}};
  json["flops"] = or_null<Ordered>(cost.flops);
  json["sfu_ops"] = or_null<Ordered>(cost.sfu_ops);
  json["bytes"] = or_null<Ordered>(cost.bytes);
  json["weight_bytes"] = or_null<Ordered>(cost.weight_bytes);
  json["input_bytes"] = or_null<Ordered>(cost.input_bytes);
  json["output_bytes"] = or_null<Ordered>(cost.output_bytes);
  json["opsets"] = record.opsets;
  json["ir_version"] = record.ir_version;
  json["obstacle"] = record.obstacle.empty() ? Ordered(nullptr) : Ordered(record.obstacle);
  return json;
}

std::string key_json(const KernelRecord& record) {
  const Ordered json{{"name", record.name},
                     {"layout", record.layout},
                     {"type", record.type},
                     {"domain", record.domain},
                     {"attributes", attributes_json(record)},
                     {"inputs", tensors_json(record.inputs, false)},
                     {"outputs", tensors_json(record.outputs, false)}};
  return json.dump(-1, ' ', false, Ordered::error_handler_t::replace);
}

KernelRecord record_in(const Json& json, const std::string& where) {
  const JsonObject object(json, where,
                          {"name", "layout", "type", "domain", "attributes", "inputs", "outputs", "flops", "sfu_ops",
                           "bytes", "weight_bytes", "input_bytes", "output_bytes", "opsets", "ir_version", "obstacle"});
  KernelRecord record;
  record.name = object.text("name"), record.layout = object.text("layout");
  record.type = object.text("type"), record.domain = object.text("domain");
  if (record.name.empty() || record.type.empty()) object.refuse("'name' or 'type' is empty");
  for (const auto& [name, value] : object.object("attributes").items())
    record.attributes.emplace(name, attribute_in(value, fmt::format("{}: attribute '{}'", where, printable(name))));
  record.inputs = tensors_in(object, "inputs"), record.outputs = tensors_in(object, "outputs");
  record.cost.flops = cost_in<double>(object, "flops"), record.cost.sfu_ops = cost_in<double>(object, "sfu_ops");
  record.cost.bytes = cost_in<std::int64_t>(object, "bytes");
  record.cost.weight_bytes = cost_in<std::int64_t>(object, "weight_bytes");
  record.cost.input_bytes = cost_in<std::int64_t>(object, "input_bytes");
  record.cost.output_bytes = cost_in<std::int64_t>(object, "output_bytes");
  for (const auto& [domain, version] : object.object("opsets").items())
    record.opsets[domain] = JsonObject::integer_in(version, object.place_of("opsets"), 1, 1'000'000);
  record.ir_version = object.integer("ir_version", 1, 1000);
  if (!object["obstacle"].is_null()) record.obstacle = object.text("obstacle");
  return record;
}

}  // namespace takt
