#include "predict/zoo/zoo.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
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
#include "base/basics/text.h"
#include "base/files/file.h"
#include "model/onnx/onnx.h"
#include "places.h"
#include "predict/kernels/real_models.h"
#include "predict/zoo/export.h"
#include "predict/zoo/weights.h"
#include "predict/zoo/writer.h"
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

/// "resnet10_w0.25,11,123456,0123456789abcdef": its nodes, its parameters, and the fingerprint of its graph.
std::string graph_line(const ZooModel& model) {
  const BuiltZooModel built = build_zoo_model(model, 1);
  onnx::ModelProto proto;
  EXPECT_TRUE(proto.ParseFromString(built.bytes));
  return fmt::format("{},{},{},{:016x}", model.name(), proto.graph().node_size(), built.parameters,
                     fingerprint(proto.graph().SerializeAsString()));
}

// What was learned of a model or measured on it is known by its name, so the name stands for the same graph in every
// version, on every machine and with every compiler: nodes, attributes, shapes, small values, and places of weights.
// Only a new name may stand for another one. The file has all of them, random chains behind the rest.
TEST(Zoo, a_name_stands_for_the_same_graph_for_ever) {
  std::vector<std::string> lines = split(read_file(source_dir() / "tests/predict/kernels/zoo_graphs.csv"), '\n');
  lines.pop_back();
  std::vector<ZooModel> models = usual_zoo();
  for (const int number : zoo_family(random_chains_family)->depths)
    models.push_back({std::string(random_chains_family), number, 1, 1, 1});
  models.push_back({"resnet", 18, 0.75, 3, 96});
  models.push_back({"transformer", 2, 0.75, 3, 17});
  models.push_back({"mlp", 3, 1.5, 5, 33});
  models.push_back({"gat", 1, 0.1, 3, 20});
  ASSERT_EQ(lines.size(), models.size() + 1);
  EXPECT_EQ(lines[0], "model,nodes,parameters,graph");
  for (std::size_t i = 0; i < models.size(); ++i) EXPECT_EQ(graph_line(models[i]), lines[i + 1]);
}

TEST(Zoo, says_in_its_metadata_what_a_model_is) {
  for (const char* family : {"mlp", "gcn"}) {
    onnx::ModelProto proto;
    ASSERT_TRUE(proto.ParseFromString(build_zoo_model({family, zoo_family(family)->depths[0], 0.5, 3, 40}, 7).bytes));
    std::map<std::string, std::string> said;
    for (const auto& entry : proto.metadata_props())
      if (entry.key().starts_with("takt.")) said.emplace(entry.key(), entry.value());
    EXPECT_EQ(said["takt.family"], family);
    EXPECT_EQ(said["takt.architecture"], std::string(family) + (family == std::string("mlp") ? "3" : "1") + "_w0.5");
    EXPECT_EQ(said["takt.batch"], "3");
    EXPECT_EQ(said["takt.input"], "40");
    EXPECT_EQ(said["takt.seed"], "7");
  }
}

TEST(Zoo, families_are_these) {
  std::string words;
  for (const ZooFamily& family : zoo_families())
    words += fmt::format("{} {}; {}; {} from {}\n", family.name, depths_text(family), fmt::join(family.widths, " "),
                         family.input, family.least_input);
  EXPECT_EQ(words,
            "resnet 10, 18, 26, 34, 50; 0.25 0.5 1; 224 from 32\n"
            "vgg 11, 13, 16; 0.25 0.5; 224 from 32\n"
            "mobilenetv2 10, 19; 0.35 0.5 1; 224 from 32\n"
            "squeezenet 10, 11; 0.5 1; 224 from 32\n"
            "densenet 59, 121; 0.375 1; 224 from 32\n"
            "efficientnet 9, 16; 0.5 1; 224 from 32\n"
            "inception 5, 9; 0.5 1; 224 from 32\n"
            "transformer 2, 4, 6; 0.5 1 2; 128 from 1\n"
            "mlp 3, 6; 0.5 2; 784 from 1\n"
            "sage 1; 0.25 1; 1000 from 2\n"
            "gcn 1; 0.25 1; 1000 from 2\n"
            "gat 1; 0.25 1; 1000 from 2\n"
            "soup 1 to 240; 1; 1 from 1\n");
  EXPECT_EQ(zoo_family("resnett"), nullptr);
  EXPECT_EQ(zoo_family("gat")->name, "gat");
  EXPECT_EQ(usual_zoo().size(), 5u * 3 + 3 * 2 + 2 * 3 + 4 + 4 + 4 + 4 + 9 + 4 + 2 + 2 + 2);
  for (const ZooModel& model : usual_zoo()) {
    EXPECT_EQ(model.batch, 1);
    EXPECT_EQ(model.input, zoo_family(model.family)->input);
  }
}

