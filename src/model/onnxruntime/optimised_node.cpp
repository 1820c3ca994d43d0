#include "model/onnxruntime/optimised_node.h"

#include <algorithm>
#include <array>

namespace takt::ort {
namespace {

constexpr std::array<std::string_view, 12> before{
    "Fused", "QLinear", "Q",    "Skip",      "SkipSimplified",  "Bias",
    "Quick", "Fast",    "Nhwc", "Transpose", "DynamicQuantize", "Simplified"};
constexpr std::array<std::string_view, 4> behind{"Integer", "IntegerToFloat", "NBits", "Fp8"};

constexpr std::array<std::string_view, 9> renaming{"ReorderInput", "ReorderOutput", "Reshape", "Transpose", "Squeeze",
                                                   "Unsqueeze",    "Identity",      "Cast",    "Flatten"};

}  // namespace

bool computes(std::string_view kernel, std::string_view type) {
  if (kernel == type) return true;
  if (kernel.size() <= type.size()) return false;
  const std::string_view first = kernel.substr(0, kernel.size() - type.size()), last = kernel.substr(type.size());
  return (kernel.ends_with(type) && std::find(before.begin(), before.end(), first) != before.end()) ||
         (kernel.starts_with(type) && std::find(behind.begin(), behind.end(), last) != behind.end());
}

bool only_renames(const OptimisedNode& node) {
  return std::find(renaming.begin(), renaming.end(), node.executed.type) != renaming.end();
}

}  // namespace takt::ort
