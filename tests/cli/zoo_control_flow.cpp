// Branches, loops, scans, and shapes that follow from data.
#include "cli/odd_models.h"

namespace takt {
namespace {

void branches() {
  ModelBuilder yes("yes"), no("no"), b;
  auto x = b.input("x", ElementType::f32, {2, 4});
  auto flag = b.input("flag", ElementType::boolean, {});
  yes.output(yes.node("MatMul", {x, yes.weight({4, 4}, "w_yes")}, {}, {.name = "m", .outputs = {"r_yes"}}),
             ElementType::f32, {2, 4});
  no.output(no.node("Relu", {x}, {}, {.name = "m", .outputs = {"r_no"}}), ElementType::f32, {2, 4});
  b.output(b.node("If", {flag}, {}, {.outputs = {"r"}, .subgraphs = {{"then_branch", &yes}, {"else_branch", &no}}}),
           ElementType::f32, {2, 4});
  save("flow_if", b);
}

void loop() {
  ModelBuilder body("body"), b;
  auto x = b.input("x", ElementType::f32, {4, 4});
  auto trips = b.input("trips", ElementType::i64, {});
  body.input("i", ElementType::i64, {});
  body.input("go", ElementType::boolean, {});
  body.input("state", ElementType::f32, {4, 4});
  body.output(body.node("Identity", {"go"}, {}, {.outputs = {"go_on"}}), ElementType::boolean, {});
  body.output(body.node("Relu", {body.node("MatMul", {"state", body.weight({4, 4}, "w_loop")})}), ElementType::f32,
              {4, 4});
  b.output(b.node("Loop", {trips, "", x}, {}, {.outputs = {"r"}, .subgraphs = {{"body", &body}}}), ElementType::f32,
           {4, 4});
  save("flow_loop", b);
}

void scan() {
  ModelBuilder body("body"), b;
  auto x = b.symbolic_input("x", ElementType::f32, "steps,4");
  auto start = b.input("start", ElementType::f32, {4});
  body.input("state", ElementType::f32, {4});
  body.input("slice", ElementType::f32, {4});
  auto sum = body.node("Add", {"state", "slice"}, {}, {.outputs = {"sum"}});
  body.output(sum, ElementType::f32, {4});
  body.output(body.node("Relu", {sum}, {}, {.outputs = {"row"}}), ElementType::f32, {4});
  b.output(b.node("Scan", {start, x}, {{"num_scan_inputs", std::int64_t{1}}},
                  {.outputs = {"last", "rows"}, .subgraphs = {{"body", &body}}}));
  b.output("rows");
  save("flow_scan", b);
}

void data_dependent() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {8, 8});
  b.output(b.node("NonZero", {b.node("Relu", {x})}));
  save("flow_nonzero", b);
  ModelBuilder c;
  auto boxes = c.input("boxes", ElementType::f32, {1, 20, 4});
  auto scores = c.input("scores", ElementType::f32, {1, 2, 20});
  c.output(c.node("NonMaxSuppression", {boxes, scores, c.integers({3}), c.floats({0.5f}, {1}), c.floats({0}, {1})}));
  save("flow_nms", c);
  ModelBuilder d;
  auto y = d.input("x", ElementType::f32, {2, 8});
  auto shape = d.input("shape", ElementType::i64, {2});
  d.output(d.node("Reshape", {y, shape}));
  save("flow_shape_input", d);
  ModelBuilder e;
  auto z = e.input("x", ElementType::f32, {2, 8});
  auto k = e.input("k", ElementType::i64, {1});
  e.output(e.node("TopK", {z, k}, {}, {.outputs = {"values", "indices"}}));
  e.output("indices");
  save("flow_topk", e);
}

}  // namespace

void write_control_flow() {
  branches();
  loop();
  scan();
  data_dependent();
}

}  // namespace takt
