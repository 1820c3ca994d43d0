#include "model/runtime/precision.h"

#include <array>
#include <string>
#include <utility>

#include "base/basics/text.h"

namespace takt {
namespace {

constexpr std::array<std::pair<ElementType, std::string_view>, 3> precisions{
    {{ElementType::f32, "f32"}, {ElementType::f16, "f16"}, {ElementType::bf16, "bf16"}}};

}  // namespace

std::string precision_name(ElementType type) {
  for (const auto& [one, name] : precisions)
    if (one == type) return std::string(name);
  return std::string(type_name(type));
}

std::optional<ElementType> precision_named(std::string_view name) {
  const std::string word = lower_case(name);
  for (const auto& [type, known] : precisions)
    if (known == word || type_name(type) == word ||
        (known.starts_with('f') && word == "fp" + std::string(known.substr(1))))
      return type;
  return std::nullopt;
}

}  // namespace takt
