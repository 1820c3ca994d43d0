#include "predict/zoo/zoo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx-ml.pb.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "model/onnx/onnx.h"
#include "predict/kernels/real_models.h"
#include "predict/zoo/export.h"
#include "predict/zoo/weights.h"
#include "places.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::HasSubstr;

std::string zoo_refusal(const std::string& text) {
  try {
    parse_zoo_config(text, "zoo.yaml");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "accepted";
}

TEST(Zoo, has_at_least_forty_architectures_of_every_family) {
  std::set<std::string> architectures, families, names;
  for (const ZooModel& model : usual_zoo()) {
    architectures.insert(model.architecture());
    families.insert(model.family);
    names.insert(model.name());
  }
  EXPECT_GE(architectures.size(), 40u);
  EXPECT_EQ(names.size(), usual_zoo().size());
  for (const char* family :
       {"resnet", "vgg", "mobilenetv2", "squeezenet", "densenet", "efficientnet", "transformer", "sage", "gcn", "gat"})
    EXPECT_TRUE(families.contains(family)) << family;
}

TEST(Zoo, every_architecture_is_built_the_same_in_every_call) {
  for (const ZooModel& model : usual_zoo()) {
    const BuiltZooModel built = build_zoo_model(model, 1);
    EXPECT_EQ(build_zoo_model(model, 1).bytes, built.bytes) << model.name();
    EXPECT_GT(built.parameters, 1000) << model.name();
  }
}

TEST(Zoo, chains_of_the_soup_have_what_networks_are_made_of) {
  const ZooFamily& soup = *zoo_family(soup_family);
  std::map<std::string, int> chains_with;
  for (const int number : soup.depths) {
    const ZooModel chain{std::string(soup_family), number, 1, 1, soup.input};
    const BuiltZooModel built = build_zoo_model(chain, 1);
    EXPECT_EQ(build_zoo_model(chain, 1).bytes, built.bytes) << number;
    std::set<std::string> types;
    onnx::ModelProto proto;
    ASSERT_TRUE(proto.ParseFromString(built.bytes));
    for (const auto& node : proto.graph().node()) types.insert(node.op_type());
    for (const std::string& type : types) ++chains_with[type];
  }
  for (const char* type : {"Conv",
                           "BatchNormalization",
                           "MaxPool",
                           "AveragePool",
                           "GlobalAveragePool",
                           "Concat",
                           "Slice",
                           "Resize",
                           "Add",
                           "Mul",
                           "Gemm",
                           "MatMul",
                           "Softmax",
                           "LayerNormalization",
                           "ReduceMean",
                           "Gather",
                           "Expand",
                           "LRN",
                           "ScatterElements",
                           "Transpose",
                           "Reshape",
                           "Flatten",
                           "Relu",
                           "Clip",
                           "Sigmoid",
                           "LeakyRelu",
                           "HardSwish",
                           "HardSigmoid",
                           "Tanh",
                           "Erf"})
    EXPECT_GE(chains_with[type], 5) << type;
  for (const ZooModel& model : usual_zoo()) EXPECT_NE(model.family, soup_family);
  EXPECT_THAT(zoo_refusal("models: [{family: soup, depth: 241}]"), HasSubstr("241, and soup has 1 to 240"));
}

TEST(Zoo, wide_chains_have_wide_groups_and_weights_beyond_a_cache) {
  int plain_groups = 0, most_in_cache = 0, beyond = 0;
  for (int number = 217; number <= 240; ++number) {
    const BuiltZooModel built = build_zoo_model({std::string(soup_family), number, 1, 1, 1}, 1);
    onnx::ModelProto proto;
    ASSERT_TRUE(proto.ParseFromString(built.bytes));
    std::int64_t weights = 0;
    for (const auto& tensor : proto.graph().initializer()) {
      if (tensor.dims_size() == 4 && tensor.dims(1) >= 20 && tensor.dims(1) % 8 != 0) ++plain_groups;
      std::int64_t numbers = 1;
      for (const std::int64_t dim : tensor.dims()) numbers *= dim;
      weights += numbers;
    }
    if (number % 2 == 0) ++(weights * 4 > 32'000'000 ? beyond : most_in_cache);
  }
  EXPECT_GE(plain_groups, 20);
  EXPECT_GE(most_in_cache, 3);
  EXPECT_GE(beyond, 4);
}

TEST(Zoo, has_the_parameters_of_the_papers) {
  const auto millions = [](const ZooModel& model) {
    return std::round(static_cast<double>(build_zoo_model(model, 1).parameters) / 1e5) / 10;
  };
  // Batch normalisation has four numbers per channel here, mean and variance included.
  EXPECT_NEAR(millions({"resnet", 18, 1, 1, 224}), 11.7, 0.1);
  EXPECT_NEAR(millions({"resnet", 50, 1, 1, 224}), 25.6, 0.2);
  EXPECT_NEAR(millions({"mobilenetv2", 19, 1, 1, 224}), 3.5, 0.1);
  EXPECT_NEAR(millions({"densenet", 121, 1, 1, 224}), 8.0, 0.2);
  EXPECT_NEAR(millions({"squeezenet", 11, 1, 1, 224}), 1.2, 0.1);
}

TEST(Zoo, the_shipped_configuration_has_the_grid_and_every_family) {
  const ZooConfig config = read_zoo_config(source_dir() / "examples" / "zoo.yaml");
  std::size_t grid = 0;
  std::set<std::string> architectures;
  for (const ZooModel& model : config.models) {
    grid += model.architecture() == "resnet18_w1";
    architectures.insert(model.architecture());
  }
  EXPECT_EQ(grid, 9u);
  EXPECT_GE(architectures.size(), 40u);
}

TEST(Zoo, lists_of_a_configuration_span_a_grid) {
  const ZooConfig config =
      parse_zoo_config("seed: 7\nmodels:\n  - {family: vgg, depth: [11, 16], width: 0.25, batch: [1, 2, 4]}\n", "z");
  EXPECT_EQ(config.seed, 7u);
  ASSERT_EQ(config.models.size(), 6u);
  EXPECT_EQ(config.models[5].name(), "vgg16_w0.25_b4_224");
}

TEST(Zoo, wrong_configurations_are_refused_with_the_line) {
  EXPECT_THAT(zoo_refusal("models:\n  - {family: resnett}\n"), HasSubstr("zoo.yaml:2"));
  EXPECT_THAT(zoo_refusal("models:\n  - {family: resnet, depth: 19}\n"), HasSubstr("10, 18, 26, 34, 50"));
  EXPECT_THAT(zoo_refusal("models:\n  - {depth: 18}\n"), HasSubstr("family"));
  EXPECT_THAT(zoo_refusal("models:\n  - {family: resnet, batch: 0}\n"), HasSubstr("batch"));
  EXPECT_THAT(zoo_refusal("models:\n  - {family: resnet, batch: 1.5}\n"), HasSubstr("whole number"));
  EXPECT_THAT(zoo_refusal("models:\n  - {family: resnet, width: nan}\n"), HasSubstr("width"));
  EXPECT_THAT(zoo_refusal("models:\n  - {family: resnet, input: 8}\n"), HasSubstr("input"));
  EXPECT_THAT(zoo_refusal("models:\n  - {family: resnet, batch: []}\n"), HasSubstr("empty"));
  EXPECT_THAT(zoo_refusal("models:\n  - {family: vgg}\n  - {family: vgg}\n"), HasSubstr("twice"));
  EXPECT_THAT(zoo_refusal("models: []\n"), HasSubstr("models"));
  std::string sizes = "32";
  for (int size = 33; size < 350; ++size) sizes += ", " + std::to_string(size);
  EXPECT_THAT(
      zoo_refusal("models:\n  - {family: mlp, depth: 3, width: 1, batch: [" + sizes + "], input: [" + sizes + "]}\n"),
      HasSubstr("makes more than 100000 models"));
  EXPECT_THAT(zoo_refusal("models:\n  - {family: vgg, colour: red}\n"), HasSubstr("colour"));
}

TEST(Zoo, layers_have_numbers_of_their_scale) {
  const std::string weights = zoo_weights(1);
  ZooWeightPlaces places;
  for (const std::int64_t fan_in : {9, 27, 144, 1152, 4608}) {
    const std::int64_t offset = places.place(fan_in, 4096);
    EXPECT_EQ(offset % 64, 0);
    double squares = 0;
    for (std::size_t i = 0; i < 1024; ++i) {
      float value = 0;
      std::memcpy(&value, weights.data() + offset + static_cast<std::ptrdiff_t>(i * sizeof value), sizeof value);
      squares += static_cast<double>(value) * value;
    }
    // The variance of a sum of `fan_in` products is then near 1: powers of two are at most sqrt(2) away.
    EXPECT_NEAR(std::log2(squares / 1024 * static_cast<double>(fan_in)), 0, 0.7) << fan_in;
  }
}

/// Where a model's layers lie in the file: begin and end of each.
std::vector<std::pair<std::size_t, std::size_t>> weight_places(const BuiltZooModel& built) {
  onnx::ModelProto proto;
  EXPECT_TRUE(proto.ParseFromString(built.bytes));
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const auto& tensor : proto.graph().initializer())
    if (const auto place = external_place(tensor)) places.emplace_back(place->offset, place->offset + place->length);
  std::sort(places.begin(), places.end());
  return places;
}

