#include "report/timelines/families.h"

#include "base/basics/text.h"

namespace takt {
namespace {

/// The first line of which a word is in the type's name decides, so that "ReduceSum" is no sum of elements and
/// "ConvertLayout" no convolution.
const FamilyWords families[] = {
    {"k6", {"convert",      "cast",           "reorder", "transpose",   "reshape", "concat",  "slice",
            "split",        "gather",         "scatter", "permute",     "copy",    "squeeze", "flatten",
            "identity",     "expand",         "tile",    "shape",       "pad",     "shuffle", "depthtospace",
            "spacetodepth", "quantizelinear", "resize",  "interpolate", "upsample"}},
    {"k2", {"matmul", "gemm", "fullyconnected", "innerproduct", "attention", "lstm", "gru", "rnn", "einsum"}},
    {"k1", {"conv", "deconv"}},
    {"k3", {"norm", "softmax", "lrn", "mvn"}},
    {"k5", {"pool", "reduce", "argmax", "argmin", "topk", "cumsum", "nonmax"}},
    {"k4", {"add", "sub",  "mul",  "div",   "relu",  "sigmoid", "tanh", "gelu",    "erf",     "exp",
            "log", "sqrt", "pow",  "clip",  "swish", "silu",    "mish", "elu",     "eltwise", "subgraph",
            "neg", "abs",  "min",  "max",   "where", "equal",   "less", "greater", "not",     "and",
            "or",  "sum",  "mean", "floor", "ceil",  "round",   "sin",  "cos",     "act"}},
};

}  // namespace

std::string family_by_words(std::span<const FamilyWords> lines, std::string_view name) {
  for (const FamilyWords& line : lines)
    for (const std::string_view word : line.words)
      if (name.find(word) != name.npos) return std::string(line.family);
  return "k0";
}

std::string family_of_type(std::string_view type) {
  if (type.starts_with('[')) return "other";
  return family_by_words(families, lower_case(type));
}

}  // namespace takt
