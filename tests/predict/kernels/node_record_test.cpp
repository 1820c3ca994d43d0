// What of a node becomes a record: which values stay, what stands in the way.
#include "predict/kernels/node_record.h"

#include <gtest/gtest.h>
#include <onnx-ml.pb.h>

#include <numeric>
#include <string>
#include <vector>

#include "model/onnx/builder.h"
#include "predict/kernels/record_json.h"
#include "predict/kernels/records.h"

namespace takt {
namespace {

/// The record of the only node of a model, as JSON.
nlohmann::json record_of_only(const ModelBuilder& builder) {
  const OnnxModel model = builder.build();
  return nlohmann::json::parse(record_json(NodeRecords(model, model.graph).of(model.graph.ops.at(0))).dump());
}

/// Of a node `type` on an input and a constant, the constant: "values", "low high" or "nothing", as text.
std::string kept_of(const std::string& type, const std::string& constant, ModelBuilder& b) {
  const auto x = b.input("x", ElementType::f32, {70, 2});
  b.output(b.node(type, {x, constant}), ElementType::f32, {1});
  const auto input = record_of_only(b)["inputs"][1];
  EXPECT_EQ(input["kind"], "weight");
  if (input.contains("values")) return input["values"].dump();
  if (input.contains("low")) return input["low"].dump() + " to " + input["high"].dump();
  return "nothing";
}

std::vector<std::int64_t> from_minus_three(std::int64_t count) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), -3);
  return values;
}

std::string kept_integers(const std::string& type, std::int64_t count) {
  ModelBuilder b;
  return kept_of(type, b.integers(from_minus_three(count)), b);
}

std::string kept_floats(const std::string& type, const std::vector<float>& values, const Shape& shape) {
  ModelBuilder b;
  return kept_of(type, b.floats(values, shape), b);
}

std::string kept_raw(const std::string& op, ElementType type, const Shape& shape, const std::string& bytes) {
  ModelBuilder b;
  return kept_of(op, b.raw(type, shape, bytes), b);
}

TEST(NodeRecord, keeps_few_integers_and_of_many_their_range) {
  EXPECT_EQ(kept_integers("Gather", 3), "[-3,-2,-1]");
  EXPECT_EQ(kept_integers("Gather", 64).substr(0, 9), "[-3,-2,-1") << "shapes and axes";
  EXPECT_EQ(kept_integers("Gather", 65), "-3 to 61");
  EXPECT_EQ(kept_integers("QLinearThing", 64).substr(0, 9), "[-3,-2,-1") << "of 64 bits they are no quantised numbers";
  EXPECT_EQ(kept_raw("Gather", ElementType::i32, {2}, std::string("\5\0\0\0\377\377\377\377", 8)), "[5,-1]");
  for (const char* quantised :
       {"QLinearConv", "DequantizeLinear", "MatMulInteger", "QGemm", "QAttention", "MatMulNBits"})
    EXPECT_EQ(kept_raw(quantised, ElementType::i32, {2}, std::string("\5\0\0\0\377\377\377\377", 8)), "-1 to 5")
        << quantised;
  EXPECT_EQ(kept_raw("Gather", ElementType::u8, {3}, "\7\1\4"), "1 to 7") << "small ones are never lists";
  EXPECT_EQ(kept_raw("Gather", ElementType::i8, {2}, "\376\4"), "-2 to 4");
  EXPECT_EQ(kept_raw("Gather", ElementType::i16, {2}, std::string("\376\377\4\0", 4)), "-2 to 4");
  EXPECT_EQ(kept_raw("Gather", ElementType::u16, {2}, std::string("\376\377\4\0", 4)), "4 to 65534");
  EXPECT_EQ(kept_raw("Where", ElementType::boolean, {2}, std::string("\1\0", 2)), "[1,0]");
  EXPECT_EQ(kept_raw("Where", ElementType::boolean, {65}, std::string(65, '\1')), "nothing");
}

TEST(NodeRecord, keeps_a_number_and_the_factors_of_a_size) {
  EXPECT_EQ(kept_floats("Clip", {6}, {}), "[6.0]");
  EXPECT_EQ(kept_floats("Clip", {6}, {1, 1}), "[6.0]");
  EXPECT_EQ(kept_floats("Clip", {6, 7}, {2}), "nothing");
  EXPECT_EQ(kept_floats("QuantizeLinear", {6}, {}), "nothing") << "a scale changes nothing but results";
  EXPECT_EQ(kept_raw("Clip", ElementType::f64, {}, std::string("\0\0\0\0\0\0\370\277", 8)), "[-1.5]");
  for (const char* type : {"Resize", "Upsample"}) {
    EXPECT_EQ(kept_floats(type, {1, 1, 2, 2.5}, {4}), "[1.0,1.0,2.0,2.5]");
    EXPECT_NE(kept_floats(type, std::vector<float>(64, 1), {64}), "nothing");
    EXPECT_EQ(kept_floats(type, std::vector<float>(65, 1), {65}), "nothing");
  }
}

