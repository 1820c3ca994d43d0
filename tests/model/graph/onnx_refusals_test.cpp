// Files that are no models, or models that cannot be: one sentence each, naming the file and the cause.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/basics/error.h"
#include "model/onnx/builder.h"
#include "model/onnx/file.h"
#include "model/onnx/weights.h"
#include "onnx-ml.pb.h"
#include "test_folder.h"

namespace takt {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string refusal(const std::function<void()>& act, ErrorKind kind = ErrorKind::bad_input) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "nothing was thrown";
}

class RefusalsTest : public testing::Test {
 protected:
  fs::path file(const std::string& name, const std::string& bytes) const { return folder_.write(name, bytes); }
  std::string reading(const std::string& bytes) const {
    const fs::path path = file("m.onnx", bytes);
    const std::string message = refusal([&] { read_onnx(path); });
    EXPECT_THAT(message, HasSubstr("m.onnx: "));
    return message;
  }

  // One external float32 of 4 elements at `location`.
  std::string external(const std::string& location, const std::string& offset = "0") const {
    ModelBuilder b;
    b.output(b.node("Relu", {b.weight({4}, "w")}));
    auto& tensor = *b.graph().mutable_initializer(0);
    tensor.clear_raw_data();
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] : {std::pair<std::string, std::string>{"location", location}, {"offset", offset}}) {
      auto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    return b.serialize();
  }

  TestFolder folder_;
};

ModelBuilder small() {
  ModelBuilder b;
  b.input("x", ElementType::f32, {4});
  return b;
}

TEST_F(RefusalsTest, name_the_format_of_another_program) {
  EXPECT_THAT(reading(""), HasSubstr("empty"));
  EXPECT_THAT(reading("{\"a\": 1}"), HasSubstr("JSON"));
  EXPECT_THAT(reading("hello, world\n"), HasSubstr("text"));
  EXPECT_THAT(reading("\x89PNG\r\n\x1a\n0123"), HasSubstr("PNG"));
  EXPECT_THAT(reading("\x1f\x8b\x08 1234"), HasSubstr("gzip"));
  EXPECT_THAT(reading("<?xml version=\"1.0\"?>\n<net name=\"m\">"), HasSubstr("OpenVINO"));
  EXPECT_THAT(reading("PK\x03\x04 1234"), HasSubstr("ZIP"));
}

TEST(ForeignFormat, is_told_by_what_stands_at_its_place) {
  using namespace std::string_literals;
  const std::pair<std::string, const char*> cases[] = {
      {"\x08\0\0\0ORTM and more"s, "a model in ONNX Runtime's own format"},
      {"\x1c\0\0\0TFL3 and more"s, "a TensorFlow Lite model"},
      {"\x1c\0\0\0TFL3"s, "a TensorFlow Lite model"},
      {"    TFL3"s, "a TensorFlow Lite model"},
      {"TFL3 at the front"s, "text"},
      {"ORTM"s, "text"},
      {"   ORTM"s, "text"},
      {"\x1c\0\0\0TFL"s, ""},
      {"\x1c\0\0"s, ""},
      {"\x08\0\0\0ORT"s, ""},
      {"GGUF\3\0\0\0"s, "a GGUF model"},
      {"    GGUF"s, "text"},
      {"%PDF-1.7"s, "a PDF document"},
      {"\x80\x02"s, "a Python pickle"},
      {"\x80\x03"s, ""},
      {"\x80\x04}"s, "a Python pickle"},
      {"version https://git-lfs.github.com/spec/v1"s, "a Git LFS pointer (fetch the file with git lfs pull)"},
      {" \n\t"s, "blank"},
      {"[1]"s, "JSON"},
      {" {"s, "JSON"},
      {"<?xml version='1.0'?><net>"s, "an OpenVINO model (XML); give the ONNX model that it was converted from"},
      {"<net name='m'>"s, "an OpenVINO model (XML); give the ONNX model that it was converted from"},
      {"<?xml version='1.0'?><html>"s, "XML"},
      {"a\x1f"s, ""},
      {"a "s, "text"},
  };
  for (const auto& [bytes, format] : cases) EXPECT_EQ(foreign_format(bytes), format) << testing::PrintToString(bytes);
}

