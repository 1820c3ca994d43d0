#include "model/registry/shapes_json.h"

#include <fmt/format.h>

#include <cstdint>
#include <memory>

#include "base/basics/error.h"

namespace takt {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t most_elements = std::int64_t{1} << 40, most_executions = std::int64_t{1} << 53;
constexpr std::size_t most_dimensions = 1000;

const Json& list_of(const Json& json, std::size_t size, const std::string& place) {
  if (JsonObject::list_in(json, place).size() != size)
    refuse_input(fmt::format("{}: has {} entries instead of {}", place, json.size(), size));
  return json;
}

}  // namespace

Json to_json(const PartialShape& shape) {
  Json json = Json::array();
  for (const Dim& dim : shape) {
    if (dim.value)
      json.push_back(*dim.value);
    else if (!dim.symbol.empty())
      json.push_back(dim.symbol);
    else
      json.push_back(nullptr);
  }
  return json;
}

PartialShape shape_from(const Json& json, const std::string& place) {
  PartialShape shape;
  if (JsonObject::list_in(json, place).size() > most_dimensions) refuse_input(place + ": has too many dimensions");
  for (const Json& dim : json) {
    Dim& read = shape.emplace_back();
    if (dim.is_string())
      read.symbol = dim.get<std::string>();
    else if (!dim.is_null())
      read.value = JsonObject::integer_in(dim, place, 0, most_elements);
  }
  return shape;
}

Json shapes_of(const Graph& graph) {
  Json tensors = Json::array(), ops = Json::array();
  for (const Tensor& tensor : graph.tensors) tensors.push_back(tensor.shape ? to_json(*tensor.shape) : Json());
  for (const Op& op : graph.ops) {
    Json bodies = Json::array();
    for (const auto& [name, body] : op.subgraphs) bodies.push_back(shapes_of(*body));
    ops.push_back({op.executions ? Json(*op.executions) : Json(), std::move(bodies)});
  }
  return {{"tensors", std::move(tensors)}, {"operators", std::move(ops)}};
}

Graph with_shapes_of(const Graph& graph, const Json& json, const std::string& place) {
  Graph result = graph;
  const JsonObject told(json, place, {"tensors", "operators"});
  const Json& tensors = list_of(told["tensors"], graph.tensors.size(), place);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    Tensor& tensor = result.tensors[i];
    if (tensor.is_constant) continue;
    tensor.shape = tensors[i].is_null() ? std::nullopt : std::optional(shape_from(tensors[i], place));
    tensor.bytes = byte_count(tensor.type, tensor.shape);
  }
  const Json& ops = list_of(told["operators"], graph.ops.size(), place);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    Op& op = result.ops[i];
    const Json& executions = list_of(ops[i], 2, place)[0];
    const Json& bodies = list_of(ops[i][1], op.subgraphs.size(), place);
    op.executions.reset();
    if (!executions.is_null()) op.executions = JsonObject::integer_in(executions, place, 0, most_executions);
    std::size_t number = 0;
    for (auto& [name, body] : op.subgraphs)
      body = std::make_shared<Graph>(with_shapes_of(*body, bodies[number++], place));
  }
  return result;
}

}  // namespace takt
