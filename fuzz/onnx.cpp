// ONNX models, as far as takt reads them: the graph, its shapes and what its operators cost.
#include "graph/onnx.h"

#include "graph/cost.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    const takt::OnnxModel model = takt::parse_onnx(takt::text_of(bytes, size), "fuzz.onnx");
    for (const takt::Op& op : model.graph.ops) takt::cost(model.graph, op);
  });
  return 0;
}
