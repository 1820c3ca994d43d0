// Whether values, shapes and names fit a model's ports: checked once, in the same words for every runtime.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/runtime/runtime.h"

namespace takt {

/// Bytes of a dense tensor in host memory, elements of less than a byte packed; nullopt for strings and what does not
/// fit 2^40 bytes (a shape of a hostile model must not reach an allocator).
std::optional<std::size_t> byte_size(ElementType type, const Shape& shape);

/// Why the value is not what it says, as a clause: a shape that cannot be, bytes or strings that are not those of type
/// and shape ("holds 12 bytes, but {64,512} of float32 is 131072 bytes"). nullopt: it is.
std::optional<std::string> fault_of(const HostTensor& value);

/// Throws Error(bad_input) unless `inputs` names every port once, with its type, a fitting shape and the right size.
void check_inputs(const std::vector<Port>& ports, const std::vector<HostTensor>& inputs, std::string_view where);

/// The same of one value for port number `port`.
void check_input(const std::vector<Port>& ports, std::size_t port, const HostTensor& value, std::string_view where);

/// Puts `wanted` into `declared`. Throws Error(bad_input) for another rank, a negative size, or another value of a
/// dimension that the model fixes.
PartialShape fix_shape(const PartialShape& declared, const Shape& wanted, std::string_view where,
                       std::string_view input);

/// Throws Error(bad_input) when `input_shapes` names an input that the model does not have.
void check_shape_names(const std::vector<std::string>& ports, const std::map<std::string, Shape>& input_shapes,
                       std::string_view where);

}  // namespace takt
