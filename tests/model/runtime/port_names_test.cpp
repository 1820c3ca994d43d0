// Inputs and outputs have the model's own names on every runtime, whatever it makes of operators that do nothing:
// OpenVINO merges tensors over Identity and Dropout and calls ports by either name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <ostream>

#include "base/basics/error.h"
#include "model/runtime/models.h"

namespace takt {
namespace {

using Values = std::map<std::string, std::vector<float>>;

/// A model of vectors of four numbers, and what it makes of an input that is -1, 2, -3, 4 (and of a second, tens).
struct NamedModel {
  std::string name;
  std::function<void(ModelBuilder&)> build;
  std::vector<std::string> inputs, outputs;
  Values expected;
};

void PrintTo(const NamedModel& model, std::ostream* out) { *out << model.name; }

const std::vector<float> relu{0, 2, 0, 4}, plain{-1, 2, -3, 4}, sum{9, 12, 7, 14};

void output(ModelBuilder& b, const std::string& name) { b.output(name, ElementType::f32, {4}); }
std::string x_of(ModelBuilder& b) { return b.input("x", ElementType::f32, {4}); }
std::string node(ModelBuilder& b, const std::string& type, const std::vector<std::string>& inputs,
                 const std::string& made) {
  return b.node(type, inputs, {}, {.outputs = {made}});
}

std::vector<NamedModel> named_models() {
  return {
      {"dropout_first",
       [](ModelBuilder& b) { output(b, node(b, "Relu", {node(b, "Dropout", {x_of(b)}, "a")}, "y")); },
       {"x"},
       {"y"},
       {{"y", relu}}},
      {"dropout_first_of_an_open_dimension",
       [](ModelBuilder& b) {
         const auto x = b.symbolic_input("x", ElementType::f32, "n");
         b.output(node(b, "Relu", {node(b, "Dropout", {x}, "a")}, "y"));
       },
       {"x"},
       {"y"},
       {{"y", relu}}},
      {"identity_and_dropout_first",
       [](ModelBuilder& b) {
         const auto z = b.input("z", ElementType::f32, {4});
         const auto a = node(b, "Identity", {node(b, "Dropout", {x_of(b)}, "b")}, "a");
         output(b, node(b, "Add", {a, z}, "y"));
       },
       {"z", "x"},
       {"y"},
       {{"y", sum}}},
      {"identity_and_dropout_last",
       [](ModelBuilder& b) {
         const auto r = node(b, "Relu", {x_of(b)}, "r");
         output(b, node(b, "Identity", {r}, "c"));
         output(b, node(b, "Dropout", {r}, "a"));
       },
       {"x"},
       {"c", "a"},
       {{"c", relu}, {"a", relu}}},
      {"one_tensor_as_two_outputs",
       [](ModelBuilder& b) {
         const auto r = node(b, "Relu", {x_of(b)}, "r");
         output(b, r);
         output(b, node(b, "Identity", {r}, "a"));
         output(b, node(b, "Identity", {"a"}, "z"));
       },
       {"x"},
       {"r", "a", "z"},
       {{"r", relu}, {"a", relu}, {"z", relu}}},
      {"an_output_that_is_an_input",
       [](ModelBuilder& b) {
         const auto z = b.input("z", ElementType::f32, {4});
         output(b, node(b, "Relu", {x_of(b)}, "r"));
         output(b, node(b, "Identity", {"x"}, "same"));
         output(b, node(b, "Add", {"x", z}, "y"));
       },
       {"z", "x"},
       {"r", "same", "y"},
       {{"r", relu}, {"same", plain}, {"y", sum}}},
      {"outputs_in_another_order",
       [](ModelBuilder& b) {
         const auto r = node(b, "Relu", {x_of(b)}, "z");
         node(b, "Identity", {r}, "a");
         output(b, node(b, "Identity", {"a"}, "m"));
         output(b, "a");
         output(b, r);
         output(b, node(b, "Neg", {node(b, "Neg", {"x"}, "n")}, "b"));
       },
       {"x"},
       {"m", "a", "z", "b"},
       {{"m", relu}, {"a", relu}, {"z", relu}, {"b", plain}}},
      {"an_input_that_nobody_reads",
       [](ModelBuilder& b) {
         b.input("unused", ElementType::f32, {2});
         output(b, node(b, "Relu", {node(b, "Identity", {x_of(b)}, "a")}, "y"));
       },
       {"unused", "x"},
       {"y"},
       {{"y", relu}}},
  };
}

using Parameter = std::tuple<std::string, NamedModel>;

class PortNames : public testing::TestWithParam<Parameter> {
 protected:
  const NamedModel& of() const { return std::get<1>(GetParam()); }
  bool computes() const { return runtime_->name() != "sim"; }

