// Profiles of other programs: small texts whose answers can be checked by hand, and what is wrong with a file.
#include "measure/profiles/foreign_profile.h"

#include <gmock/gmock.h>

#include <random>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "measure/profiles/analyze.h"
#include "measure/profiles/profile_file.h"
#include "places.h"

namespace takt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string event(const std::string& category, const std::string& name, int ts, int dur, int tid = 1,
                  const std::string& args = "{}") {
  return R"({"cat":")" + category + R"(","pid":1,"tid":)" + std::to_string(tid) + R"(,"dur":)" + std::to_string(dur) +
         R"(,"ts":)" + std::to_string(ts) + R"(,"ph":"X","name":")" + name + R"(","args":)" + args + "}";
}

std::string node(const std::string& name, int ts, int dur, int tid = 1) {
  return event("Node", name + "_kernel_time", ts, dur, tid, R"({"op_name":"Relu","node_index":"0"})");
}

std::string run(int ts, int dur, int tid = 1) { return event("Session", "model_run", ts, dur, tid); }

std::string trace(const std::vector<std::string>& events) {
  std::string text = "[\n";
  for (std::size_t i = 0; i < events.size(); ++i) text += (i ? ",\n" : "") + events[i];
  return text + "\n]\n";
}

std::vector<double> microseconds(const std::vector<Duration>& samples) {
  std::vector<double> counts;
  for (const Duration sample : samples) counts.push_back(sample.count());
  return counts;
}

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

const std::filesystem::path data = source_dir() / "tests/data/foreign";

TEST(OrtProfile, each_run_is_a_sample) {
  const auto profile =
      parse_ort_profile(trace({node("a", 1, 3), node("b", 4, 0), run(0, 10), node("a", 21, 5), run(20, 10)}), "p");
  EXPECT_EQ(profile.runs, 2U);
  ASSERT_EQ(profile.operators.size(), 2U);
  EXPECT_THAT(microseconds(profile.operators[0].device), ElementsAre(3, 5));
  EXPECT_THAT(microseconds(profile.operators[1].device), ElementsAre(0, 0));
  EXPECT_EQ(profile.operators[1].type, "Relu");
}

TEST(OrtProfile, names_of_types_are_numpys_whoever_wrote_them) {
  const auto shape_of = [](const std::string& type) {
    return event("Node", "a_kernel_time", 10, 5, 1,
                 R"({"op_name":"Relu","node_index":"0","input_type_shape":[{")" + type + R"(":[2,3]}]})");
  };
  for (const auto& [written, told] :
       {std::pair<std::string, std::string>{"float", "Float32"}, {"double", "Float64"}, {"int64", "Int64"}}) {
    const auto profile = parse_ort_profile(trace({run(0, 100), shape_of(written)}), "p.json");
    ASSERT_EQ(profile.operators.size(), 1u);
    EXPECT_THAT(profile.operators[0].input_types, ElementsAre(told));
  }
}

TEST(OrtProfile, a_node_that_executes_twice_in_a_run_is_added_up) {
  const auto profile = parse_ort_profile(trace({node("a", 1, 3), node("a", 5, 4), run(0, 10)}), "p");
  EXPECT_THAT(microseconds(profile.operators.at(0).device), ElementsAre(7));
}

std::string body_node(const std::string& name, const std::string& type, int ts, int dur) {
  return event("Node", name + "_kernel_time", ts, dur, 1, R"({"op_name":")" + type + R"(","node_index":"0"})");
}

// A node is written when it ends, so those of a body stand before their Loop.
TEST(OrtProfile, operators_of_a_body_are_not_counted_in_their_loop_again) {
  const auto profile = parse_ort_profile(
      trace({node("before", 1, 2), body_node("mm", "MatMul", 5, 10), body_node("mm", "MatMul", 16, 12),
             body_node("loop", "Loop", 5, 30), node("after", 35, 4), run(0, 40)}),
      "p");
  ASSERT_EQ(profile.operators.size(), 4U);
  EXPECT_EQ(profile.operators[1].name, "mm");
  EXPECT_THAT(microseconds(profile.operators[1].device), ElementsAre(22));
  EXPECT_EQ(profile.operators[2].name, "loop");
  EXPECT_THAT(microseconds(profile.operators[2].device), ElementsAre(8)) << "what its body does not explain";
  EXPECT_THAT(microseconds(profile.operators[3].device), ElementsAre(4));
}

