// The rows of operators that OpenVINO takes apart, or whose last layer only has their name.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "model/cost/cost.h"
#include "model/runtime/models.h"

namespace takt {
namespace {

class NodeGroups : public testing::Test {
 protected:
  /// The nodes of one inference.
  std::vector<ExecutedNode> run(const ModelBuilder& model, int opset = 17) {
    const auto path = folder_.write("m.onnx", model.serialize(opset));
    graph_ = read_onnx(path).graph;
    SessionSettings settings;
    settings.device = device_;
    settings.profile_ops = true;
    settings.threads = 1;
    const auto session = runtime_->open(path, &graph_, settings);
    std::vector<HostTensor> values;
    for (const auto& port : session->inputs()) {
      const auto shape = *concrete(port.shape);
      values.push_back(
          floats(port.name, shape, std::vector<float>(static_cast<std::size_t>(*element_count(shape)), 0.5f)));
    }
    session->set_inputs(values);
    session->run();
    std::vector<ExecutedNode> nodes;
    const auto samples = session->last_ops().value();
    for (const OpSample& sample : samples) nodes.push_back(*sample.node);
    return nodes;
  }

  /// Names of the rows that stand for `op`.
  static std::set<std::string> rows_of(const std::string& op, const std::vector<ExecutedNode>& samples) {
    std::set<std::string> rows;
    for (const auto& sample : samples)
      if (std::count(sample.model_ops.begin(), sample.model_ops.end(), op)) rows.insert(sample.name + sample.kernel);
    return rows;
  }

  static std::string kernels_of(const std::string& op, const std::vector<ExecutedNode>& samples) {
    std::string kernels;
    for (const auto& sample : samples)
      if (std::count(sample.model_ops.begin(), sample.model_ops.end(), op))
        kernels += sample.type + " " + sample.kernel + ";";
    return kernels;
  }

