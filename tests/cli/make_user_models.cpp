// make_user_models FOLDER: writes models as users have them, for user_models_test.py; each has one property of those
// that public reports describe.
#include <onnx-ml.pb.h>

#include <cstdio>
#include <exception>
#include <filesystem>

#include "base/files/file.h"
#include "model/onnx/builder.h"

namespace takt {
namespace {

/// Rows of 64 to rows of 8, with dimensions of its ports as a file may declare them.
std::string dense(const std::string& input, const std::string& output) {
  ModelBuilder b;
  const auto x = b.symbolic_input("input_ids", ElementType::f32, input);
  b.symbolic_output(b.node("MatMul", {x, b.weight({64, 8})}, {}, {.name = "mm", .outputs = {"y"}}), ElementType::f32,
                    output);
  return b.serialize();
}

/// The same with the numbers -1 and 0 where a name would be.
std::string dense_of_numbers(std::int64_t input, std::int64_t output) {
  ModelBuilder b;
  const auto x = b.input("input_ids", ElementType::f32, {input, 64});
  b.output(b.node("MatMul", {x, b.weight({64, 8})}, {}, {.name = "mm", .outputs = {"y"}}), ElementType::f32,
           {output, 8});
  return b.serialize();
}

/// A picture, a state of any size that its first call begins with, and a ratio that shrinks the picture.
std::string matting() {
  ModelBuilder b;
  const auto picture = b.symbolic_input("src", ElementType::f32, "batch_size,3,height,width");
  const auto state = b.symbolic_input("r1i", ElementType::f32, "batch_size,channels1,height1,width1");
  const auto ratio = b.input("downsample_ratio", ElementType::f32, {1});
  const auto scales = b.node("Concat", {b.floats({1, 1}, {2}), ratio, ratio}, {{"axis", std::int64_t{0}}});
  const auto small = b.node("Resize", {picture, "", scales}, {{"mode", std::string("linear")}}, {.name = "shrink"});
  const auto seen = b.node("Conv", {small, b.weight({8, 3, 3, 3})}, {{"strides", {2, 2}}, {"pads", {1, 1, 1, 1}}});
  const auto kept = b.node("Expand", {state, b.node("Shape", {seen})}, {}, {.name = "state"});
  b.output(b.node("Add", {seen, kept}, {}, {.outputs = {"r1o"}}));
  return b.serialize();
}

/// Numbers that say how long a sequence is.
std::string ranges() {
  ModelBuilder b;
  const auto start = b.node("Squeeze", {b.input("in1", ElementType::i32, {1, 1})});
  const auto limit = b.node("Squeeze", {b.input("in2", ElementType::i32, {1})});
  const auto step = b.node("Squeeze", {b.input("step", ElementType::i32, {1})});
  const auto places = b.node("Range", {start, limit, step}, {}, {.name = "positions"});
  const auto words = b.node("Gather", {b.weight({512, 32}), places}, {}, {.name = "lookup"});
  b.output(b.node("MatMul", {words, b.weight({32, 32})}, {}, {.name = "proj", .outputs = {"y"}}));
  return b.serialize();
}

std::string best() {
  ModelBuilder b;
  const auto scores = b.input("scores", ElementType::f32, {1, 50}), k = b.input("k", ElementType::i64, {1});
  b.output(b.node("TopK", {scores, k}, {}, {.name = "best", .outputs = {"values", "places"}}));
  b.output("places");
  return b.serialize();
}

/// Both branches ask for a row that there is not.
std::string failing_branch() {
  ModelBuilder yes("yes"), no("no"), b;
  const auto x = b.input("x", ElementType::f32, {2, 4});
  const auto flag = b.input("flag", ElementType::boolean, {});
  const auto row = b.node("Add", {b.input("row", ElementType::i64, {1}), b.integers({1000}, {1})});
  yes.output(yes.node("Gather", {x, row}, {}, {.outputs = {"yes_r"}}));
  no.output(no.node("Neg", {no.node("Gather", {x, row})}, {}, {.outputs = {"no_r"}}));
  b.output(b.node("If", {flag}, {},
                  {.name = "choice", .outputs = {"r"}, .subgraphs = {{"then_branch", &yes}, {"else_branch", &no}}}));
  return b.serialize();
}

std::string no_inputs() {
  ModelBuilder b;
  const auto noise = b.node("RandomNormal", {}, {{"shape", {4, 64}}, {"seed", 1.0f}}, {.name = "noise"});
  b.output(b.node("MatMul", {noise, b.weight({64, 8})}, {}, {.name = "mm", .outputs = {"y"}}));
  return b.serialize();
}

/// A sequence of any length: positions, products of every pair of words.
std::string encoder() {
  ModelBuilder b;
  const auto ids = b.symbolic_input("input_ids", ElementType::i64, "batch,sequence");
  const auto mask = b.symbolic_input("attention_mask", ElementType::i64, "batch,sequence");
  const auto words = b.node("Gather", {b.weight({300, 64}), ids});
  const auto turned = b.node("Transpose", {words}, {{"perm", {0, 2, 1}}});
  const auto keep = b.node("Unsqueeze", {b.node("Cast", {mask}, {{"to", std::int64_t{1}}}), b.integers({1})});
  const auto weights =
      b.node("Softmax", {b.node("Add", {b.node("MatMul", {words, turned}, {}, {.name = "qk"}), keep})});
  b.output(b.node("MatMul", {weights, words}, {}, {.name = "context", .outputs = {"y"}}));
  return b.serialize();
}

/// Its weights lie in "w.bin", of 64 x 8 float32.
std::string with_weights_beside() {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {1, 64});
  b.output(b.node("MatMul", {x, b.weight({64, 8}, "w")}, {}, {.name = "mm", .outputs = {"y"}}), ElementType::f32,
           {1, 8});
  auto& weight = *b.graph().mutable_initializer(0);
  weight.clear_raw_data();
  weight.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& place = *weight.add_external_data();
  place.set_key("location"), place.set_value("w.bin");
  return b.serialize();
}

/// Its first operator makes what nobody reads, as exporters leave behind.
std::string dead_end() {
  ModelBuilder b;
  auto x = b.symbolic_input("x", ElementType::f32, "rows,64");
  b.node("Shape", {x}, {}, {.name = "for_nobody"});
  for (const char* name : {"first", "second", "third"})
    x = b.node("Relu", {b.node("MatMul", {x, b.weight({64, 64})}, {}, {.name = name})});
  b.output(x);
  return b.serialize();
}

std::string divided() {
  ModelBuilder b;
  b.output(b.node("Div", {b.input("whole", ElementType::i64, {4}), b.input("parts", ElementType::i64, {4})}));
  return b.serialize();
}

/// Integers that must not be 0, rows of a table of one, and lengths of sequences.
std::string particular() {
  ModelBuilder b;
  const auto share = b.node("Div", {b.input("whole", ElementType::i64, {4}), b.input("parts", ElementType::i64, {4})});
  const auto words = b.symbolic_input("token_type_ids", ElementType::i64, "batch,sequence");
  const auto rows = b.node("Gather", {b.weight({1, 16}), words}, {}, {.name = "kinds"});
  const auto lengths = b.symbolic_input("lengths", ElementType::i32, "batch");
  const auto turned = b.node("Transpose", {rows}, {{"perm", {1, 0, 2}}});
  b.output(b.node("LSTM", {turned, b.weight({1, 32, 16}), b.weight({1, 32, 8}), "", lengths},
                  {{"hidden_size", std::int64_t{8}}}, {.name = "lstm"}));
  b.output(share);
  return b.serialize();
}

/// One layer of a decoder with what it keeps of earlier words; its mask says how many there are.
std::string decoder() {
  ModelBuilder b;
  const auto ids = b.symbolic_input("input_ids", ElementType::i64, "batch_size,sequence_length");
  const auto mask = b.symbolic_input("attention_mask", ElementType::i64, "batch_size,total_sequence_length");
  const std::string kept = "batch_size,2,past_sequence_length,16";
  const auto keys = b.symbolic_input("past.key", ElementType::f32, kept);
  const auto values = b.symbolic_input("past.value", ElementType::f32, kept);
  const auto one = b.integers({1});
  const auto to_int32 = [&](const std::string& x) { return b.node("Cast", {x}, {{"to", std::int64_t{6}}}); };
  const auto last = to_int32(b.node("Sub", {b.node("ReduceSum", {mask, one}), one}));
  const auto total = to_int32(b.node("Gather", {b.node("Shape", {mask}), b.integers({1}, {})}));
  const auto words = b.node("Gather", {b.weight({100, 64}), ids});
  const auto heads = [&](std::int64_t width) { return b.node("MatMul", {words, b.weight({64, width})}); };
  const auto q = heads(64), k = heads(32), v = heads(32);
  b.output(b.node("GroupQueryAttention", {q, k, v, keys, values, last, total},
                  {{"num_heads", std::int64_t{4}}, {"kv_num_heads", std::int64_t{2}}},
                  {.name = "gqa", .domain = "com.microsoft", .outputs = {"y", "present.key", "present.value"}}));
  b.output("present.key");
  b.output("present.value");
  return b.serialize();
}

/// A picture that is brought to a size that is given.
std::string resized() {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {1, 3, 32, 32});
  b.output(b.node("Resize", {x, "", "", b.input("sizes", ElementType::i64, {4})}, {{"mode", std::string("linear")}},
                  {.name = "resize"}));
  return b.serialize();
}

