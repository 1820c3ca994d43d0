// What another program says, at the borders of what is taken from it: sentences of an SDK, shapes, tensors.
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/basics/error.h"
#include "model/registry/shapes_json.h"
#include "model/runtime/device_choice.h"
#include "model/runtime/sdk_errors.h"
#include "model/runtime/tensor_checks.h"

namespace takt {
namespace {

using Json = nlohmann::json;

/// Why `act` was refused; it must be the fault of what was given.
template <typename Act>
std::string bad_input_of(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "taken";
}

TEST(ForeignSentences, lose_what_only_a_programmer_reads) {
  struct Said {
    std::string foreign, plain;
  };
  for (const Said& said : std::vector<Said>{{"a\nb\rc\td", "a b c d"},
                                            {"a   b", "a b"},
                                            {"a :  : b", "a: b"},
                                            {" : a. : ", "a"},
                                            {"...", "no reason given"},
                                            {"x.cxx:7: no", "no"},
                                            {"x.hpp:7 no", "no"},
                                            {"x.h:7:no", "no"},
                                            {"x.py:7: no", "x.py:7: no"},
                                            {"x.cpp: no", "x.cpp: no"},
                                            {"Exception from a/b.cpp:1: no", "no"},
                                            {"a.cc:1 (int f(void)) no", "no"},
                                            {"onnxruntime::Model::Load(const char*) const no", "no"},
                                            {"ov::Core::compile no", "no"},
                                            {"std::vector no", "no"},
                                            {"Check 'a == b' failed at: no", "no"},
                                            {"Assertion 'a' failed no", "no"},
                                            {"Exception 'a' failed: no", "no"},
                                            {"Warning 'a' failed: no", "Warning 'a' failed: no"}})
    EXPECT_EQ(one_sentence(said.foreign), said.plain) << said.foreign;
}

TEST(ForeignSentences, are_cut_at_three_hundred_characters) {
  EXPECT_EQ(one_sentence(std::string(300, 'x')), std::string(300, 'x'));
  EXPECT_EQ(one_sentence(std::string(301, 'x')), std::string(297, 'x') + "...");
  EXPECT_EQ(one_sentence(std::string(1000, ' ') + "x"), "no reason given") << "looked at up to a thousand";
  EXPECT_EQ(one_sentence(std::string(999, ' ') + "xy"), "x");
}

TEST(ForeignSentences, of_a_failure_that_is_none_of_cpp) {
  EXPECT_EQ(reason_of_failure(std::make_exception_ptr(std::runtime_error("no.\n"))), "no");
  EXPECT_EQ(reason_of_failure(std::make_exception_ptr(7)),
            "the runtime threw something that is not a C++ exception; try another one");
  EXPECT_EQ(where("d/m\n.onnx", "sdk"), "d/m\\x0a.onnx: sdk");
}

TEST(ForeignShapes, at_their_borders) {
  const auto read = [](const Json& json) {
    return bad_input_of([&] { EXPECT_EQ(to_json(shape_from(json, "here")), json); });
  };
  constexpr std::int64_t most = std::int64_t{1} << 40;
  EXPECT_EQ(read(Json(std::vector<int>(1000, 1))), "taken");
  EXPECT_EQ(read(Json(std::vector<int>(1001, 1))), "here: has too many dimensions");
  EXPECT_EQ(read({most, 0}), "taken");
  EXPECT_EQ(read({most + 1}), "here is 1099511627777; give a whole number from 0 to 1099511627776");
  EXPECT_EQ(read({-1}), "here is -1; give a whole number from 0 to 1099511627776");
  EXPECT_EQ(read({1.5}), "here is 1.5; give a whole number from 0 to 1099511627776");
}

/// One tensor that is computed, one constant, and an operator with two bodies of a tensor each.
Graph told_graph() {
  Graph body;
  body.tensors = {{"b", ElementType::f32, PartialShape{{2, ""}}, false, {}, {}, false}};
  Graph graph;
  graph.tensors = {{"y", ElementType::f32, PartialShape{{3, ""}}, false, {}, {}, false},
                   {"w", ElementType::f32, PartialShape{{5, ""}}, true, 20, {}, false}};
  graph.ops.push_back({"if", "If", "", {}, {0}, {}, {}, 0});
  graph.ops[0].subgraphs = {{"else_branch", std::make_shared<const Graph>(body)},
                            {"then_branch", std::make_shared<const Graph>(body)}};
  return graph;
}

TEST(ForeignShapes, of_a_graph_go_to_its_tensors_bodies_and_operators) {
  const Json told = Json::parse(R"({"tensors": [[7], [9]], "operators": [[4,
      [{"tensors": [[8]], "operators": []}, {"tensors": [null], "operators": []}]]]})");
  const Graph graph = with_shapes_of(told_graph(), told, "here");
  EXPECT_EQ(to_string(graph.tensors[0].shape.value()), "{7}");
  EXPECT_EQ(graph.tensors[0].bytes, 28);
  EXPECT_EQ(to_string(graph.tensors[1].shape.value()), "{5}") << "a constant keeps its own";
  EXPECT_EQ(graph.tensors[1].bytes, 20);
  EXPECT_EQ(graph.ops[0].executions, 4);
  EXPECT_EQ(to_string(graph.ops[0].subgraphs.at("else_branch")->tensors[0].shape.value()), "{8}");
  EXPECT_EQ(graph.ops[0].subgraphs.at("else_branch")->tensors[0].bytes, 32);
  EXPECT_FALSE(graph.ops[0].subgraphs.at("then_branch")->tensors[0].shape);
  Json untold = told;
  untold["operators"][0][0] = nullptr;
  Graph executed = told_graph();
  executed.ops[0].executions = 3;
  EXPECT_FALSE(with_shapes_of(executed, untold, "here").ops[0].executions);
  EXPECT_EQ(shapes_of(told_graph()).dump(),
            R"({"operators":[[null,[{"operators":[],"tensors":[[2]]},{"operators":[],"tensors":[[2]]}]]],)"
            R"("tensors":[[3],[5]]})");
}

