// Shapes as JSON, between a process and its copy (asked.h): a dimension is a number, a name, or null.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/files/json_object.h"
#include "model/graph/graph.h"

namespace takt {

nlohmann::json to_json(const PartialShape& shape);
/// Throws Error(bad_input) that begins with `place`.
PartialShape shape_from(const nlohmann::json& json, const std::string& place);

/// Returns the shapes of all tensors of the graph and of the bodies in it, and how often each operator executed.
nlohmann::json shapes_of(const Graph& graph);
/// `graph` with what shapes_of() told of one that is the same but for that; constants keep what they have. Throws
/// Error(bad_input) that begins with `place` where it is of another graph.
Graph with_shapes_of(const Graph& graph, const nlohmann::json& json, const std::string& place);

}  // namespace takt