TEST(OrtProfile, bodies_in_bodies_and_branches_of_no_time_add_up) {
  const auto profile = parse_ort_profile(
      trace({body_node("leaf", "Relu", 10, 3), body_node("choice", "If", 10, 5), body_node("next", "Relu", 15, 0),
             body_node("loop", "Loop", 10, 20), body_node("quick", "If", 30, 0), node("end", 30, 2), run(0, 40)}),
      "p");
  double sum = 0;
  for (const auto& op : profile.operators) sum += op.device.at(0).count();
  EXPECT_EQ(sum, 22) << "20 in the loop, 2 behind it";
  EXPECT_THAT(microseconds(profile.operators[1].device), ElementsAre(2));
}

// Stamps are cut off to microseconds, so that what ended with the loop may seem to end behind it or to begin at its
// end.
TEST(OrtProfile, what_seems_to_reach_beyond_its_loop_takes_no_more_than_the_loop) {
  const auto profile = parse_ort_profile(trace({body_node("late", "Relu", 12, 5), body_node("last", "Relu", 15, 1),
                                                body_node("loop", "Loop", 5, 10), node("behind", 15, 2), run(0, 40)}),
                                         "p");
  ASSERT_EQ(profile.operators.size(), 4U);
  EXPECT_THAT(microseconds(profile.operators[0].device), ElementsAre(3));
  EXPECT_THAT(microseconds(profile.operators[1].device), ElementsAre(0));
  EXPECT_THAT(microseconds(profile.operators[2].device), ElementsAre(7));
  EXPECT_THAT(microseconds(profile.operators[3].device), ElementsAre(2)) << "written after the loop";
}

TEST(OrtProfile, runs_of_two_threads_interleave) {
  const auto profile =
      parse_ort_profile(trace({node("a", 1, 3, 1), node("a", 2, 4, 2), run(0, 10, 1), run(1, 10, 2)}), "p");
  EXPECT_EQ(profile.runs, 2U);
  EXPECT_THAT(microseconds(profile.operators.at(0).device), ElementsAre(3, 4));
}

TEST(OrtProfile, nodes_on_threads_of_a_pool_belong_to_the_run_around_them) {
  const auto profile =
      parse_ort_profile(trace({node("a", 1, 3, 7), run(0, 10), node("a", 21, 4, 8), run(20, 10)}), "p");
  EXPECT_THAT(microseconds(profile.operators.at(0).device), ElementsAre(3, 4));
}

TEST(OrtProfile, a_fence_before_a_node_is_its_wait) {
  const auto profile =
      parse_ort_profile(trace({event("Node", "a_fence_before", 1, 2, 1, R"({"op_name":"Relu"})"),
                               event("Node", "a_kernel_time", 3, 5, 1, R"({"op_name":"Relu"})"),
                               event("Node", "a_fence_after", 8, 1, 1, R"({"op_name":"Relu"})"), run(0, 10)}),
                        "p");
  ASSERT_EQ(profile.operators.size(), 1U);
  EXPECT_THAT(microseconds(profile.operators[0].device), ElementsAre(5));
  EXPECT_THAT(microseconds(profile.operators[0].waits), ElementsAre(2));
}

TEST(OrtProfile, fences_of_old_versions_are_no_operators_though_they_have_no_index) {
  const auto profile =
      parse_ort_profile(trace({event("Node", "a_fence_before", 1, 2, 1, R"({"op_name":"Relu"})"),
                               event("Node", "a_kernel_time", 3, 5, 1, R"({"op_name":"Relu","node_index":"7"})"),
                               event("Node", "a_fence_after", 8, 1, 1, R"({"op_name":"Relu"})"),
                               event("Node", "b_fence_before", 9, 1, 1, R"({"op_name":"Add"})"), run(0, 12)}),
                        "p");
  ASSERT_EQ(profile.operators.size(), 1U) << "b never ran";
  EXPECT_EQ(profile.operators[0].type, "Relu");
  EXPECT_THAT(microseconds(profile.operators[0].device), ElementsAre(5));
  EXPECT_THAT(microseconds(profile.operators[0].waits), ElementsAre(2));
}