TEST(Zoo, numbers_of_a_configuration_are_taken_up_to_their_borders) {
  const auto of = [](const std::string& entry) { return parse_zoo_config("models: [{" + entry + "}]\n", "z").models; };
  const auto refused = [](const std::string& entry) { return zoo_refusal("models: [{" + entry + "}]\n"); };
  const std::string vgg = "family: vgg, depth: 11, width: 0.5", place = "zoo.yaml:1: ";
  EXPECT_EQ(of(vgg + ", batch: [1, 4096]")[1].batch, 4096);
  EXPECT_EQ(refused(vgg + ", batch: 4097"), place + "batch: 4097 is out of range; use 1 to 4096");
  EXPECT_EQ(of(vgg + ", input: [32, 100000]")[0].input, 32);
  EXPECT_EQ(refused(vgg + ", input: 31"), place + "input: 31 is out of range; use 32 to 100000");
  EXPECT_EQ(refused(vgg + ", input: 100001"), place + "input: 100001 is out of range; use 32 to 100000");
  EXPECT_EQ(of("family: mlp, depth: 3, width: [0.05, 4], input: 1")[1].width, 4);
  EXPECT_EQ(refused("family: mlp, width: 0.049"), place + "width: 0.049 is out of range; use 0.05 to 4");
  EXPECT_EQ(refused("family: mlp, width: 4.1"), place + "width: 4.1 is out of range; use 0.05 to 4");
  EXPECT_EQ(refused("family: mlp, depth: [3, 4]"), place + "depth: is 4, and mlp has 3, 6");
  EXPECT_EQ(refused("family: mlp, depth: 1001"), place + "depth: 1001 is out of range; use 1 to 1000");
  EXPECT_EQ(refused("family: mlp, depth: 3.5"), place + "depth: is not a whole number");
  EXPECT_EQ(refused("family: mlp, batch: []"), place + "batch: is an empty list; give a value or omit the key");
  EXPECT_EQ(refused("depth: 3"),
            place +
                "family: is missing; give one of resnet, vgg, mobilenetv2, squeezenet, densenet, efficientnet, "
                "inception, transformer, mlp, sage, gcn, gat, soup");
  EXPECT_EQ(zoo_refusal("models: {}\n"),
            "zoo.yaml:1: models: is not a list; give entries such as {family: resnet, depth: 18}");
  EXPECT_EQ(zoo_refusal("models: [{family: mlp, depth: 3, width: 1}, {family: mlp, depth: 3, width: 1}]\n"),
            "zoo.yaml:1: models: lists mlp3_w1_b1_784 twice; remove one");
  EXPECT_EQ(parse_zoo_config("seed: 0\n", "z").seed, 0u);
  EXPECT_EQ(parse_zoo_config("seed: 9007199254740992\n", "z").seed, 9007199254740992u);
  EXPECT_NE(zoo_refusal("seed: 9007199254740993\n"), "accepted");
  EXPECT_EQ(parse_zoo_config("{}\n", "z").seed, 1u);
  EXPECT_EQ(parse_zoo_config("{}\n", "z").models.size(), usual_zoo().size());
  // In the order of depth, width, batch and input, the last one fastest.
  std::string names;
  for (const ZooModel& model : of("family: mlp, depth: [3, 6], width: [1, 2], batch: [5, 7], input: [8, 9]"))
    names += model.name() + " ";
  EXPECT_EQ(names,
            "mlp3_w1_b5_8 mlp3_w1_b5_9 mlp3_w1_b7_8 mlp3_w1_b7_9 mlp3_w2_b5_8 mlp3_w2_b5_9 mlp3_w2_b7_8 mlp3_w2_b7_9 "
            "mlp6_w1_b5_8 mlp6_w1_b5_9 mlp6_w1_b7_8 mlp6_w1_b7_9 mlp6_w2_b5_8 mlp6_w2_b5_9 mlp6_w2_b7_8 mlp6_w2_b7_9 ");
}

