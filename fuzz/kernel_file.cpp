// Files of kernels: what is read can be written, and read again; of each record a model can be made, or it says why
// not.
#include "predict/kernels/file.h"

#include <cstdlib>

#include "predict/kernels/dag.h"
#include "predict/kernels/model.h"
#include "refused.h"

namespace {

/// Small ones only: a record may ask for gigabytes of weights, and be right.
bool is_small(const takt::KernelRecord& record) {
  std::int64_t elements = 0;
  for (const takt::KernelTensor& tensor : record.inputs)
    if (elements < 100'000) elements += takt::element_count(tensor.shape).value_or(0);
  return elements < 100'000;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    const takt::KernelFile file = takt::parse_kernel_file(takt::text_of(bytes, size), "fuzz.json");
    const std::string text = takt::kernel_file_json(file, {});
    if (takt::kernel_file_json(takt::parse_kernel_file(text, "again"), {}) != text) std::abort();
    for (const auto& one : file.records)
      if (is_small(one.second)) takt::may_refuse([&] { takt::kernel_model(one.second); });
    for (const takt::KernelGraph& graph : file.models) {
      const auto weights = takt::kernel_weights(file, graph, takt::DagWeight::flops);
      const auto path = takt::heaviest_path(graph, weights, takt::DagWeight::flops);
      takt::dag_graphviz(graph, file, path);
      takt::dag_json(graph, weights, path, {});
    }
  });
  return 0;
}
