// make_sizes FOLDER: writes 22 models as users have them, whose sizes are open, for run_zoo_test.py: each runs without
// a flag on the runtimes that can load it; and one that no size fits which anybody would try. Layers are small; what
// they refuse is what the large ones refuse. With a number behind the folder also those for memory_test.py: heavy.onnx
// and heavy_small.onnx, with that many megabytes of weights in large and in small matrices.
#include <cstdio>
#include <exception>
#include <filesystem>

#include "base/files/file.h"
#include "cli/tree_model.h"
#include "model/onnx/builder.h"

namespace takt {
namespace {

std::filesystem::path folder;

void save(const std::string& name, const ModelBuilder& model, int opset = 17) {
  write_file_atomically(folder / (name + ".onnx"), model.serialize(opset));
}

constexpr auto f32 = ElementType::f32;
constexpr auto i64 = ElementType::i64;
const std::int64_t one = 1;

std::string to_float(ModelBuilder& b, const std::string& x) { return b.node("Cast", {x}, {{"to", one}}); }

// ---- speech ---------------------------------------------------------------------------------------------------------

/// A window of sound, {batch, samples}, is cut into frames of `kernel`; there must be one, and the end is reflected.
void frame(ModelBuilder& b, std::int64_t kernel, const std::string& name) {
  const auto padded = b.node("Pad", {b.node("Unsqueeze", {"input", b.integers({1})}), b.integers({0, 0, 0, 0, 0, 64})},
                             {{"mode", std::string("reflect")}});
  const auto frames = b.node("Conv", {padded, b.weight({16, 1, kernel}, name)}, {{"strides", {kernel / 2}}});
  const auto last = b.node("Squeeze", {frames, b.integers({2})});
  const auto seen = b.node("Gather", {"state", b.integers({0}, {})});
  b.output(b.node("Add", {last, seen}, {}, {.outputs = {name + "_y"}}), f32, {1, 16});
}

/// A detector of voice: the rate decides which branch runs, a state goes from call to call.
void voice() {
  ModelBuilder slow("slow", 2), fast("fast", 3), b;
  b.symbolic_input("input", f32, "?,?");
  b.symbolic_input("state", f32, "2,?,16");
  const auto is_fast = b.node("Equal", {b.input("sr", i64, {}), b.integers({16000}, {})});
  frame(slow, 256, "slow");
  frame(fast, 512, "fast");
  b.output(b.node("If", {is_fast}, {},
                  {.name = "rate", .outputs = {"y"}, .subgraphs = {{"then_branch", &fast}, {"else_branch", &slow}}}));
  save("speech_voice", b);
}

void wave_encoder() {
  ModelBuilder b;
  auto x = b.node("Unsqueeze", {b.symbolic_input("input_values", f32, "batch,sequence"), b.integers({1})});
  std::int64_t channels = 1;
  for (const auto& [kernel, stride] : {std::pair<std::int64_t, std::int64_t>{10, 5}, {8, 4}, {4, 2}, {4, 2}, {4, 2}}) {
    x = b.node("Relu", {b.node("Conv", {x, b.weight({4, channels, kernel})}, {{"strides", {stride}}})});
    channels = 4;
  }
  b.output(x);
  save("speech_wave", b);
}

void spectrogram() {
  ModelBuilder b;
  auto x = b.symbolic_input("audio_signal", f32, "batch,samples");
  const auto signal = b.node("Unsqueeze", {x, b.integers({2})});
  b.output(b.node(
      "STFT", {signal, b.integers({160}, {}), b.floats(std::vector<float>(400, 0.5f), {400}), b.integers({400}, {})}));
  save("speech_spectrogram", b);
}

void mel_encoder() {
  ModelBuilder b;
  auto x = b.symbolic_input("mel", f32, "?,80,?");
  auto lengths = b.symbolic_input("length", i64, "?");
  auto h = b.node("Conv", {x, b.weight({16, 80, 3})}, {{"strides", {2}}, {"pads", {1, 1}}});
  h = b.node("Conv", {h, b.weight({16, 16, 3})}, {{"strides", {2}}, {"pads", {1, 1}}});
  b.output(b.node("Mul", {h, b.node("Unsqueeze", {to_float(b, lengths), b.integers({1, 2})})}));
  save("speech_mel", b);
}

void recurrent_step() {
  ModelBuilder b;
  auto x = b.symbolic_input("features", f32, "?,?,40");
  auto h = b.symbolic_input("h0", f32, "1,?,24");
  b.node("GRU", {x, b.weight({1, 72, 40}), b.weight({1, 72, 24}), "", "", h}, {{"hidden_size", std::int64_t{24}}},
         {.outputs = {"y", "hn"}});
  b.output("y");
  b.output("hn");
  save("speech_recurrent", b);
}

// ---- text -----------------------------------------------------------------------------------------------------------

std::string words(ModelBuilder& b, const std::string& ids, std::int64_t width) {
  return b.node("Gather", {b.weight({50, width}), ids});
}

/// Scores of words against words, with those left out that the mask has no 1 for.
std::string attend(ModelBuilder& b, const std::string& x, const std::string& mask) {
  const auto keys = b.node("Transpose", {b.node("MatMul", {x, b.weight({8, 8})})}, {{"perm", {0, 2, 1}}});
  const auto hidden = b.node("Mul", {b.node("Sub", {b.floats({1}, {}), to_float(b, mask)}), b.floats({-10000}, {})});
  const auto scores = b.node("Add", {b.node("MatMul", {x, keys}), b.node("Unsqueeze", {hidden, b.integers({1})})});
  return b.node("MatMul", {b.node("Softmax", {scores}), x});
}

void masked_text(const std::string& name, const std::string& dims) {
  ModelBuilder b;
  auto ids = b.symbolic_input("input_ids", i64, dims);
  auto mask = b.symbolic_input("attention_mask", i64, dims);
  auto types = b.symbolic_input("token_type_ids", i64, dims);
  b.output(attend(b, b.node("Add", {words(b, ids, 8), b.node("Gather", {b.weight({2, 8}), types})}), mask));
  save(name, b);
}

/// Positions counted from the mask, as RoBERTa has them.
void counted_positions() {
  ModelBuilder b;
  auto ids = b.symbolic_input("input_ids", i64, "batch,seq");
  auto mask = b.symbolic_input("attention_mask", i64, "batch,seq");
  auto places = b.node("CumSum", {mask, b.integers({1}, {})});
  auto x = b.node("Add", {words(b, ids, 8), b.node("Gather", {b.weight({40, 8}), places})});
  b.output(attend(b, x, mask));
  save("text_positions", b);
}

void sentence() {
  ModelBuilder b;
  auto ids = b.symbolic_input("input_ids", i64, "?,?");
  auto mask = b.symbolic_input("attention_mask", i64, "?,?");
  auto kept = b.node("Unsqueeze", {to_float(b, mask), b.integers({2})});
  auto sum =
      b.node("ReduceSum", {b.node("Mul", {words(b, ids, 8), kept}), b.integers({1})}, {{"keepdims", std::int64_t{0}}});
  auto count = b.node("ReduceSum", {to_float(b, mask), b.integers({1})});
  b.output(b.node("Div", {sum, b.node("Max", {count, b.floats({1}, {})})}));
  save("text_sentence", b);
}

/// A step of a decoder: what it keeps of earlier words is put before the new one.
void decoder() {
  ModelBuilder b;
  auto ids = b.symbolic_input("input_ids", i64, "batch,sequence");
  auto mask = b.symbolic_input("attention_mask", i64, "batch,past + sequence");
  auto past = b.symbolic_input("past_key_values.0.key", f32, "batch,2,past,4");
  auto x = b.node("Reshape", {words(b, ids, 8), b.integers({0, 0, 2, 4})});
  auto keys = b.node("Concat", {past, b.node("Transpose", {x}, {{"perm", {0, 2, 1, 3}}})}, {{"axis", std::int64_t{2}}});
  auto seen = b.node("Unsqueeze", {to_float(b, mask), b.integers({1, 3})});
  b.output(b.node("Mul", {keys, seen}));
  save("text_decoder", b);
}

void two_languages() {
  ModelBuilder b;
  auto ids = b.symbolic_input("decoder_input_ids", i64, "batch,decoder_sequence");
  auto states = b.symbolic_input("encoder_hidden_states", f32, "batch,encoder_sequence,8");
  auto mask = b.symbolic_input("encoder_attention_mask", i64, "batch,encoder_sequence");
  auto scores = b.node("MatMul", {words(b, ids, 8), b.node("Transpose", {states}, {{"perm", {0, 2, 1}}})});
  auto weights =
      b.node("Softmax", {b.node("Add", {scores, b.node("Unsqueeze", {to_float(b, mask), b.integers({1})})})});
  b.output(b.node("MatMul", {weights, states}));
  save("text_translation", b);
}

// ---- pictures -------------------------------------------------------------------------------------------------------

/// Pictures as a camera gives them; the first step turns them.
void camera(const std::string& name, ElementType type, const std::string& dims) {
  ModelBuilder b;
  auto x = to_float(b, b.symbolic_input("image", type, dims));
  x = b.node("Transpose", {b.node("Div", {x, b.floats({255}, {})})}, {{"perm", {0, 3, 1, 2}}});
  auto y = b.node("Conv", {x, b.weight({8, 3, 3, 3})}, {{"strides", {2, 2}}});
  b.output(b.node("GlobalAveragePool", {b.node("Relu", {y})}));
  save(name, b);
}

/// Halved and doubled again, and joined with what it was: only multiples of four fit.
void u_net() {
  ModelBuilder b;
  auto x = b.symbolic_input("images", f32, "?,3,?,?");
  auto a = b.node("Conv", {x, b.weight({4, 3, 3, 3})}, {{"pads", {1, 1, 1, 1}}});
  auto down = b.node("Conv", {a, b.weight({4, 4, 2, 2})}, {{"strides", {2, 2}}});
  down = b.node("Conv", {down, b.weight({4, 4, 2, 2})}, {{"strides", {2, 2}}});
  auto up = b.node("ConvTranspose", {down, b.weight({4, 4, 4, 4})}, {{"strides", {4, 4}}});
  b.output(b.node("Concat", {a, up}, {{"axis", one}}));
  save("picture_segmentation", b);
}

std::string boxes_and_scores(ModelBuilder& b, const std::string& features) {
  auto flat = b.node("Reshape", {b.node("Transpose", {features}, {{"perm", {0, 2, 3, 1}}}), b.integers({0, -1, 6})});
  b.node("Split", {flat, b.integers({4, 2})}, {{"axis", std::int64_t{2}}}, {.outputs = {"boxes", "scores"}});
  auto scores = b.node("Transpose", {"scores"}, {{"perm", {0, 2, 1}}});
  return b.node("NonMaxSuppression", {"boxes", scores, b.integers({5}), b.floats({0.5f}, {1}), b.floats({0}, {1})});
}

void detector(const std::string& name, ElementType type, const std::string& dims, bool channels_last) {
  ModelBuilder b;
  auto x = b.symbolic_input("input_tensor", type, dims);
  if (type != f32) x = to_float(b, x);
  if (channels_last) x = b.node("Transpose", {x}, {{"perm", {0, 3, 1, 2}}});
  b.output(boxes_and_scores(b, b.node("Conv", {x, b.weight({6, 3, 8, 8})}, {{"strides", {8, 8}}})));
  save(name, b);
}

// ---- tables ---------------------------------------------------------------------------------------------------------

void trees() {
  ModelBuilder b;
  b.output(b.node("TreeEnsembleRegressor", {b.symbolic_input("X", f32, "?,?")}, tree(29), {.domain = "ai.onnx.ml"}));
  save("table_trees", b);
  ModelBuilder c;
  auto numbers = c.node("Cast", {c.symbolic_input("X", ElementType::f64, "rows,columns")}, {{"to", one}});
  c.output(c.node("TreeEnsembleRegressor", {numbers}, tree(6), {.domain = "ai.onnx.ml"}));
  save("table_trees_of_doubles", c);
}

void linear() {
  ModelBuilder b;
  auto x = b.node("Scaler", {b.symbolic_input("X", f32, "?,?")},
                  {{"offset", std::vector<float>(11, 0.5f)}, {"scale", std::vector<float>(11, 2.0f)}},
                  {.domain = "ai.onnx.ml"});
  b.output(b.node("LinearRegressor", {x},
                  {{"coefficients", std::vector<float>(22, 0.1f)},
                   {"intercepts", std::vector<float>(2, 0)},
                   {"targets", std::int64_t{2}}},
                  {.domain = "ai.onnx.ml"}));
  save("table_linear", b);
}

/// 1001 values, which no usual size gives: for the words of the refusal.
void no_size_fits() {
  ModelBuilder b;
  b.output(b.node("Reshape", {b.symbolic_input("x", f32, "?,?"), b.integers({7, 11, 13})}));
  save("none_fits", b);
}

/// Square layers, `width` wide and high, with open sizes; no two have the same weights.
void heavy(const std::string& name, int megabytes, std::int64_t width) {
  ModelBuilder b;
  auto x = b.symbolic_input("x", f32, "batch," + std::to_string(width));
  const auto bytes = static_cast<std::size_t>(width * width) * sizeof(float);
  for (std::size_t layer = 0; layer < (static_cast<std::size_t>(megabytes) << 20) / bytes; ++layer) {
    std::string weights(bytes, static_cast<char>(8 + layer % 48));
    weights[0] = static_cast<char>(layer / 48);
    x = b.node("Relu", {b.node("MatMul", {x, b.raw(f32, {width, width}, weights)})});
  }
  b.output(x);
  save(name, b);
}

void make_all() {
  voice();
  wave_encoder();
  spectrogram();
  mel_encoder();
  recurrent_step();
  masked_text("text_masked", "batch,sequence");
  masked_text("text_unnamed", "?,?");
  counted_positions();
  sentence();
  decoder();
  two_languages();
  camera("picture_camera", ElementType::u8, "?,?,?,3");
  camera("picture_camera_open", ElementType::u8, "?,?,?,?");
  camera("picture_floats_last", f32, "unk__1,unk__2,unk__3,unk__4");
  u_net();
  detector("detect_bytes", ElementType::u8, "?,?,?,3", true);
  detector("detect_open", ElementType::u8, "?,?,?,?", true);
  detector("detect_planes", f32, "batch,3,height,width", false);
  detector("detect_unnamed", f32, "?,?,?,?", false);
  trees();
  linear();
  no_size_fits();
}

}  // namespace
}  // namespace takt

int main(int count, char** arguments) {
  if (count < 2 || count > 3) return std::fputs("usage: make_sizes FOLDER [MEGABYTES]\n", stderr), 2;
  try {
    takt::folder = arguments[1];
    std::filesystem::create_directories(takt::folder);
    takt::make_all();
    if (count < 3) return 0;
    takt::heavy("heavy", std::stoi(arguments[2]), 1024);
    takt::heavy("heavy_small", std::stoi(arguments[2]), 256);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "make_sizes: %s\n", error.what()), 1;
  }
}
