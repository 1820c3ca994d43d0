// takt's Graph of a model that OpenVINO has read.
#pragma once

#include <openvino/core/model.hpp>

#include "model/graph/graph.h"

namespace takt::openvino {

/// Operators carry OpenVINO's friendly names, and the ONNX type of the same meaning; others keep OpenVINO's type, in
/// the domain "openvino", and their FLOPs are not known. Three things read as they did before conversion: what is
/// computed from constants alone is a constant; a bias that is added to a convolution or matrix product is its input;
/// weights in groups have ONNX's shape. Shapes are those of `model` as it is. May throw ov::Exception.
Graph graph_of(const ov::Model& model);

}  // namespace takt::openvino
