// OpenVINO's operator types and attributes in ONNX's words, so that takt's cost rules apply to them.
#pragma once

#include <map>
#include <openvino/core/node.hpp>
#include <string>
#include <string_view>

#include "model/graph/graph.h"

namespace takt::openvino {

/// The ONNX operator type of the same meaning; empty if there is none.
std::string_view onnx_type(std::string_view openvino_type);

/// Numbers, texts and lists of integers, under OpenVINO's names. May throw ov::Exception.
std::map<std::string, Attribute> attributes_of(ov::Node& node);

/// Gives `op`, translated from the OpenVINO type `from`, the attributes, the order of inputs and the shape of weights
/// that ONNX's operator has. An operator for which that is not possible loses its mapping (see unmap).
void adapt(Graph& graph, Op& op, std::string_view from);

/// Keeps OpenVINO's type, in a domain of its own: no cost rule can mistake it for ONNX's operator of that name.
void unmap(Op& op, std::string_view openvino_type);

}  // namespace takt::openvino