TEST(Zoo, a_configuration_that_is_too_large_is_called_by_its_name) {
  EXPECT_EQ(zoo_refusal("#" + std::string(1 << 20, 'x')), "zoo.yaml: larger than 1 MiB, so not a zoo");
}

TEST(Zoo, a_grid_may_have_a_hundred_thousand_models_and_no_more) {
  const auto sizes = [](int first, int count) {
    std::string list;
    for (int i = 0; i < count; ++i) list += (i > 0 ? ", " : "") + std::to_string(first + i);
    return list;
  };
  const auto grid = [&](int batches, int inputs) {
    return "{family: mlp, depth: 3, width: 1, batch: [" + sizes(1, batches) + "], input: [" + sizes(1, inputs) + "]}";
  };
  EXPECT_EQ(parse_zoo_config("models: [" + grid(250, 400) + "]\n", "z").models.size(), 100'000u);
  EXPECT_EQ(zoo_refusal("models: [" + grid(250, 400) + ", {family: vgg, depth: 11, width: 1}]\n"),
            "zoo.yaml:1: family: expands to more than 100000 models of the zoo");
}

TEST(Zoo, widths_are_multiples_of_eight_of_at_least_eight) {
  const auto scaled = [](double width, double channels) {
    return ZooWriter({"mlp", 3, width, 1, 1}, 1).scaled(channels);
  };
  EXPECT_EQ(scaled(1, 64), 64);
  EXPECT_EQ(scaled(0.5, 64), 32);
  EXPECT_EQ(scaled(0.05, 64), 8) << "at least";
  EXPECT_EQ(scaled(1, 11.9), 8);
  EXPECT_EQ(scaled(1, 12), 16) << "the half upwards";
  EXPECT_EQ(scaled(0.35, 96), 32);  // 33.6
}

TEST(Zoo, sections_of_weights_have_the_scale_of_their_power_of_two) {
  const std::string weights = zoo_weights(1, zoo_sections_bytes + zoo_section_bytes);
  for (int section = 0; section <= 12; ++section) {
    const int power = section < 12 ? section + 3 : 11;  // 2^3 to 2^14, and behind them all of 2^11
    const auto bound = std::sqrt(3.0 / std::ldexp(1.0, power));
    double least = 0, most = 0;
    for (std::size_t i = 0; i < 4096; ++i) {
      float value = 0;
      std::memcpy(&value, weights.data() + static_cast<std::size_t>(section * zoo_section_bytes) + 4 * i, 4);
      least = std::min<double>(least, value), most = std::max<double>(most, value);
    }
    EXPECT_LE(most, bound * 1.000001) << section;
    EXPECT_GT(most, bound * 0.99) << section;
    EXPECT_GE(least, -bound * 1.000001) << section;
    EXPECT_LT(least, -bound * 0.99) << section;
  }
  EXPECT_EQ(fmt::format("{:016x}", fingerprint(weights.substr(0, 4096))), "464fbb70da15a8cf");
}

TEST(Zoo, layers_lie_in_the_section_nearest_to_their_fan_in) {
  ZooWeightPlaces places;
  // Half a power of two belongs to the nearer one: 2^3.5 is 11.3.
  for (const auto& [fan_in, section] : {std::pair(1, 0),
                                        {8, 0},
                                        {11, 0},
                                        {12, 1},
                                        {16, 1},
                                        {22, 1},
                                        {23, 2},
                                        {128, 4},
                                        {16'384, 11},
                                        {30'000, 11},
                                        {1'000'000, 11}})
    EXPECT_EQ(places.place(fan_in, 1) / zoo_section_bytes, section) << fan_in;
  ZooWeightPlaces sizes;
  EXPECT_EQ(sizes.place(8, 64), 0);
  EXPECT_EQ(sizes.place(8, 65), 64);
  EXPECT_EQ(sizes.place(8, 1), 192);
  EXPECT_EQ(sizes.end(), 193);
  EXPECT_EQ(sizes.place(1'000'000, most_zoo_weight_bytes - zoo_sections_bytes), zoo_sections_bytes)
      << "all that is left";
  EXPECT_THROW(ZooWeightPlaces().place(8, most_zoo_weight_bytes - zoo_sections_bytes + 1), Error);
}

TEST(Zoo, refusals_of_models_say_what_there_is) {
  const auto refused = [](const ZooModel& model) {
    try {
      build_zoo_model(model, 1);
      return std::string("built");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refused({"mlpp", 3, 1, 1, 64}), "'mlpp' is not a family of the zoo");
  EXPECT_EQ(refused({"mlp", 4, 1, 1, 64}), "mlp: the depth 4 is not one of 3, 6");
  EXPECT_EQ(refused({"soup", 241, 1, 1, 1}), "soup: the depth 241 is not one of 1 to 240");
  const std::string begin = ": batch and width must be above 0, and the input at least ";
  EXPECT_EQ(refused({"vgg", 11, 1, 1, 31}), "vgg11_w1_b1_31" + begin + "32");
  EXPECT_EQ(refused({"vgg", 11, 1, 0, 32}), "vgg11_w1_b0_32" + begin + "32");
  EXPECT_EQ(refused({"mlp", 3, 0, 1, 1}), "mlp3_w0_b1_1" + begin + "1");
  EXPECT_EQ(refused({"mlp", 3, 0.1, 1, 1}), "built");
  EXPECT_EQ(refused({"mlp", 3, 1e6, 1, 64}),
            "mlp3_w1e+06_b1_64: a layer is larger than the zoo's weights; take a smaller "
            "width");
  EXPECT_EQ(refused({"mlp", 3, 30, 1, 64}),
            "a model has more weights than the 2048 MiB of the zoo's file; take a smaller width or input");
}

TEST(Zoo, chains_of_the_soup_have_what_networks_are_made_of) {
  const ZooFamily& soup = *zoo_family(random_chains_family);
  std::map<std::string, int> chains_with;
  for (const int number : soup.depths) {
    const ZooModel chain{std::string(random_chains_family), number, 1, 1, soup.input};
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
  for (const ZooModel& model : usual_zoo()) EXPECT_NE(model.family, random_chains_family);
  EXPECT_THAT(zoo_refusal("models: [{family: soup, depth: 241}]"), HasSubstr("241, and soup has 1 to 240"));
}

TEST(Zoo, wide_chains_have_wide_groups_and_weights_beyond_a_cache) {
  int plain_groups = 0, most_in_cache = 0, beyond = 0;
  for (int number = 217; number <= 240; ++number) {
    const BuiltZooModel built = build_zoo_model({std::string(random_chains_family), number, 1, 1, 1}, 1);
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
      HasSubstr("expands to more than 100000 models"));
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
  for (int depth = 1; depth <= 240; depth += 5) models.push_back({std::string(random_chains_family), depth, 1, 1, 1});
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

TEST(ZooExport, tells_each_step_and_what_became_of_each_model) {
  const TestFolder folder;
  ZooConfig config;
  config.models = {{"mlp", 3, 0.5, 1, 100}, {"mlp", 6, 0.5, 2, 50}};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> told;
  ZooExportSettings settings{.folder = folder / "a/b"};
  settings.progress = [&](auto done, auto all) { told.emplace_back(done, all); };
  const auto exported = export_zoo(config, settings);
  EXPECT_EQ(told, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 2}, {1, 2}}));
  ASSERT_EQ(exported.size(), 2u);
  EXPECT_EQ(exported[1].what.name(), "mlp6_w0.5_b2_50");
  EXPECT_EQ(exported[1].file, "mlp6_w0.5_b2_50.onnx");
  EXPECT_EQ(exported[1].optimised, "");
  // 50 to 512, four times 512 to 512, and 512 to 10, each with a bias.
  EXPECT_EQ(exported[1].parameters, 51 * 512 + 4 * 513 * 512 + 513 * 10);
  EXPECT_EQ(std::filesystem::file_size(folder / "a/b/zoo_weights.bin"),
            static_cast<std::uintmax_t>(build_zoo_model(config.models[1], 1).weight_bytes))
      << "as long as the larger model needs it";
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
    EXPECT_STREQ(error.what(), "stopped after 0 of 1 models; the same command resumes from here");
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
