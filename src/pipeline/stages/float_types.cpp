#include "pipeline/stages/float_types.h"

#include "base/basics/check.h"
#include "model/inputs/tensor_convert.h"
#include "model/inputs/tensor_values.h"

namespace takt {

bool hands_on_as(ElementType from, ElementType to) { return from == to || (is_float(from) && is_float(to)); }

SharedTensor in_type(const SharedTensor& value, ElementType type) {
  if (value->type == type) return value;
  TAKT_CHECK(hands_on_as(value->type, type));
  return std::make_shared<const HostTensor>(convert(*value, type, Rounding::nearest, value->name));
}

std::int64_t fit_types(StageExecutor::InputValues& values, const std::vector<Port>& inputs) {
  std::int64_t bytes = 0;
  for (auto& [port, value] : values) {
    if (port >= inputs.size() || !value || value->type == inputs[port].type ||
        !hands_on_as(value->type, inputs[port].type))
      continue;
    value = in_type(value, inputs[port].type);
    bytes += static_cast<std::int64_t>(value->bytes.size());
  }
  return bytes;
}

}  // namespace takt
