// Two sessions that share their weights compute what sessions of their own compute.
#include <gmock/gmock.h>
#include <onnx-ml.pb.h>

#include <fstream>
#include <functional>

#include "model/runtime/models.h"

namespace takt {
namespace {

constexpr auto f32 = ElementType::f32;

/// Weights that kernels pack (products), that they read where they lie (an addition, rows of a table), that one
/// optimiser or another changes (a convolution and a product behind it), and one that two operators read.
ModelBuilder many_kinds() {
  ModelBuilder b;
  const auto x = b.input("x", f32, {4, 256});
  const auto square = b.weight({256, 256}, "square");
  auto h = b.node("MatMul", {b.node("MatMul", {x, square}), square});
  h = b.node("Add", {h, b.weight({64, 4, 256}, "table")});
  h = b.node("Gather", {h, b.integers({3, 60})});
  h = b.node("Conv", {h, b.weight({64, 4, 256}, "kernel")}, {{"strides", {1}}});
  h = b.node("Mul", {h, b.floats({2.5f}, {1, 1, 1}, "scale")});
  b.output(b.node("Gemm", {b.node("Reshape", {h, b.integers({1, 128})}), b.weight({128, 512}, "last")}));
  return b;
}

/// Those behind a weight of an odd size lie anywhere in a file.
ModelBuilder odd_sizes() {
  ModelBuilder b;
  auto h = b.node("MatMul", {b.input("x", f32, {4, 256}), b.weight({256, 1001}, "odd")});
  h = b.node("Add", {h, b.weight({1001}, "bias")});
  h = b.node("MatMul", {h, b.weight({1001, 257}, "odd_too")});
  b.output(b.node("MatMul", {h, b.weight({257, 256}, "behind")}));
  return b;
}

/// Both branches and the graph around them have weights; those of the branches have one name.
ModelBuilder with_bodies() {
  ModelBuilder yes("yes", 2), no("no", 3), b;
  const auto x = b.input("x", f32, {4, 256});
  const auto outer = b.weight({256, 256}, "outer");
  const auto h = b.node("MatMul", {x, outer});
  yes.output(yes.node("MatMul", {h, yes.weight({256, 256}, "inner")}, {}, {.outputs = {"r_yes"}}), f32, {4, 256});
  no.output(no.node("MatMul", {h, no.weight({256, 256}, "inner")}, {}, {.outputs = {"r_no"}}), f32, {4, 256});
  const auto sum = b.node("ReduceSum", {x}, {{"keepdims", std::int64_t{0}}});
  const auto flag = b.node("Greater", {sum, b.floats({0}, {}, "zero")});
  const auto r = b.node("If", {flag}, {}, {.subgraphs = {{"then_branch", &yes}, {"else_branch", &no}}});
  b.output(b.node("MatMul", {r, outer}));
  return b;
}

/// A weight that a caller could replace.
ModelBuilder with_a_default() {
  ModelBuilder b;
  const auto x = b.input("x", f32, {4, 256});
  const auto w = b.weight({256, 256}, "w");
  b.input("w", f32, {256, 256});
  b.output(b.node("Add", {b.node("MatMul", {x, w}), b.node("MatMul", {x, b.weight({256, 256}, "fixed")})}));
  return b;
}

/// Large raw values go to a file beside the model.
std::string with_external_data(const std::string& bytes, const TestFolder& folder) {
  onnx::ModelProto model;
  model.ParseFromString(bytes);
  std::string data;
  for (auto& tensor : *model.mutable_graph()->mutable_initializer()) {
    if (tensor.raw_data().size() < 1024) continue;
    const auto add = [&](const char* key, const std::string& value) {
      auto* entry = tensor.add_external_data();
      entry->set_key(key), entry->set_value(value);
    };
    add("location", "model.data"), add("offset", std::to_string(data.size()));
    add("length", std::to_string(tensor.raw_data().size()));
    data += tensor.raw_data();
    tensor.clear_raw_data();
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  }
  folder.write("model.data", data);
  return model.SerializeAsString();
}

struct Case {
  std::string name;
  std::function<std::string(const TestFolder&)> bytes;
};

const std::vector<Case> cases{
    {"many_kinds", [](auto&) { return many_kinds().serialize(); }},
    {"odd_sizes", [](auto&) { return odd_sizes().serialize(); }},
    {"with_bodies", [](auto&) { return with_bodies().serialize(); }},
    {"with_a_default", [](auto&) { return with_a_default().serialize(); }},
    {"with_external_data",
     [](const TestFolder& folder) { return with_external_data(many_kinds().serialize(), folder); }},
};

class OpenPair : public testing::TestWithParam<std::tuple<std::string, std::size_t>> {
 protected:
  void SetUp() override {
    settings_.threads = 1;
    if (!runtime_->shares_weights(settings_)) GTEST_SKIP() << "its sessions share nothing";
    path_ = folder_.write("model.onnx", cases[std::get<1>(GetParam())].bytes(folder_));
    model_ = read_onnx(path_);
  }

