// Shapes as users of other tools write them, where nothing else can be meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/inputs/given_tensor.h"

namespace takt {

/// The shape of "1x3x224x224" or "(1,3,224,224)"; nullopt: the text is none, or its elements cannot be counted.
std::optional<Shape> shape_in_words(std::string_view text);

struct NamedShape {
  std::string name;
  Shape shape;
};

/// The shapes of "ids[1,16],mask[1,16]", as benchmark_app wants them; empty: the text is something else.
std::vector<NamedShape> named_shapes(std::string_view text);

/// The numbers of `literal` ("1,3,224,224", "[1,3,224,224]") as a shape that an input of shape `wanted` takes; nullopt:
/// they are none, or are too few to tell from values.
std::optional<Shape> shape_meant_by(const GivenTensor& literal, const PartialShape& wanted);

}  // namespace takt