TEST(ForeignShapes, of_another_graph_are_refused) {
  const Json right = shapes_of(told_graph());
  const auto refusal = [&](auto change) {
    Json wrong = right;
    change(wrong);
    return bad_input_of([&] { with_shapes_of(told_graph(), wrong, "here"); });
  };
  EXPECT_EQ(refusal([](Json&) {}), "taken");
  EXPECT_EQ(refusal([](Json& j) { j["tensors"].push_back(nullptr); }), "here: has 3 entries instead of 2");
  EXPECT_EQ(refusal([](Json& j) { j["operators"].clear(); }), "here: has 0 entries instead of 1");
  EXPECT_EQ(refusal([](Json& j) { j["operators"][0].push_back(1); }), "here: has 3 entries instead of 2");
  EXPECT_EQ(refusal([](Json& j) { j["operators"][0][1].erase(0); }), "here: has 1 entries instead of 2");
  constexpr std::int64_t most = std::int64_t{1} << 53;
  EXPECT_EQ(refusal([&](Json& j) { j["operators"][0][0] = most; }), "taken");
  EXPECT_EQ(refusal([](Json& j) { j["operators"][0][0] = most + 1; }),
            "here is 9007199254740993; give a whole number from 0 to 9007199254740992");
}

TEST(TensorFaults, are_whole_sentences) {
  const auto fault = [](ElementType type, const Shape& shape, std::size_t bytes) {
    return fault_of({"x", type, shape, std::vector<std::byte>(bytes), {}}).value_or("none");
  };
  EXPECT_EQ(fault(ElementType::f32, {-1}, 4), "has the invalid shape {-1}");
  EXPECT_EQ(fault(ElementType::undefined, {1}, 1), "has no element type that values can have");
  EXPECT_EQ(fault(ElementType::f32, {std::int64_t{1} << 38}, 1),
            "holds 1 bytes, but {274877906944} of float32 is 1099511627776 bytes");
  EXPECT_EQ(fault(ElementType::f32, {(std::int64_t{1} << 38) + 1}, 1),
            "holds 1 bytes, but {274877906945} of float32 is too many bytes");
  EXPECT_EQ(fault(ElementType::i4, {4}, 1), "holds 1 bytes, but {4} of int4 is 2 bytes");
}

TEST(TensorFaults, of_an_input_name_it) {
  const std::vector<Port> ports{{"x", ElementType::f32, {{2, ""}}}, {"s", ElementType::string, {{2, ""}}}};
  EXPECT_EQ(bad_input_of([&] {
              check_input(ports, 0, {"x", ElementType::f32, {2}, std::vector<std::byte>(7), {}}, "m");
            }),
            "m: input 'x' holds 7 bytes, but {2} of float32 is 8 bytes");
  EXPECT_EQ(bad_input_of([&] {
              check_input(ports, 1, {"s", ElementType::string, {2}, {}, {"a", "b"}}, "m");
            }),
            "taken")
      << "strings are of no size";
  EXPECT_EQ(bad_input_of([&] {
              check_inputs(ports, {{"xx", ElementType::f32, {2}, {}, {}}}, "m");
            }).substr(0, 24),
            "m: there is no input 'xx");
}

TEST(TensorFaults, of_a_shape_that_is_asked_for) {
  const PartialShape open{{{}, "n"}, {3, ""}};
  EXPECT_EQ(bad_input_of([&] {
              fix_shape(open, {5, 4}, "m", "x");
            }),
            "m: input 'x' has shape " + to_string(open) +
                ", which {5,4} does not fit; change only dimensions that the model leaves open");
}

TEST(DeviceNames, keep_the_length_that_was_asked_for) {
  const std::vector<DeviceStatus> devices{{"GPU.0", "", "busy"}, {"GPU.1", "", {}}, {"NPU.0", "", {}}};
  EXPECT_EQ(choose_device(devices, "npu.0", "m", "S"), "NPU.0");
  EXPECT_EQ(choose_device(devices, "npu", "m", "S"), "NPU");
  try {
    choose_device(devices, "gpu\n", "m", "S");
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "m: device gpu\\x0a cannot be used: S has no device of this name; use GPU.1, NPU.0");
  }
}

}  // namespace
}  // namespace takt