std::string picture() {
  ModelBuilder b;
  const auto x = b.symbolic_input("image", ElementType::f32, "n,3,h,w");
  b.output(b.node("Conv", {x, b.weight({4, 3, 3, 3})}, {}, {.name = "conv"}));
  return b.serialize();
}

/// Its channels are cut into blocks of nine.
std::string blocks() {
  ModelBuilder b;
  b.output(
      b.node("DepthToSpace", {b.symbolic_input("x", ElementType::f32, "n,c,h,w")}, {{"blocksize", std::int64_t{3}}}));
  return b.serialize();
}

std::string no_outputs() {
  ModelBuilder b;
  b.node("Relu", {b.input("x", ElementType::f32, {4})});
  return b.serialize();
}

/// Axes, steps and places that inputs hand it, a ratio, a text that is a number, categories.
std::string parameters() {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {8, 1, 16});
  const auto given = [&](const char* name, const Shape& shape) { return b.input(name, ElementType::i64, shape); };
  b.output(b.node("Slice", {x, b.integers({0, 0}), b.integers({4, 1}), given("axes", {2}), given("steps", {2})}));
  b.output(b.node("Unsqueeze", {x, given("new_axes", {2})}));
  b.output(b.node("Squeeze", {x, given("left_out", {1})}));
  b.output(b.node("Dropout", {x, b.input("ratio", ElementType::f32, {})}));
  b.output(b.node("Cast", {b.input("text", ElementType::string, {4})}, {{"to", std::int64_t{1}}}));
  b.output(b.node("OneHotEncoder", {given("kind", {1, 1})}, {{"cats_int64s", {5, 7}}, {"zeros", std::int64_t{0}}},
                  {.domain = "ai.onnx.ml"}));
  b.output(b.node("OneHotEncoder", {b.input("colour", ElementType::string, {1, 1})},
                  {{"cats_strings", std::vector<std::string>{"red", "blue"}}, {"zeros", std::int64_t{0}}},
                  {.domain = "ai.onnx.ml"}));
  return b.serialize();
}