TEST(Zoo, no_two_layers_of_a_model_share_weights) {
  std::vector<ZooModel> models = usual_zoo();
  for (int depth = 1; depth <= 240; depth += 5) models.push_back({std::string(soup_family), depth, 1, 1, 1});
  for (const ZooModel& model : models) {
    const BuiltZooModel built = build_zoo_model(model, 1);
    const auto places = weight_places(built);
    if (places.empty()) continue;  // a graph network, whose weights are in the model
    for (std::size_t i = 1; i < places.size(); ++i) ASSERT_GE(places[i].first, places[i - 1].second) << model.name();
    EXPECT_EQ(places.back().second, static_cast<std::size_t>(built.weight_bytes)) << model.name();
  }
}

TEST(Zoo, models_that_cannot_be_are_not_built) {
  for (const ZooModel& model :
       {ZooModel{"mlpp", 3, 1, 1, 64}, ZooModel{"resnet", 19, 1, 1, 224}, ZooModel{"resnet", 18, 0, 1, 224},
        ZooModel{"resnet", 18, 1, 0, 224}, ZooModel{"resnet", 18, 1, 1, 1}, ZooModel{"mlp", 3, 1e6, 1, 64}})
    EXPECT_THROW(build_zoo_model(model, 1), Error) << model.name();
}