TEST(OrtProfile, a_file_without_its_end_is_read_up_to_its_last_whole_event) {
  const std::string whole = trace({node("a", 1, 3), run(0, 10), node("a", 21, 5), run(20, 10)});
  const std::string cut = whole.substr(0, whole.rfind("model_run"));
  const auto profile = parse_ort_profile(cut, "p");
  EXPECT_EQ(profile.runs, 1U);
  EXPECT_THAT(microseconds(profile.operators.at(0).device), ElementsAre(3));
  EXPECT_EQ(profile.notes.size(), 2U);  // the end, and the node of the run that did not end
}

TEST(OrtProfile, without_the_end_of_a_run_all_is_one_run) {
  const auto profile = parse_ort_profile(trace({node("a", 1, 3), node("b", 5, 4)}), "p");
  EXPECT_EQ(profile.runs, 1U);
  EXPECT_EQ(profile.operators.size(), 2U);
}

TEST(OrtProfile, an_event_that_is_no_json_costs_that_event_only) {
  const auto profile = parse_ort_profile(trace({node("a", 1, 3), R"({"cat":"Node","name":"C:\x"})", run(0, 10)}), "p");
  EXPECT_THAT(microseconds(profile.operators.at(0).device), ElementsAre(3));
  EXPECT_THAT(profile.notes, ElementsAre("Events that could not be read: 1."));
}

TEST(OrtProfile, a_name_with_a_quote_that_is_not_escaped_costs_that_event_only) {
  const auto profile =
      parse_ort_profile(trace({node("a", 1, 3), node("b\"c", 4, 2), node("d", 6, 1), run(0, 10)}), "p");
  ASSERT_EQ(profile.operators.size(), 2U);
  EXPECT_EQ(profile.operators[1].name, "d");
  EXPECT_THAT(microseconds(profile.operators[1].device), ElementsAre(1));
  EXPECT_THAT(profile.notes, ElementsAre("Events that could not be read: 1."));
}

// Stamps are whole microseconds: a node at 10 may be the last of one run or the first of the next.
TEST(OrtProfile, a_node_between_two_runs_that_touch_belongs_to_the_run_written_next) {
  const auto profile = parse_ort_profile(trace({node("a", 1, 3), node("b", 10, 0), run(0, 10), node("a", 10, 5),
                                                node("b", 15, 1), run(10, 10), node("a", 20, 7), run(20, 0)}),
                                         "p");
  EXPECT_THAT(microseconds(profile.operators.at(0).device), ElementsAre(3, 5, 7));
  EXPECT_THAT(microseconds(profile.operators.at(1).device), ElementsAre(0, 1, 0));
}

TEST(OrtProfile, cut_off_or_damaged_it_is_read_or_refused_in_a_sentence) {
  const std::string whole = read_file(data / "ort_profile.json");
  const auto answer = [](const std::string& text) {
    return refusal([&] {
      if (parse_ort_profile(text, "p").operators.empty()) throw Error(ErrorKind::bad_input, "nothing read");
    });
  };
  const testing::Matcher<std::string> fine = testing::AnyOf("no error", testing::StartsWith("p: "));
  for (std::size_t length = 0; length < whole.size(); length += 7) EXPECT_THAT(answer(whole.substr(0, length)), fine);
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    std::string damaged = whole;
    static constexpr std::string_view replacements("\"\\{}[],: 1\0\x1f\x80\xffx", 15);
    for (int i = 0; i < 4; ++i) damaged[random() % damaged.size()] = replacements[random() % replacements.size()];
    EXPECT_THAT(answer(damaged), fine);
  }
}

TEST(OrtProfile, launches_on_a_gpu_are_no_device_times) {
  const auto profile = parse_ort_profile(
      trace({event("Node", "a_kernel_time", 3, 5, 1, R"({"op_name":"Relu","provider":"CUDAExecutionProvider"})"),
             run(0, 10)}),
      "p");
  EXPECT_TRUE(profile.operators.at(0).device.empty());
  EXPECT_THAT(microseconds(profile.operators.at(0).host), ElementsAre(5));
}

