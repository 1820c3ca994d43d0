// Attributes and constants of a file: each form they come in, whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/basics/error.h"
#include "model/onnx/attributes.h"
#include "model/onnx/builder.h"
#include "model/onnx/tensor.h"
#include "onnx-ml.pb.h"

namespace takt {
namespace {

using Kinds = onnx::AttributeProto;
using Whole = std::vector<std::int64_t>;

const ModelPlace memory = place_of({});

/// What the sentence of an error says; empty: nothing was thrown.
template <typename Act>
std::string thrown_by(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(OnnxAttributes, of_every_kind_come_back_as_they_were_written) {
  const std::vector<std::pair<Attribute, Kinds::AttributeType>> all{{std::int64_t{-7}, Kinds::INT},
                                                                    {2.5f, Kinds::FLOAT},
                                                                    {std::string("a\0b", 3), Kinds::STRING},
                                                                    {Whole{3, -1, 3}, Kinds::INTS},
                                                                    {std::vector<float>{0.5f, -2}, Kinds::FLOATS},
                                                                    {std::vector<std::string>{"x", ""}, Kinds::STRINGS},
                                                                    {Whole{}, Kinds::INTS}};
  for (const auto& [value, kind] : all) {
    onnx::AttributeProto proto;
    proto.set_name("kept");
    write_attribute(proto, value);
    EXPECT_EQ(proto.type(), kind);
    EXPECT_EQ(proto.name(), "kept");
    EXPECT_EQ(read_attribute(proto), value) << kind;
    proto.clear_type();  // as files before IR 2 do
    EXPECT_EQ(read_attribute(proto), value) << kind;
  }
}

TEST(OnnxAttributes, tensors_and_graphs_are_none) {
  onnx::AttributeProto tensor, graph;
  tensor.mutable_t()->set_data_type(1);
  graph.mutable_g()->set_name("g");
  EXPECT_EQ(read_attribute(tensor), std::nullopt);
  EXPECT_EQ(read_attribute(graph), std::nullopt);
}

/// "float64 {2,3} 48 bytes [1 2]" of a constant.
std::string told(const Tensor& tensor) {
  std::string text(type_name(tensor.type));
  text += " " + (tensor.shape ? to_string(*tensor.shape) : "?");
  if (tensor.bytes) text += " " + std::to_string(*tensor.bytes) + " bytes";
  if (tensor.integers) {
    text += " [";
    for (const auto one : *tensor.integers) text += std::to_string(one) + " ";
    text += "]";
  }
  return text + (tensor.is_constant ? "" : " no constant");
}

TEST(OnnxConstants, of_a_node_are_read_in_all_their_forms) {
  const auto of_node = [](const NamedAttribute& attribute) {
    onnx::NodeProto node;
    auto& made = *node.add_attribute();
    made.set_name(attribute.name);
    write_attribute(made, attribute.value);
    const auto tensor = read_constant_node(node, "out", memory);
    EXPECT_EQ(tensor ? tensor->name : "out", "out");
    return tensor ? told(*tensor) : "none";
  };
  EXPECT_EQ(of_node({"value_int", std::int64_t{-5}}), "int64 {} 8 bytes [-5 ]");
  EXPECT_EQ(of_node({"value_float", 2.5f}), "float32 {} 4 bytes");
  EXPECT_EQ(of_node({"value_string", std::string("ab")}), "string {}");
  EXPECT_EQ(of_node({"value_ints", {7, 8, 9}}), "int64 {3} 24 bytes [7 8 9 ]");
  EXPECT_EQ(of_node({"value_floats", std::vector<float>{1, 2}}), "float32 {2} 8 bytes");
  EXPECT_EQ(of_node({"value_strings", std::vector<std::string>{"a", "b"}}), "string {2}");
  EXPECT_EQ(of_node({"value", std::int64_t{3}}), "none") << "no tensor";
  EXPECT_EQ(of_node({"other", std::int64_t{3}}), "none");
  const auto integers = [&](std::size_t count) {
    return of_node({"value_ints", Whole(count)}).find('[') != std::string::npos;
  };
  EXPECT_TRUE(integers(1024));
  EXPECT_FALSE(integers(1025)) << "so many are no shape";
}

onnx::TensorProto tensor_of(ElementType type, const Shape& dims) {
  onnx::TensorProto proto;
  proto.set_data_type(static_cast<int>(type));
  for (const auto dim : dims) proto.add_dims(dim);
  return proto;
}

TEST(OnnxConstants, have_as_many_values_in_the_field_of_their_type_as_their_dimensions_say) {
  struct Stored {
    ElementType type;
    int in_float, in_double, in_int32, in_int64, in_uint64, in_string;
  };
  using E = ElementType;
  // Two elements each; of complex numbers two parts, of packed ones several in each number.
  for (const auto& one :
       {Stored{E::f32, 2, 0, 0, 0, 0, 0}, Stored{E::complex64, 4, 0, 0, 0, 0, 0}, Stored{E::f64, 0, 2, 0, 0, 0, 0},
        Stored{E::complex128, 0, 4, 0, 0, 0, 0}, Stored{E::i32, 0, 0, 2, 0, 0, 0}, Stored{E::f16, 0, 0, 2, 0, 0, 0},
        Stored{E::boolean, 0, 0, 2, 0, 0, 0}, Stored{E::u8, 0, 0, 2, 0, 0, 0}, Stored{E::i4, 0, 0, 1, 0, 0, 0},
        Stored{E::i4, 0, 0, 2, 0, 0, 0}, Stored{E::i64, 0, 0, 0, 2, 0, 0}, Stored{E::u32, 0, 0, 0, 0, 2, 0},
        Stored{E::u64, 0, 0, 0, 0, 2, 0}, Stored{E::string, 0, 0, 0, 0, 0, 2}}) {
    auto proto = tensor_of(one.type, {2});
    for (int i = 0; i < one.in_float; ++i) proto.add_float_data(1);
    for (int i = 0; i < one.in_double; ++i) proto.add_double_data(1);
    for (int i = 0; i < one.in_int32; ++i) proto.add_int32_data(1);
    for (int i = 0; i < one.in_int64; ++i) proto.add_int64_data(1);
    for (int i = 0; i < one.in_uint64; ++i) proto.add_uint64_data(1);
    for (int i = 0; i < one.in_string; ++i) proto.add_string_data("s");
    EXPECT_EQ(thrown_by([&] { read_constant(proto, "w", memory); }), "") << type_name(one.type);
    EXPECT_EQ(thrown_by([&] { read_constant(tensor_of(one.type, {2}), "w", memory); }),
              "ONNX model in memory: tensor 'w' holds 0 values, but its dimensions need 2; the file is damaged");
  }
  auto bytes = tensor_of(ElementType::u8, {2});
  bytes.add_int32_data(1);
  EXPECT_EQ(thrown_by([&] { read_constant(bytes, "w", memory); }),
            "ONNX model in memory: tensor 'w' holds 1 values, but its dimensions need 2; the file is damaged")
      << "a byte is not packed";
}

TEST(OnnxConstants, of_few_integers_have_their_values) {
  auto longs = tensor_of(ElementType::i64, {2}), ints = tensor_of(ElementType::i32, {3}),
       bytes = tensor_of(ElementType::i8, {2});
  longs.set_raw_data(std::string("\x05\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 16));
  ints.set_raw_data(std::string("\x01\0\0\0\xfe\xff\xff\xff\0\x01\0\0", 12));
  bytes.set_raw_data("ab");
  EXPECT_EQ(told(read_constant(longs, "w", memory)), "int64 {2} 16 bytes [5 -1 ]");
  EXPECT_EQ(told(read_constant(ints, "w", memory)), "int32 {3} 12 bytes [1 -2 256 ]");
  EXPECT_EQ(told(read_constant(bytes, "w", memory)), "int8 {2} 2 bytes");
  ints.clear_raw_data();
  for (const int value : {4, -5, 6}) ints.add_int32_data(value);
  EXPECT_EQ(told(read_constant(ints, "w", memory)), "int32 {3} 12 bytes [4 -5 6 ]");
  for (const std::int64_t count : {1024, 1025}) {
    auto many = tensor_of(ElementType::i64, {count});
    many.set_raw_data(std::string(static_cast<std::size_t>(count) * 8, '\0'));
    EXPECT_EQ(read_constant(many, "w", memory).integers.has_value(), count == 1024);
  }
  EXPECT_EQ(told(read_constant(tensor_of(ElementType::i64, {0, 5}), "w", memory)), "int64 {0,5} 0 bytes []");
}

TEST(OnnxConstants, that_cannot_be_are_refused_with_what_is_wrong) {
  const std::string begin = "ONNX model in memory: tensor 'w' ";
  const auto of_type = [&](int type) {
    onnx::TensorProto proto;
    proto.set_data_type(type);
    proto.add_dims(0);
    return thrown_by([&] { read_constant(proto, "w", memory); });
  };
  EXPECT_EQ(of_type(0), begin + "has the element type 0, which is unknown to takt");
  EXPECT_EQ(of_type(27), begin + "has the element type 27, which is unknown to takt");
  EXPECT_EQ(of_type(26), "");
  EXPECT_EQ(of_type(1), "");
  const auto of_shape = [&](const PartialShape& shape) {
    return thrown_by([&] { check_dimensions(shape, "w", memory); });
  };
  constexpr std::int64_t half = 1 << 20;
  EXPECT_EQ(of_shape({{half, ""}, {half, ""}}), "") << "the largest";
  EXPECT_EQ(of_shape({{half, ""}, {half + 1, ""}}),
            begin + "has the shape {1048576,1048577}, which is more than 2^40 elements");
  EXPECT_EQ(of_shape({{half * half, ""}}), "");
  EXPECT_EQ(of_shape({{half * half + 1, ""}}),
            begin + "has the shape {1099511627777}, which is more than 2^40 elements");
  EXPECT_EQ(of_shape({{half, ""}, {half, ""}, {2, ""}}),
            begin + "has the shape {1048576,1048576,2}, which is more than 2^40 elements");
  EXPECT_EQ(of_shape({{half, ""}, {0, ""}, {half, ""}, {half, ""}}), "") << "nothing at all";
  EXPECT_EQ(of_shape({{half, ""}, {{}, "n"}, {half, ""}}), "");
  EXPECT_EQ(of_shape({{half, ""}, {-1, ""}}), begin + "has the negative dimension -1");
  EXPECT_EQ(of_shape({{half * half + 1, ""}, {-2, ""}}), begin + "has the negative dimension -2") << "said first";
  auto short_data = tensor_of(ElementType::f64, {3});
  short_data.set_raw_data("12345678");
  EXPECT_EQ(thrown_by([&] { read_constant(short_data, "w", memory); }),
            begin + "holds 8 bytes, but its dimensions need 24; the file is damaged");
}

TEST(OnnxConstants, of_other_files_have_a_place_and_the_length_of_their_dimensions) {
  const auto external = [](std::vector<std::pair<std::string, std::string>> entries) {
    auto proto = tensor_of(ElementType::f32, {4});
    proto.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] : entries) {
      auto& entry = *proto.add_external_data();
      entry.set_key(key), entry.set_value(value);
    }
    return thrown_by([&] { read_constant(proto, "w", memory); });
  };
  const std::string begin = "ONNX model in memory: tensor 'w' ";
  EXPECT_EQ(external({{"location", "f"}, {"offset", "x"}}),
            begin + "has external data with the offset 'x', which is not a number");
  EXPECT_EQ(external({{"location", "f"}, {"length", "-16"}}),
            begin + "has external data with the length '-16', which is not a number");
  EXPECT_EQ(external({{"location", "f"}, {"length", "15"}}),
            begin + "needs 16 bytes by its dimensions, but its external data has 15");
  EXPECT_EQ(external({{"location", "f"}, {"length", "16"}}),
            "ONNX model in memory: the external data of tensor 'w' cannot be found, because the model has no folder");
  EXPECT_EQ(external({{"offset", "0"}}),
            "ONNX model in memory: the external data of tensor 'w' has no location; export the model again");
}

TEST(OnnxConstants, declarations_fill_in_what_is_not_known) {
  onnx::TypeProto type;
  auto& declared = *type.mutable_tensor_type();
  declared.set_elem_type(onnx::TensorProto::INT16);
  declared.mutable_shape()->add_dim()->set_dim_value(5);
  declared.mutable_shape()->add_dim()->set_dim_param("n");
  declared.mutable_shape()->add_dim();
  Tensor unknown, known;
  known.type = ElementType::f32, known.shape = PartialShape{{2, ""}};
  for (Tensor* tensor : {&unknown, &known}) apply_declared_type(type, *tensor, memory);
  EXPECT_EQ(told(unknown), "int16 {5,n,?} no constant");
  EXPECT_EQ(told(known), "float32 {2} no constant");
  declared.mutable_shape()->mutable_dim()->RemoveLast();
  declared.mutable_shape()->mutable_dim()->RemoveLast();
  Tensor dense, sparse, scalar;
  apply_declared_type(type, dense, memory);
  EXPECT_EQ(told(dense), "int16 {5} 10 bytes no constant");
  onnx::TypeProto of_sparse, of_scalar;
  of_sparse.mutable_sparse_tensor_type()->set_elem_type(onnx::TensorProto::DOUBLE);
  of_sparse.mutable_sparse_tensor_type()->mutable_shape()->add_dim()->set_dim_value(7);
  apply_declared_type(of_sparse, sparse, memory);
  EXPECT_EQ(told(sparse), "float64 {7} no constant") << "how much it holds is not known";
  of_scalar.mutable_tensor_type()->set_elem_type(onnx::TensorProto::DOUBLE);
  apply_declared_type(of_scalar, scalar, memory);
  EXPECT_EQ(told(scalar), "float64 ? no constant") << "no shape is not the shape of a scalar";
}

TEST(OnnxVersions, at_their_borders) {
  ModelBuilder b;
  b.output(b.node("Relu", {b.input("x", ElementType::f32, {4})}));
  const auto building = [&](int opset, int ir) { return thrown_by([&] { b.build(opset, ir); }); };
  EXPECT_EQ(building(1, 1), "");
  EXPECT_EQ(building(25, 13), "");
  EXPECT_EQ(building(0, 8), "ONNX model in memory: the operator set version is 0");
  EXPECT_EQ(
      building(26, 13),
      "ONNX model in memory: the model uses operator set 26, takt supports up to 25; export it with an older one");
  EXPECT_EQ(
      building(17, 14),
      "ONNX model in memory: the model has IR version 14, takt supports up to 13; export it with an older version");
  EXPECT_EQ(building(17, 0),
            "ONNX model in memory: the file names no IR version; it is not an ONNX model or is damaged");
  const auto without_opset = [&](int ir) {
    onnx::ModelProto proto;
    EXPECT_TRUE(proto.ParseFromString(b.serialize(17, ir)));
    proto.clear_opset_import();
    return proto;
  };
  EXPECT_EQ(thrown_by([&] { parse_onnx(serialize_onnx(without_opset(3)), {}); }),
            "ONNX model in memory: the file names no operator set; it is damaged or truncated");
  const Graph oldest = parse_onnx(serialize_onnx(without_opset(2)), {}).graph;
  EXPECT_EQ(oldest.opsets, (std::map<std::string, std::int64_t>{{"", 1}}));
  EXPECT_EQ(oldest.ir_version, 2);
  auto other = without_opset(8);
  for (const auto& [domain, version] : {std::pair{"ai.onnx", 12}, std::pair{"own", 99}}) {
    auto& import = *other.add_opset_import();
    import.set_domain(domain), import.set_version(version);
  }
  EXPECT_EQ(parse_onnx(serialize_onnx(other), {}).graph.opsets,
            (std::map<std::string, std::int64_t>{{"", 12}, {"own", 99}}))
      << "of other domains takt asks nothing";
  other.mutable_opset_import(0)->set_version(26);
  EXPECT_NE(thrown_by([&] { parse_onnx(serialize_onnx(other), {}); }), "");
}

TEST(ModelBuilder, weights_are_drawn_by_how_many_are_summed) {
  const auto largest = [](const Shape& shape) {
    ModelBuilder b;
    b.weight(shape);
    const std::string& raw = b.graph().initializer(0).raw_data();
    std::vector<float> values(raw.size() / sizeof(float));
    std::memcpy(values.data(), raw.data(), raw.size());
    EXPECT_LT(*std::min_element(values.begin(), values.end()), 0);
    float most = 0;
    for (const float value : values) most = std::max(most, std::abs(value));
    return most;
  };
  // ±sqrt(3 / fan-in) is nearly reached by some of thousands.
  EXPECT_NEAR(largest({3, 2000}), 1, 0.01) << "a matrix: its rows";
  EXPECT_NEAR(largest({2000, 3}), std::sqrt(3.0 / 2000), 0.0004);
  EXPECT_NEAR(largest({100, 3, 4}), 0.5, 0.01) << "all but the first";
  EXPECT_NEAR(largest({6000}), std::sqrt(3.0), 0.01);
}

}  // namespace
}  // namespace takt
