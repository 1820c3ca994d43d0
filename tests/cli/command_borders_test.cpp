// What commands refuse and take on the border between the two: a file that is not there tells that everything before it
// was taken.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/basics/error.h"
#include "cli/line/commands.h"
#include "model/onnx/builder.h"
#include "test_folder.h"

namespace takt {
namespace {

/// What it says of a wrong command line or file; "done" where it came to its end.
std::string said_by(const Command& command, const std::vector<std::string>& words) {
  testing::internal::CaptureStdout();
  std::string said = "done";
  try {
    command.run(words);
  } catch (const std::exception& error) {  // one of either kind
    said = error.what();
  }
  testing::internal::GetCapturedStdout();
  return said;
}

const std::string no_file = "cannot read 'none.json': no such file";

std::vector<std::string> with_words(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(CompareBorders, percentages_are_from_nothing_to_a_hundred_times) {
  const auto said = [](const std::vector<std::string>& more) {
    return said_by(compare_command, with_words({"none.json", "other.json"}, more));
  };
  for (const char* text : {"0", "0%", "3%", "3 %", " 3 ", "10000", "10000%"})
    EXPECT_EQ(said({"--threshold", text}), no_file) << text;
  for (const char* text : {"10000.1", "x", "", "%", "nan", "3%%"})
    EXPECT_EQ(said({"--threshold=" + std::string(text)}),
              fmt::format("--threshold '{}': not a percentage from 0 to 10000, such as 3%", text));
  EXPECT_EQ(said({"--threshold=-0.1"}), "--threshold '-0.1': not a percentage from 0 to 10000, such as 3%");
}

TEST(CompareBorders, a_limit_may_be_the_threshold_that_was_asked_for_and_not_below) {
  const auto said = [](const std::vector<std::string>& more) {
    return said_by(compare_command, with_words({"none.json", "other.json"}, more));
  };
  EXPECT_EQ(said({"--fail-over", "1%"}), no_file) << "lowers the usual one";
  EXPECT_EQ(said({"--fail-over", "3%", "--threshold", "3%"}), no_file);
  EXPECT_EQ(said({"--fail-over", "2.9%", "--threshold", "3%"}),
            "--fail-over 2.9% is below --threshold 3%, and smaller changes are ignored; lower the threshold or raise "
            "the limit");
  EXPECT_EQ(said({"--fail-over-op"}), "--fail-over-op needs a limit: add --fail-over 3%");
  EXPECT_EQ(said({"--fail-over-op", "--fail-over", "0"}), no_file);
}

TEST(CompareBorders, profiles_are_two_or_one_and_a_history) {
  const TestFolder folder;
  const std::string history = (folder / "history").string();
  EXPECT_EQ(said_by(compare_command, {"none.json"}), "compare needs two profiles, or one and --baseline DIR");
  EXPECT_EQ(said_by(compare_command, {"none.json", "b.json", "--baseline", history}),
            "--baseline takes one new profile (several runs of it joined by commas)");
  EXPECT_EQ(said_by(compare_command, {"none.json,b.json", "--baseline", history}), no_file);
}

TEST(CutBorders, a_piece_ends_behind_its_beginning) {
  const TestFolder folder;
  const std::string out = (folder / "out.json").string();
  const auto said = [&](const std::vector<std::string>& more) {
    return said_by(trace_cut_command, with_words({"none.json", "-o", out}, more));
  };
  EXPECT_EQ(said({"--from", "2ms", "--to", "2ms"}), "--to must be later than --from");
  EXPECT_EQ(said({"--from", "2ms", "--to", "2000001ns"}), no_file);
  EXPECT_EQ(said({"--to", "0s"}), "--to must be later than --from");
  EXPECT_EQ(said({"--to", "1ns"}), no_file);
  EXPECT_EQ(said({"--from", "0s"}), no_file);
  EXPECT_EQ(said({"--from", "4000000000s"}), no_file);
  EXPECT_EQ(said({"--from", "4000000001s"}), "--from '4000000001s': give a time after the trace's first event");
  EXPECT_EQ(said({"--max", "4MB"}), no_file);
  EXPECT_EQ(said({"--rank", "-1"}), no_file);
  const std::string one = "give one of --steps, --around and --from with --to";
  EXPECT_EQ(said({"--steps", "1-2", "--around", "slowest"}), one);
  EXPECT_EQ(said({"--steps", "1-2", "--to", "1s"}), one);
  EXPECT_EQ(said({"--around", "slowest", "--from", "1s"}), one);
  EXPECT_EQ(said({"--steps", "1-2", "--rank", "1", "--max", "4MB"}), no_file);
}

TEST(MergeBorders, offsets_are_of_the_files_that_are_merged) {
  const TestFolder folder;
  const std::string out = (folder / "out.json").string();
  const auto said = [&](const std::string& offset) {
    return said_by(trace_merge_command, {"none.json", "a=b.json", "-o", out, "--offset=" + offset});
  };
  EXPECT_EQ(said("none.json=2.5ms"), no_file);
  EXPECT_EQ(said("none.json=-2.5ms"), no_file);
  EXPECT_EQ(said("none.json=+4000000000s"), no_file);
  EXPECT_EQ(said("none.json=4000000001s"), "--offset: more than a century");
  EXPECT_EQ(said("a=b.json=1s"), no_file) << "the last sign counts";
  EXPECT_EQ(said("b.json=1s"), "--offset 'b.json=1s': 'b.json' is not one of the files");
  EXPECT_EQ(said("=1s"), "--offset '=1s': give FILE=DURATION, such as rank1.json=2.5ms");
  EXPECT_EQ(said("none.json"), "--offset 'none.json': give FILE=DURATION, such as rank1.json=2.5ms");
}

TEST(StressBorders, shares_are_from_nothing_to_all) {
  const auto said = [](const std::vector<std::string>& words) {
    return said_by(stress_command, with_words({"--threads", "1", "--for", "1ns"}, words));
  };
  for (const char* text : {"100%", "1", "0.01"}) EXPECT_EQ(said({"--cpu", text}), "done") << text;
  for (const char* text : {"100.1%", "1.001", "%", "x", "nan%"})
    EXPECT_EQ(said({"--cpu", text}), fmt::format("--cpu '{}': not a share from 0% to 100%", text));
  EXPECT_EQ(said({"--memory", "2"}), "--memory '2': not a share from 0% to 100%");
  EXPECT_EQ(said({"--cache", "2"}), "--cache '2': not a share from 0% to 100%");
  EXPECT_EQ(said({"--gpu", "2"}), "--gpu '2': not a share from 0% to 100%");
  EXPECT_EQ(said({"--gpu-copies", "2"}), "--gpu-copies '2': not a share from 0% to 100%");
  EXPECT_EQ(said({}), "stress: nothing to do; add --cpu 50%, --memory, --cache, --gpu or --gpu-copies");
}

TEST(LoadBorders, readings_one_after_the_other_go_to_the_screen) {
  const std::string refused =
      "load: --watch writes one reading after the other to the screen; use --format table or json, without -o";
  const TestFolder folder;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"-o", (folder / "x").string()}, {"--format", "csv"}, {"--format", "markdown"}}) {
    EXPECT_EQ(said_by(load_command, with_words({"--watch", "--config", "none.json"}, words)), refused);
    EXPECT_EQ(said_by(load_command, with_words({"--config", "none.json"}, words)), no_file);
  }
  EXPECT_EQ(said_by(load_command, {"--watch", "--config", "none.json", "--format", "json"}), no_file);
  EXPECT_EQ(said_by(load_command, {"--features", "--format", "csv", "--table", "load"}),
            "load: --features has one table; leave out --table");
  EXPECT_EQ(said_by(load_command, {"--features"}), "done");
}