  std::filesystem::path write() {
    ModelBuilder b;
    of().build(b);
    return folder_.write("m.onnx", b.serialize());
  }

  std::unique_ptr<Session> open(const std::filesystem::path& model, const Graph* graph, bool with_shapes) {
    SessionSettings settings;
    settings.device = computes() ? "CPU" : "sim:CPU";
    if (with_shapes)
      for (const std::string& name : of().inputs) settings.input_shapes[name] = {name == "unused" ? 2 : 4};
    return runtime_->open(model, graph, settings);
  }

  static std::vector<std::string> names(const std::vector<Port>& ports) {
    std::vector<std::string> names;
    for (const Port& port : ports) names.push_back(port.name);
    return names;
  }

  static std::vector<HostTensor> inputs(const Session& session) {
    std::vector<HostTensor> made;
    for (const std::string& name : names(session.inputs())) {
      if (name == "x") made.push_back(floats(name, {4}, {-1, 2, -3, 4}));
      if (name == "z") made.push_back(floats(name, {4}, {10, 10, 10, 10}));
      if (name == "unused") made.push_back(floats(name, {2}, {0, 0}));
    }
    return made;
  }

  void expect_values(const std::vector<HostTensor>& outputs) {
    ASSERT_EQ(outputs.size(), of().outputs.size());
    for (const HostTensor& output : outputs) EXPECT_EQ(values_of(output), of().expected.at(output.name)) << output.name;
  }

  void expect_own_names_and_values(Session& session) {
    EXPECT_EQ(names(session.inputs()), of().inputs);
    EXPECT_EQ(names(session.outputs()), of().outputs);
    session.set_inputs(inputs(session));
    session.run();
    if (!computes()) return;
    expect_values(session.outputs_of_last_run());
    const auto request = session.make_request();
    request->start_async([](Nanoseconds, const std::optional<std::string>& error) { EXPECT_FALSE(error); });
    request->wait();
    std::vector<HostTensor> taken;
    for (const SharedTensor& output : request->take_outputs().values) taken.push_back(*output);
    expect_values(taken);
  }

  TestFolder folder_;
  std::unique_ptr<Runtime> runtime_ = make_runtime(std::get<0>(GetParam()));
};

TEST_P(PortNames, are_the_models_own) {
  const auto path = write();
  const OnnxModel model = read_onnx(path);
  for (const bool with_shapes : {true, false}) {
    if (!computes() && !with_shapes) continue;  // a simulated device needs to know all sizes
    expect_own_names_and_values(*open(path, &model.graph, with_shapes));
    expect_own_names_and_values(*open(path, nullptr, with_shapes));
  }
}

TEST_P(PortNames, are_those_that_shapes_are_told_by) {
  const auto path = write();
  std::map<std::string, Shape> shapes;
  for (const std::string& name : of().inputs) shapes[name] = {name == "unused" ? 2 : 4};
  const auto told = runtime_->infer_shapes(path, shapes);
  if (!told) GTEST_SKIP() << "a simulated device infers no shapes";
  for (const std::string& name : of().outputs) {
    const auto found = told->find(name);
    ASSERT_NE(found, told->end()) << name;
    EXPECT_EQ(to_string(found->second), "{4}") << name;
  }
}

TEST_P(PortNames, stay_in_the_runtimes_own_format) {
  const auto path = write();
  const auto converted = path.parent_path() / "m.xml";
  if (!runtime_->convert(path, converted)) GTEST_SKIP() << "it has no format of its own";
  expect_own_names_and_values(*open(converted, nullptr, true));
  const auto graph = runtime_->read_graph(converted, {});
  ASSERT_TRUE(graph);
  expect_own_names_and_values(*open(converted, &*graph, true));
  std::vector<std::string> of_graph;
  for (const TensorId id : graph->inputs) of_graph.push_back(graph->tensor(id).name);
  EXPECT_EQ(of_graph, of().inputs);
}

INSTANTIATE_TEST_SUITE_P(, PortNames,
                         testing::Combine(testing::ValuesIn(runtime_names()), testing::ValuesIn(named_models())),
                         [](const auto& one) { return std::get<0>(one.param) + "_" + std::get<1>(one.param).name; });

}  // namespace
}  // namespace takt