/// A constant whose numbers lie in the lists that ONNX has for its type.
std::string kept_listed(onnx::TensorProto::DataType type, void (*add)(onnx::TensorProto&)) {
  ModelBuilder b;
  auto& tensor = *b.graph().add_initializer();
  tensor.set_name("c"), tensor.set_data_type(type), tensor.add_dims(2);
  add(tensor);
  return kept_of("Resize", "c", b);
}

TEST(NodeRecord, numbers_may_lie_in_lists) {
  using Proto = onnx::TensorProto;
  const auto integers = [](Proto& tensor) { tensor.add_int32_data(9), tensor.add_int32_data(4); };
  EXPECT_EQ(kept_listed(Proto::FLOAT, [](Proto& t) { t.add_float_data(1.5F), t.add_float_data(2); }), "[1.5,2.0]");
  EXPECT_EQ(kept_listed(Proto::DOUBLE, [](Proto& t) { t.add_double_data(1.5), t.add_double_data(2); }), "[1.5,2.0]");
  EXPECT_EQ(kept_listed(Proto::INT64, [](Proto& t) { t.add_int64_data(-7), t.add_int64_data(2); }), "[-7,2]");
  EXPECT_EQ(kept_listed(Proto::INT32, integers), "[9,4]");
  EXPECT_EQ(kept_listed(Proto::BOOL, [](Proto& t) { t.add_int32_data(1), t.add_int32_data(0); }), "[1,0]");
  for (const auto type : {Proto::INT16, Proto::UINT16, Proto::INT8, Proto::UINT8})
    EXPECT_EQ(kept_listed(type, integers), "4 to 9") << type;
}

TEST(NodeRecord, is_all_that_the_node_says) {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {2, 3}), y = b.input("y", ElementType::f16, {4});
  b.output(b.node("Frobnicate", {x, y, "", x, y, b.floats({1, 2}, {2})},
                  {{"axis", std::int64_t{-1}}, {"alpha", 0.5F}, {"mode", std::string("a")}},
                  {.name = "n", .domain = "my.company", .outputs = {"z", "", "t"}, .subgraphs = {}}),
           ElementType::i64, {5, 6});
  b.value_info("t", ElementType::boolean, {});
  const auto record = record_of_only(b);
  EXPECT_EQ(record["name"], "Frobnicate");
  EXPECT_EQ(record["type"], "Frobnicate");
  EXPECT_EQ(record["domain"], "my.company");
  EXPECT_EQ(record["layout"], "");
  EXPECT_EQ(record["attributes"].dump(), R"({"alpha":{"float":0.5},"axis":{"int":-1},"mode":{"text":"a"}})");
  EXPECT_EQ(record["inputs"], nlohmann::json::parse(R"([
    {"kind": "activation", "type": "float32", "shape": [2, 3]}, {"kind": "activation", "type": "float16", "shape": [4]},
    null, {"kind": "activation", "type": "float32", "shape": [2, 3], "same_as": 0},
    {"kind": "activation", "type": "float16", "shape": [4], "same_as": 1},
    {"kind": "weight", "type": "float32", "shape": [2]}])"));
  EXPECT_EQ(record["outputs"], nlohmann::json::parse(R"([
    {"kind": "activation", "type": "int64", "shape": [5, 6]}, null,
    {"kind": "activation", "type": "bool", "shape": []}])"));
  EXPECT_EQ(record["opsets"].dump(), R"({"":17,"my.company":1})");
  EXPECT_EQ(record["ir_version"], 8);
  EXPECT_EQ(record["obstacle"], nullptr);
}

TEST(NodeRecord, of_three_times_the_same_the_first_is_named) {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {2});
  b.output(b.node("Sum", {x, x, x}), ElementType::f32, {2});
  const auto record = record_of_only(b);
  EXPECT_FALSE(record["inputs"][0].contains("same_as"));
  EXPECT_EQ(record["inputs"][1]["same_as"], 0);
  EXPECT_EQ(record["inputs"][2]["same_as"], 0);
}

TEST(NodeRecord, what_is_not_known_stands_in_the_way) {
  const auto obstacle_of = [](const auto& write) {
    ModelBuilder b;
    write(b);
    return record_of_only(b)["obstacle"].get<std::string>();
  };
  EXPECT_EQ(obstacle_of([](ModelBuilder& b) {
              b.output(b.node("Relu", {b.symbolic_input("x", ElementType::f32, "n,3")}), ElementType::f32, {1});
            }),
            "the shape of 'x' is unknown");
  EXPECT_EQ(obstacle_of([](ModelBuilder& b) {
              b.output(b.node("Relu", {b.input("x", ElementType::undefined, {2})}), ElementType::f32, {1});
            }),
            "'x' is not a tensor, or its type is unknown");
  EXPECT_EQ(obstacle_of([](ModelBuilder& b) {
              const auto made = b.node("Relu", {b.symbolic_input("x", ElementType::undefined, "n")});
              b.output(made, ElementType::f32, {1});
            }),
            "'x' is not a tensor, or its type is unknown")
      << "the first one is told";
}

}  // namespace
}  // namespace takt