TEST(LookupBorders, stages_are_those_of_the_network) {
  const TestFolder folder;
  const std::string sweep =
      folder.write("raw_measurements.json", R"({"10,20,CPU,1": {"mean": 0.13, "std": 0.01, "min": 0.12, "max": 0.15}})")
          .string();
  const auto said = [&](const std::string& stages) {
    return said_by(lookup_command, {sweep, "--nodes", "10", "--edges", "20", "--stages", stages, "--device", "CPU"});
  };
  for (const char* text : {"1", "7", "1-7", "3-3"}) EXPECT_EQ(said(text), "done") << text;
  for (const char* text : {"0", "8", "1-8", "3-2", "1-", "-2", "1-2-3", "x"})
    EXPECT_EQ(said(text),
              fmt::format("lookup: --stages: '{}' is not a range of stages; GraphSAGE has stages 1 to 7", text));
}

TEST(DevicesBorders, one_thing_at_a_time) {
  EXPECT_EQ(said_by(devices_command, {"--check", "--measure"}),
            "devices: --check needs an idle machine and --measure loads it: use one of them at a time");
  for (const char* word : {"--check", "--measure"})
    EXPECT_EQ(said_by(devices_command, {word, "--format", "csv", "--table", "devices"}),
              "devices: --check and --measure have one table each; leave out --table");
}