/// Of an operator set that broadcasts otherwise.
std::string old() {
  ModelBuilder b;
  const auto sum = b.node("Add", {b.input("x", ElementType::f32, {2, 4}), b.weight({4}, "w")},
                          {{"broadcast", std::int64_t{1}}, {"axis", std::int64_t{1}}});
  b.input("w", ElementType::f32, {4});
  b.output(sum, ElementType::f32, {2, 4});
  return b.serialize(6, 3);
}

/// A convolution, a sum and a mean of quantised numbers, as a quantiser of ONNX Runtime writes them.
std::string quantised() {
  ModelBuilder b;
  const auto scale = b.floats({0.02f}, {}), zero = b.raw(ElementType::u8, {}, "\x80");
  const auto weights = b.raw(ElementType::i8, {16, 8, 3, 3}, std::string(16 * 8 * 9, '\1'));
  const auto no_shift = b.raw(ElementType::i8, {}, std::string(1, '\0'));
  const auto q =
      b.node("QuantizeLinear", {b.input("x", ElementType::f32, {1, 8, 32, 32}), scale, zero}, {}, {.name = "q"});
  const auto conv = b.node("QLinearConv", {q, scale, zero, weights, scale, no_shift, scale, zero},
                           {{"pads", {1, 1, 1, 1}}}, {.name = "conv"});
  const auto sum = b.node("QLinearAdd", {conv, scale, zero, conv, scale, zero, scale, zero}, {},
                          {.name = "sum", .domain = "com.microsoft"});
  const auto mean = b.node("QLinearGlobalAveragePool", {sum, scale, zero, scale, zero}, {},
                           {.name = "mean", .domain = "com.microsoft"});
  b.output(b.node("DequantizeLinear", {mean, scale, zero}, {}, {.name = "dq"}));
  return b.serialize();
}

