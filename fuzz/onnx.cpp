// ONNX models, as far as takt reads them: the graph, its shapes, what its operators cost, and the pieces that it can be
// cut into.
#include "model/onnx/onnx.h"

#include <onnx-ml.pb.h>

#include "model/cost/cost.h"
#include "model/graph/shapes.h"
#include "model/onnx/pieces.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    const takt::OnnxModel model = takt::parse_onnx(takt::text_of(bytes, size), "fuzz.onnx");
    for (const takt::Op& op : model.graph.ops) takt::cost(model.graph, op);
    const takt::Graph graph = takt::with_shapes(model.graph, {});
    for (const takt::Piece& piece : takt::pieces_of(graph, takt::find_cuts(graph)))
      takt::parse_onnx(takt::serialize_onnx(takt::piece_model(model, graph, piece, "piece")), "fuzz.onnx");
  });
  return 0;
}