TEST(KernelsBorders, places_and_models_are_named) {
  EXPECT_EQ(said_by(kernels_bench_command, {}),
            "kernels bench: name a model, a file of kernels, or a kernel's own model with --model");
  EXPECT_EQ(said_by(kernels_bench_command, {"none.json", "--place", "alone,modle"}),
            "--place: 'modle' is not a place; use alone, chain or model");
  EXPECT_EQ(said_by(kernels_bench_command, {"none.json", "--place", ""}),
            "--place: '' is not a place; use alone, chain or model");
}

/// Costs of two stages on two units, by the size of a graph.
std::string laws_file(const TestFolder& folder) {
  return folder
      .write("laws.json", R"({"units": ["CPU", "GPU"], "times_us": {"CPU": [{"per_node": 0.5}, {"per_node": 0.5}],)"
                          R"( "GPU": [{"fixed": 5000, "per_node": 0.25}, {"per_node": 0.25}]}})")
      .string();
}

TEST(PlanBorders, sizes_are_nodes_from_one_and_edges_from_none) {
  const TestFolder folder;
  const std::string laws = laws_file(folder), out = (folder / "plans.json").string();
  const auto said = [&](const std::string& size) {
    return said_by(plan_compile_command, {laws, "--whole", "--out", out, "--sizes=" + size});
  };
  for (const char* size : {"1,0", "2147483646,2147483646", "1,0-2,0", " 5 , 7 "}) EXPECT_EQ(said(size), "done") << size;
  for (const char* size : {"0,0", "2147483647,0", "1,2147483647", "1", "1,2,3", "1,2-3,4-5,6", "", "a,b", "1,-1"})
    EXPECT_EQ(said(size), fmt::format("plan compile: --sizes: '{}' is not a size; write nodes,edges, e.g. 1000,5000, "
                                      "or 1000,5000-20000,100000 for a range",
                                      size));
}

TEST(PlanBorders, streams_are_of_a_file_or_drawn) {
  const TestFolder folder;
  const std::string laws = laws_file(folder), out = (folder / "plans.json").string();
  ASSERT_EQ(said_by(plan_compile_command, {laws, "--whole", "--out", out, "--sizes", "10,0-20,0"}), "done");
  const auto said = [&](const std::vector<std::string>& more) {
    return said_by(plan_simulate_command, with_words({out, "--costs", laws}, more));
  };
  const std::string which = "plan simulate: no batches given; add --stream FILE or --random N";
  EXPECT_EQ(said({}), which);
  EXPECT_EQ(said({"--random", "3", "--stream", "none.json"}), which);
  EXPECT_EQ(said({"--random", "3"}), "done");
  EXPECT_EQ(said({"--stream", "none.json"}), no_file);
}

TEST(PlanBorders, searches_say_of_what) {
  const TestFolder folder;
  const std::string laws = laws_file(folder);
  EXPECT_EQ(said_by(plan_search_command, {}), "plan search: name a model, or give stage times: --costs PATH");
  EXPECT_EQ(said_by(plan_search_command, {"--list"}), "plan search: --list needs a preset; add --preset source");
  EXPECT_EQ(said_by(plan_search_command, {"--list", "--preset", "source"}), "done");
  const std::string sizes = "plan search: the costs depend on the size; add --nodes N --edges E";
  EXPECT_EQ(said_by(plan_search_command, {"--costs", laws}), sizes);
  EXPECT_EQ(said_by(plan_search_command, {"--costs", laws, "--nodes", "5"}), sizes);
  EXPECT_EQ(said_by(plan_search_command, {"--costs", laws, "--edges", "5"}), sizes);
  EXPECT_EQ(said_by(plan_search_command, {"--costs", laws, "--nodes", "5", "--edges", "0"}), "done");
  const std::string measured = "plan search: a model is measured; leave out --costs and its options, and --preset";
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--costs", laws},
                                                {"--nodes", "5"},
                                                {"--edges", "5"},
                                                {"--divide-cost", "1ms"},
                                                {"--interference", "x.json"},
                                                {"--copies"},
                                                {"--preset", "source"}})
    EXPECT_EQ(said_by(plan_search_command, with_words({"none.onnx"}, words)), measured);
}

