// A model read without its weights is the same model, and damage is seen as it is with them.
#include "model/onnx/lean.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "model/onnx/builder.h"
#include "model/onnx/onnx.h"
#include "onnx-ml.pb.h"
#include "test_folder.h"

namespace takt {
namespace {

/// Three weights of 80 kB: an initializer, in a branch, and as the value of a Constant; and one small one.
ModelBuilder specimen() {
  ModelBuilder branch("branch"), other("other"), b;
  b.input("x", ElementType::f32, {4, 200});
  b.input("flag", ElementType::boolean, {});
  branch.output(branch.node("MatMul", {"x", branch.weight({200, 100}, "inside")}, {}, {.outputs = {"y_then"}}));
  other.output(other.node("MatMul", {"x", "outside"}, {}, {.outputs = {"y_else"}}));
  b.weight({200, 100}, "outside");
  b.output(b.node("If", {"flag"}, {}, {.subgraphs = {{"then_branch", &branch}, {"else_branch", &other}}}));
  auto& constant = *b.graph().add_node();
  constant.set_op_type("Constant");
  constant.set_name("constant");
  constant.add_output("value");
  auto& value = *constant.add_attribute();
  value.set_name("value");
  value.set_type(onnx::AttributeProto::TENSOR);
  value.mutable_t()->set_data_type(1);
  for (const int size : {200, 100}) value.mutable_t()->add_dims(size);
  value.mutable_t()->set_raw_data(std::string(80'000, '\0'));
  b.output(b.node("MatMul", {"x", "value"}));
  b.output(b.node("Reshape", {"x", b.integers({8, 100})}));
  return b;
}

/// What a graph says, as text; nullopt when the model is refused.
template <typename Read>
std::optional<std::string> told_by(const Read& read) {
  try {
    const Graph graph = read();
    std::string text;
    for (const auto& op : graph.ops) text += op.name + " " + op.type + ";";
    for (const auto& tensor : graph.tensors)
      text += tensor.name + (tensor.shape ? to_string(*tensor.shape) : "") + (tensor.is_constant ? "=" : "") +
              std::to_string(tensor.bytes.value_or(-1)) + (tensor.integers ? "i" : "") + ";";
    return text;
  } catch (const Error&) {
    return std::nullopt;
  }
}

TEST(WithoutWeights, large_tensors_are_left_where_they_are_and_all_else_is_the_same) {
  TestFolder folder;
  const std::string bytes = specimen().serialize();
  const auto path = folder.write("m.onnx", bytes);
  const auto lean = without_weights(bytes, "m.onnx");
  ASSERT_TRUE(lean);
  EXPECT_LT(lean->size(), 4000u);
  EXPECT_EQ(told_by([&] { return read_onnx_structure(path).graph; }), told_by([&] { return read_onnx(path).graph; }));
}

TEST(WithoutWeights, a_reference_points_at_the_bytes_of_the_weight) {
  TestFolder folder;
  const std::string bytes = specimen().serialize();
  const auto whole = read_onnx(folder.write("m.onnx", bytes)),
             lean = read_onnx_structure(folder.write("m.onnx", bytes));
  int found = 0;
  for (int i = 0; i < whole.proto->graph().initializer_size(); ++i) {
    const auto& weight = whole.proto->graph().initializer(i);
    const auto& left = lean.proto->graph().initializer(i);
    ASSERT_EQ(left.name(), weight.name());
    if (weight.raw_data().size() < 64 * 1024) {
      EXPECT_EQ(left.raw_data(), weight.raw_data());
      continue;
    }
    ++found;
    ASSERT_EQ(left.external_data_size(), 3);
    EXPECT_EQ(left.external_data(0).value(), "m.onnx");
    const auto offset = std::stoull(left.external_data(1).value()), length = std::stoull(left.external_data(2).value());
    EXPECT_EQ(bytes.substr(offset, length), weight.raw_data());
  }
  EXPECT_EQ(found, 1);
}

TEST(WithoutWeights, damage_is_refused_as_with_them) {
  TestFolder folder;
  const std::string bytes = specimen().serialize();
  for (std::size_t length = 0; length < bytes.size(); length += length < 600 ? 37 : 4999) {
    const auto path = folder.write("cut.onnx", bytes.substr(0, length));
    EXPECT_EQ(told_by([&] { return read_onnx_structure(path).graph; }), told_by([&] { return read_onnx(path).graph; }))
        << length;
  }
  for (std::size_t at = 0; at < bytes.size(); at += at < 600 ? 11 : 4999) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x15);
    const auto path = folder.write("flipped.onnx", flipped);
    EXPECT_EQ(told_by([&] { return read_onnx_structure(path).graph; }), told_by([&] { return read_onnx(path).graph; }))
        << at;
  }
}

TEST(WithoutWeights, a_weight_of_another_size_than_its_dimensions_is_named) {
  TestFolder folder;
  ModelBuilder b;
  b.output(b.node("MatMul", {b.input("x", ElementType::f32, {4, 200}), b.weight({200, 100}, "w")}));
  b.graph().mutable_initializer(0)->set_dims(1, 99);
  const auto path = folder.write("m.onnx", b.serialize());
  try {
    read_onnx_structure(path);
    ADD_FAILURE() << "accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("holds 80000 bytes, but its dimensions need 79200"), std::string::npos)
        << e.what();
  }
}

TEST(WithoutWeights, a_file_that_is_a_link_to_elsewhere_is_read_too) {
  TestFolder folder;
  const auto path = folder.write("m.onnx", specimen().serialize());
  const auto apart = path.parent_path() / "apart";
  std::filesystem::create_directory(apart);
  std::filesystem::create_symlink(path, apart / "link.onnx");
  EXPECT_TRUE(told_by([&] { return read_onnx_structure(apart / "link.onnx").graph; }));
}

TEST(WithoutWeights, for_shapes_alone_weights_are_inputs) {
  TestFolder folder;
  const auto path = folder.write("m.onnx", specimen().serialize());
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(onnx_without_weights(path).bytes));
  std::set<std::string> inputs;
  for (const auto& input : model.graph().input()) inputs.insert(input.name());
  EXPECT_EQ(inputs, (std::set<std::string>{"flag", "outside", "x"}));
}

}  // namespace
}  // namespace takt
