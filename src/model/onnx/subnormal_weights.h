// Weights that are subnormal numbers: those that decayed towards zero in training and never were rounded to it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "model/runtime/runtime.h"

namespace onnx {
class ModelProto;
}

namespace takt {

struct SubnormalWeights {
  std::string worst;       ///< the constant with the largest share of subnormal numbers
  double share = 0;        ///< of the numbers of `worst`, above 0 and up to 1
  std::size_t others = 0;  ///< further constants with subnormal numbers
};

/// Looks at the float32 and float64 constants of `proto`, those of bodies too; of a large tensor at 65,536 numbers that
/// are spread over it. `model` is its file, beside which external data lies. nullopt: none was seen. Data that cannot
/// be read is left out. Thread-safe.
std::optional<SubnormalWeights> subnormal_weights(const onnx::ModelProto& proto, const std::filesystem::path& model);

/// How every sentence of subnormal_sentence() begins.
inline constexpr std::string_view subnormal_words = "weights are subnormal numbers";

/// What a user has to know of them: which they are, and the settings that make a runtime compute with zeros instead.
std::string subnormal_sentence(const SubnormalWeights& weights, const Properties& zeros);

}  // namespace takt
