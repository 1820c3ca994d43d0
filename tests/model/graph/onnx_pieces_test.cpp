// Pieces as files: whole models of their own, with all that was said of the model and nothing that they do not need.
#include "model/onnx/pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "model/graph/element_words.h"
#include "model/graph/shapes.h"
#include "model/onnx/builder.h"
#include "model/onnx/weights.h"
#include "onnx-ml.pb.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

template <typename List>
std::vector<std::string> item_names(const List& list) {
  std::vector<std::string> names;
  for (const auto& item : list) names.push_back(item.name());
  return names;
}

/// The pieces between all cuts across one tensor.
std::vector<onnx::ModelProto> parted(const OnnxModel& model, const std::map<std::string, PartialShape>& shapes = {}) {
  const Graph graph = with_shapes(model.graph, shapes);
  std::vector<onnx::ModelProto> made;
  for (const Piece& piece : pieces_of(graph, find_cuts(graph, 1))) {
    made.push_back(piece_model(model, graph, piece, "part"));
    EXPECT_NO_THROW(parse_onnx(serialize_onnx(made.back()), model.graph.path));
  }
  return made;
}

/// x → a → y, a product each; the first has the weight w1 and the second w2, both have the shared one.
ModelBuilder two_products(std::int64_t size) {
  ModelBuilder b("net");
  b.symbolic_input("x", f32, "batch," + std::to_string(size));
  b.weight({size, size}, "w1");
  b.weight({size, size}, "w2");
  b.weight({size}, "shared");
  b.node("Gemm", {"x", "w1", "shared"}, {}, {.name = "first", .outputs = {"a"}});
  b.node("Gemm", {"a", "w2", "shared"}, {}, {.name = "second", .outputs = {"y"}});
  b.symbolic_output("y", f32, "batch," + std::to_string(size));
  return b;
}

TEST(PieceModel, has_its_own_operators_and_the_constants_that_they_read) {
  const auto pieces = parted(two_products(8).build());
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_THAT(item_names(pieces[0].graph().node()), ElementsAre("first"));
  EXPECT_THAT(item_names(pieces[0].graph().initializer()), ElementsAre("w1", "shared"));
  EXPECT_THAT(item_names(pieces[0].graph().input()), ElementsAre("x"));
  EXPECT_THAT(item_names(pieces[0].graph().output()), ElementsAre("a"));
  EXPECT_THAT(item_names(pieces[1].graph().node()), ElementsAre("second"));
  EXPECT_THAT(item_names(pieces[1].graph().initializer()), ElementsAre("w2", "shared"));
  EXPECT_THAT(item_names(pieces[1].graph().input()), ElementsAre("a"));
  EXPECT_THAT(item_names(pieces[1].graph().output()), ElementsAre("y"));
  EXPECT_EQ(pieces[1].graph().name(), "net_part");
}

TEST(PieceModel, declares_its_border_with_what_is_known_and_open_dimensions_open) {
  const auto type = [](const onnx::ValueInfoProto& value) -> const auto& { return value.type().tensor_type(); };
  const auto plain = parted(two_products(8).build());
  EXPECT_EQ(type(plain[0].graph().input(0)).shape().dim(0).dim_param(), "batch");
  EXPECT_EQ(type(plain[1].graph().input(0)).elem_type(), onnx::TensorProto::FLOAT);
  EXPECT_FALSE(type(plain[1].graph().input(0)).has_shape()) << "nobody told";
  const auto told = parted(two_products(8).build(), {{"a", {{{}, "batch"}, {8, ""}}}});
  const auto& shape = type(told[1].graph().input(0)).shape();
  ASSERT_EQ(shape.dim_size(), 2);
  EXPECT_EQ(shape.dim(0).dim_param(), "batch");
  EXPECT_EQ(shape.dim(1).dim_value(), 8);
  EXPECT_EQ(type(told[1].graph().output(0)).shape().dim(0).dim_param(), "batch");
}

TEST(PieceModel, keeps_what_is_said_of_the_whole_model) {
  OnnxModel model = two_products(4).build(17, 8);
  auto& proto = *model.proto;
  auto& entry = *proto.add_metadata_props();
  entry.set_key("author");
  entry.set_value("somebody");
  proto.set_domain("org.example");
  proto.set_model_version(7);
  auto& import = *proto.add_opset_import();
  import.set_domain("local");
  import.set_version(1);
  auto& function = *proto.add_functions();
  function.set_name("Twice");
  function.set_domain("local");
  for (const auto& piece : parted(model)) {
    EXPECT_EQ(piece.ir_version(), 8);
    EXPECT_EQ(piece.producer_name(), "takt");
    EXPECT_EQ(piece.domain(), "org.example");
    EXPECT_EQ(piece.model_version(), 7);
    ASSERT_EQ(piece.metadata_props_size(), 1);
    EXPECT_EQ(piece.metadata_props(0).value(), "somebody");
    ASSERT_EQ(piece.opset_import_size(), 2);
    EXPECT_EQ(piece.opset_import(0).version(), 17);
    ASSERT_EQ(piece.functions_size(), 1);
    EXPECT_EQ(piece.functions(0).name(), "Twice");
  }
}

