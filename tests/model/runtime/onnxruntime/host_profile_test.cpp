// What is read of ONNX Runtime's profile of a CPU, event by event; and which of its settings are taken.
#include <gmock/gmock.h>

#include <chrono>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "model/onnxruntime/profile.h"
#include "model/runtime/models.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

std::string node_event(const std::string& name, const std::string& type, int start, int lasts,
                       const std::string& more = "") {
  return R"({"cat":"Node","pid":1,"tid":1,"dur":)" + std::to_string(lasts) + R"(,"ts":)" + std::to_string(start) +
         R"(,"ph":"X","name":")" + name + R"(","args":{"op_name":")" + type + R"(","provider":"CPUExecutionProvider")" +
         more + "}},\n";
}

std::string run_event(int start, int lasts) {
  return R"({"cat":"Session","pid":1,"tid":1,"dur":)" + std::to_string(lasts) + R"(,"ts":)" + std::to_string(start) +
         R"(,"ph":"X","name":"model_run","args":{}},)" + "\n";
}

ort::Profile profile_of_events(std::string events) {
  const TestFolder folder;
  events.resize(events.size() - 2);
  return ort::read_profile(folder.write("profile.json", "[" + events + "]"));
}

/// "a 10+20" of each node in order: where it starts in its run and how long it lasts, in microseconds.
std::vector<std::string> lines_of(const ort::Profile& profile, std::size_t run = 0) {
  std::vector<std::string> lines;
  for (const ort::ProfiledExecution& one : profile.runs.at(run))
    lines.push_back(profile.nodes[one.node].name + " " + std::to_string(one.start / 1us) + "+" +
                    std::to_string(one.duration / 1us) + (one.in_body ? " in a body" : "") +
                    (one.inside > 0us ? " with " + std::to_string(one.inside / 1us) : ""));
  return lines;
}

using Lines = std::vector<std::string>;

TEST(HostProfile, a_node_lasts_until_the_next_one_of_its_graph_starts) {
  const auto profile =
      profile_of_events(node_event("a_kernel_time", "Relu", 1010, 5) + node_event("b_kernel_time", "Relu", 1020, 7) +
                        node_event("c_kernel_time", "Relu", 1027, 9) + run_event(1000, 100));
  EXPECT_EQ(lines_of(profile), (Lines{"a 10+10", "b 20+7", "c 27+9"})) << "the last as it is told";
  EXPECT_EQ(profile.nodes[0].provider, "CPUExecutionProvider");
  EXPECT_EQ(profile.nodes[0].op_type, "Relu");
  EXPECT_TRUE(profile.nodes[0].is_node);
}

TEST(HostProfile, one_that_lasts_beyond_the_next_start_keeps_what_it_took) {
  const auto profile = profile_of_events(node_event("a_kernel_time", "Relu", 1010, 50) +
                                         node_event("b_kernel_time", "Relu", 1020, 7) + run_event(1000, 100));
  EXPECT_EQ(lines_of(profile), (Lines{"a 10+50", "b 20+7"}));
}

TEST(HostProfile, waits_are_no_nodes_and_neither_is_what_belongs_to_no_run) {
  const auto profile =
      profile_of_events(node_event("early_kernel_time", "Relu", 500, 5) +
                        node_event("a_fence_before", "Relu", 1005, 5) + node_event("a_kernel_time", "Relu", 1010, 5) +
                        run_event(1000, 100) + node_event("late_kernel_time", "Relu", 1500, 5));
  EXPECT_EQ(lines_of(profile), Lines{"a 10+5"});
  EXPECT_EQ(profile.nodes.size(), 1u);
}

TEST(HostProfile, a_node_that_comes_again_begins_another_turn_of_its_loop) {
  const auto profile =
      profile_of_events(node_event("p_kernel_time", "Add", 1020, 5) + node_event("q_kernel_time", "Add", 1030, 5) +
                        node_event("p_kernel_time", "Add", 1060, 5) + node_event("q_kernel_time", "Add", 1070, 5) +
                        node_event("loop_kernel_time", "Loop", 1010, 80) + node_event("z_kernel_time", "Add", 1095, 3) +
                        run_event(1000, 100));
  EXPECT_EQ(lines_of(profile), (Lines{"p 20+10 in a body", "q 30+5 in a body", "p 60+10 in a body", "q 70+5 in a body",
                                      "loop 10+85 with 30", "z 95+3"}))
      << "between two turns it is the loop that works";
  EXPECT_EQ(profile.nodes.size(), 4u) << "each once";
}

TEST(HostProfile, runs_are_apart_and_in_their_order) {
  const auto profile =
      profile_of_events(node_event("a_kernel_time", "Relu", 2010, 5) + run_event(2000, 100) +
                        node_event("a_kernel_time", "Relu", 1010, 6) + run_event(1000, 100) + run_event(3000, 100));
  ASSERT_EQ(profile.runs.size(), 3u);
  EXPECT_EQ(lines_of(profile, 0), Lines{"a 10+6"});
  EXPECT_EQ(lines_of(profile, 1), Lines{"a 10+5"});
  EXPECT_EQ(lines_of(profile, 2), Lines{});
}

