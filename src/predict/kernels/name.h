// Canonical names of kernels: what a kernel computes, in the words of ONNX, one name for one fusion.
//
// Problem: the same work has many names. A convolution with its residual sum and its activation is FusedConv with four
// inputs in one graph, nchwc.Conv with an attribute in another, a row of three operators in OpenVINO's; a predictor
// that takes those for three kinds of kernel learns each from a third of the rows, and a table of kernels cannot be
// read across models.
//
// Idea: a name is a list of operators in the order in which they act, `Conv_Add_Relu`: the base, then what was fused
// behind it (a sum of a further tensor, an activation), and before it where the kernel adds first
// (`Add_LayerNormalization`). Everything else that tells kernels apart is no part of the name but an attribute of the
// record: layout (nchwc, nhwc), domain, shape, stride, groups, type of the numbers. A bias of a convolution or of a
// Gemm belongs to the base: it comes for free, and batch normalisation ends there.
//
// Why a table and not a parser of names ("Fused" + X, "Nhwc" + X): the runtimes' names follow no grammar (QuickGelu is
// x·sigmoid(αx), SkipLayerNormalization a sum), and a rule that guesses is wrong without a word. What is not in the
// table is called as the runtime calls it, which is right for the operators of ONNX.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/graph/graph.h"

namespace takt {

struct CanonicalName {
  std::string name;    ///< "Conv_Add_Relu"
  std::string layout;  ///< "nchwc", "nhwc"; empty: as the model has it
};

/// Returns the canonical name of a node in a runtime's optimized graph.
CanonicalName canonical_name(const Op& op);

/// An operator of a model that a runtime runs within one kernel.
struct FusedStep {
  std::string_view type;
  bool has_constant = false;  ///< one of its inputs is a constant
};

/// Returns the canonical name of a kernel from the model's operators, in the order in which they apply: {Conv,
/// BatchNormalization, Add, Relu} is `Conv_Add_Relu`. Empty without an operator.
std::string group_name(const std::vector<FusedStep>& steps);

}  // namespace takt
