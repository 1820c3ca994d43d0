// Damaged models: whatever is cut off or flipped, the answer is a model or an Error, never a crash.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "base/basics/error.h"
#include "model/graph/shapes.h"
#include "model/onnx/builder.h"
#include "model/onnx/pieces.h"
#include "onnx-ml.pb.h"

namespace takt {
namespace {

std::string model_bytes() {
  ModelBuilder branch("branch"), b;
  branch.output(branch.node("Neg", {"x"}));
  b.input("x", ElementType::f32, {1, 2, 4, 4});
  b.input("flag", ElementType::boolean, {});
  b.symbolic_input("free", ElementType::i64, "batch,?");
  const auto conv = b.node("Conv", {"x", b.weight({2, 2, 3, 3})}, {{"pads", {1, 1, 1, 1}}, {"auto_pad", "NOTSET"}});
  b.node("ConstantOfShape", {b.integers({2, 3})}, {}, {.outputs = {"filled"}});
  b.node("Constant", {}, {{"value_ints", {1, 2}}}, {.outputs = {"dims"}});
  b.output(b.node("If", {"flag"}, {}, {.subgraphs = {{"then_branch", &branch}, {"else_branch", &branch}}}));
  b.output(b.node("Relu", {conv}), ElementType::f32, {1, 2, 4, 4});
  return b.serialize();
}

/// Cut wherever it can be, it is models again.
void expect_pieces(const OnnxModel& model) {
  const Graph graph = with_shapes(model.graph, {});
  for (const Piece& piece : pieces_of(graph, find_cuts(graph)))
    EXPECT_NO_THROW(parse_onnx(serialize_onnx(piece_model(model, graph, piece, "piece")), {}));
}

// True if it is read; only Error may come out otherwise.
bool reads(const std::string& bytes) {
  try {
    const OnnxModel model = parse_onnx(bytes, {});
    expect_pieces(model);
    return !model.graph.ops.empty();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()), "");
    return false;
  }
}

TEST(DamagedModels, every_truncation_is_refused_or_read) {
  const std::string bytes = model_bytes();
  ASSERT_TRUE(reads(bytes));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(reads(bytes.substr(0, length))) << length;  // the operator sets stand last, so that no cut is a model
  }
}

// TAKT_FUZZ_ROUNDS in the environment makes it longer.
TEST(DamagedModels, flipped_bytes_never_crash) {
  const std::string bytes = model_bytes();
  const char* asked = std::getenv("TAKT_FUZZ_ROUNDS");
  const int rounds = asked == nullptr ? 20000 : std::atoi(asked);
  std::mt19937_64 random(20240613);
  int read = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string damaged = bytes;
    const auto flips = 1 + random() % 4;
    for (std::size_t i = 0; i < flips; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    read += reads(damaged);
  }
  EXPECT_GT(read, 0);  // flips in weights and names leave a model
  EXPECT_LT(read, rounds);
}

}  // namespace
}  // namespace takt
