// What is asked apart is what the runtime would say here, and an answer that is not of the right form is none.
#include "model/registry/asked.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "model/registry/shapes_json.h"
#include "model/runtime/models.h"
#include "model/sim/simulated.h"
#include "refused.h"

namespace takt {
namespace {

/// Loops a number of times that an input decides.
ModelBuilder with_a_body(ModelBuilder& body) {
  ModelBuilder b;
  body.input("turn", ElementType::i64, {});
  body.input("go", ElementType::boolean, {});
  body.symbolic_input("state", ElementType::f32, "rows,1");
  body.output(body.node("Identity", {"go"}, {}, {.outputs = {"go_on"}}), ElementType::boolean, {});
  body.output(body.node("Add", {"state", body.floats({1}, {1})}, {}, {.outputs = {"next"}}));
  const auto x = b.symbolic_input("x", ElementType::f32, "rows,1");
  b.output(b.node("Loop", {b.integers({3}, {}), "", x}, {},
                  {.name = "loop", .outputs = {"y"}, .subgraphs = {{"body", &body}}}));
  return b;
}

class Asked : public testing::TestWithParam<std::string> {
 protected:
  bool tells() const { return GetParam() != simulated_runtime; }
  TestFolder folder_;
};

TEST_P(Asked, shapes_are_those_that_the_runtime_infers_in_this_process) {
  const auto path = folder_.write("m.onnx", open_batch().serialize());
  for (const std::map<std::string, Shape>& shapes : {std::map<std::string, Shape>{}, {{"x", {5, 3}}}}) {
    const auto here = make_runtime(GetParam())->infer_shapes(path, shapes).value_or(TensorShapes());
    const TensorShapes apart = shapes_told_apart(GetParam(), path, shapes);
    ASSERT_EQ(apart.size(), here.size());
    for (const auto& [name, shape] : here) EXPECT_EQ(to_string(apart.at(name)), to_string(shape)) << name;
    EXPECT_EQ(apart.empty(), !tells());
  }
}

TEST_P(Asked, a_file_that_is_no_model_tells_nothing) {
  const auto path = folder_.write("no.onnx", "no model");
  EXPECT_TRUE(shapes_told_apart(GetParam(), path, {}).empty());
  EXPECT_TRUE(types_told_apart(GetParam(), path, Graph()).empty());
  EXPECT_FALSE(executed_shapes_told_apart(GetParam(), path, Graph(), {}, {}));
}

TEST_P(Asked, types_are_those_of_all_tensors) {
  if (!tells()) GTEST_SKIP() << "a simulated device is not asked";
  const auto path = folder_.write("m.onnx", conv_matmul().serialize());
  const auto types = types_told_apart(GetParam(), path, read_onnx(path).graph);
  for (const char* name : {"c", "y", "z"}) {
    ASSERT_TRUE(types.contains(name)) << name;
    EXPECT_EQ(types.at(name), ElementType::f32);
  }
}

TEST_P(Asked, shapes_of_an_inference_are_those_that_the_runtime_tells_in_this_process) {
  ModelBuilder body("body");
  const auto path = folder_.write("m.onnx", with_a_body(body).serialize());
  const Graph graph = read_onnx(path).graph;
  const std::vector<HostTensor> inputs{floats("x", {2, 1}, {1, 2})};
  const auto here = make_runtime(GetParam())->with_executed_shapes(path, graph, {}, inputs);
  const auto apart = executed_shapes_told_apart(GetParam(), path, graph, {}, inputs);
  ASSERT_EQ(apart.has_value(), here.has_value());
  if (here) {
    EXPECT_EQ(shapes_of(*apart), shapes_of(*here));
    EXPECT_EQ(apart->ops[0].subgraphs.at("body")->ops.back().executions, 3);
  }
}

TEST_P(Asked, devices_are_those_that_the_runtime_lists_in_this_process) {
  const ToldDevices told = devices_told_apart(GetParam());
  const auto runtime = make_runtime(GetParam());
  EXPECT_EQ(told.reason, "");
  EXPECT_EQ(told.version, runtime->version());
  const auto here = runtime->devices();
  ASSERT_EQ(told.devices.size(), here.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    EXPECT_EQ(told.devices[i].device, here[i].device);
    EXPECT_EQ(told.devices[i].reason, here[i].reason);
  }
}

INSTANTIATE_TEST_SUITE_P(, Asked, testing::ValuesIn(runtime_names()), [](const auto& one) { return one.param; });

TEST(ShapesAsJson, come_back_as_they_were) {
  const PartialShape shape{{3, ""}, {std::nullopt, "batch"}, {std::nullopt, ""}, {0, ""}};
  EXPECT_EQ(to_json(shape).dump(), R"([3,"batch",null,0])");
  EXPECT_EQ(to_string(shape_from(to_json(shape), "here")), to_string(shape));
}

std::string without_brackets(const std::string& list) { return list.substr(1, list.size() - 2); }

TEST(ShapesAsJson, are_refused_where_they_are_of_another_form) {
  using Json = nlohmann::json;
  for (const char* text : {"3", "[-1]", "[1.5]", "[true]", "[[1]]", "{}", "[1099511627777]"})
    EXPECT_EQ(refused_with([&] { shape_from(Json::parse(text), "here"); }),
              "here is " + (text[0] == '[' ? without_brackets(text) + "; give a whole number from 0 to 1099511627776"
                                           : std::string(text) + "; give a list"));
  EXPECT_EQ(refused_with([] { shape_from(Json(std::vector<int>(1001, 1)), "here"); }), "here: has too many dimensions");
  EXPECT_EQ(shape_from(Json(std::vector<int>(1000, 1)), "here").size(), 1000u);
  ModelBuilder body("body");
  const Graph graph = with_a_body(body).build().graph;
  Json right = shapes_of(graph);
  EXPECT_EQ(shapes_of(with_shapes_of(graph, right, "here")), right);
  const Graph other = conv_matmul().build().graph;
  const auto refusal = [&](const Graph& of) { return refused_with([&] { with_shapes_of(of, right, "here"); }); };
  EXPECT_EQ(refusal(other),
            fmt::format("here: has {} entries instead of {}", graph.tensors.size(), other.tensors.size()));
  right["operators"][0][0] = -1;
  EXPECT_EQ(refusal(graph), "here is -1; give a whole number from 0 to 9007199254740992");
  right["operators"][0] = {nullptr};
  EXPECT_EQ(refusal(graph), "here: has 1 entries instead of 2");
  right["operators"][0] = {nullptr, Json::array()};
  EXPECT_EQ(refusal(graph), "here: has 0 entries instead of 1") << "the body";
  right["operators"] = Json::array();
  EXPECT_EQ(refusal(graph), "here: has 0 entries instead of 1");
  right.erase("operators");
  EXPECT_EQ(refusal(graph), "here: has no 'operators'");
}

TEST(RuntimesThatTell, have_onnxs_own_inference_first) {
  const auto names = runtimes_that_tell();
  for (const std::string& name : runtime_names()) {
    if (name == simulated_runtime) continue;
    EXPECT_THAT(names, testing::Contains(name));
  }
  EXPECT_THAT(names, testing::Not(testing::Contains(std::string(simulated_runtime))));
  if (names.size() > 1) {
    EXPECT_EQ(names.front(), "onnxruntime");
  }
}

}  // namespace
}  // namespace takt
