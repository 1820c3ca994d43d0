// Tensors cut into parts along an axis, and put together again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/runtime/runtime.h"

namespace takt {

/// Rows of each part by its share, adding up to `rows`; the largest remainders get what is left over, and no part is
/// empty. Throws Error(bad_input) where there are fewer rows than parts.
std::vector<std::int64_t> rows_of(const std::vector<double>& ratio, std::int64_t rows);

/// The value cut along `axis`, one part per entry of `rows`, which add up to that dimension. Parts that lie in one
/// piece in the value's memory stay there and keep it; strings, and parts along an axis behind the first one, are
/// copies. Throws Error(bad_input) when the tensor has no such axis, another size, elements that are smaller than a
/// byte, or bytes that are not those of its shape.
std::vector<SharedTensor> split_tensor(const SharedTensor& tensor, int axis, const std::vector<std::int64_t>& rows);

/// The parts one behind the other along `axis`; all other dimensions must agree. Parts that lie so in one memory that
/// they share are not copied. Throws Error(bad_input), also for bytes that are not those of a shape.
HostTensor merge_tensors(const std::vector<SharedTensor>& parts, int axis);

}  // namespace takt