TEST(OrtProfile, operators_that_left_the_gpu_are_told_with_their_copies) {
  const auto node = [](const std::string& name, int at, int lasts, const std::string& type,
                       const std::string& provider) {
    return event("Node", name + "_kernel_time", at, lasts, 1,
                 R"({"op_name":")" + type + R"(","provider":")" + provider + R"(ExecutionProvider"})");
  };
  const std::vector<std::string> events{node("a", 3, 5, "Conv", "CUDA"),
                                        node("down", 8, 1, "MemcpyToHost", "CUDA"),
                                        node("b", 9, 40, "NonZero", "CPU"),
                                        node("c", 49, 20, "Unique", "CPU"),
                                        node("up", 69, 2, "MemcpyFromHost", "CUDA"),
                                        run(0, 80)};
  EXPECT_THAT(
      parse_ort_profile(trace(events), "p").notes,
      testing::Contains("2 of 3 operators fell back to the CPU, 60.0 µs per run; nodes that copy between the two: 2."));
  const auto all_on_cpu = parse_ort_profile(trace({events[2], events[3], run(0, 80)}), "p");
  EXPECT_THAT(all_on_cpu.notes, testing::Each(testing::Not(HasSubstr("fell back")))) << "nothing else was asked for";
}

TEST(OrtProfile, the_real_file_has_shapes_bytes_and_operations) {
  const auto profile = parse_ort_profile(read_file(data / "ort_profile.json"), "p");
  ASSERT_EQ(profile.operators.size(), 3U);
  const ForeignOperator& conv = profile.operators[0];
  EXPECT_EQ(conv.type, "Conv");
  EXPECT_EQ(conv.flops, 2.0 * 16 * 8 * 8 * 27);  // each of 16·8·8 outputs meets 3·3·3 weights
  EXPECT_EQ(conv.bytes, 768 + 1728 + 4096);
  EXPECT_THAT(microseconds(conv.device), ElementsAre(131, 13, 12, 11));
}

TEST(OrtProfile, what_is_no_profile_is_refused_in_a_sentence) {
  EXPECT_THAT(refusal([] { parse_ort_profile("[]", "p.json"); }), HasSubstr("p.json: has no ONNX Runtime operator"));
  EXPECT_THAT(refusal([] { parse_ort_profile("[1,2]", "p.json"); }), HasSubstr("neither a profile nor a list"));
  EXPECT_THAT(refusal([] { parse_ort_profile("", "p.json"); }), HasSubstr("the file is empty"));
}

TEST(FlopsFromShapes, follow_the_rules_of_the_model) {
  EXPECT_EQ(flops_from_shapes("MatMul", {{4, 8}}, {{4, 16}}), 2.0 * 4 * 16 * 8);        // B was packed away
  EXPECT_EQ(flops_from_shapes("FusedGemm", {{8, 4}}, {{4, 16}}), 2.0 * 4 * 16 * 8);     // A is transposed
  EXPECT_EQ(flops_from_shapes("Conv", {{1, 3, 8, 8}}, {{1, 16, 8, 8}}), std::nullopt);  // weights unknown
  EXPECT_EQ(flops_from_shapes("NoSuchOperator", {{4}}, {{4}}), std::nullopt);
}

TEST(BenchmarkAppReport, every_infer_request_is_a_sample) {
  for (const char* file : {"detailed.csv", "detailed.json"}) {
    const std::string text = read_file(data / file);
    const auto profile = std::string_view(file).ends_with("csv") ? parse_benchmark_app_csv(text, file)
                                                                 : parse_benchmark_app_json(text, file);
    EXPECT_EQ(profile.runs, 2U) << file;
    ASSERT_EQ(profile.operators.size(), 8U) << file;
    EXPECT_EQ(profile.operators[3].name, "conv1") << file;
    EXPECT_EQ(profile.operators[3].kernel, "brgconv_avx512_bf16") << file;
    EXPECT_EQ(profile.operators[3].device.size(), 2U) << file;
    EXPECT_TRUE(profile.operators[4].device.empty()) << file;  // relu1 was fused away: no time, not zero
  }
}

TEST(BenchmarkAppReport, times_are_milliseconds) {
  const auto profile = parse_benchmark_app_csv(read_file(data / "detailed.csv"), "detailed.csv");
  EXPECT_THAT(microseconds(profile.operators.at(3).device), ElementsAre(6, 40));
}

