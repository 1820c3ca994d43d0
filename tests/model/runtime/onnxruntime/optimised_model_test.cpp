// ONNX Runtime's optimised graph as it is read back, parts of it, and where it is kept.
#include "model/onnxruntime/optimised_model.h"

#include <gmock/gmock.h>
#include <onnx-ml.pb.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <set>

#include "base/basics/error.h"
#include "model/onnx/builder.h"
#include "model/onnxruntime/model_cache.h"
#include "model/runtime/models.h"
#include "test_folder.h"

namespace takt::ort {
namespace {

using testing::ElementsAre;
using Names = std::vector<std::string>;
constexpr auto f32 = ElementType::f32;

/// x · (w turned) in the model; the optimiser has turned the weight and gave it a name of its own.
Graph product_of_a_turned_weight() {
  ModelBuilder b;
  b.input("x", f32, {1, 4});
  b.weight({4, 4}, "w");
  b.node("Transpose", {"w"}, {}, {.name = "turn", .outputs = {"t"}});
  b.output(b.node("MatMul", {"x", "t"}, {}, {.name = "mm", .outputs = {"y"}}), f32, {1, 4});
  return b.build().graph;
}

TEST(OptimisedModel, a_weight_that_the_optimiser_made_is_no_tensor_between_nodes) {
  const TestFolder folder;
  ModelBuilder b;
  b.input("x", f32, {1, 4});
  b.weight({4, 4}, "w_turned");
  b.output(b.node("MatMul", {"x", "w_turned"}, {}, {.name = "mm", .outputs = {"y"}}), f32, {1, 4});
  const Graph graph = product_of_a_turned_weight();
  const auto read = read_optimised(folder.write("dump.onnx", b.serialize()), &graph, "m.onnx");
  EXPECT_THAT(read.nodes.at("takt-op-0").model_ops, ElementsAre("turn", "mm")) << "turning it belongs to the product";
  EXPECT_EQ(read.nodes.at("takt-op-0").leader, "mm");
}

TEST(OptimisedModel, nodes_get_names_of_their_own_and_are_told_as_they_were_called) {
  const TestFolder folder;
  ModelBuilder b;
  b.input("x", f32, {1, 4});
  b.weight({4, 4}, "w");
  b.node("MatMul", {"x", "w"}, {}, {.name = "mm", .outputs = {"a"}});
  b.node("Clip", {"a", "", "w"}, {{"activation", std::string("Relu")}}, {.name = "gone", .outputs = {"b", ""}});
  b.output(b.node("Conv", {"b", "w"}, {}, {.name = "c", .domain = "com.microsoft.nchwc", .outputs = {"y"}}));
  b.graph().mutable_node(1)->clear_name();
  const auto read = read_optimised(folder.write("dump.onnx", b.serialize()), nullptr, "m.onnx");
  ASSERT_EQ(read.nodes.size(), 3u);
  EXPECT_EQ(read.outer_nodes, 3u);
  const ExecutedNode &first = read.nodes.at("takt-op-0"), &second = read.nodes.at("takt-op-1"),
                     &third = read.nodes.at("takt-op-2");
  EXPECT_EQ((Names{first.name, first.type, first.node_type, first.kernel}),
            (Names{"mm", "MatMul", "MatMul", "MatMul"}));
  EXPECT_EQ((Names{second.name, second.type, second.kernel}), (Names{"Clip_1", "Clip", "Clip+Relu"}));
  EXPECT_EQ((Names{third.name, third.kernel}), (Names{"c", "nchwc.Conv"}));
  EXPECT_THAT(second.inputs, ElementsAre("a", "w"));
  EXPECT_THAT(second.outputs, ElementsAre("b"));
  onnx::ModelProto written;
  ASSERT_TRUE(written.ParseFromString(read.bytes));
  Names names;
  for (const auto& node : written.graph().node()) names.push_back(node.name());
  EXPECT_THAT(names, ElementsAre("takt-op-0", "takt-op-1", "takt-op-2"));
}

TEST(OptimisedModel, nodes_of_bodies_have_the_path_of_the_node_around_them) {
  const TestFolder folder;
  ModelBuilder yes("yes"), no("no"), b;
  b.input("x", f32, {4});
  b.input("flag", ElementType::boolean, {});
  yes.output(yes.node("Relu", {"x"}, {}, {.name = "act", .outputs = {"r1"}}), f32, {4});
  no.output(no.node("Neg", {"x"}, {}, {.name = "act", .outputs = {"r2"}}), f32, {4});
  b.output(b.node("If", {"flag"}, {},
                  {.name = "choice", .outputs = {"y"}, .subgraphs = {{"then_branch", &yes}, {"else_branch", &no}}}),
           f32, {4});
  const Graph graph = b.build().graph;
  const auto dump = folder.write("dump.onnx", b.serialize());
  const auto names_of = [](const OptimisedModel& read) {
    Names names;
    for (const auto& [key, node] : read.nodes) names.push_back(node.name + " " + node.type);
    return names;
  };
  const auto read = read_optimised(dump, &graph, "m.onnx");
  EXPECT_EQ(read.outer_nodes, 1u);
  EXPECT_THAT(names_of(read), testing::UnorderedElementsAre("choice If", "choice.then_branch > act Relu",
                                                            "choice.else_branch > act Neg"));
  EXPECT_THAT(names_of(read_optimised(dump, nullptr, "m.onnx")),
              testing::UnorderedElementsAre("choice If", "choice > act Relu", "choice > act Neg"))
      << "without the model nobody knows of the other branch";
}

TEST(OptimisedModel, weights_in_a_file_beside_it_are_told_unless_a_body_has_one_of_that_name) {
  const TestFolder folder;
  ModelBuilder yes("yes"), no("no"), b;
  b.input("x", f32, {4});
  b.input("flag", ElementType::boolean, {});
  yes.output(yes.node("Add", {"x", yes.weight({4}, "same")}, {}, {.outputs = {"r1"}}), f32, {4});
  no.output(no.node("Neg", {"x"}, {}, {.outputs = {"r2"}}), f32, {4});
  b.output(b.node("If", {"flag"}, {}, {.outputs = {"y"}, .subgraphs = {{"then_branch", &yes}, {"else_branch", &no}}}));
  for (const char* name : {"same", "apart", "inside"}) b.weight({3, 5}, name);
  const std::map<std::string, int> places{{"same", 0}, {"apart", 4096}};
  for (auto& tensor : *b.graph().mutable_initializer()) {
    if (!places.contains(tensor.name())) continue;
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    tensor.clear_raw_data();
    for (const auto& [key, value] : std::map<std::string, std::string>{
             {"location", "w.bin"}, {"offset", std::to_string(places.at(tensor.name()))}, {"length", "60"}}) {
      auto& entry = *tensor.add_external_data();
      entry.set_key(key), entry.set_value(value);
    }
  }
  const auto read = read_optimised(folder.write("dump.onnx", b.serialize()), nullptr, "m.onnx");
  ASSERT_EQ(read.weights.size(), 1u);
  const StoredWeight& weight = read.weights[0];
  EXPECT_EQ(weight.name, "apart");
  EXPECT_EQ(weight.type, 1);
  EXPECT_EQ(weight.shape, (Shape{3, 5}));
  EXPECT_EQ(weight.offset, 4096u);
  EXPECT_EQ(weight.bytes, 60u);
}

TEST(OptimisedModel, an_old_model_is_brought_to_the_newer_rule_of_inputs) {
  const TestFolder folder;
  for (const int ir : {3, 4}) {
    ModelBuilder b;
    b.input("x", f32, {4});
    b.input("w", f32, {4});
    b.weight({4}, "w");
    b.output(b.node("Add", {"x", "w"}));
    onnx::ModelProto model;
    ASSERT_TRUE(model.ParseFromString(reloadable(folder.write("dump.onnx", b.serialize(9, ir)), "m.onnx")));
    EXPECT_EQ(model.ir_version(), 4);
    EXPECT_EQ(model.graph().input_size(), ir == 3 ? 1 : 2) << "since then a caller may replace it";
    EXPECT_EQ(model.graph().input(0).name(), "x");
  }
  try {
    reloadable(folder.write("dump.onnx", "no model"), "m.onnx");
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "m.onnx: ONNX Runtime's optimised graph cannot be read back");
  }
}

TEST(OptimisedModel, a_head_has_its_nodes_their_weights_and_what_they_make_for_others) {
  ModelBuilder b;
  b.input("x", f32, {4});
  for (const char* name : {"w0", "w1", "w2"}) b.weight({4}, name);
  b.node("Add", {"x", "w0"}, {}, {.name = "k0", .outputs = {"a", "unread"}});
  b.node("Add", {"a", "w1"}, {}, {.name = "k1", .outputs = {"b"}});
  b.node("Sum", {"b", "a", "w2"}, {}, {.name = "k2", .outputs = {"c"}});
  b.output("c");
  b.output("a");
  const auto head = [&](const std::set<std::string>& keys) {
    onnx::ModelProto model;
    EXPECT_TRUE(model.ParseFromString(head_of(b.serialize(), keys, "m.onnx")));
    std::string text;
    for (const auto& node : model.graph().node()) text += node.name() + " ";
    text += "|";
    for (const auto& tensor : model.graph().initializer()) text += " " + tensor.name();
    text += " |";
    for (const auto& output : model.graph().output()) text += " " + output.name();
    return text;
  };
  EXPECT_EQ(head({"k0"}), "k0 | w0 | a");
  EXPECT_EQ(head({"k0", "k1"}), "k0 k1 | w0 w1 | a b");
  EXPECT_EQ(head({"k0", "k1", "k2"}), "k0 k1 k2 | w0 w1 w2 | a c");
  b.node("Shape", {"x"}, {}, {.name = "k3", .outputs = {"for_nobody"}});
  EXPECT_EQ(head({"k3"}), "k3 | | for_nobody") << "a model needs an output";
  EXPECT_EQ(head({"k0", "k3"}), "k0 k3 | w0 | a for_nobody");
}

/// The name of the file that a model would be kept in.
std::string kept_as(const std::filesystem::path& model, const SessionSettings& settings = {},
                    const std::string& device = "CPU") {
  return CachedModel("cache", model, settings, device).path().string();
}

TEST(ModelCache, its_files_are_called_after_all_that_the_optimised_model_depends_on) {
  const TestFolder folder;
  const auto model = folder.write("net.onnx", conv_matmul().serialize());
  const std::string usual = kept_as(model);
  EXPECT_THAT(usual, testing::MatchesRegex("cache/net-[0-9a-f]{16}-[0-9a-f]{16}\\.onnx"));
  EXPECT_EQ(kept_as(model), usual);
  SessionSettings threads, other_threads, property, other_value, shape, other_shape;
  threads.threads = 1, other_threads.threads = 2;
  property.properties = {{"a", "1"}}, other_value.properties = {{"a", "2"}};
  shape.input_shapes = {{"x", {1, 2}}}, other_shape.input_shapes = {{"x", {2, 1}}};
  std::set<std::string> names{usual, kept_as(model, {}, "GPU")};
  for (const auto& settings : {threads, other_threads, property, other_value, shape, other_shape})
    names.insert(kept_as(model, settings));
  EXPECT_EQ(names.size(), 8u) << "each is another";
  folder.write("net.onnx", open_batch().serialize());
  EXPECT_TRUE(names.insert(kept_as(model)).second) << "another model of the name";
}

TEST(ModelCache, values_in_other_files_count_with_their_name_size_and_date) {
  const TestFolder folder;
  const auto model_reading = [&](const std::string& location) {
    ModelBuilder b;
    b.output(b.node("Add", {b.input("x", f32, {4}), b.weight({4}, "w")}, {}, {.outputs = {"y"}}));
    auto& tensor = *b.graph().mutable_initializer(0);
    tensor.clear_raw_data();
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    auto& entry = *tensor.add_external_data();
    entry.set_key("location"), entry.set_value(location);
    return folder.write("net.onnx", b.serialize());
  };
  const auto values = folder.write("w.bin", std::string(16, 'a'));
  const auto model = model_reading("w.bin");
  const std::string before = kept_as(model);
  const auto date = std::filesystem::last_write_time(values);
  folder.write("w.bin", std::string(17, 'a'));
  std::filesystem::last_write_time(values, date);
  EXPECT_NE(kept_as(model), before) << "one byte more";
  folder.write("w.bin", std::string(16, 'b'));
  std::filesystem::last_write_time(values, date);
  EXPECT_EQ(kept_as(model), before) << "bytes are not read, there may be many";
  std::filesystem::last_write_time(values, date + std::chrono::hours(1));
  EXPECT_NE(kept_as(model), before) << "written later";
  const auto own = model_reading("net.onnx");
  const std::string first = kept_as(own);
  std::filesystem::last_write_time(own, date + std::chrono::hours(1));
  EXPECT_EQ(kept_as(own), first) << "the model's own bytes are read, whenever they were written";
}

TEST(ModelCache, gives_back_what_was_put_there) {
  const TestFolder folder;
  const auto model = folder.write("net.onnx", conv_matmul().serialize());
  const CachedModel cached(folder / "a/b", model, {}, "CPU");
  EXPECT_FALSE(cached.read());
  cached.write("bytes");
  EXPECT_EQ(cached.read(), "bytes");
  EXPECT_EQ(CachedModel(folder / "a/b", model, {}, "CPU").read(), "bytes");
  EXPECT_FALSE(CachedModel(folder / "a/b", model, {}, "GPU").read());
}

/// Sets where temporary folders are made.
struct TemporaryFiles {
  explicit TemporaryFiles(const std::filesystem::path& folder) {
    if (const char* known = std::getenv("TMPDIR")) before = known;
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
  ~TemporaryFiles() { before ? ::setenv("TMPDIR", before->c_str(), 1) : ::unsetenv("TMPDIR"); }
  std::optional<std::string> before;
};

TEST(OnnxRuntimeSession, a_profile_that_was_read_is_removed_while_the_session_is_still_open) {
  const TestFolder folder, temporary;
  const TemporaryFiles there(temporary.path());
  const auto path = folder.write("m.onnx", conv_matmul().serialize());
  const OnnxModel model = read_onnx(path);
  const auto runtime = make_runtime("onnxruntime");
  SessionSettings settings;
  settings.profile_ops = true, settings.threads = 1;
  const auto session = runtime->open(path, &model.graph, settings);
  session->set_inputs({floats("x", {1, 1, 4, 4}, std::vector<float>(16, 1.0f))});
  session->run();
  const auto profiles = [&] {
    int found = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(temporary.path()))
      found += entry.path().filename().string().starts_with("profile-");
    return found;
  };
  EXPECT_EQ(profiles(), 1);
  ASSERT_EQ(session->all_ops().value().size(), 1u);
  EXPECT_EQ(profiles(), 0);
}

}  // namespace
}  // namespace takt::ort