/// The place of the first 50, of which generated values have none.
std::string needle() {
  ModelBuilder b;
  const auto found =
      b.node("NonZero", {b.node("Equal", {b.input("ids", ElementType::i64, {16}), b.integers({50}, {})})});
  b.output(b.node("Gather", {found, b.integers({0}, {})}, {{"axis", std::int64_t{1}}}));
  return b.serialize();
}

std::string turns() {
  ModelBuilder body("body"), b;
  const auto x = b.input("x", ElementType::f32, {4}), count = b.input("max_length", ElementType::i64, {});
  body.input("i", ElementType::i64, {});
  body.input("go", ElementType::boolean, {});
  body.input("state", ElementType::f32, {4});
  body.output(body.node("Identity", {"go"}, {}, {.outputs = {"go_on"}}), ElementType::boolean, {});
  body.output(body.node("Neg", {"state"}, {}, {.name = "turn", .outputs = {"next"}}), ElementType::f32, {4});
  b.output(b.node("Loop", {count, "", x}, {}, {.name = "loop", .outputs = {"y"}, .subgraphs = {{"body", &body}}}),
           ElementType::f32, {4});
  return b.serialize();
}

/// Numbers of 8 and of 4 bits.
std::string narrow() {
  ModelBuilder b;
  const auto wide = [&](const char* name, ElementType type) {
    return b.node("Cast", {b.input(name, type, {3, 5})}, {{"to", std::int64_t{1}}});
  };
  b.output(
      b.node("Add", {wide("bytes", ElementType::f8e4m3fn), wide("nibbles", ElementType::i4)}, {}, {.name = "sum"}));
  return b.serialize(21, 10);
}

}  // namespace
}  // namespace takt

int main(int count, char** arguments) {
  if (count != 2) return std::fputs("usage: make_user_models FOLDER\n", stderr), 2;
  try {
    const std::filesystem::path folder = arguments[1];
    std::filesystem::create_directories(folder / "hub/onnx");
    const auto write = [&](const char* name, const std::string& bytes) {
      takt::write_file_atomically(folder / name, bytes);
    };
    write("minus_one.onnx", takt::dense_of_numbers(-1, -1));
    write("minus_one_symbol.onnx", takt::dense("-1,64", "-1,8"));
    write("minus_one_out.onnx", takt::dense("n,64", "-1,8"));
    write("zero_out.onnx", takt::dense("n,64", "0,8"));
    write("other_out.onnx", takt::dense("n,64", "7,8"));
    write("matting.onnx", takt::matting());
    write("ranges.onnx", takt::ranges());
    write("best.onnx", takt::best());
    write("failing_branch.onnx", takt::failing_branch());
    write("no_inputs.onnx", takt::no_inputs());
    write("encoder.onnx", takt::encoder());
    write("beside.onnx", takt::with_weights_beside());
    write("w.bin", std::string(64 * 8 * 4, '\0'));
    write("picture.onnx", takt::picture());
    write("dead_end.onnx", takt::dead_end());
    write("divided.onnx", takt::divided());
    write("particular.onnx", takt::particular());
    write("decoder.onnx", takt::decoder());
    write("resized.onnx", takt::resized());
    write("blocks.onnx", takt::blocks());
    write("no_outputs.onnx", takt::no_outputs());
    write("parameters.onnx", takt::parameters());
    write("old.onnx", takt::old());
    write("quantised.onnx", takt::quantised());
    write("needle.onnx", takt::needle());
    write("turns.onnx", takt::turns());
    write("narrow.onnx", takt::narrow());
    write("page.onnx", "<!DOCTYPE html><html><title>404</title></html>");
    write("text.onnx", "ir_version: 8\ngraph { name: \"g\" }\n");
    write("hub/onnx/model.onnx", takt::picture());
    write("unknown.model", std::string("\x01\x02\x03\x04", 4));
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "make_user_models: %s\n", error.what()), 1;
  }
}