TEST_F(RefusalsTest, tell_a_missing_file_from_a_folder) {
  EXPECT_THAT(refusal([&] { read_onnx(folder_ / "none.onnx"); }, ErrorKind::io), HasSubstr("none.onnx"));
  EXPECT_THAT(refusal([&] { read_onnx(folder_.path()); }, ErrorKind::io), HasSubstr("folder"));
}

TEST_F(RefusalsTest, name_the_version_that_is_too_new) {
  ModelBuilder b = small();
  b.output(b.node("Relu", {"x"}));
  EXPECT_THAT(refusal([&] { b.build(17, 0); }), HasSubstr("names no IR version"));
  EXPECT_THAT(refusal([&] { b.build(17, 14); }, ErrorKind::unsupported), HasSubstr("IR version 14"));
  EXPECT_THAT(refusal([&] { b.build(26, 13); }, ErrorKind::unsupported), HasSubstr("operator set 26"));
  EXPECT_NO_THROW(b.build(25, 13));
}

TEST_F(RefusalsTest, name_what_is_too_large) {
  const auto path = file("large.onnx", "model");
  fs::resize_file(path, (std::uintmax_t{1} << 31) + 1);  // a hole
  EXPECT_THAT(refusal([&] { read_onnx(path); }), HasSubstr("larger than 2 GiB, the limit of protobuf"));
  ModelBuilder b = small();
  EXPECT_THAT(refusal([&] {
                b.weight({std::int64_t{1} << 40, std::int64_t{1} << 40}, "w");
              }),
              HasSubstr("has no number of elements"));
}

TEST_F(RefusalsTest, name_what_is_broken_in_a_graph) {
  ModelBuilder dangling = small();
  dangling.node("Relu", {"nowhere"}, {}, {.name = "r"});
  EXPECT_THAT(reading(dangling.serialize()), HasSubstr("'r' reads the tensor 'nowhere', which nothing produces"));

  ModelBuilder cycle = small();
  cycle.node("Add", {"x", "b"}, {}, {.outputs = {"a"}});
  cycle.node("Relu", {"a"}, {}, {.outputs = {"b"}});
  EXPECT_THAT(reading(cycle.serialize()), HasSubstr("cycle"));

  ModelBuilder twice = small();
  for (int i = 0; i < 2; ++i) twice.node("Relu", {"x"}, {}, {.outputs = {"y"}});
  EXPECT_THAT(reading(twice.serialize()), HasSubstr("'y' is produced twice"));

  ModelBuilder unmade = small();
  unmade.output("y");
  EXPECT_THAT(reading(unmade.serialize()), HasSubstr("the output 'y'"));
}

TEST_F(RefusalsTest, name_dimensions_that_cannot_be) {
  ModelBuilder negative;
  negative.input("x", ElementType::f32, {1, -3});
  EXPECT_THAT(reading(negative.serialize()), HasSubstr("negative dimension -3"));
  ModelBuilder absurd;
  absurd.input("x", ElementType::f32, {1 << 21, 1 << 21});
  EXPECT_THAT(reading(absurd.serialize()), HasSubstr("2^40"));
  ModelBuilder short_data;
  short_data.raw(ElementType::f32, {3}, "12345678", "w");
  EXPECT_THAT(reading(short_data.serialize()), HasSubstr("holds 8 bytes, but its dimensions need 12"));
  ModelBuilder type;
  type.input("x", static_cast<ElementType>(99), {1});
  EXPECT_THAT(reading(type.serialize()), HasSubstr("element type 99"));
}