TEST(PieceModel, keeps_constants_that_a_caller_may_replace_and_shapes_inside) {
  ModelBuilder b = two_products(4);
  b.input("w2", f32, {4, 4});
  b.node("Relu", {"y"}, {}, {.outputs = {"z"}});
  b.node("Add", {"z", "y"}, {}, {.outputs = {"end"}});
  b.value_info("z", f32, {2, 4});
  b.value_info("a", f32, {2, 4});
  b.output("end");
  const auto pieces = parted(b.build());
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_THAT(item_names(pieces[0].graph().input()), ElementsAre("x"));
  EXPECT_THAT(item_names(pieces[0].graph().value_info()), IsEmpty()) << "a is an output now";
  EXPECT_THAT(item_names(pieces[1].graph().input()), ElementsAre("a", "w2"));
  EXPECT_THAT(item_names(pieces[2].graph().value_info()), ElementsAre("z"));
  EXPECT_THAT(item_names(pieces[2].graph().output()), ElementsAre("end"));
}

TEST(PieceModel, brings_along_how_quantised_tensors_are_read) {
  OnnxModel model = two_products(4).build();
  auto& graph = *model.proto->mutable_graph();
  auto& scale = *graph.add_initializer();
  scale.set_name("scale of y");
  scale.set_data_type(onnx::TensorProto::FLOAT);
  scale.add_float_data(1);
  auto& annotation = *graph.add_quantization_annotation();
  annotation.set_tensor_name("y");
  auto& entry = *annotation.add_quant_parameter_tensor_names();
  entry.set_key("SCALE_TENSOR");
  entry.set_value("scale of y");
  model.graph = parse_onnx(serialize_onnx(*model.proto), {}).graph;
  const auto pieces = parted(model);
  EXPECT_EQ(pieces[0].graph().quantization_annotation_size(), 0);
  EXPECT_EQ(pieces[1].graph().quantization_annotation_size(), 1);
  EXPECT_THAT(item_names(pieces[1].graph().initializer()), ElementsAre("w2", "shared", "scale of y"));
}

TEST(PieceModel, has_what_its_bodies_read_from_outside) {
  ModelBuilder yes("yes"), no("no"), b;
  b.input("x", f32, {4});
  b.input("flag", ElementType::boolean, {});
  b.weight({4}, "w");
  b.weight({4}, "unread");
  b.node("Relu", {"x"}, {}, {.outputs = {"a"}});
  b.node("Neg", {"a"}, {}, {.outputs = {"b"}});
  yes.output(yes.node("Add", {"b", "w"}, {}, {.outputs = {"r1"}}));
  no.output(no.node("Identity", {"b"}, {}, {.outputs = {"r2"}}));
  b.node("If", {"flag"}, {}, {.outputs = {"y"}, .subgraphs = {{"then_branch", &yes}, {"else_branch", &no}}});
  b.output("y", f32, {4});
  const auto pieces = parted(b.build());
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_THAT(item_names(pieces[2].graph().input()), ElementsAre("flag", "b"));
  EXPECT_THAT(item_names(pieces[2].graph().initializer()), ElementsAre("w"));
}

/// The floats of an initializer, wherever they lie.
std::string values_of(const std::filesystem::path& path, const std::string& name) {
  const OnnxModel model = read_onnx(path);
  WeightFiles files(path);
  for (const auto& tensor : model.proto->graph().initializer())
    if (tensor.name() == name)
      return tensor.data_location() == onnx::TensorProto::EXTERNAL ? std::string(files.values_of(tensor))
                                                                   : tensor.raw_data();
  ADD_FAILURE() << path << " has no " << name;
  return {};
}

/// Writes the model with w1 and w2 in a file of their own in a folder beside it.
std::filesystem::path with_external_weights(const TestFolder& folder) {
  OnnxModel model = two_products(200).build();
  std::string data(64, 'x');
  for (auto& tensor : *model.proto->mutable_graph()->mutable_initializer()) {
    if (tensor.name() == "shared") continue;
    const auto set = [&](const char* key, const std::string& value) {
      auto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    };
    set("location", "weights/all.bin");
    set("offset", std::to_string(data.size()));
    data += tensor.raw_data();
    tensor.clear_raw_data();
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  }
  folder.write("in/weights/all.bin", data);
  return folder.write("in/net.onnx", serialize_onnx(*model.proto));
}

