// The numbers of a small tensor as JSON has them, and back.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "takt/tensor.h"

namespace takt {

/// Whether tensors of this type have their numbers in records: floats of 32 and 64 bits, integers, booleans.
bool has_json_numbers(ElementType type);

/// A list; what JSON has no number for is "inf", "-inf" or "nan".
nlohmann::json numbers_json(ElementType type, const Bytes& bytes);

/// Throws Error(bad_input) that begins with `where` for what is no list of `count` such numbers.
Bytes numbers_in(const nlohmann::json& json, ElementType type, std::size_t count, const std::string& where);

/// One number of a float, as in such a list.
nlohmann::json real_json(double value);
double real_in(const nlohmann::json& json, const std::string& where);

/// The type of this name (type_name); undefined: none is called so.
ElementType type_named(const std::string& name);

}  // namespace takt