TEST_F(RefusalsTest, count_complex_numbers_by_their_two_parts) {
  for (const bool is_double : {false, true})
    for (const int numbers : {7, 8, 9}) {
      ModelBuilder b = small();
      b.output(b.node("Relu", {b.weight({4}, "w")}));
      auto& tensor = *b.graph().mutable_initializer(0);
      tensor.clear_raw_data();
      tensor.set_data_type(is_double ? onnx::TensorProto::COMPLEX128 : onnx::TensorProto::COMPLEX64);
      for (int i = 0; i < numbers; ++i)
        is_double ? tensor.add_double_data(i) : tensor.add_float_data(static_cast<float>(i));
      if (numbers / 2 == 4)
        EXPECT_NO_THROW(read_onnx(file("m.onnx", b.serialize()))) << is_double << numbers;
      else
        EXPECT_THAT(reading(b.serialize()), HasSubstr("'w'")) << is_double << numbers;
    }
}

TEST_F(RefusalsTest, external_data_stays_in_the_folder) {
  file("w.bin", std::string(32, 'w'));
  EXPECT_NO_THROW(read_onnx(file("m.onnx", external("w.bin", "16"))));
  EXPECT_THAT(reading(external("w.bin", "17")), HasSubstr("truncated"));
  EXPECT_THAT(reading(external("w.bin", "9223372036854775807")), HasSubstr("truncated"));
  EXPECT_THAT(reading(external("w.bin", "-1")), HasSubstr("not a number"));
  EXPECT_THAT(reading(external("none.bin")), HasSubstr("cannot be found"));
  EXPECT_THAT(reading(external("/etc/passwd")), HasSubstr("outside the model's folder"));
  EXPECT_THAT(reading(external("../w.bin")), HasSubstr("outside the model's folder"));
  EXPECT_THAT(reading(external("")), HasSubstr("no location"));
  EXPECT_THAT(reading(external(".")), HasSubstr("not a file"));
  fs::create_symlink("/etc/passwd", folder_ / "link.bin");
  EXPECT_THAT(reading(external("link.bin")), HasSubstr("leaves the model's folder"));
  fs::create_symlink("w.bin", folder_ / "inside.bin");
  EXPECT_NO_THROW(read_onnx(file("m.onnx", external("inside.bin"))));
  EXPECT_THAT(refusal([&] { parse_onnx(external("w.bin"), {}); }), HasSubstr("no folder"));
  EXPECT_THAT(refusal([&] { parse_onnx(external("w.bin"), folder_ / "gone/m.onnx"); }),
              HasSubstr("the model's folder cannot be read"));
  onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(external("w.bin")));
  proto.mutable_graph()->mutable_initializer(0)->set_data_type(onnx::TensorProto::STRING);
  EXPECT_THAT(reading(proto.SerializeAsString()), HasSubstr("has strings in external data"));
}

TEST_F(RefusalsTest, links_of_a_hubs_cache_stay_in_the_folder_of_the_models_own_file) {
  // snapshots/1/m.onnx and its weights are links to blobs/, as model hubs keep them.
  const fs::path model = file("blobs/aa", external("w.bin")), weights = file("blobs/bb", std::string(16, 'w'));
  file("elsewhere/cc", std::string(16, 'w'));
  fs::create_directories(folder_ / "snapshots/1");
  fs::create_symlink("../../blobs/aa", folder_ / "snapshots/1/m.onnx");
  fs::create_symlink("../../blobs/bb", folder_ / "snapshots/1/w.bin");
  const auto read = [&] { read_onnx_structure(folder_ / "snapshots/1/m.onnx"); };
  EXPECT_EQ(refusal(read), "nothing was thrown");
  onnx::ModelProto proto = *read_onnx(folder_ / "snapshots/1/m.onnx").proto;
  point_at_real_files(proto, folder_ / "snapshots/1/m.onnx");
  EXPECT_EQ(proto.graph().initializer(0).external_data(0).value(), "bb");
  fs::remove(folder_ / "snapshots/1/w.bin");
  fs::create_symlink("../../elsewhere/cc", folder_ / "snapshots/1/w.bin");
  EXPECT_THAT(refusal(read), HasSubstr("leaves the model's folder"));
  fs::remove(folder_ / "snapshots/1/w.bin"), fs::remove(folder_ / "snapshots/1/m.onnx");
  fs::create_symlink("../../blobs/bb", folder_ / "snapshots/1/w.bin");
  fs::copy_file(model, folder_ / "snapshots/1/m.onnx");
  EXPECT_THAT(refusal(read), HasSubstr("leaves the model's folder")) << "a model that is no link";
  proto = onnx::ModelProto();
  ASSERT_TRUE(proto.ParseFromString(external("w.bin")));
  point_at_real_files(proto, folder_ / "snapshots/1/m.onnx");
  EXPECT_EQ(proto.graph().initializer(0).external_data(0).value(), "w.bin");
}

