#include "plan/costs/range_bytes.h"

namespace takt {
namespace {

std::int64_t bytes_of_tensor(const StageTensor& tensor, const GraphSize& size, std::int64_t features) {
  if (tensor.dims == "1") return 0;  // num_nodes
  std::int64_t bytes = tensor.holds == Holds::indices ? 8 : 4;
  for (const std::int64_t length : shape_of(tensor, size, features)) bytes *= length;
  return bytes;
}

}  // namespace

std::int64_t bytes_of(const StageRange& range, const GraphSize& size, std::int64_t features) {
  const RangePorts ports = ports_of(range);
  std::int64_t bytes = 0;
  for (const StageTensor& tensor : ports.inputs) bytes += bytes_of_tensor(tensor, size, features);
  for (const StageTensor& tensor : ports.outputs) bytes += bytes_of_tensor(tensor, size, features);
  return bytes;
}

}  // namespace takt
