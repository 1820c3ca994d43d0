// make_handover FOLDER: two models for bench/engine.py that do little with much. big.onnx adds 1 to EDGE × EDGE
// numbers, sum.onnx takes the largest of them: 36 MB go from one to the other.
#include <filesystem>
#include <iostream>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "model/onnx/builder.h"

namespace {

constexpr std::int64_t edge = 3000;

std::string big() {
  takt::ModelBuilder b("big");
  const auto x = b.input("x", takt::ElementType::f32, {edge, edge});
  b.output(b.node("Add", {x, b.floats({1}, {1})}, {}, {"add", "", {"u"}, {}}), takt::ElementType::f32, {edge, edge});
  return b.serialize();
}

std::string sum() {
  takt::ModelBuilder b("sum");
  const auto u = b.input("u", takt::ElementType::f32, {edge, edge});
  b.output(b.node("ReduceMax", {u}, {{"keepdims", std::int64_t{1}}}, {"max", "", {"y"}, {}}), takt::ElementType::f32,
           {1, 1});
  return b.serialize();
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: make_handover FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  takt::write_file_atomically(folder / "big.onnx", big());
  takt::write_file_atomically(folder / "sum.onnx", sum());
  return 0;
} catch (const takt::Error& error) {
  std::cerr << "make_handover: " << error.what() << '\n';
  return 1;
}
