// Attributes of a node, as takt keeps them.
#pragma once

#include <optional>

#include "model/graph/graph.h"
#include "model/onnx/file.h"

namespace onnx {
class AttributeProto;
class FunctionProto;
class NodeProto;
}  // namespace onnx

namespace takt {

/// Numbers, strings and lists of them; nullopt for tensors, graphs and types.
std::optional<Attribute> read_attribute(const onnx::AttributeProto& proto);

/// Gives `proto` the value, and with it its type; its name stays.
void write_attribute(onnx::AttributeProto& proto, const Attribute& value);

/// The tensor that a Constant node makes, or that a ConstantOfShape node would (its type); nullopt if it has no value.
std::optional<Tensor> read_constant_node(const onnx::NodeProto& node, const std::string& output,
                                         const ModelPlace& place);

/// Checks the constants in a node's attributes, those of its subgraphs apart.
void check_attribute_constants(const onnx::NodeProto& node, const ModelPlace& place);

/// Checks the constants in the body of a function, its subgraphs included: a runtime would load their external data.
void check_function_constants(const onnx::FunctionProto& function, const ModelPlace& place);

}  // namespace takt