TEST_F(RefusalsTest, look_at_external_data_in_functions_and_attributes) {
  onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(external("../w.bin")));
  const onnx::TensorProto outside = proto.graph().initializer(0);
  for (const bool in_function : {false, true}) {
    ModelBuilder b = small();
    b.output(b.node("Relu", {"x"}));
    ASSERT_TRUE(proto.ParseFromString(b.serialize()));
    auto& node = in_function ? *proto.add_functions()->add_node() : *proto.mutable_graph()->mutable_node(0);
    auto& attribute = *node.add_attribute();
    attribute.set_name("value");
    attribute.set_type(onnx::AttributeProto::TENSOR);
    *attribute.mutable_t() = outside;
    EXPECT_THAT(reading(serialize_onnx(proto)), HasSubstr("outside the model's folder")) << in_function;
  }
}

TEST_F(RefusalsTest, look_into_bodies_of_functions_and_lists_of_graphs) {
  onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(external("../w.bin")));
  const onnx::TensorProto outside = proto.graph().initializer(0);
  for (const bool in_list : {false, true})
    for (const bool in_node : {false, true}) {
      ModelBuilder b = small();
      b.output(b.node("Relu", {"x"}));
      ASSERT_TRUE(proto.ParseFromString(b.serialize()));
      auto& attribute = *proto.add_functions()->add_node()->add_attribute();
      attribute.set_name("body");
      attribute.set_type(in_list ? onnx::AttributeProto::GRAPHS : onnx::AttributeProto::GRAPH);
      onnx::GraphProto& body = in_list ? *attribute.add_graphs() : *attribute.mutable_g();
      if (in_node) {
        auto& value = *body.add_node()->add_attribute();
        value.set_name("value");
        value.set_type(onnx::AttributeProto::TENSOR);
        *value.mutable_t() = outside;
      } else {
        *body.add_initializer() = outside;
      }
      EXPECT_THAT(reading(serialize_onnx(proto)), HasSubstr("outside the model's folder")) << in_list << in_node;
    }
}

TEST_F(RefusalsTest, name_a_constant_of_more_elements_than_can_be) {
  ModelBuilder dense = small();
  dense.output(dense.node("Relu", {dense.weight({4}, "w")}));
  for (const std::int64_t dim : {1 << 21, 1 << 21}) dense.graph().mutable_initializer(0)->add_dims(dim);
  EXPECT_THAT(reading(dense.serialize()), HasSubstr("2^40"));
  ModelBuilder b = small();
  auto& sparse = *b.graph().add_sparse_initializer();
  for (const std::int64_t dim : {10, -20}) sparse.add_dims(dim);
  sparse.mutable_values()->set_name("s");
  sparse.mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
  sparse.mutable_indices()->set_data_type(onnx::TensorProto::INT64);
  for (auto* list : {sparse.mutable_values(), sparse.mutable_indices()}) list->add_dims(0);
  EXPECT_THAT(reading(b.serialize()), HasSubstr("negative dimension -20"));
}

}  // namespace
}  // namespace takt