TEST(WritePieces, weights_of_other_files_stand_in_the_piece_or_in_a_file_beside_it) {
  const TestFolder folder;
  const auto path = with_external_weights(folder);
  const OnnxModel model = read_onnx_structure(path);
  const Graph graph = with_shapes(model.graph, {});
  const auto pieces = pieces_of(graph, find_cuts(graph, 1));
  std::filesystem::create_directories(folder / "out");
  for (const std::int64_t most_inside : {std::int64_t{0}, usual_weights_inside}) {
    const auto paths = write_piece_models(model, graph, pieces, folder / "out", most_inside);
    ASSERT_EQ(paths.size(), 2u);
    EXPECT_EQ(paths[0].filename(), "net_piece1.onnx");
    EXPECT_EQ(values_of(paths[0], "w1"), values_of(path, "w1"));
    EXPECT_EQ(values_of(paths[1], "w2"), values_of(path, "w2"));
    EXPECT_EQ(values_of(paths[1], "shared"), values_of(path, "shared"));
    EXPECT_EQ(std::filesystem::exists(paths[1].string() + ".data"), most_inside == 0)
        << "what is not needed any more goes";
    EXPECT_EQ(read_onnx(paths[1]).graph.external_files,
              most_inside == 0 ? std::vector<std::string>{"net_piece2.onnx.data"} : std::vector<std::string>{});
  }
}

TEST(WritePieces, weights_that_the_reader_left_in_the_model_are_fetched) {
  const TestFolder folder;
  const auto path = folder.write("net.onnx", two_products(200).serialize());
  const OnnxModel model = read_onnx_structure(path);
  ASSERT_EQ(model.graph.external_files, std::vector<std::string>{"net.onnx"}) << "as read_onnx_structure() does";
  const Graph graph = with_shapes(model.graph, {});
  const auto paths = write_piece_models(model, graph, pieces_of(graph, find_cuts(graph, 1)), folder.path());
  EXPECT_EQ(values_of(paths[1], "w2"), values_of(path, "w2"));
  const OnnxModel whole = read_onnx(path);
  const auto again = write_piece_models(whole, graph, pieces_of(graph, find_cuts(graph, 1)), folder.path());
  EXPECT_EQ(again, paths);
  EXPECT_EQ(values_of(paths[0], "w1"), values_of(path, "w1"));
}

TEST(WritePieces, constants_of_bodies_and_attributes_come_inside_however_large_they_are) {
  const TestFolder folder;
  ModelBuilder yes("yes"), no("no"), b;
  b.input("x", f32, {4, 200});
  b.input("flag", ElementType::boolean, {});
  b.node("Relu", {"x"}, {}, {.outputs = {"a"}});
  yes.output(yes.node("MatMul", {"a", yes.weight({200, 100}, "inside")}, {}, {.outputs = {"r1"}}));
  no.output(no.node("Slice", {"a", no.integers({0}), no.integers({100}), no.integers({1})}, {}, {.outputs = {"r2"}}));
  b.node("If", {"flag"}, {}, {.outputs = {"y"}, .subgraphs = {{"then_branch", &yes}, {"else_branch", &no}}});
  b.output("y");
  auto& constant = *b.graph().add_node();
  constant.set_op_type("Constant");
  constant.set_name("constant");
  constant.add_output("value");
  auto& value = *constant.add_attribute();
  value.set_name("value");
  value.set_type(onnx::AttributeProto::TENSOR);
  value.mutable_t()->set_data_type(1);
  for (const int size : {200, 100}) value.mutable_t()->add_dims(size);
  value.mutable_t()->set_raw_data(std::string(80'000, '\7'));
  b.output(b.node("MatMul", {"a", "value"}, {}, {.outputs = {"z"}}));
  const auto path = folder.write("net.onnx", b.serialize());
  const OnnxModel model = read_onnx_structure(path);
  const Graph graph = with_shapes(model.graph, {});
  const auto pieces = pieces_of(graph, find_cuts(graph, 1));
  const auto paths = write_piece_models(model, graph, pieces, folder.path(), 0);
  std::size_t bytes = 0;
  for (const auto& piece : paths) {
    EXPECT_THAT(read_onnx(piece).graph.external_files, IsEmpty());
    EXPECT_EQ(read_file(piece).find("net.onnx"), std::string::npos) << "nothing points to the model";
    bytes += read_file(piece).size();
  }
  EXPECT_GT(bytes, 160'000u);
}

TEST(WritePieces, weights_that_have_gone_are_named) {
  const TestFolder folder;
  const auto path = with_external_weights(folder);
  const OnnxModel model = read_onnx_structure(path);
  const Graph graph = with_shapes(model.graph, {});
  std::filesystem::remove(folder / "in/weights/all.bin");
  try {
    write_piece_models(model, graph, pieces_of(graph, find_cuts(graph, 1)), folder.path());
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("tensor 'w1'"));
    EXPECT_THAT(error.what(), testing::HasSubstr("weights/all.bin"));
  }
}

}  // namespace
}  // namespace takt
