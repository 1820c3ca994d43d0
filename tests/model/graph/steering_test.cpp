#include "model/graph/steering.h"

#include <gmock/gmock.h>

#include "model/onnx/builder.h"

namespace takt {
namespace {

std::vector<std::string> steering(const ModelBuilder& model) {
  const Graph graph = model.build().graph;
  std::vector<std::string> found;
  for (const auto& one : find_steering(graph)) found.push_back(graph.tensor(one.input).name + " " + one.op);
  return found;
}

/// Two branches that read a tensor from outside.
struct Branches {
  explicit Branches(const std::string& read) {
    yes.output(yes.node("Relu", {read}, {}, {.outputs = {"r_yes"}}));
    no.output(no.node("Neg", {read}, {}, {.outputs = {"r_no"}}));
  }
  ModelBuilder yes{"yes"}, no{"no"};
};

void add_if(ModelBuilder& b, const Branches& branches, const std::string& condition, const std::string& name) {
  b.output(b.node("If", {condition}, {},
                  {.name = name,
                   .outputs = {name + "_r"},
                   .subgraphs = {{"then_branch", &branches.yes}, {"else_branch", &branches.no}}}));
}

TEST(Steering, an_input_whose_values_reach_a_condition_steers) {
  ModelBuilder b;
  b.input("x", ElementType::f32, {2, 4});
  add_if(b, Branches("x"), b.node("Equal", {b.input("rate", ElementType::i64, {}), b.integers({16000}, {})}), "choice");
  EXPECT_THAT(steering(b), testing::ElementsAre("rate choice"));
}

TEST(Steering, an_input_that_is_only_asked_for_its_shape_does_not) {
  ModelBuilder b;
  const auto length = b.node(
      "Gather", {b.node("Shape", {b.node("Neg", {b.input("x", ElementType::f32, {2, 4})})}), b.integers({0}, {})});
  add_if(b, Branches("x"), b.node("Less", {length, b.integers({3}, {})}), "choice");
  EXPECT_THAT(steering(b), testing::IsEmpty());
}

TEST(Steering, a_shape_that_depends_on_values_does) {
  ModelBuilder b;
  const auto found = b.node("Shape", {b.node("NonZero", {b.input("x", ElementType::f32, {2, 4})})});
  add_if(b, Branches("x"), b.node("Less", {b.node("Gather", {found, b.integers({1}, {})}), b.integers({3}, {})}),
         "choice");
  EXPECT_THAT(steering(b), testing::ElementsAre("x choice"));
}

TEST(Steering, trip_counts_steer_and_what_a_loop_carries_does_where_its_body_decides) {
  for (const bool own_condition : {false, true}) {
    ModelBuilder body("body"), b;
    const auto x = b.input("x", ElementType::f32, {});
    const auto trips = b.input("trips", ElementType::i64, {});
    body.input("i", ElementType::i64, {});
    body.input("go", ElementType::boolean, {});
    body.input("carried", ElementType::f32, {});
    body.output(own_condition ? body.node("Less", {"carried", body.floats({1}, {})})
                              : body.node("Identity", {"go"}, {}, {.outputs = {"on"}}));
    body.output(body.node("Exp", {"carried"}, {}, {.outputs = {"next"}}));
    b.output(b.node("Loop", {trips, "", x}, {}, {.name = "loop", .outputs = {"r"}, .subgraphs = {{"body", &body}}}));
    if (own_condition)
      EXPECT_THAT(steering(b), testing::ElementsAre("x loop", "trips loop"));
    else
      EXPECT_THAT(steering(b), testing::ElementsAre("trips loop"));
  }
}

TEST(Steering, a_condition_inside_of_a_body_counts) {
  ModelBuilder body("body"), b;
  const auto x = b.input("x", ElementType::f32, {});
  b.input("flag", ElementType::boolean, {});
  body.input("i", ElementType::i64, {});
  body.input("go", ElementType::boolean, {});
  body.input("carried", ElementType::f32, {});
  body.output(body.node("Identity", {"go"}, {}, {.outputs = {"on"}}));
  add_if(body, Branches("carried"), "flag", "inner");
  b.output(b.node("Loop", {b.integers({3}, {}), "", x}, {},
                  {.name = "loop", .outputs = {"r"}, .subgraphs = {{"body", &body}}}));
  EXPECT_THAT(steering(b), testing::ElementsAre("flag inner"));
}

/// One operator reads the inputs `data` and `more`; the size of what it makes decides.
std::vector<std::string> steering_by_size_of(const std::string& type, const std::string& asks = "Shape") {
  Graph graph;
  for (const char* name : {"data", "more", "made", "size", "branched"}) {
    Tensor tensor;
    tensor.name = name;
    graph.tensors.push_back(tensor);
  }
  graph.inputs = {0, 1};
  Op maker, asker, choice;
  maker.type = type, maker.inputs = {0, 1}, maker.outputs = {2};
  asker.type = asks, asker.inputs = {2}, asker.outputs = {3};
  choice.name = "choice", choice.type = "If", choice.inputs = {3}, choice.outputs = {4};
  graph.ops = {maker, asker, choice};
  std::vector<std::string> found;
  for (const auto& one : find_steering(graph)) {
    EXPECT_EQ(one.op, "choice");
    EXPECT_EQ(one.type, "If");
    found.push_back(graph.tensor(one.input).name);
  }
  return found;
}

TEST(Steering, which_operators_make_results_as_large_as_values_say) {
  using testing::ElementsAre;
  for (const char* type : {"Compress",  "TopK",          "Reshape", "Expand", "Tile",       "Slice",   "Resize",
                           "Upsample",  "OneHot",        "Pad",     "Split",  "SequenceAt", "Squeeze", "Unsqueeze",
                           "ReduceSum", "CenterCropPad", "Col2Im",  "DFT",    "STFT",       "Scan"})
    EXPECT_THAT(steering_by_size_of(type), ElementsAre("more")) << type;
  for (const char* type : {"NonZero", "NonMaxSuppression", "Unique", "Range", "ConstantOfShape"})
    EXPECT_THAT(steering_by_size_of(type), ElementsAre("data", "more")) << type;
  for (const char* type : {"Add", "Relu", "Gather", "Concat"})
    EXPECT_THAT(steering_by_size_of(type), ElementsAre()) << type;
  for (const char* asks : {"Size", "ShapeOf"}) {
    EXPECT_THAT(steering_by_size_of("Add", asks), ElementsAre()) << asks;
    EXPECT_THAT(steering_by_size_of("Tile", asks), ElementsAre("more")) << asks;
  }
  EXPECT_THAT(steering_by_size_of("Add", "Neg"), ElementsAre("data", "more")) << "its values are asked for";
}

TEST(Steering, of_two_choices_the_first_is_named_and_inputs_have_their_order) {
  ModelBuilder b;
  b.input("x", ElementType::f32, {2, 4});
  b.input("one", ElementType::boolean, {});
  b.input("two", ElementType::boolean, {});
  add_if(b, Branches("x"), "two", "first");
  add_if(b, Branches("x"), b.node("And", {"one", "two"}), "second");
  EXPECT_THAT(steering(b), testing::ElementsAre("one second", "two first"));
}

TEST(Steering, a_choice_by_what_a_body_is_given_is_steered_by_all_that_the_loop_is_given) {
  ModelBuilder body("body"), b;
  const auto x = b.input("x", ElementType::f32, {});
  const auto trips = b.input("trips", ElementType::i64, {});
  b.input("aside", ElementType::f32, {});
  body.input("i", ElementType::i64, {});
  body.input("go", ElementType::boolean, {});
  body.input("carried", ElementType::f32, {});
  body.output(body.node("Identity", {"go"}, {}, {.outputs = {"on"}}));
  add_if(body, Branches("carried"), body.node("Less", {"carried", body.floats({1}, {})}), "inner");
  b.output(b.node("Loop", {trips, "", x}, {}, {.name = "loop", .outputs = {"r"}, .subgraphs = {{"body", &body}}}));
  EXPECT_THAT(steering(b), testing::ElementsAre("x inner", "trips loop"));
}

TEST(Steering, a_condition_that_is_handed_on_through_several_operators_or_is_constant_is_not_the_bodys_own) {
  for (const bool is_constant : {false, true}) {
    ModelBuilder body("body"), b;
    const auto x = b.input("x", ElementType::f32, {});
    const auto trips = b.input("trips", ElementType::i64, {});
    body.input("i", ElementType::i64, {});
    body.input("go", ElementType::boolean, {});
    body.input("carried", ElementType::f32, {});
    if (is_constant) body.raw(ElementType::boolean, {}, std::string(1, '\1'), "yes");
    body.node("Identity", {is_constant ? "yes" : "go"}, {}, {.outputs = {"between"}});
    body.output(body.node("Identity", {"between"}, {}, {.outputs = {"on"}}));
    body.output(body.node("Exp", {"carried"}, {}, {.outputs = {"next"}}));
    b.output(b.node("Loop", {trips, "", x}, {}, {.name = "loop", .outputs = {"r"}, .subgraphs = {{"body", &body}}}));
    EXPECT_THAT(steering(b), testing::ElementsAre("trips loop")) << is_constant;
  }
}

std::vector<std::string> sizing(const ModelBuilder& model) {
  const Graph graph = model.build().graph;
  std::vector<std::string> found;
  for (const auto& one : find_sizing(graph))
    found.push_back(graph.tensor(one.input).name + " " + one.type + " " + one.op + " " + std::to_string(one.operand));
  return found;
}

TEST(Sizing, values_that_say_how_large_a_result_is_are_found_with_their_operand) {
  ModelBuilder b;
  const auto picture = b.input("picture", ElementType::f32, {1, 3, 8, 8});
  const auto ratio = b.input("ratio", ElementType::f32, {1});
  const auto start = b.input("start", ElementType::i64, {}), step = b.input("step", ElementType::i64, {});
  const auto k = b.input("k", ElementType::i64, {1});
  const auto scales = b.node("Concat", {b.floats({1, 1}, {2}), ratio, ratio}, {{"axis", std::int64_t{0}}});
  b.output(b.node("Resize", {picture, "", scales}, {}, {.name = "shrink"}));
  const auto length = b.node("Squeeze", {b.node("Shape", {b.node("Flatten", {picture})})});
  b.output(b.node("Range", {start, b.node("Gather", {length, b.integers({0}, {})}), step}, {}, {.name = "positions"}));
  b.output(b.node("TopK", {picture, k}, {}, {.name = "best", .outputs = {"values", "indices"}}));
  EXPECT_THAT(sizing(b), testing::ElementsAre("ratio Resize shrink 2", "start Range positions 0",
                                              "step Range positions 2", "k TopK best 1"));
  EXPECT_THAT(steering(b), testing::IsEmpty());
}

TEST(Sizing, sizes_that_follow_from_shapes_and_what_a_turn_is_given_are_none) {
  ModelBuilder body("body"), b;
  const auto x = b.input("x", ElementType::f32, {4});
  const auto more = b.input("more", ElementType::i64, {1});
  body.input("i", ElementType::i64, {});
  body.input("go", ElementType::boolean, {});
  body.input("carried", ElementType::f32, {4});
  body.output(body.node("Identity", {"go"}, {}, {.outputs = {"on"}}));
  body.output(body.node("Identity", {"carried"}, {}, {.outputs = {"next"}}));
  body.output(body.node("Range", {body.integers({0}, {}), "i", body.integers({1}, {})}, {}, {.outputs = {"counted"}}));
  body.output(body.node("Expand", {"carried", "more"}, {}, {.name = "outside", .outputs = {"wide"}}));
  b.output(b.node("Loop", {b.integers({3}, {}), "", x}, {},
                  {.name = "loop", .outputs = {"last", "lists", "tables"}, .subgraphs = {{"body", &body}}}));
  b.output(b.node("ConstantOfShape", {b.node("Shape", {x})}));
  EXPECT_THAT(sizing(b), testing::ElementsAre("more Expand outside 1"));
}

TEST(Sizing, what_is_cut_out_and_how_many_boxes_are_kept) {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {64});
  b.output(b.node("Slice", {x, b.input("from", ElementType::i64, {1}), b.input("to", ElementType::i64, {1})}, {},
                  {.name = "part"}));
  b.output(b.node("NonMaxSuppression",
                  {b.input("boxes", ElementType::f32, {1, 9, 4}), b.input("scores", ElementType::f32, {1, 1, 9}),
                   b.input("most", ElementType::i64, {1})},
                  {}, {.name = "kept"}));
  EXPECT_THAT(sizing(b), testing::ElementsAre("from Slice part 1", "to Slice part 2", "most NonMaxSuppression kept 2"));
}

}  // namespace
}  // namespace takt