TEST(BenchmarkAppReport, an_average_is_no_sample) {
  const auto file = open_profile(data / "average.csv");
  EXPECT_THAT(file.description, HasSubstr("average report"));
  EXPECT_TRUE(file.samples.of("3").device.empty());
  EXPECT_NEAR(file.profile.operators().at(3).device.end, 22e-6, 1e-12);
}

TEST(BenchmarkAppReport, the_one_operator_of_an_average_in_json_is_explained) {
  const auto profile = parse_benchmark_app_json(read_file(data / "average.json"), "average.json");
  EXPECT_THAT(profile.notes.back(), HasSubstr("has one operator only"));
}

TEST(BenchmarkAppReport, a_sorted_report_has_commas_and_a_line_end_inside_quotes) {
  const auto profile = parse_benchmark_app_csv(read_file(data / "sorted.csv"), "sorted.csv");
  EXPECT_THAT(profile.kind, HasSubstr("sorted"));
  EXPECT_EQ(profile.operators.size(), 8U);
  EXPECT_EQ(profile.operators[0].name, "conv1");
}

TEST(BenchmarkAppReport, columns_may_end_with_a_separator_as_the_c_program_writes_them) {
  const auto profile = parse_benchmark_app_csv(
      "layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms);\n"
      "a;EXECUTED;Relu;jit;0.5;0.25;\nTotal;;;;0.5;0.25;\n\n",
      "c.csv");
  ASSERT_EQ(profile.operators.size(), 1U);
  EXPECT_THAT(microseconds(profile.operators[0].device), ElementsAre(500));
  EXPECT_THAT(microseconds(profile.operators[0].host), ElementsAre(250));
}

TEST(BenchmarkAppReport, what_is_wrong_is_said_in_a_sentence) {
  const std::string header = "layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms)\n";
  EXPECT_THAT(refusal([&] { parse_benchmark_app_csv(header + "a;EXECUTED;Relu", "p.csv"); }), HasSubstr("truncated"));
  EXPECT_THAT(refusal([&] { parse_benchmark_app_csv(header + "a;EXECUTED;Relu;jit;x;1\n", "p.csv"); }),
              HasSubstr("'x', which is not a number"));
  EXPECT_THAT(refusal([&] { parse_benchmark_app_csv(header, "p.csv"); }), HasSubstr("without any operator"));
  EXPECT_THAT(refusal([&] { open_profile(data / "summary.csv"); }), HasSubstr("which has no operators"));
  EXPECT_THAT(refusal([&] { parse_benchmark_app_json("{\"report_type\":", "p.json"); }), HasSubstr("well-formed"));
  EXPECT_THAT(refusal([&] { parse_benchmark_app_json("{\"detailed_performance\":[3]}", "p.json"); }),
              HasSubstr("has no list of nodes"));
  EXPECT_THAT(refusal([&] { parse_benchmark_app_json("[3]", "p.json"); }),
              HasSubstr("is JSON, but not a benchmark_app report"));
  EXPECT_THAT(refusal([&] { parse_benchmark_app_json("{\"report_type\":\"sorted\"}", "p.json"); }),
              HasSubstr("p.json"));
}

TEST(ProfileKindTest, is_told_by_the_first_characters) {
  EXPECT_EQ(detect_profile_kind("\n[ {"), ProfileKind::ort);
  EXPECT_EQ(detect_profile_kind("{\"traceEvents\": ["), ProfileKind::ort);
  EXPECT_EQ(detect_profile_kind("{\"graph_exec\": {"), ProfileKind::peer);
  EXPECT_EQ(detect_profile_kind("{ \"report_type\": \"detailed\""), ProfileKind::benchmark_app_json);
  EXPECT_EQ(detect_profile_kind("layerName;execStatus"), ProfileKind::benchmark_app_csv);
  EXPECT_EQ(detect_profile_kind(""), ProfileKind::peer);
}

TEST(ProfileFileTest, filters_of_the_analyser_work_on_foreign_profiles) {
  const auto file = open_profile(data / "ort_profile.json", {.types = true});
  EXPECT_EQ(file.description, "ONNX Runtime profile, 4 runs; times are means over them");
  AnalyzeOptions options;
  options.input_type = "Float32";
  options.types = {"Softmax"};
  const auto records = select_records(file.profile, Section::device, options);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_NEAR(records[0].time, 9e-6, 1e-12);  // (19 + 6 + 5 + 6) / 4
}

}  // namespace
}  // namespace takt