  static Bytes results(Session& session) {
    std::vector<float> values;
    for (int i = 0; i < 1024; ++i) values.push_back(static_cast<float>(i % 37) / 18 - 1);
    session.set_inputs({floats("x", {4, 256}, values)});
    session.run();
    session.run();
    return session.outputs_of_last_run().at(0).bytes;
  }

  static std::vector<std::vector<OpSample>> operators(Session& session) {
    if (auto all = session.all_ops()) return *all;
    return {session.last_ops().value_or(std::vector<OpSample>())};
  }

  TestFolder folder_;
  std::unique_ptr<Runtime> runtime_ = make_runtime(std::get<0>(GetParam()));
  SessionSettings settings_;
  std::filesystem::path path_;
  OnnxModel model_;
};

TEST_P(OpenPair, gives_the_results_of_sessions_of_their_own_and_operator_times_of_one) {
  const auto alone = results(*runtime_->open(path_, &model_.graph, settings_));
  auto pair = runtime_->open_pair(path_, &model_.graph, settings_);
  ASSERT_TRUE(pair);
  EXPECT_EQ(results(*pair->plain), alone);
  EXPECT_EQ(results(*pair->profiled), alone);
  EXPECT_FALSE(pair->plain->all_ops());
  EXPECT_FALSE(pair->plain->last_ops());
  const auto runs = operators(*pair->profiled);
  ASSERT_FALSE(runs.empty());
  EXPECT_FALSE(runs.back().empty());
  if (runtime_->name() == "onnxruntime") {
    EXPECT_THAT(runs, testing::SizeIs(2));
    for (const OpSample& op : runs[0]) EXPECT_EQ(op.node->provider, "CPUExecutionProvider") << op.node->name;
  }
  EXPECT_GT(pair->profiled_load.count(), 0);
  pair->plain.reset();
  EXPECT_EQ(results(*pair->profiled), alone) << "the weights are not the other session's";
}

TEST_P(OpenPair, is_none_where_a_file_would_be_written_or_read_from_a_cache) {
  SessionSettings caching = settings_, writing = settings_, showing = settings_, elsewhere = settings_;
  caching.cache = folder_ / "cache";
  writing.optimised_model = folder_ / "optimised.onnx";
  showing.all_tensors = true;
  elsewhere.device = "NPU";
  for (const auto& settings : {caching, writing, showing, elsewhere}) {
    EXPECT_FALSE(runtime_->shares_weights(settings));
    EXPECT_FALSE(runtime_->open_pair(path_, &model_.graph, settings));
  }
}

INSTANTIATE_TEST_SUITE_P(Runtimes, OpenPair,
                         testing::Combine(testing::ValuesIn(runtime_names()),
                                          testing::Range<std::size_t>(0, cases.size())),
                         [](const auto& which) {
                           return std::get<0>(which.param) + "_" + cases[std::get<1>(which.param)].name;
                         });

}  // namespace
}  // namespace takt
