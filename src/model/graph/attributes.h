// The attributes of an operator, or of a kernel's record, by name and type.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace takt {

/// nullptr: it has none of this name, or one of another type.
template <typename Value, typename Owner>
const Value* attribute_of(const Owner& owner, const std::string& name) {
  const auto found = owner.attributes.find(name);
  return found == owner.attributes.end() ? nullptr : std::get_if<Value>(&found->second);
}

template <typename Owner>
std::int64_t integer_attribute(const Owner& owner, const std::string& name, std::int64_t otherwise = 0) {
  const auto* value = attribute_of<std::int64_t>(owner, name);
  return value ? *value : otherwise;
}

template <typename Owner>
std::string text_attribute(const Owner& owner, const std::string& name) {
  const auto* value = attribute_of<std::string>(owner, name);
  return value ? *value : std::string();
}

template <typename Owner>
const std::vector<std::int64_t>* integers_attribute(const Owner& owner, const std::string& name) {
  return attribute_of<std::vector<std::int64_t>>(owner, name);
}

}  // namespace takt
