// Types of elements, and numbers in few bits.
#include "cli/odd_models.h"

namespace takt {
namespace {

void integer_inputs() {
  for (auto [name, type] : {std::pair{"i32", ElementType::i32},
                            {"i64", ElementType::i64},
                            {"u8", ElementType::u8},
                            {"i8", ElementType::i8},
                            {"bool", ElementType::boolean},
                            {"f16", ElementType::f16},
                            {"f64", ElementType::f64},
                            {"bf16", ElementType::bf16},
                            {"u32", ElementType::u32},
                            {"i16", ElementType::i16},
                            {"u16", ElementType::u16},
                            {"u64", ElementType::u64}}) {
    ModelBuilder b;
    auto x = b.input("x", type, {2, 8});
    b.output(b.node("Relu", {b.node("Cast", {x}, {{"to", std::int64_t{1}}})}), ElementType::f32, {2, 8});
    save(std::string("type_") + name, b, 13);
  }
}

void half_model() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f16, {1, 3, 16, 16});
  auto w = b.raw(ElementType::f16, {8, 3, 3, 3}, bytes(std::vector<std::uint16_t>(216, 0x2c00)));
  b.output(b.node("Relu", {b.node("Conv", {x, w})}), ElementType::f16, {1, 8, 14, 14});
  save("type_f16_conv", b);
}

void half_weights() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {4, 16});
  auto w = b.raw(ElementType::f16, {16, 8}, bytes(std::vector<std::uint16_t>(128, 0x2c00)));
  b.output(b.node("MatMul", {x, b.node("Cast", {w}, {{"to", std::int64_t{1}}})}), ElementType::f32, {4, 8});
  save("type_f16_weights", b);
}

void double_model() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f64, {4, 16});
  b.output(b.node("MatMul", {x, b.raw(ElementType::f64, {16, 8}, bytes(std::vector<double>(128, 0.5)))}),
           ElementType::f64, {4, 8});
  save("type_f64_matmul", b);
}

void string_model() {
  ModelBuilder b;
  auto x = b.input("words", ElementType::string, {2, 3});
  auto y = b.node("LabelEncoder", {x},
                  {{"keys_strings", std::vector<std::string>{"a", "b"}},
                   {"values_int64s", {1, 2}},
                   {"default_int64", std::int64_t{7}}},
                  {.domain = "ai.onnx.ml"});
  b.output(y, ElementType::i64, {2, 3});
  save_changed("type_string", b, [](auto& m) { m.mutable_opset_import(1)->set_version(2); });
  ModelBuilder c;
  c.output(c.node("Identity", {c.symbolic_input("words", ElementType::string, "batch")}));
  save("type_string_identity", c);
}

void quantised() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {1, 3, 16, 16});
  auto scale = b.floats({0.1f}, {});
  auto zero = b.raw(ElementType::u8, {}, std::string(1, '\x80'));
  auto signed_zero = b.raw(ElementType::i8, {}, std::string(1, '\0'));
  auto w = b.raw(ElementType::i8, {8, 3, 3, 3}, std::string(216, '\x02'));
  auto qdq = [&](const std::string& t) {
    return b.node("DequantizeLinear", {b.node("QuantizeLinear", {t, scale, zero}), scale, zero});
  };
  auto conv = b.node("Conv", {qdq(x), b.node("DequantizeLinear", {w, scale, signed_zero})}, {{"pads", {1, 1, 1, 1}}});
  b.output(qdq(b.node("Relu", {conv})), ElementType::f32, {1, 8, 16, 16});
  save("quantised_qdq", b, 13);
  ModelBuilder c;
  auto q = c.input("x", ElementType::u8, {1, 3, 8, 8});
  auto s = c.floats({0.1f}, {});
  auto z = c.raw(ElementType::u8, {}, std::string(1, '\0'));
  auto v = c.raw(ElementType::u8, {4, 3, 3, 3}, std::string(108, '\x01'));
  c.output(c.node("QLinearConv", {q, s, z, v, s, z, s, z}), ElementType::u8, {1, 4, 6, 6});
  save("quantised_qlinear", c, 10, 5);
  ModelBuilder d;
  auto f = d.input("x", ElementType::f32, {4, 16});
  d.node("DynamicQuantizeLinear", {f}, {}, {.outputs = {"xq", "xs", "xz"}});
  auto m = d.node("MatMulInteger", {"xq", d.raw(ElementType::i8, {16, 8}, std::string(128, '\x01')), "xz"});
  d.output(d.node("Mul", {d.node("Cast", {m}, {{"to", std::int64_t{1}}}), "xs"}), ElementType::f32, {4, 8});
  save("quantised_dynamic", d, 11);
}

void four_bit() {
  ModelBuilder b;
  auto x = b.input("x", ElementType::f32, {4, 32});
  auto w = b.raw(ElementType::i4, {32, 8}, std::string(128, '\x21'));
  b.output(b.node("MatMul", {x, b.node("DequantizeLinear", {w, b.floats({0.1f}, {})})}), ElementType::f32, {4, 8});
  save("quantised_int4", b, 21, 10);
}

}  // namespace

void write_types() {
  integer_inputs();
  half_model();
  half_weights();
  double_model();
  string_model();
  quantised();
  four_bit();
}

}  // namespace takt
