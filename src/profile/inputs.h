// What a model is fed: shapes that the user gave, and generated values for everything else.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "runtime/runtime.h"

namespace takt {

/// One `--input [NAME:]{1,3,224,224}`; an empty name means the model's only input.
struct InputSpec {
  std::string name;
  Shape shape;
};

/// Reads `[NAME:]{d0,d1,...}`, several separated by `;`. In a name, `\:` stands for a colon and `\\` for a backslash.
/// Throws UsageError that quotes the wrong part.
std::vector<InputSpec> parse_input_specs(std::string_view text);

/// The concrete shape of each input: from `specs`, from the model, and for dimensions that the model leaves open a
/// usual value (1 for the first, 224 for the last two of four, 16 otherwise), each named in `notes`.
/// Throws Error(bad_input) when a spec names no input, or contradicts the model's rank or fixed dimensions.
std::map<std::string, Shape> choose_shapes(const std::vector<Port>& inputs, const std::vector<InputSpec>& specs,
                                           std::vector<std::string>& notes);

/// Throws Error(bad_input) when a tensor would take more than 8 GiB: asked before a runtime is, since a runtime
/// allocates inputs when it opens a model, and what the kernel overcommits ends in a killed process.
void check_sizes(const std::vector<Port>& inputs, const std::map<std::string, Shape>& shapes);

/// Valid pseudo-random values: floats uniform in [-1, 1), integers 0 or 1 (safe as indices and masks), booleans,
/// strings "a". Same seed and names, same values. Throws Error(unsupported) for types that cannot be generated, and as
/// check_sizes does.
std::vector<HostTensor> generate_inputs(const std::vector<Port>& inputs, const std::map<std::string, Shape>& shapes,
                                        std::uint64_t seed);

}  // namespace takt