  std::unique_ptr<Runtime> runtime_ = make_runtime("openvino");
  TestFolder folder_;
  Graph graph_;
  std::string device_ = "CPU";
};

/// Two layers as exporters write them; directions are folded into features between them.
ModelBuilder recurrent(const std::string& type, std::int64_t gates, bool both_ways) {
  ModelBuilder b;
  const std::int64_t directions = both_ways ? 2 : 1, hidden = 16;
  std::string x = b.node("Transpose", {b.input("x", ElementType::f32, {2, 12, 8})}, {{"perm", {1, 0, 2}}}, {"/turn"});
  std::int64_t features = 8;
  for (const std::string name : {"/first", "/second"}) {
    const auto y =
        b.node(type,
               {x, b.weight({directions, gates * hidden, features}), b.weight({directions, gates * hidden, hidden}),
                b.weight({directions, 2 * gates * hidden})},
               {{"hidden_size", hidden}, {"direction", std::string(both_ways ? "bidirectional" : "forward")}}, {name});
    const auto turned = b.node("Transpose", {y}, {{"perm", {0, 2, 1, 3}}}, {name + "/Transpose"});
    x = b.node("Reshape", {turned, b.integers({0, 0, -1})}, {}, {name + "/Reshape"});
    features = directions * hidden;
  }
  b.output(b.node("MatMul", {x, b.weight({features, 4})}, {}, {"/head"}));
  return b;
}

TEST_F(NodeGroups, a_recurrent_operator_is_the_row_of_its_sequences_and_of_nothing_else) {
  const std::vector<std::pair<std::string, std::int64_t>> types{{"GRU", 3}, {"LSTM", 4}, {"RNN", 1}};
  for (const auto& [type, gates] : types)
    for (const bool both_ways : {false, true}) {
      SCOPED_TRACE(type + (both_ways ? " in two directions" : ""));
      const auto samples = run(recurrent(type, gates, both_ways));
      for (const std::string op : {"/first", "/second"}) {
        EXPECT_EQ(rows_of(op, samples).size(), 1u) << kernels_of(op, samples);
        const auto sample = std::find_if(samples.begin(), samples.end(), [&](const ExecutedNode& s) {
          return s.model_ops == std::vector<std::string>{op};
        });
        ASSERT_NE(sample, samples.end()) << op;
        EXPECT_EQ(sample->type, type);
        EXPECT_THAT(sample->kernel, testing::HasSubstr("ref")) << "a sequence, not the transpose behind it";
      }
      for (const auto& sample : samples) EXPECT_NE(sample.type, "RNNSeq") << sample.name;
    }
}

ModelBuilder attention(int opset) {
  ModelBuilder b;
  if (opset >= 23) {
    std::vector<std::string> inputs;
    for (const std::string name : {"q", "k", "v"}) inputs.push_back(b.input(name, ElementType::f32, {1, 4, 32, 16}));
    b.output(b.node("Attention", inputs, {}, {"attend"}));
    return b;
  }
  const auto x = b.input("x", ElementType::f32, {1, 32, 64});
  std::vector<std::string> projected;
  for (const std::string name : {"q", "k", "v"})
    projected.push_back(b.node("MatMul", {x, b.weight({64, 64})}, {}, {name}));
  const auto y =
      b.node("MultiHeadAttention", projected, {{"num_heads", std::int64_t{4}}}, {"attend", "com.microsoft", {}, {}});
  b.output(b.node("Add", {b.node("MatMul", {y, b.weight({64, 64})}, {}, {"o"}), x}, {}, {"sum"}));
  return b;
}

TEST_F(NodeGroups, an_attention_that_is_taken_apart_is_one_row) {
  for (const int opset : {17, 23}) {
    const auto samples = run(attention(opset), opset);
    EXPECT_EQ(rows_of("attend", samples).size(), 1u) << kernels_of("attend", samples);
    EXPECT_THAT(kernels_of("attend", samples), testing::StartsWith(opset >= 23 ? "Attention" : "MultiHeadAttention"));
    for (const auto& sample : samples)
      EXPECT_FALSE(sample.model_ops.empty() && (sample.type == "Subgraph" || sample.type == "MatMul")) << sample.name;
    if (opset >= 23) continue;
    for (const std::string op : {"q", "k", "v", "o"}) EXPECT_EQ(rows_of(op, samples).size(), 1u) << op;
  }
}

TEST_F(NodeGroups, no_operator_is_in_two_rows) {
  for (const auto& model : {recurrent("LSTM", 4, true), attention(17), conv_matmul()}) {
    const auto samples = run(model);
    for (const auto& op : graph_.ops) EXPECT_LE(rows_of(op.name, samples).size(), 1u) << op.name;
  }
}

TEST_F(NodeGroups, operators_keep_their_names_on_a_device_that_splits_the_model) {
  device_ = "HETERO:CPU";
  const auto samples = run(attention(17));
  for (const std::string op : {"q", "k", "v", "o", "attend"}) EXPECT_EQ(rows_of(op, samples).size(), 1u) << op;
}

TEST_F(NodeGroups, all_tensors_have_the_names_of_the_model) {
  const auto path = folder_.write("m.onnx", recurrent("GRU", 3, true).serialize());
  graph_ = read_onnx(path).graph;
  SessionSettings settings;
  settings.all_tensors = true;
  const auto session = runtime_->open(path, &graph_, settings);
  std::set<std::string> known, shown;
  for (const auto& tensor : graph_.tensors) known.insert(tensor.name);
  for (const auto& port : session->outputs()) shown.insert(port.name);
  EXPECT_TRUE(std::includes(known.begin(), known.end(), shown.begin(), shown.end())) << testing::PrintToString(shown);
  for (const auto& op : graph_.ops) EXPECT_TRUE(shown.count(graph_.tensor(op.outputs[0]).name)) << op.name;
}

}  // namespace
}  // namespace takt
