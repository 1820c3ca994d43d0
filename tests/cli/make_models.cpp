// make_models FOLDER: writes the small models that the command line's tests run, with fixed weights, and inputs for
// them.
#include <cstdio>
#include <exception>
#include <filesystem>

#include "base/files/file.h"
#include "model/onnx/builder.h"

namespace takt {
namespace {

// Conv, Relu, Softmax, with every shape in the file: every cost is known, also without a runtime that infers shapes.
std::string small_model() {
  ModelBuilder b("small");
  auto x = b.input("x", ElementType::f32, {1, 3, 8, 8});
  auto conv = b.node("Conv", {x, b.weight({16, 3, 3, 3}, "w")}, {{"pads", {1, 1, 1, 1}}}, {.name = "conv1"});
  auto relu = b.node("Relu", {conv}, {}, {.name = "relu1"});
  b.value_info(conv, ElementType::f32, {1, 16, 8, 8});
  b.value_info(relu, ElementType::f32, {1, 16, 8, 8});
  b.output(b.node("Softmax", {relu}, {}, {.name = "softmax1"}), ElementType::f32, {1, 16, 8, 8});
  return b.serialize();
}

// A batch size that only the caller knows.
std::string dynamic_model() {
  ModelBuilder b("dynamic");
  auto x = b.symbolic_input("x", ElementType::f32, "batch,4");
  b.output(b.node("Relu", {x}, {}, {.name = "relu1"}));
  return b.serialize();
}

// An input of 2^40 values: more memory than any machine that runs the tests has.
std::string huge_model() {
  ModelBuilder b("huge");
  Shape shape{1 << 20, 1 << 20};
  auto x = b.input("x", ElementType::f32, shape);
  b.output(b.node("Relu", {x}, {}, {.name = "relu1"}), ElementType::f32, shape);
  return b.serialize();
}

// Strings that go through unchanged: a runtime that copies them as bytes frees them twice.
std::string strings_model() {
  ModelBuilder b("strings");
  auto x = b.input("x", ElementType::string, {2});
  b.output(b.node("Identity", {x}, {}, {.name = "same1"}), ElementType::string, {2});
  return b.serialize();
}

// Counts to two million millions: an inference that nobody lives to see the end of.
std::string endless_model() {
  ModelBuilder body("body"), b("endless");
  body.input("turn", ElementType::i64, {});
  body.input("go", ElementType::boolean, {});
  body.symbolic_input("state", ElementType::f32, "rows,1");
  body.output(body.node("Identity", {"go"}, {}, {.outputs = {"go_on"}}), ElementType::boolean, {});
  body.output(body.node("Add", {"state", body.floats({1}, {1})}, {}, {.outputs = {"next"}}));
  auto x = b.symbolic_input("x", ElementType::f32, "rows,1");
  auto turns = b.integers({2'000'000'000'000}, {});
  b.output(b.node("Loop", {turns, "", x}, {}, {.name = "loop1", .outputs = {"y"}, .subgraphs = {{"body", &body}}}));
  return b.serialize();
}

// Eight by eight pixels, grey but for the first, with a comment and the maximum in a line of its own.
std::string picture() { return "P6\n# a picture\n8 8\n255\n\xff" + std::string(8 * 8 * 3 - 1, '\x80'); }

}  // namespace
}  // namespace takt

int main(int count, char** arguments) {
  if (count != 2) return std::fputs("usage: make_models FOLDER\n", stderr), 2;
  try {
    std::filesystem::path folder = arguments[1];
    std::filesystem::create_directories(folder);
    takt::write_file_atomically(folder / "small.onnx", takt::small_model());
    takt::write_file_atomically(folder / "dynamic.onnx", takt::dynamic_model());
    takt::write_file_atomically(folder / "huge.onnx", takt::huge_model());
    takt::write_file_atomically(folder / "strings.onnx", takt::strings_model());
    takt::write_file_atomically(folder / "endless.onnx", takt::endless_model());
    takt::write_file_atomically(folder / "picture.ppm", takt::picture());
    takt::write_file_atomically(folder / "rows.json", R"({"x": [[1, 2, 3, 4], [5, 6, 7, 8]]})");
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "make_models: %s\n", error.what()), 1;
  }
}