TEST(PlanBorders, runs_are_of_a_sweep_or_a_model) {
  const TestFolder folder;
  const std::string sweep = folder.path().string();
  EXPECT_EQ(said_by(plan_run_command, {sweep, "--nodes", "5"}),
            "plan run: a sweep has many sizes; add --nodes N --edges E");
  EXPECT_EQ(said_by(plan_run_command, {sweep, "--nodes", "5", "--edges", "5", "--threads", "1"}),
            "plan run: --input and --threads are for a model, not a sweep");
  EXPECT_EQ(said_by(plan_run_command, {sweep, "--nodes", "5", "--edges", "5", "--input", "x:{1}"}),
            "plan run: --input and --threads are for a model, not a sweep");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--nodes", "5"},
                                                {"--edges", "5"},
                                                {"--divide-cost", "1ms"},
                                                {"--interference", "x.json"}})
    EXPECT_EQ(said_by(plan_run_command, with_words({"none.onnx"}, words)),
              "plan run: --nodes, --edges, --divide-cost and --interference are for a sweep, not a model");
  EXPECT_EQ(said_by(plan_run_command, {"none.onnx", "--devices", "sim:CPU,sim:CPU"}),
            "--devices: sim:CPU is listed twice");
}

TEST(SweepBorders, steps_are_asked_for) {
  const std::string nothing =
      "sweep: no step given: --export writes the models, --measure measures them, --analyze writes cost tables, "
      "--measure-interference measures slowdowns, --all runs all steps";
  EXPECT_EQ(said_by(sweep_command, {}), nothing);
  EXPECT_EQ(said_by(sweep_command, {"--retry", "--from", "none.json"}), nothing);
  const std::string alone = "sweep: --measurements names rows for --analyze alone; leave out the other steps";
  for (const char* step : {"--export", "--measure", "--all", "--interference"})
    EXPECT_EQ(said_by(sweep_command, {"--analyze", "--from", "none.json", step}), alone) << step;
  EXPECT_EQ(said_by(sweep_command, {"--export", "--from", "none.json"}), alone);
  EXPECT_EQ(said_by(sweep_command, {"--analyze", "--from", "none.json"}), no_file);
}

/// The profile of a run of a small model on a simulated device whose seed, and so whose text, is this.
std::string profile_of_run(const TestFolder& folder, int seed) {
  const std::string file = (folder / fmt::format("p{}.json", seed)).string();
  EXPECT_EQ(said_by(run_command, {(folder / "m.onnx").string(), "--device", "sim:" + (folder / "box").string(),
                                  "--iter", "6", "--seed", std::to_string(seed), "--profile", file}),
            "done");
  return file;
}

TEST(CompareHistory, is_of_the_last_twenty_profiles_and_never_of_the_new_one) {
  const TestFolder folder;
  ModelBuilder model;
  model.output(model.node("Relu", {model.input("x", ElementType::f32, {1, 64})}, {}, {.outputs = {"y"}}));
  folder.write("m.onnx", model.serialize());
  folder.write("box.yaml", "law: table\nunknown_op_ns: 1000\nops: {Relu: 20000}\noverhead_ns: 5000\nclock: virtual\n");
  const std::string history = (folder / "history").string();
  const auto compared = [&](const std::string& files) {
    testing::internal::CaptureStdout();
    compare_command.run(std::vector<std::string>{files, "--baseline", history, "--threshold", "100%"});
    const std::string text = testing::internal::GetCapturedStdout();
    const auto begin = text.find("\nbefore   ") + 1;  // 0, the first line, if there is no such line
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  std::string file;
  for (int seed = 1; seed <= 23; ++seed) {
    file = profile_of_run(folder, seed);
    const int before = std::min(seed - 1, 20);
    EXPECT_EQ(compared(file), before == 0
                                  ? history + " contains no profile yet: nothing to compare with."
                                  : fmt::format("before   {} ({} run{})", history, before, before == 1 ? "" : "s"));
  }
  EXPECT_EQ(compared(file), "before   " + history + " (20 runs)") << "which is in the history already";
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(history), std::filesystem::directory_iterator()), 23);
  EXPECT_EQ(compared(profile_of_run(folder, 24) + "," + profile_of_run(folder, 25)),
            "before   " + history + " (20 runs)");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(history), std::filesystem::directory_iterator()), 25);
}

}  // namespace
}  // namespace takt
