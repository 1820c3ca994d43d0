// Models of halves in float32, values that are the same, and graphs as text: every kind of place, one by one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/basics/error.h"
#include "base/basics/half.h"
#include "model/cuts/cuts.h"
#include "model/graph/dag.h"
#include "model/graph/placed_ops.h"
#include "model/graph/same_values.h"
#include "model/onnx/builder.h"
#include "model/onnx/in_float32.h"
#include "model/onnx/metadata.h"
#include "onnx-ml.pb.h"

namespace takt {
namespace {

using testing::ElementsAre;

/// The model, of which `change` has changed the file.
template <typename Change>
std::optional<OnnxModel> rewritten(const ModelBuilder& b, const Change& change, int ir = 8) {
  onnx::ModelProto proto;
  EXPECT_TRUE(proto.ParseFromString(b.serialize(17, ir)));
  change(proto);
  return in_float32(parse_onnx(serialize_onnx(proto), {}));
}

ModelBuilder one_operator(const std::vector<NamedAttribute>& attributes = {}) {
  ModelBuilder b;
  b.output(b.node("Own", {b.input("x", ElementType::f32, {2})}, attributes, {.domain = "own", .outputs = {"y"}}));
  return b;
}

TEST(InFloat32, attributes_that_name_a_type_name_float32) {
  const auto after = [](const char* name, std::int64_t type) {
    const auto model = rewritten(one_operator({{name, type}}), [](auto&) {});
    return model ? std::get<std::int64_t>(model->graph.ops.at(0).attributes.at(name)) : -1;
  };
  for (const char* name : {"to", "dtype", "output_dtype", "output_datatype", "stash_type", "softmax_precision"}) {
    EXPECT_EQ(after(name, 10), 1) << name;
    EXPECT_EQ(after(name, 16), 1) << name;
    EXPECT_EQ(after(name, 11), -1) << name << ": a double stays";
  }
  for (const char* name : {"axis", "too", "type"}) EXPECT_EQ(after(name, 10), -1) << name << ": ten of something else";
  EXPECT_FALSE(rewritten(one_operator({{"to", {10}}}), [](auto&) {})) << "a list is no type";
}

TEST(InFloat32, halves_within_sequences_maps_and_optional_values) {
  for (const std::string kind : {"sequence", "optional", "map", "plain"}) {
    const auto model = rewritten(one_operator(), [&](onnx::ModelProto& proto) {
      auto& value = *proto.mutable_graph()->add_value_info();
      value.set_name("y");
      auto& type = *value.mutable_type();
      auto& inner = kind == "sequence"   ? *type.mutable_sequence_type()->mutable_elem_type()
                    : kind == "optional" ? *type.mutable_optional_type()->mutable_elem_type()
                    : kind == "map"      ? *type.mutable_map_type()->mutable_value_type()
                                         : type;
      inner.mutable_tensor_type()->set_elem_type(onnx::TensorProto::BFLOAT16);
    });
    ASSERT_TRUE(model) << kind;
    const auto& type = model->proto->graph().value_info(0).type();
    const auto& inner = kind == "sequence"   ? type.sequence_type().elem_type()
                        : kind == "optional" ? type.optional_type().elem_type()
                        : kind == "map"      ? type.map_type().value_type()
                                             : type;
    EXPECT_EQ(inner.tensor_type().elem_type(), onnx::TensorProto::FLOAT) << kind;
  }
}

onnx::TensorProto half_tensor(int type, const std::vector<int>& bits) {
  onnx::TensorProto tensor;
  tensor.set_data_type(type);
  tensor.add_dims(static_cast<std::int64_t>(bits.size()));
  for (const int one : bits) tensor.add_int32_data(one);
  return tensor;
}

TEST(InFloat32, numbers_of_an_attribute_in_either_field_and_type) {
  for (const bool is_brain : {false, true})
    for (const bool in_list : {false, true}) {
      const int type = is_brain ? onnx::TensorProto::BFLOAT16 : onnx::TensorProto::FLOAT16;
      const auto model = rewritten(one_operator(), [&](onnx::ModelProto& proto) {
        auto& attribute = *proto.mutable_graph()->mutable_node(0)->add_attribute();
        attribute.set_name("value");
        attribute.set_type(in_list ? onnx::AttributeProto::TENSORS : onnx::AttributeProto::TENSOR);
        (in_list ? *attribute.add_tensors() : *attribute.mutable_t()) =
            half_tensor(type, {is_brain ? to_bfloat(1.5) : to_half(1.5), is_brain ? to_bfloat(-4) : to_half(-4)});
      });
      ASSERT_TRUE(model);
      const auto& attribute = model->proto->graph().node(0).attribute(0);
      const auto& tensor = in_list ? attribute.tensors(0) : attribute.t();
      EXPECT_EQ(tensor.data_type(), onnx::TensorProto::FLOAT);
      EXPECT_THAT(tensor.float_data(), ElementsAre(1.5f, -4.0f));
      EXPECT_EQ(tensor.int32_data_size(), 0);
    }
}

TEST(InFloat32, weights_are_cast_under_their_name_and_are_inputs_no_more) {
  ModelBuilder b;
  b.input("x", ElementType::f32, {1});
  b.input("w", ElementType::f16, {1});
  b.output(b.node("Add", {"x", "w"}, {}, {.name = "sum", .outputs = {"y"}}));
  const auto model = rewritten(
      b,
      [](onnx::ModelProto& proto) {
        auto& weight = *proto.mutable_graph()->add_initializer() =
            half_tensor(onnx::TensorProto::FLOAT16, {to_half(3)});
        weight.set_name("w");
      },
      3);
  ASSERT_TRUE(model);
  const auto& graph = model->proto->graph();
  ASSERT_EQ(graph.input_size(), 1);
  EXPECT_EQ(graph.input(0).name(), "x");
  EXPECT_EQ(graph.initializer(0).name(), "w/half");
  EXPECT_EQ(graph.node(0).op_type() + " " + graph.node(0).name(), "Cast w/float32");
  EXPECT_EQ(graph.node(0).input(0) + " " + graph.node(0).output(0), "w/half w");
  EXPECT_EQ(graph.node(0).attribute(0).name() + std::to_string(graph.node(0).attribute(0).i()), "to1");
  EXPECT_EQ(graph.node(1).name(), "sum") << "behind the casts";
}

TEST(InFloat32, sparse_weights_functions_and_types_in_attributes) {
  const auto sparse = rewritten(one_operator(), [](onnx::ModelProto& proto) {
    auto& weight = *proto.mutable_graph()->add_sparse_initializer();
    weight.add_dims(5);
    *weight.mutable_values() = half_tensor(onnx::TensorProto::FLOAT16, {to_half(3)});
    weight.mutable_values()->set_name("s");
    weight.mutable_indices()->set_data_type(onnx::TensorProto::INT64);
    weight.mutable_indices()->add_dims(1);
    weight.mutable_indices()->add_int64_data(2);
  });
  ASSERT_TRUE(sparse);
  EXPECT_EQ(sparse->proto->graph().sparse_initializer(0).values().name(), "s/half");
  EXPECT_EQ(sparse->proto->graph().node(0).output(0), "s");
  const auto in_function = rewritten(one_operator(), [](onnx::ModelProto& proto) {
    auto& function = *proto.add_functions();
    function.set_name("Own"), function.set_domain("own");
    auto& node = *function.add_node();
    node.set_op_type("Cast");
    auto& to = *node.add_attribute();
    to.set_name("to"), to.set_type(onnx::AttributeProto::INT), to.set_i(10);
    auto& usual = *function.add_attribute_proto();
    usual.set_name("dtype"), usual.set_type(onnx::AttributeProto::INT), usual.set_i(16);
  });
  ASSERT_TRUE(in_function);
  EXPECT_EQ(in_function->proto->functions(0).node(0).attribute(0).i(), 1);
  EXPECT_EQ(in_function->proto->functions(0).attribute_proto(0).i(), 1);
  for (const bool in_list : {false, true}) {
    const auto typed = rewritten(one_operator(), [&](onnx::ModelProto& proto) {
      auto& attribute = *proto.mutable_graph()->mutable_node(0)->add_attribute();
      attribute.set_name("type");
      attribute.set_type(in_list ? onnx::AttributeProto::TYPE_PROTOS : onnx::AttributeProto::TYPE_PROTO);
      (in_list ? *attribute.add_type_protos() : *attribute.mutable_tp()).mutable_tensor_type()->set_elem_type(10);
    });
    ASSERT_TRUE(typed) << in_list;
    const auto& attribute = typed->proto->graph().node(0).attribute(0);
    EXPECT_EQ((in_list ? attribute.type_protos(0) : attribute.tp()).tensor_type().elem_type(), 1);
  }
}

/// Whether two operators that differ as told make the same.
template <typename Change>
bool make_the_same(const Change& change) {
  Graph graph;
  for (const char* name : {"x", "z", "a", "a2", "b", "b2"}) {
    Tensor tensor;
    tensor.name = name;
    graph.tensors.push_back(tensor);
  }
  Op first, second;
  first.type = second.type = "Split";
  first.inputs = second.inputs = {0, no_tensor};
  first.attributes = second.attributes = {{"axis", std::int64_t{1}}};
  first.outputs = {2, 3}, second.outputs = {4, 5};
  change(second, graph);
  graph.ops = {first, second};
  const auto same = same_values(graph);
  EXPECT_NE(same[2], same[3]) << "two results of one operator";
  return same[2] == same[4] && same[3] == same[5];
}

TEST(SameOperators, need_the_same_operator_on_the_same_inputs) {
  EXPECT_TRUE(make_the_same([](Op&, Graph&) {}));
  EXPECT_TRUE(make_the_same([](Op& op, Graph&) { op.name = "called otherwise"; }));
  EXPECT_FALSE(make_the_same([](Op& op, Graph&) { op.type = "Other"; }));
  EXPECT_FALSE(make_the_same([](Op& op, Graph&) { op.domain = "own"; }));
  EXPECT_FALSE(make_the_same([](Op& op, Graph&) { op.inputs = {1, no_tensor}; }));
  EXPECT_FALSE(make_the_same([](Op& op, Graph&) { op.inputs = {0}; }));
  EXPECT_FALSE(make_the_same([](Op& op, Graph&) { op.inputs = {no_tensor, 0}; }));
  EXPECT_FALSE(make_the_same([](Op& op, Graph&) { op.attributes["axis"] = std::int64_t{2}; }));
  EXPECT_FALSE(make_the_same([](Op& op, Graph&) { op.outputs = {5, 4}; })) << "the other result";
  EXPECT_FALSE(make_the_same([](Op& op, Graph&) { op.subgraphs["body"] = std::make_shared<Graph>(); }));
  EXPECT_FALSE(make_the_same([](Op& op, Graph&) { op.type = "RandomUniformLike"; }));
}

TEST(SameOperators, integer_constants_are_the_same_by_type_shape_and_values) {
  Graph graph;
  const auto add = [&](ElementType type, std::int64_t size, std::vector<std::int64_t> values, bool is_constant = true) {
    Tensor tensor;
    tensor.name = std::to_string(graph.tensors.size());
    tensor.type = type, tensor.shape = PartialShape{{size, ""}}, tensor.integers = values,
    tensor.is_constant = is_constant;
    graph.tensors.push_back(tensor);
  };
  add(ElementType::i64, 1, {7});
  add(ElementType::i64, 1, {7});
  add(ElementType::i32, 1, {7});
  add(ElementType::i64, 2, {7});
  add(ElementType::i64, 1, {8});
  add(ElementType::i64, 1, {7}, false);
  add(ElementType::i32, 1, {7});
  EXPECT_THAT(same_values(graph), ElementsAre(0, 0, 2, 3, 4, 5, 2));
}

TEST(Dag, has_producers_and_consumers_in_order) {
  ModelBuilder b("net");
  b.input("x", ElementType::f32, {4});
  b.node("Relu", {"x"}, {}, {.name = "one", .outputs = {"a"}});
  b.node("Exp", {"a"}, {}, {.name = "two", .outputs = {"b"}});
  b.node("Add", {"b", "a"}, {}, {.name = "three", .outputs = {"c"}});
  b.value_info("a", ElementType::f32, {4, 5});
  b.output("c");
  const Graph graph = b.build().graph;
  const Dag dag = build_dag(graph);
  EXPECT_THAT(dag.producers, ElementsAre(ElementsAre(), ElementsAre(0), ElementsAre(0, 1)));
  EXPECT_THAT(dag.consumers, ElementsAre(ElementsAre(1, 2), ElementsAre(2), ElementsAre()));
}

TEST(PlacedOps, bodies_in_bodies_have_longer_paths) {
  ModelBuilder inner("inner"), yes("yes"), no("no"), b;
  b.input("x", ElementType::f32, {2});
  b.input("c", ElementType::boolean, {});
  inner.output(inner.node("Neg", {"x"}, {}, {.name = "deep", .outputs = {"d"}}), ElementType::f32, {2});
  yes.output(
      yes.node("If", {"c"}, {},
               {.name = "second", .outputs = {"s"}, .subgraphs = {{"then_branch", &inner}, {"else_branch", &inner}}}),
      ElementType::f32, {2});
  no.output(no.node("Abs", {"x"}, {}, {.name = "other", .outputs = {"o"}}), ElementType::f32, {2});
  b.node("If", {"c"}, {},
         {.name = "first", .outputs = {"y"}, .subgraphs = {{"then_branch", &yes}, {"else_branch", &no}}});
  b.node("Relu", {"y"}, {}, {.name = "last", .outputs = {"z"}});
  b.output("z");
  const Graph graph = b.build().graph;
  std::vector<std::string> told;
  for (const PlacedOp& placed : placed_ops(graph)) told.push_back(placed.path + " " + placed.op->type);
  EXPECT_THAT(told,
              ElementsAre("first If", "first > other Abs", "first > second If", "first > second.else_branch > deep Neg",
                          "first > second.then_branch > deep Neg", "last Relu"));
}

TEST(Metadata, of_a_model_is_what_its_file_says) {
  onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(one_operator().serialize()));
  for (const auto& [key, value] : {std::pair{"author", "a"}, {"note", "n"}, {"author", "b"}}) {
    auto& entry = *proto.add_metadata_props();
    entry.set_key(key), entry.set_value(value);
  }
  const auto metadata = metadata_of(parse_onnx(serialize_onnx(proto), {}));
  EXPECT_EQ(metadata, (std::map<std::string, std::string>{{"author", "b"}, {"note", "n"}}));
}

/// Relu after Relu; `sizes` of what each makes, missing where it is not known.
Graph relus(const std::vector<std::optional<std::int64_t>>& sizes) {
  Graph graph;
  for (std::size_t i = 0; i <= sizes.size(); ++i) {
    Tensor tensor;
    tensor.name = "t" + std::to_string(i), tensor.type = ElementType::f32;
    graph.tensors.push_back(tensor);
    if (i > 0 && sizes[i - 1]) {
      graph.tensors.back().shape = PartialShape{{*sizes[i - 1], ""}};
      graph.tensors.back().bytes = 4 * *sizes[i - 1];
    }
    if (i == 0) continue;
    Op op;
    op.name = "op" + std::to_string(i), op.type = "Relu";
    op.inputs = {static_cast<TensorId>(i - 1)}, op.outputs = {static_cast<TensorId>(i)};
    graph.ops.push_back(op);
  }
  graph.inputs = {0}, graph.outputs = {static_cast<TensorId>(sizes.size())};
  return graph;
}

TEST(ChooseCuts, tensors_of_known_size_are_preferred_and_then_small_ones) {
  // Work by count, so four pieces of one are 1, 2, 3; with slack all but the balance may be chosen freely.
  const auto place = [](const std::vector<std::optional<std::int64_t>>& sizes) {
    const Graph graph = relus(sizes);
    const auto chosen = choose_cuts(graph, find_cuts(graph), {.pieces = 2, .flops_per_byte = 0, .slack = 100});
    return chosen.at(0).place;
  };
  EXPECT_EQ(place({9, 5, 7, 1}), 2u);
  EXPECT_EQ(place({5, 9, 5, 1}), 1u) << "of equals the first";
  EXPECT_EQ(place({std::nullopt, 9, std::nullopt, 1}), 2u);
}

TEST(ChooseCuts, what_cannot_be_is_said) {
  const Graph graph = relus({1, 1, 1});
  const auto said = [&](const CutChoice& choice) {
    try {
      choose_cuts(graph, find_cuts(graph), choice);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("chosen");
  };
  EXPECT_EQ(said({.pieces = 0}), "a model has at least one piece");
  EXPECT_EQ(said({.flops_per_byte = -1}), "pieces of a model cannot be balanced with -1; give a number of 0 or more");
  EXPECT_EQ(said({.slack = -0.5}), "pieces of a model cannot be balanced with -0.5; give a number of 0 or more");
  EXPECT_EQ(said({.slack = HUGE_VAL}), "pieces of a model cannot be balanced with inf; give a number of 0 or more");
  EXPECT_EQ(said({.flops_per_byte = 0, .slack = 0}), "chosen");
  EXPECT_EQ(said({.pieces = 3}), "chosen");
  EXPECT_EQ(said({.pieces = 4}),
            "the model has 2 possible cuts, so at most 3 pieces, not 4; cuts across more tensors may split it further");
}

}  // namespace
}  // namespace takt