TEST(HostProfile, shapes_are_those_of_the_first_execution) {
  const auto shapes = [](const std::string& in, const std::string& out) {
    return R"(,"input_type_shape":)" + in + R"(,"output_type_shape":)" + out;
  };
  const auto profile = profile_of_events(
      node_event("a_kernel_time", "Relu", 1010, 5, shapes(R"([{"float":[1,2]},{"int64":[]}])", R"([{"float":[3]}])")) +
      node_event("a_kernel_time", "Relu", 1020, 5, shapes(R"([{"float":[9]}])", R"([{"float":[9]}])")) +
      node_event("b_kernel_time", "Relu", 1030, 5, shapes(R"([{"float":[-1]}])", R"([{"float":7}])")) +
      run_event(1000, 100));
  ASSERT_EQ(profile.nodes.size(), 2u);
  EXPECT_EQ(profile.nodes[0].input_shapes, (std::vector<Shape>{{1, 2}, {}}));
  EXPECT_EQ(profile.nodes[0].output_shapes, (std::vector<Shape>{Shape{3}}));
  EXPECT_TRUE(profile.nodes[1].input_shapes.empty()) << "of another form";
  EXPECT_TRUE(profile.nodes[1].output_shapes.empty());
}

TEST(HostProfile, that_is_none_is_a_failure_of_the_runtime) {
  const TestFolder folder;
  try {
    ort::read_profile(folder.write("profile.json", "{\"a\": 1}"));
    FAIL() << "read";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::runtime);
    EXPECT_EQ(std::string(error.what()).substr(0, 25), "onnxruntime: its profile:");
  }
}

/// The notes of a session with these properties, or why it was not opened, the folder of the model left out.
std::vector<std::string> told_of(const Properties& properties) {
  const TestFolder folder;
  const auto path = folder.write("m.onnx", conv_matmul().serialize());
  const OnnxModel model = read_onnx(path);
  SessionSettings settings;
  settings.threads = 1, settings.properties = properties;
  try {
    return make_runtime("onnxruntime")->open(path, &model.graph, settings)->notes();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return {std::string(error.what()).substr(folder.path().string().size() + 1)};
  }
}

TEST(OnnxRuntimeProperties, take_what_their_attribute_takes) {
  for (const auto& [key, values] : std::map<std::string, std::vector<std::string>>{
           {"intra_op_num_threads", {"0", "1"}},
           {"inter_op_num_threads", {"0", "2"}},
           {"graph_optimization_level", {"disabled", "basic", "extended", "all"}},
           {"execution_mode", {"sequential", "parallel"}},
           {"enable_mem_pattern", {"0", "1"}},
           {"enable_cpu_mem_arena", {"0", "1"}},
           {"session.disable_prepacking", {"1"}},
           {"session.intra_op.allow_spinning", {"0"}}})
    for (const std::string& value : values) EXPECT_EQ(told_of({{key, value}}), Lines{}) << key << "=" << value;
}

TEST(OnnxRuntimeProperties, refuse_other_values_with_those_that_it_takes) {
  const auto refused = [](const std::string& text, const std::string& why) {
    return Lines{"m.onnx: onnxruntime: --property " + text + ": " + why};
  };
  const std::string number = "write a number of threads, 0 for the runtime's choice";
  EXPECT_EQ(told_of({{"intra_op_num_threads", "-1"}}), refused("intra_op_num_threads=-1", number));
  EXPECT_EQ(told_of({{"inter_op_num_threads", "x"}}), refused("inter_op_num_threads=x", number));
  EXPECT_EQ(told_of({{"graph_optimization_level", "ALL"}}),
            refused("graph_optimization_level=ALL", "write disabled, basic, extended, all"));
  EXPECT_EQ(told_of({{"execution_mode", "\033"}}), refused(R"(execution_mode=\x1b)", "write sequential, parallel"));
  EXPECT_EQ(told_of({{"enable_mem_pattern", "true"}}), refused("enable_mem_pattern=true", "write 0, 1"));
  EXPECT_EQ(told_of({{"enable_cpu_mem_arena", ""}}), refused("enable_cpu_mem_arena=", "write 0, 1"));
  EXPECT_EQ(told_of({{"enable_mem_patern", "1"}}),
            refused("enable_mem_patern", "ONNX Runtime has no such key; did you mean 'enable_mem_pattern'?"));
}

TEST(OnnxRuntimeProperties, that_nobody_knows_are_noted) {
  EXPECT_EQ(told_of({{"my.own_setting_of_some_provider", "1"}}),
            Lines{"ONNX Runtime does not report whether it supports the property my.own_setting_of_some_provider; it "
                  "ignores unknown ones"});
  EXPECT_EQ(told_of({{"cuda.some_option_of_a_gpu", "1"}}), Lines{}) << "for another device";
}

TEST(OnnxRuntimeProperties, are_what_threads_and_tunings_stand_for) {
  const auto runtime = make_runtime("onnxruntime");
  EXPECT_EQ(runtime->properties_of(std::nullopt, {}), Properties{});
  EXPECT_EQ(runtime->properties_of(3, {{"spinning", "off"}, {"memory_pattern", "off"}, {"arena", "off"}}),
            (Properties{{"intra_op_num_threads", "3"},
                        {"session.intra_op.allow_spinning", "0"},
                        {"enable_mem_pattern", "0"},
                        {"enable_cpu_mem_arena", "0"}}));
  EXPECT_EQ(runtime->properties_of(std::nullopt, {{"spinning", "on"}, {"arena", "on"}, {"memory_pattern", ""}}),
            Properties{});
}

}  // namespace
}  // namespace takt
