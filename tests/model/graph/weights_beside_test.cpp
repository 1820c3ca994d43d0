// Where a copied model has its values: in itself up to a limit, else on pages of a file beside it.
#include <gmock/gmock.h>

#include <cstring>
#include <map>

#include "base/basics/error.h"
#include "model/graph/run_order.h"
#include "model/onnx/onnx.h"
#include "model/onnx/weights.h"
#include "onnx-ml.pb.h"
#include "test_folder.h"

namespace takt {
namespace {

void add_external(onnx::TensorProto& tensor, const std::string& name, std::int64_t floats, const std::string& offset) {
  tensor.set_name(name);
  tensor.set_data_type(1);
  tensor.add_dims(floats);
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  const auto set = [&](const char* key, const std::string& value) {
    auto& entry = *tensor.add_external_data();
    entry.set_key(key), entry.set_value(value);
  };
  set("location", "all.bin");
  if (!offset.empty()) set("offset", offset);
}

/// Three weights in a file beside the model, of 4000, 400 and no bytes, and a small one in the model.
onnx::ModelProto model_with_weights(const TestFolder& folder) {
  folder.write("all.bin", std::string(4000, 'a') + std::string(400, 'b'));
  onnx::ModelProto model;
  model.set_ir_version(8);
  add_external(*model.mutable_graph()->add_initializer(), "a", 1000, "");
  auto& inside = *model.mutable_graph()->add_initializer();
  inside.set_name("inside"), inside.set_data_type(1), inside.add_dims(1), inside.set_raw_data("wxyz");
  add_external(*model.mutable_graph()->add_initializer(), "b", 100, "4000");
  add_external(*model.mutable_graph()->add_initializer(), "none", 0, "4400");
  return model;
}

std::map<std::string, std::string> place_in(const onnx::TensorProto& tensor) {
  std::map<std::string, std::string> entries;
  for (const auto& entry : tensor.external_data()) entries[entry.key()] = entry.value();
  return entries;
}

TEST(WeightsBeside, begin_on_pages_in_the_order_of_the_model) {
  const TestFolder folder;
  onnx::ModelProto model = model_with_weights(folder);
  WeightFiles files(folder / "net.onnx");
  write_with_weights(model, files, folder / "copy.onnx", 4399);
  const std::string data = read_file(folder / "copy.onnx.data");
  EXPECT_EQ(data, std::string(4000, 'a') + std::string(96, '\0') + std::string(400, 'b') + std::string(3696, '\0'))
      << "the empty one begins on the next page";
  onnx::ModelProto copy;
  ASSERT_TRUE(copy.ParseFromString(read_file(folder / "copy.onnx")));
  using Place = std::map<std::string, std::string>;
  EXPECT_EQ(place_in(copy.graph().initializer(0)),
            (Place{{"location", "copy.onnx.data"}, {"offset", "0"}, {"length", "4000"}}));
  EXPECT_EQ(copy.graph().initializer(1).raw_data(), "wxyz");
  EXPECT_EQ(place_in(copy.graph().initializer(2)),
            (Place{{"location", "copy.onnx.data"}, {"offset", "4096"}, {"length", "400"}}));
  EXPECT_EQ(place_in(copy.graph().initializer(3)),
            (Place{{"location", "copy.onnx.data"}, {"offset", "8192"}, {"length", "0"}}));
}

TEST(WeightsBeside, stand_inside_up_to_the_limit) {
  const TestFolder folder;
  folder.write("copy.onnx.data", "of an earlier copy");
  onnx::ModelProto model = model_with_weights(folder);
  WeightFiles files(folder / "net.onnx");
  write_with_weights(model, files, folder / "copy.onnx", 4400);
  EXPECT_FALSE(std::filesystem::exists(folder / "copy.onnx.data"));
  onnx::ModelProto copy;
  ASSERT_TRUE(copy.ParseFromString(read_file(folder / "copy.onnx")));
  for (const auto& tensor : copy.graph().initializer()) {
    EXPECT_FALSE(tensor.has_data_location()) << tensor.name();
    EXPECT_EQ(tensor.external_data_size(), 0) << tensor.name();
  }
  EXPECT_EQ(copy.graph().initializer(0).raw_data(), std::string(4000, 'a'));
  EXPECT_EQ(copy.graph().initializer(2).raw_data(), std::string(400, 'b'));
  EXPECT_EQ(copy.graph().initializer(3).raw_data(), "");
}

TEST(WeightsBeside, of_every_other_place_come_inside) {
  const TestFolder folder;
  onnx::ModelProto model = model_with_weights(folder);
  onnx::GraphProto& graph = *model.mutable_graph();
  const auto add = [&](onnx::TensorProto& tensor) { add_external(tensor, "b", 100, "4000"); };
  add(*graph.add_sparse_initializer()->mutable_values());
  add(*graph.mutable_sparse_initializer(0)->mutable_indices());
  auto& attribute = *graph.add_node()->add_attribute();
  add(*attribute.mutable_t());
  add(*attribute.add_tensors());
  add(*attribute.mutable_sparse_tensor()->mutable_values());
  add(*attribute.add_sparse_tensors()->mutable_indices());
  add(*attribute.mutable_g()->add_initializer());
  add(*attribute.mutable_g()->add_sparse_initializer()->mutable_values());
  add(*attribute.add_graphs()->add_node()->add_attribute()->mutable_t());
  add(*model.add_functions()->add_node()->add_attribute()->mutable_t());
  WeightFiles files(folder / "net.onnx");
  write_with_weights(model, files, folder / "copy.onnx", 0);
  onnx::ModelProto copy;
  ASSERT_TRUE(copy.ParseFromString(read_file(folder / "copy.onnx")));
  const auto& told = copy.graph().node(0).attribute(0);
  for (const onnx::TensorProto* tensor :
       {&copy.graph().sparse_initializer(0).values(), &copy.graph().sparse_initializer(0).indices(), &told.t(),
        &told.tensors(0), &told.sparse_tensor().values(), &told.sparse_tensors(0).indices(), &told.g().initializer(0),
        &told.g().sparse_initializer(0).values(), &told.graphs(0).node(0).attribute(0).t(),
        &copy.functions(0).node(0).attribute(0).t()}) {
    EXPECT_EQ(tensor->raw_data(), std::string(400, 'b'));
    EXPECT_FALSE(tensor->has_data_location());
  }
}

TEST(WeightsBeside, come_into_a_graph_that_was_saved_elsewhere) {
  const TestFolder folder;
  onnx::ModelProto model = model_with_weights(folder);
  bring_weights_inside(model, folder / "net.onnx");
  EXPECT_EQ(model.graph().initializer(0).raw_data(), std::string(4000, 'a'));
  EXPECT_EQ(model.graph().initializer(1).raw_data(), "wxyz");
  EXPECT_EQ(model.graph().initializer(2).raw_data(), std::string(400, 'b'));
}

TEST(WeightsBeside, that_end_behind_their_file_are_refused) {
  const TestFolder folder;
  model_with_weights(folder);
  WeightFiles files(folder / "net.onnx");
  const auto values = [&](std::int64_t floats, const std::string& offset) -> std::string {
    onnx::TensorProto tensor;
    add_external(tensor, "w", floats, offset);
    try {
      return std::string(files.values_of(tensor));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      return "refused";
    }
  };
  EXPECT_EQ(values(1, "4396"), "bbbb");
  EXPECT_EQ(values(1, "4397"), "refused");
  EXPECT_EQ(values(1, "-1"), "refused");
  EXPECT_EQ(values(1, "x"), "refused");
  EXPECT_EQ(values(1, "3998"), "aabb");
  EXPECT_EQ(values(1100, "0"), std::string(4000, 'a') + std::string(400, 'b'));
  EXPECT_EQ(values(1101, "0"), "refused");
}

TEST(RandomNumbers, are_drawn_by_these_types) {
  const auto draws = [](const std::string& type) {
    Op op;
    op.type = type;
    return draws_random_numbers(op);
  };
  for (const char* type : {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli",
                           "Multinomial", "Dropout"})
    EXPECT_TRUE(draws(type)) << type;
  for (const char* type : {"Relu", "Drop", "BernoulliX", "MyRandom", ""}) EXPECT_FALSE(draws(type)) << type;
}

}  // namespace
}  // namespace takt