TEST(Zoo, layers_are_placed_in_the_file_or_refused) {
  for (const std::int64_t fan_in : {1, 100, 1'000'000}) {
    ZooWeightPlaces places;
    EXPECT_LT(places.place(fan_in, zoo_section_bytes), zoo_sections_bytes);
    EXPECT_EQ(places.place(fan_in, 100), zoo_sections_bytes) << "its section is full";
    EXPECT_EQ(places.place(fan_in, 4), zoo_sections_bytes + 128);
    EXPECT_EQ(places.end(), zoo_sections_bytes + 132);
    EXPECT_THROW(places.place(fan_in, most_zoo_weight_bytes), Error);
  }
}

TEST(Zoo, weights_grow_and_never_change) {
  const TestFolder folder;
  const auto file = folder.path() / zoo_weights_file;
  const std::int64_t some = zoo_sections_bytes + zoo_section_bytes / 3 * 4;
  EXPECT_TRUE(write_zoo_weights(folder.path(), 1, 1000));
  EXPECT_EQ(read_file(file), zoo_weights(1, 1000));
  EXPECT_TRUE(write_zoo_weights(folder.path(), 1, some));
  EXPECT_FALSE(write_zoo_weights(folder.path(), 1, some));
  EXPECT_FALSE(write_zoo_weights(folder.path(), 1, 1000)) << "a longer one serves";
  const std::string longer = read_file(file);
  EXPECT_EQ(longer.size(), static_cast<std::size_t>(some));
  EXPECT_TRUE(longer.starts_with(zoo_weights(1)));
  EXPECT_TRUE(write_zoo_weights(folder.path(), 2, 1000)) << "another seed";
  EXPECT_EQ(read_file(file), zoo_weights(2, 1000));
}

TEST(Zoo, an_export_goes_on_where_it_was) {
  const TestFolder folder;
  const ZooConfig config{1, {{"squeezenet", 11, 0.5, 1, 64}, {"mlp", 3, 0.5, 2, 100}}};
  const auto first = export_zoo(config, {.folder = folder.path()});
  ASSERT_EQ(first.size(), 2u);
  EXPECT_TRUE(first[0].is_new && first[1].is_new);
  const std::string bytes = read_file(folder.path() / first[0].file);
  EXPECT_EQ(read_onnx(folder.path() / first[0].file).graph.external_files.size(), 1u);
  folder.write(first[1].file.string(), "torn");
  const auto second = export_zoo(config, {.folder = folder.path()});
  EXPECT_FALSE(second[0].is_new);
  EXPECT_TRUE(second[1].is_new);
  EXPECT_EQ(read_file(folder.path() / first[0].file), bytes);
}

TEST(ZooExport, stops_when_it_is_asked_to) {
  const TestFolder folder;
  const std::atomic<bool> stop = true;
  ZooConfig config;
  config.models = {{"mlp", 3, 0.5, 1, 100}};
  ZooExportSettings settings{.folder = folder.path()};
  settings.stop = &stop;
  try {
    export_zoo(config, settings);
    ADD_FAILURE() << "it went on";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "stopped after 0 of 1 models; the same command goes on from here");
  }
}

TEST(Zoo, deep_residual_networks_have_bottlenecks) {
  const auto convolutions = [](int depth) {
    const TestFolder folder;
    ZooConfig config;
    config.models = {{"resnet", depth, 0.25, 1, 64}};
    const auto ops = read_onnx_structure(folder / export_zoo(config, {.folder = folder.path()}).front().file).graph.ops;
    return std::count_if(ops.begin(), ops.end(), [](const Op& op) { return op.type == "Conv"; });
  };
  // The first, two or three of each block, and one beside the first block of each part that changes its channels.
  EXPECT_EQ(convolutions(18), 1 + 8 * 2 + 3);
  EXPECT_EQ(convolutions(26), 1 + 8 * 3 + 4);
  EXPECT_EQ(convolutions(50), 1 + 16 * 3 + 4);
}

}  // namespace
}  // namespace takt
